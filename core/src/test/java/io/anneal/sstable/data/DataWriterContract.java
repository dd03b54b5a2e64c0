package io.anneal.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.fragment.SourceCursor;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.Murmur3;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every format's writer refuses, leaves behind and keeps; each format's test supplies the format. */
public abstract class DataWriterContract {
    private static final long NOW_MICROS = 1_700_000_000_000_000L;
    private static final long NOW_SECONDS = 1_700_000_000L;
    private static final TableSchema SCHEMA = schema(0.01);

    @TempDir
    private Path directory;

    private final SSTableVersion version;
    private final IndexWriter.Opener index;
    private final List<Component> indexComponents;

    /** @param indexComponents those that the format alone has */
    protected DataWriterContract(SSTableVersion version, IndexWriter.Opener index, List<Component> indexComponents) {
        this.version = version;
        this.index = index;
        this.indexComponents = indexComponents;
    }

    private SSTableWriterConfig config() {
        return SSTableWriterConfig.defaults(10).withVersion(version);
    }

    private static TableSchema schema(double filterChance) {
        return TableSchema.builder("ks", "t")
                .options(new TableOptions(0, filterChance, 128, Map.of(), Map.of(), false, Map.of()))
                .column("k", CqlTypes.TEXT, Column.Kind.PARTITION_KEY)
                .column("c", CqlTypes.TEXT, Column.Kind.CLUSTERING)
                .column("s", CqlTypes.INT, Column.Kind.STATIC)
                .column("v", CqlTypes.INT, Column.Kind.REGULAR)
                .column("m", CqlTypes.map(CqlTypes.TEXT, CqlTypes.TEXT), Column.Kind.REGULAR)
                .build();
    }

    private static byte[] text(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    private static Consumer<Row> alive() {
        return row -> row.liveness(NOW_MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
    }

    private ScriptCursor script() {
        return new ScriptCursor(SCHEMA);
    }

    private DataWriter writer(OutputFile.Opener opener) throws IOException {
        return DataWriter.open(directory, "1", SCHEMA, config(), opener, index);
    }

    private DataWriter writer() throws IOException {
        return writer(OutputFile.CREATE_NEW);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private void assertRefused(ScriptCursor cursor, Class<? extends Exception> type, String... words)
            throws IOException {
        try (DataWriter writer = writer()) {
            assertThatThrownBy(() -> writer.append(cursor)).isInstanceOf(type).hasMessageContainingAll(words);
            assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void shouldRefusePartitionsOutOfOrder() throws IOException {
        ScriptCursor cursor = script();
        cursor.partition(5, "b").row(text("x"), alive()).end();
        cursor.partition(4, "a").row(text("x"), alive()).end();
        assertRefused(
                cursor,
                IllegalStateException.class,
                "partition out of order",
                "nextToken=4",
                "token=5",
                version.text() + "-1");
    }

    @Test
    void shouldRefuseAKeyGivenTwice() throws IOException {
        ScriptCursor cursor = script();
        cursor.partition(5, "b").row(text("x"), alive()).end().partition(5, "b");
        assertRefused(cursor, IllegalStateException.class, "partition out of order");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void shouldRefuseRowsOutOfOrder(String second) throws IOException {
        ScriptCursor cursor = script().partition(1, "k").row(text("b"), alive()).row(text(second), alive());
        assertRefused(cursor, IllegalStateException.class, "fragment out of order", "previous=(b)", "key=6b");
    }

    @Test
    void shouldRefuseAStaticRowBehindARow() throws IOException {
        ScriptCursor cursor = script().partition(1, "k").row(text("b"), alive()).staticRow(alive());
        assertRefused(cursor, IllegalStateException.class, "static row");
    }

    @Test
    void shouldRefuseARangeDeletionThatStaysOpen() throws IOException {
        ScriptCursor cursor = script().partition(1, "k");
        cursor.change(text("b"), ClusteringComparator.BEFORE, NOW_MICROS, NOW_SECONDS)
                .end();
        assertRefused(cursor, IllegalStateException.class, "range deletion is open");
    }

    @Test
    void shouldRefuseAChangeThatChangesNothing() throws IOException {
        ScriptCursor cursor = script().partition(1, "k");
        cursor.change(text("b"), ClusteringComparator.BEFORE, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        assertRefused(cursor, IllegalStateException.class, "changes nothing");
    }

    @Test
    void shouldRefuseAnExpiringCellWithoutExpiry() throws IOException {
        ScriptCursor cursor = script().partition(1, "k");
        cursor.row(text("b"), row -> row.addCell(0, NOW_MICROS, 60, DeletionTime.NO_DELETION_TIME));
        assertRefused(cursor, IllegalArgumentException.class, "does not fit format " + version.text(), "column=v");
    }

    @Test
    void shouldRefuseAValueOfTheWrongLength() throws IOException {
        ScriptCursor cursor = script().partition(1, "k").row(text("b"), row -> {
            row.addCell(0, NOW_MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            row.value(new byte[3], 0, 3);
        });
        assertRefused(cursor, IllegalArgumentException.class, "wrong length", "column=v", "expected=4");
    }

    @Test
    void shouldRefuseACellWithoutPathInACollection() throws IOException {
        ScriptCursor cursor = script().partition(1, "k").row(text("b"), row -> {
            row.addCell(1, NOW_MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            row.value(new byte[3], 0, 3);
        });
        assertRefused(cursor, IllegalArgumentException.class, "no path", "column=m");
    }

    @Test
    void shouldRefuseAKeyThatIsTooLong() throws IOException {
        ScriptCursor cursor = script().partition(1, "k".repeat(70_000));
        assertRefused(cursor, IllegalArgumentException.class, "partition key is too long");
    }

    @Test
    void shouldRefuseAGenerationThatIsNoPartOfAName() {
        assertThatThrownBy(() -> DataWriter.open(directory, "a-b", SCHEMA, config(), OutputFile.CREATE_NEW, index))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("generation=a-b");
    }

    @Test
    void shouldLeaveNothingBehindWhenTheCursorBreaks() throws IOException {
        ScriptCursor cursor = script().partition(1, "k").row(text("b"), alive()).failure();
        assertRefused(cursor, IOException.class, "cursor broke");
    }

    @Test
    void shouldLeaveNothingBehindWhenNotFinished() throws IOException {
        try (DataWriter writer = writer()) {
            writer.append(script().partition(1, "k").row(text("b"), alive()).end());
            assertThat(files()).isNotEmpty();
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void shouldRefuseToFinishWithoutAPartition() throws IOException {
        try (DataWriter writer = writer()) {
            // A partition without content does not exist, nor does an empty row.
            writer.append(script().partition(1, "k").row(text("b"), row -> {}).end());
            assertThat(writer.dataLengthBytes()).isZero();
            assertThatThrownBy(writer::finish)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("needs a partition");
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void shouldRefuseToFinishInsideAPartition() throws IOException {
        try (DataWriter writer = writer()) {
            writer.append(script().partition(1, "k").row(text("b"), alive()));
            assertThatThrownBy(writer::finish).hasMessageContaining("inside a partition");
        }
    }

    /** All components that are written, those of the index last. */
    private List<Component> components() {
        List<Component> all = new ArrayList<>(List.of(
                Component.DATA,
                Component.FILTER,
                Component.STATISTICS,
                Component.COMPRESSION_INFO,
                Component.DIGEST,
                Component.TOC));
        all.addAll(indexComponents);
        return all;
    }

    /** Each component in turn is written to a device that is always full. */
    @Test
    void shouldNameTheFileAndLeaveNothingWhenTheDiskIsFull() throws IOException {
        Path device = Path.of("/dev/full");
        Assumptions.assumeTrue(Files.exists(device), "no device that is always full");
        for (Component full : components()) {
            OutputFile.Opener opener = file -> file.toString().contains(full.fileSuffix())
                    ? FileChannel.open(device, StandardOpenOption.WRITE)
                    : OutputFile.CREATE_NEW.open(file);
            try (DataWriter writer = writer(opener)) {
                assertThatThrownBy(() -> {
                            writer.append(indexedPartition());
                            writer.finish();
                        })
                        .isInstanceOf(StorageException.class)
                        .hasMessageContainingAll(full.fileSuffix(), "free space", "action=");
            }
            assertThat(files()).isEmpty();
        }
    }

    /** Large enough to have entries in every file of an index. */
    private ScriptCursor indexedPartition() {
        ScriptCursor cursor = script().partition(1, "k");
        for (int i = 0; i < 10_000; i++) {
            cursor.row(text(String.format("row %05d", i)), alive());
        }
        return cursor.end();
    }

    @Test
    void shouldLeaveNothingBehindWhenAFileOfTheIndexCannotBeCreated() throws IOException {
        for (Component refused : indexComponents) {
            OutputFile.Opener opener = file -> {
                if (file.toString().contains(refused.fileSuffix())) {
                    throw new IOException("read-only");
                }
                return OutputFile.CREATE_NEW.open(file);
            };
            assertThatThrownBy(() -> {
                        try (DataWriter writer = writer(opener)) {
                            writer.append(indexedPartition());
                            writer.finish();
                        }
                    })
                    .isInstanceOf(StorageException.class)
                    .hasMessageContainingAll(refused.fileSuffix(), "action=create", "read-only");
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void shouldWriteNoFilterWhenTheTableWantsNone() throws IOException {
        Descriptor written = write(schema(1.0), config(), EncodingBase.EPOCH);
        assertThat(written.has(Component.FILTER)).isFalse();
        assertThat(Files.readAllLines(written.file(Component.TOC))).doesNotContain("Filter.db");
    }

    @Test
    void shouldWriteChecksumsInsteadOfChunksWhenNotCompressed() throws IOException {
        SSTableWriterConfig plain =
                config().withCompression(Compression.NONE).withLevel(3).withRepairedAtMillis(42);
        Descriptor written = write(SCHEMA, plain, EncodingBase.EPOCH);
        assertThat(written.has(Component.CRC)).isTrue();
        assertThat(written.has(Component.COMPRESSION_INFO)).isFalse();
        try (SSTableReader reader = Formats.open(written)) {
            assertThat(reader.statistics().level()).isEqualTo(3);
            assertThat(reader.statistics().repairedAtMillis()).isEqualTo(42);
        }
    }

    private Descriptor write(TableSchema schema, SSTableWriterConfig config, EncodingBase base) throws IOException {
        byte[] key = text("k");
        ScriptCursor cursor = new ScriptCursor(schema);
        cursor.partition(Murmur3.token(key, 0, 1), "k").row(text("b"), alive()).end();
        try (DataWriter writer =
                DataWriter.open(directory, "1", schema, config.withBase(base), OutputFile.CREATE_NEW, index)) {
            writer.append(cursor);
            return writer.finish();
        }
    }

    /** Differences to the base wrap around: a base behind the data costs bytes, not data. */
    @ParameterizedTest
    @ValueSource(longs = {0, NOW_MICROS, NOW_MICROS + 1, Long.MAX_VALUE, Long.MIN_VALUE + 1})
    void shouldKeepTimestampsWhateverTheBase(long baseMicros) throws IOException {
        Descriptor written = write(SCHEMA, config(), new EncodingBase(baseMicros, Integer.MAX_VALUE, 60));
        try (SSTableReader reader = Formats.open(written);
                SSTableCursor cursor = reader.scan(SCHEMA, TokenRange.Linear.ALL)) {
            assertThat(cursor.advance()).isEqualTo(FragmentKind.PARTITION_START);
            assertThat(cursor.partitionDeletionTimestampMicros()).isEqualTo(DeletionTime.NO_TIMESTAMP);
            assertThat(cursor.advance()).isEqualTo(FragmentKind.CLUSTERING_ROW);
            assertThat(cursor.row().livenessTimestampMicros()).isEqualTo(NOW_MICROS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100, Integer.MAX_VALUE})
    void shouldAllocateNothingPerRow(int rowsPerPartition) throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        EndlessRows rows = new EndlessRows(rowsPerPartition);
        try (DataWriter writer = writer()) {
            rows.append(writer, 20_000);
            long before = threads.getCurrentThreadAllocatedBytes();
            rows.append(writer, 100_000);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            // Less than one object for ten rows: buffers grow, and with them what is kept of partitions and blocks.
            assertThat(allocated).isLessThan(100_000);
        }
    }

    /** Partitions whose rows are filled into the same objects again and again. */
    private static final class EndlessRows extends SourceCursor {
        private final byte[] bytes = new byte[8];
        private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        private final int rowsPerPartition;
        private long partition;
        private int number;

        EndlessRows(int rowsPerPartition) {
            super(SCHEMA);
            this.rowsPerPartition = rowsPerPartition;
        }

        void append(DataWriter writer, int rowCount) throws IOException {
            for (int i = 0; i < rowCount; i++) {
                if (number == 0) {
                    partition++;
                    key.wrap(partition, bytes, 0, 4);
                    kind = FragmentKind.PARTITION_START;
                    writer.appendCurrent(this);
                }
                buffer.putInt(4, number++);
                row.clear(false);
                row.clustering().reset(bytes);
                row.clustering().add(4, 4);
                row.liveness(NOW_MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
                row.addCell(0, NOW_MICROS + i, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
                row.value(bytes, 4, 4);
                row.addComplexDeletion(1, NOW_MICROS, NOW_SECONDS);
                row.addCell(1, NOW_MICROS + 1, 60, NOW_SECONDS + i);
                row.value(bytes, 0, 8);
                row.path(bytes, 4, 4);
                kind = FragmentKind.CLUSTERING_ROW;
                writer.appendCurrent(this);
                if (number == rowsPerPartition) {
                    number = 0;
                    kind = FragmentKind.PARTITION_END;
                    writer.appendCurrent(this);
                }
            }
        }

        @Override
        public FragmentKind advance() {
            throw new UnsupportedOperationException();
        }
    }
}
