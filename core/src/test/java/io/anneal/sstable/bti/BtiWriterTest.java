package io.anneal.sstable.bti;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.io.OutputFile;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.data.DataWriter;
import io.anneal.sstable.data.DataWriterContract;
import io.anneal.sstable.data.ScriptCursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BtiWriterTest extends DataWriterContract {
    private static final long NOW_MICROS = 1_700_000_000_000_000L;
    private static final long NOW_SECONDS = 1_700_000_000L;
    private static final int WIDE_ROWS = 3000;
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .column("k", CqlTypes.TEXT, Column.Kind.PARTITION_KEY)
            .column("c", CqlTypes.TEXT, Column.Kind.CLUSTERING)
            .column("v", CqlTypes.INT, Column.Kind.REGULAR)
            .build();
    private static final SSTableWriterConfig CONFIG =
            SSTableWriterConfig.defaults(10).withVersion(SSTableVersion.DA);

    @TempDir
    private Path directory;

    BtiWriterTest() {
        super(SSTableVersion.DA, BtiIndexWriter::open, List.of(Component.PARTITIONS, Component.ROWS));
    }

    private Descriptor write(SSTableWriterConfig config, FragmentCursor cursor) throws IOException {
        try (DataWriter writer =
                DataWriter.open(directory, "1", SCHEMA, config, OutputFile.CREATE_NEW, BtiIndexWriter::open)) {
            writer.append(cursor);
            return writer.finish();
        }
    }

    private static byte[] clustering(int number) {
        return String.format("row %05d", number).getBytes(StandardCharsets.UTF_8);
    }

    private static void addRow(ScriptCursor script, int number) {
        script.row(clustering(number), row -> {
            row.liveness(NOW_MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            row.addCell(0, NOW_MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            row.value(ByteBuffer.allocate(4).putInt(number).array(), 0, 4);
        });
    }

    private static TreeSet<DecoratedKey> keys(int count) {
        TreeSet<DecoratedKey> keys = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            keys.add(DecoratedKey.of(("key " + i).getBytes(StandardCharsets.UTF_8)));
        }
        return keys;
    }

    private static ScriptCursor startPartition(ScriptCursor script, DecoratedKey key) {
        return script.partition(key.token(), new String(key.bytes(), StandardCharsets.UTF_8));
    }

    /** Partitions of one row, some of them deleted before, and every thousandth a wide one with a range deletion. */
    private static ScriptCursor partitions(TreeSet<DecoratedKey> keys) {
        ScriptCursor script = new ScriptCursor(SCHEMA);
        int count = 0;
        for (DecoratedKey key : keys) {
            String text = new String(key.bytes(), StandardCharsets.UTF_8);
            if (count % 3 == 0) {
                script.partition(key.token(), text, NOW_MICROS - 5, NOW_SECONDS);
            } else {
                script.partition(key.token(), text);
            }
            for (int i = 0; i < (count % 1000 == 0 ? WIDE_ROWS : 1); i++) {
                if (i == 100) {
                    script.change(clustering(i), ClusteringComparator.BEFORE, NOW_MICROS - 4, NOW_SECONDS);
                } else if (i == 200) {
                    script.change(
                            clustering(i),
                            ClusteringComparator.AFTER,
                            DeletionTime.NO_TIMESTAMP,
                            DeletionTime.NO_DELETION_TIME);
                }
                if (i != 200) {
                    addRow(script, i);
                }
            }
            script.end();
            count++;
        }
        return script;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000, SSTableWriterConfig.COLUMN_INDEX_SIZE_OF_FORMAT})
    void shouldFindEveryPartitionAndRowThroughTheTries(int blockSizeBytes) throws IOException {
        TreeSet<DecoratedKey> keys = keys(3000);
        Descriptor written = write(CONFIG.withColumnIndexSizeBytes(blockSizeBytes), partitions(keys));

        try (SSTableReader reader = new BtiFormat().open(written)) {
            reader.verify();
            int count = 0;
            for (DecoratedKey key : keys) {
                boolean wide = count++ % 1000 == 0;
                assertThat(rows(reader, key, Slices.ALL, false)).hasSize(wide ? WIDE_ROWS - 1 : 1);
                if (wide) {
                    assertFindsRows(reader, key);
                }
            }
            for (int i = 0; i < 1000; i++) {
                DecoratedKey absent = DecoratedKey.of(("absent " + i).getBytes(StandardCharsets.UTF_8));
                assertThat(reader.read(SCHEMA, absent, Slices.ALL, false)).isEmpty();
            }
        }
    }

    private static void assertFindsRows(SSTableReader reader, DecoratedKey key) throws IOException {
        ClusteringComparator comparator = ClusteringComparator.of(SCHEMA);
        List<String> all = rows(reader, key, Slices.ALL, true);
        assertThat(all).hasSize(WIDE_ROWS - 1).isSortedAccordingTo((left, right) -> right.compareTo(left));
        for (int i = 0; i < WIDE_ROWS; i += 97) {
            Slices one = Slices.ofClusterings(comparator, List.of(Clustering.of(clustering(i))));
            String expected = new String(clustering(i), StandardCharsets.UTF_8);
            assertThat(rows(reader, key, one, i % 2 == 0)).containsExactly(expected);
        }
    }

    private static List<String> rows(SSTableReader reader, DecoratedKey key, Slices slices, boolean reversed)
            throws IOException {
        List<String> rows = new ArrayList<>();
        Optional<? extends FragmentCursor> found = reader.read(SCHEMA, key, slices, reversed);
        try (FragmentCursor cursor = found.orElseThrow()) {
            for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
                if (kind == FragmentKind.CLUSTERING_ROW) {
                    Clustering place = cursor.row().clustering();
                    rows.add(new String(place.buffer(), place.offset(0), place.lengthBytes(0), StandardCharsets.UTF_8));
                }
            }
        }
        return rows;
    }

    @Test
    void shouldIndexPartitionsOfMoreThan16KiB() throws IOException {
        ScriptCursor script = startPartition(new ScriptCursor(SCHEMA), keys(1).first());
        for (int i = 0; i < WIDE_ROWS; i++) {
            addRow(script, i);
        }
        Descriptor written = write(CONFIG, script.end());

        long dataBytes;
        try (SSTableReader reader = new BtiFormat().open(written)) {
            dataBytes = reader.dataLengthBytes();
        }
        byte[] rows = Files.readAllBytes(written.file(Component.ROWS));
        // The entry is key, data position 0, distance of the root, number of blocks, and no deletion.
        assertThat(rows[rows.length - 1]).isEqualTo((byte) 0x80);
        assertThat(rows[rows.length - 2]).isEqualTo((byte) (dataBytes / (16 * 1024) + 1));
    }

    @Test
    void shouldLeaveRowsEmptyWhenNoPartitionIsLarge() throws IOException {
        ScriptCursor script = startPartition(new ScriptCursor(SCHEMA), keys(1).first());
        addRow(script, 1);

        Descriptor written = write(CONFIG, script.end());

        assertThat(written.file(Component.ROWS)).isEmptyFile();
        assertThat(written.file(Component.TOC)).content().contains("Partitions.db", "Rows.db");
    }
}
