package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.cli.sstable.DumpOptions;
import io.anneal.cli.sstable.SSTableDump;
import io.anneal.faults.Commands;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FragmentList;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Cassandra 3 leaves boundaries between range deletions that are the same on both sides, which no writer of today makes:
 * here two deletions are written, and then the bytes of one replaced by those of the other wherever they stand.
 */
class EqualBoundariesTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final long BASE_MICROS = EncodingBase.EPOCH.timestampMicros();
    private static final long SECONDS = EncodingBase.EPOCH.localDeletionTimeSeconds() + 1_000;
    private static final long KEPT_MICROS = BASE_MICROS + 0x12_3456_789AL;
    private static final long REPLACED_MICROS = BASE_MICROS + 0x13_579B_DF02L;
    private static final long OTHER_MICROS = BASE_MICROS + 0x14_0000_0005L;
    private static final long ROW_MICROS = BASE_MICROS + 0x15_0000_0006L;
    private static final int ROWS = 60;

    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .column("k", CqlTypes.INT, Column.Kind.PARTITION_KEY)
            .column("c", CqlTypes.INT, Column.Kind.CLUSTERING)
            .column("v", CqlTypes.BLOB, Column.Kind.REGULAR)
            .build();
    private static final DecoratedKey KEY = DecoratedKey.of(bytes(1));

    @TempDir
    private Path directory;

    private Path table;

    @BeforeEach
    void setUp() throws IOException {
        table = Files.createDirectories(directory.resolve("ks/t"));
        Files.writeString(table.resolve("schema.cql"), SchemaText.print(SCHEMA));
    }

    static Stream<Arguments> samples() {
        return Arrays.stream(WrittenVersion.values())
                .flatMap(version -> Stream.of(1, 40, 100, 300).map(block -> Arguments.of(version, block)));
    }

    private static byte[] bytes(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    /** The range deletions that follow one another end and begin before, at and behind rows. */
    private static FragmentList content(SplittableRandom random) {
        long[] deletions = {KEPT_MICROS, REPLACED_MICROS, KEPT_MICROS, REPLACED_MICROS, OTHER_MICROS, 0};
        FragmentList.Builder list = FragmentList.builder(SCHEMA).partition(KEY);
        long open = 0;
        for (int c = 0; c < ROWS; c++) {
            open = change(list, c, ClusteringComparator.BEFORE, open, deletions[random.nextInt(deletions.length)]);
            if (random.nextInt(4) != 0) {
                Row row = new Row();
                row.clustering().wrap(Clustering.of(bytes(c)));
                row.addCell(0, ROW_MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
                row.value(new byte[20], 0, 20);
                list.row(row);
            }
            open = change(list, c, ClusteringComparator.AFTER, open, deletions[random.nextInt(deletions.length)]);
        }
        change(list, ROWS, ClusteringComparator.AFTER, open, 0);
        return list.end().build();
    }

    private static long change(FragmentList.Builder list, int c, int weight, long open, long micros) {
        if (micros == open) {
            return open;
        }
        list.change(
                Clustering.of(bytes(c)),
                weight,
                micros == 0 ? DeletionTime.NO_TIMESTAMP : micros,
                micros == 0 ? DeletionTime.NO_DELETION_TIME : SECONDS);
        return micros;
    }

    private Descriptor write(FragmentList content, WrittenVersion version, int blockBytes) throws IOException {
        SSTableWriterConfig config = SSTableWriterConfig.defaults(1)
                .withVersion(version.version())
                .withCompression(Compression.NONE)
                .withColumnIndexSizeBytes(blockBytes);
        try (FragmentWriter writer = Formats.write(table, "1", SCHEMA, config)) {
            writer.append(content.cursor());
            Descriptor descriptor = writer.finish();
            equalise(descriptor);
            return descriptor;
        }
    }

    private static void equalise(Descriptor descriptor) throws IOException {
        byte[] data = Files.readAllBytes(descriptor.file(Component.DATA));
        replace(data, difference(REPLACED_MICROS), difference(KEPT_MICROS));
        Files.write(descriptor.file(Component.DATA), data);
        Files.write(
                descriptor.file(Component.CRC),
                ByteBuffer.allocate(8)
                        .putInt(data.length)
                        .putInt((int) crc(data))
                        .array());
        Files.writeString(descriptor.file(Component.DIGEST), Long.toString(crc(data)));
        for (Component index : List.of(Component.INDEX, Component.ROWS)) {
            if (descriptor.has(index)) {
                byte[] bytes = Files.readAllBytes(descriptor.file(index));
                replace(bytes, whole(REPLACED_MICROS), whole(KEPT_MICROS));
                Files.write(descriptor.file(index), bytes);
            }
        }
    }

    private static byte[] difference(long micros) {
        ByteWriter out = new ByteWriter(16);
        out.writeUnsignedVInt(micros - BASE_MICROS);
        return out.toByteArray();
    }

    private static byte[] whole(long micros) {
        return ByteBuffer.allocate(Long.BYTES).putLong(micros).array();
    }

    private static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    private static void replace(byte[] bytes, byte[] from, byte[] to) {
        for (int i = 0; i + from.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + from.length, from, 0, from.length)) {
                System.arraycopy(to, 0, bytes, i, to.length);
            }
        }
    }

    /** What every reader makes of it: an equal boundary is no change. */
    private static FragmentList read(SSTableReader reader) throws IOException {
        try (FragmentCursor scan = FragmentStreamValidator.of(reader.scan(SCHEMA, TokenRange.Linear.ALL))) {
            return FragmentList.copyOf(scan);
        }
    }

    private static FragmentList expected(FragmentList written) {
        FragmentList.Builder list = FragmentList.builder(SCHEMA);
        long open = DeletionTime.NO_TIMESTAMP;
        for (FragmentList.Fragment fragment : written.fragments()) {
            if (fragment.kind() != FragmentKind.RANGE_TOMBSTONE_CHANGE) {
                list.add(fragment);
                continue;
            }
            long micros = fragment.timestampMicros() == REPLACED_MICROS ? KEPT_MICROS : fragment.timestampMicros();
            if (micros != open) {
                list.change(fragment.prefix(), fragment.weight(), micros, fragment.localDeletionTimeSeconds());
            }
            open = micros;
        }
        return list.build();
    }

    @ParameterizedTest(name = "{0}, blocks of {1} bytes")
    @MethodSource("samples")
    void shouldVerifyAndReadEveryWay(WrittenVersion version, int blockBytes) throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 8; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            FragmentList written = content(random);
            FragmentList expected = expected(written);
            assertThat(expected.fragments().size())
                    .isLessThan(written.fragments().size());
            Descriptor descriptor = write(written, version, blockBytes);
            try (SSTableReader reader = Formats.open(descriptor)) {
                reader.verify();
                assertThat(read(reader).lines()).isEqualTo(expected.lines());
                try (FragmentCursor merge = FragmentStreamValidator.of(
                                MergeCursor.of(SCHEMA, List.of(reader.scan(SCHEMA, TokenRange.Linear.ALL))));
                        FragmentCursor salvage = FragmentStreamValidator.of(
                                reader.salvage(SCHEMA, lost -> assertThat(lost).isNull()))) {
                    assertThat(FragmentList.copyOf(merge).lines()).isEqualTo(expected.lines());
                    assertThat(FragmentList.copyOf(salvage).lines()).isEqualTo(expected.lines());
                }
                for (int i = 0; i < 40; i++) {
                    Slices slices = i == 0 ? Slices.ALL : SliceModel.randomSlices(written, random);
                    assertSlices(reader, expected, slices, false);
                    assertSlices(reader, expected, slices, true);
                }
            }
            descriptor.delete();
        }
    }

    private static void assertSlices(SSTableReader reader, FragmentList expected, Slices slices, boolean reversed)
            throws IOException {
        try (FragmentCursor cursor = reader.read(SCHEMA, KEY, slices, reversed).orElseThrow()) {
            assertThat(FragmentList.copyOf(reversed ? FragmentStreamValidator.ofReversed(cursor) : cursor)
                            .lines())
                    .as("slices=%s, reversed=%s", slices, reversed)
                    .isEqualTo(SliceModel.sliced(expected, slices, reversed).lines());
        }
    }

    @ParameterizedTest(name = "{0}, blocks of {1} bytes")
    @MethodSource("samples")
    void shouldDumpAndCountWhatTheFileHoldsAndWriteItWithout(WrittenVersion version, int blockBytes)
            throws IOException {
        FragmentList written = content(new SplittableRandom(blockBytes));
        Descriptor descriptor = write(written, version, blockBytes);
        String data = descriptor.file(Component.DATA).toString();
        long markers = markers(written);
        JsonNode rows = new ObjectMapper()
                .readTree(Commands.run("sstable", "dump", data).out())
                .get(0)
                .get("rows");
        List<String> types = new ArrayList<>();
        rows.forEach(row -> types.add(row.get("type").asText()));
        assertThat(types.stream().filter(type -> type.startsWith("range_tombstone")))
                .hasSize((int) markers);
        assertThat(Commands.run("sstable", "metadata", "--scan", data).out()).contains("Tombstones: " + markers + "\n");
        assertThat(Commands.run("sstable", "verify", "--extended", data).exitCode())
                .isZero();
        for (String command : List.of("rewrite", "scrub")) {
            Path out = directory.resolve(command);
            Commands.Result result = Commands.run("sstable", command, table.toString(), "--to", out.toString());
            assertThat(result.exitCode()).as(result.err()).isZero();
            try (Stream<Path> files = Files.walk(out)) {
                Path file = files.filter(f -> f.toString().endsWith("-Data.db"))
                        .findFirst()
                        .orElseThrow();
                try (SSTableReader reader = Formats.open(Descriptor.of(file).orElseThrow())) {
                    reader.verify();
                    assertThat(read(reader).lines()).isEqualTo(expected(written).lines());
                }
            }
        }
    }

    private static long markers(FragmentList list) {
        return list.fragments().stream()
                .filter(fragment -> fragment.kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE)
                .count();
    }

    @Test
    @WithCassandra
    void shouldDumpAsCassandraDoes(CassandraPeer peer) throws IOException {
        Descriptor descriptor = write(content(new SplittableRandom(7)), WrittenVersion.NB, 100);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SSTableReader reader = Formats.open(descriptor)) {
            SSTableDump.dump(reader, new DumpOptions(false, false, true, List.of(), List.of()), SECONDS, out);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(peer.dump(descriptor.file(Component.DATA)));
    }
}
