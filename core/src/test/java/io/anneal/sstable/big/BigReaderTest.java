package io.anneal.sstable.big;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentKind;
import io.anneal.io.ByteWriter;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Partitioner;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.data.DataCursor;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.SampleSSTables;
import io.anneal.sstable.data.SyntheticData;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BigReaderTest {
    @TempDir
    private Path directory;

    private static List<String> partition(List<String> rows, int index) {
        List<String> partition = new ArrayList<>();
        int at = -1;
        for (String row : rows) {
            at += row.startsWith("partition") ? 1 : 0;
            if (at == index) {
                partition.add(row);
            }
        }
        return partition;
    }

    private static List<Long> tokens(List<String> rows) {
        return rows.stream()
                .filter(r -> r.startsWith("partition"))
                .map(r -> Long.parseLong(r.substring("partition ".length(), r.indexOf(':'))))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"kv, nb-1-big", "wide, nb-1-big", "bf_off, nb-1-big", "clustered, nb-1-big", "deletions, nb-2-big"})
    void shouldReadTheSameUncompressed(String table, String sstable) throws IOException {
        Descriptor descriptor = SampleSSTables.copy(table, sstable, directory);
        List<String> expected = SampleSSTables.rows(descriptor);

        SampleSSTables.uncompress(descriptor);

        assertThat(SampleSSTables.rows(descriptor)).isEqualTo(expected);
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            reader.verify();
        }
    }

    @ParameterizedTest
    @CsvSource({"kv, nb-1-big", "wide, nb-1-big", "clustered, nb-1-big", "deletions, nb-2-big"})
    void shouldScanEveryTokenRange(String table, String sstable) throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original(table, sstable))) {
            List<String> all = SampleSSTables.rows(reader, TokenRange.Linear.ALL);
            List<Long> tokens = tokens(all);
            for (int from = 0; from < tokens.size(); from++) {
                for (int to = from; to < tokens.size(); to += 7) {
                    List<String> expected = new ArrayList<>();
                    for (int i = from; i <= to; i++) {
                        expected.addAll(partition(all, i));
                    }
                    TokenRange.Linear range = new TokenRange.Linear(tokens.get(from), tokens.get(to));
                    assertThat(SampleSSTables.rows(reader, range)).isEqualTo(expected);
                }
            }
            long behind = tokens.get(tokens.size() - 1) + 1;
            assertThat(SampleSSTables.rows(reader, new TokenRange.Linear(behind, Long.MAX_VALUE)))
                    .isEmpty();
        }
    }

    @Test
    void shouldForwardFromInsideAPartition() throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original("clustered", "nb-1-big"));
                SSTableCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
            List<String> all = SampleSSTables.rows(reader, TokenRange.Linear.ALL);
            List<Long> tokens = tokens(all);
            cursor.advance();
            cursor.advance();
            assertThat(cursor.advance()).isEqualTo(FragmentKind.CLUSTERING_ROW);

            cursor.forwardTo(tokens.get(0));
            assertThat(cursor.advance()).isEqualTo(FragmentKind.CLUSTERING_ROW);

            cursor.forwardTo(tokens.get(1) + 1);
            assertThat(cursor.advance()).isEqualTo(FragmentKind.PARTITION_START);
            assertThat(cursor.key().token()).isEqualTo(tokens.get(2));

            cursor.forwardTo(Long.MIN_VALUE);
            List<String> rest = SampleSSTables.rows(cursor);
            assertThat(rest)
                    .endsWith(partition(all, 3).toArray(String[]::new))
                    .hasSize(partition(all, 2).size() - 1 + partition(all, 3).size());
        }
    }

    @ParameterizedTest
    @CsvSource({"wide, nb-1-big, -1", "wide, nb-1-big, 20000", "clustered, nb-1-big, -1", "deletions, nb-2-big, 1000000"
    })
    void shouldSkipRestOfPartition(String table, String sstable, long skipBySizeBytes) throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original(table, sstable))) {
            List<String> all = SampleSSTables.rows(reader, TokenRange.Linear.ALL);
            int partitions = tokens(all).size();
            for (int advances = 1; advances < 6; advances++) {
                try (DataCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
                    cursor.skipBySizeBytes(skipBySizeBytes);
                    for (int i = 0; i < partitions; i++) {
                        List<String> expected = partition(all, i);
                        for (int j = 0; j < Math.min(advances, expected.size()); j++) {
                            assertThat(SampleSSTables.text(cursor, cursor.advance()))
                                    .isEqualTo(expected.get(j));
                        }
                        cursor.nextPartition();
                    }
                    assertThat(cursor.advance()).isNull();
                    assertThat(cursor.kind()).isNull();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFindPartitionsThroughSampledIndex(boolean compressed) throws IOException {
        Descriptor descriptor =
                SyntheticData.sstable(directory, 1000, 12, compressed ? Compression.LZ4 : Compression.NONE);
        assertThat(Summary.read(descriptor, Partitioner.MURMUR3).count()).isEqualTo(8);
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            reader.verify();
            List<String> all = SampleSSTables.rows(reader, TokenRange.Linear.ALL);
            List<Long> tokens = tokens(all);
            for (int i = 0; i < tokens.size(); i += 13) {
                TokenRange.Linear range = new TokenRange.Linear(tokens.get(i), tokens.get(i));
                assertThat(SampleSSTables.rows(reader, range)).isEqualTo(partition(all, i));
            }
            try (DataCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
                for (int i = 0; i < tokens.size(); i += 1 + i / 3) {
                    cursor.forwardTo(tokens.get(i));
                    assertThat(cursor.advance()).isEqualTo(FragmentKind.PARTITION_START);
                    assertThat(cursor.key().token()).isEqualTo(tokens.get(i));
                    cursor.advance();
                }
            }
        }
    }

    @Test
    void shouldRefuseIndexThatPointsAtAnotherPartition() throws IOException {
        Descriptor descriptor = SampleSSTables.copy("kv", "nb-1-big", directory);
        List<Long> tokens = tokens(SampleSSTables.rows(descriptor));
        List<DecoratedKey> keys = new ArrayList<>();
        List<Long> positions = new ArrayList<>();
        try (IndexCursor index = IndexCursor.open(descriptor, Partitioner.MURMUR3)) {
            while (index.next()) {
                keys.add(index.key().toDecoratedKey());
                positions.add(index.dataPosition());
            }
        }
        ByteWriter wrong = new ByteWriter(1024);
        for (int i = 0; i < keys.size(); i++) {
            wrong.writeShort(keys.get(i).bytes().length);
            wrong.writeBytes(keys.get(i).bytes());
            wrong.writeUnsignedVInt(positions.get(i == 10 ? 20 : i));
            wrong.writeUnsignedVInt(0);
        }
        Files.write(descriptor.file(Component.INDEX), wrong.toByteArray());

        TokenRange.Linear range = new TokenRange.Linear(tokens.get(11), Long.MAX_VALUE);
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            assertThatThrownBy(() -> SampleSSTables.rows(reader, range))
                    .isInstanceOf(CorruptSSTableException.class)
                    .hasMessageContaining("key is not at its position")
                    .hasMessageContaining("Index.db");
        }
    }

    @Test
    void shouldSkipWithoutIndex() throws IOException {
        Descriptor descriptor = SampleSSTables.copy("wide", "nb-1-big", directory);
        Files.delete(descriptor.file(Component.INDEX));
        Files.delete(descriptor.file(Component.SUMMARY));
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            List<String> all = SampleSSTables.rows(reader, TokenRange.Linear.ALL);
            long second = tokens(all).get(1);
            assertThat(SampleSSTables.rows(reader, new TokenRange.Linear(second, second)))
                    .isEqualTo(partition(all, 1));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Component.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"PARTITIONS", "ROWS"})
    void shouldNameMissingComponent(Component component) throws IOException {
        Descriptor descriptor = SampleSSTables.copy(
                component == Component.COMPRESSION_INFO ? "kv" : "comp_none", "nb-1-big", directory);
        Files.delete(descriptor.file(component));

        assertThatThrownBy(() -> {
                    try (SSTableReader reader = new BigFormat().open(descriptor)) {
                        reader.verify();
                    }
                })
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("missing")
                .hasMessageContaining(component.fileSuffix());
    }

    @Test
    void shouldNeedNoFilterWhenItWouldNotFilter() throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original("bf_off", "nb-1-big"))) {
            reader.verify();
        }
    }

    @Test
    void shouldFindComponentThatIsNotListed() throws IOException {
        Descriptor descriptor = SampleSSTables.copy("comp_none", "nb-1-big", directory);
        String toc = Files.readString(descriptor.file(Component.TOC)).replace("Filter.db\n", "");
        Files.writeString(descriptor.file(Component.TOC), toc);
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            assertThatThrownBy(reader::verify)
                    .isInstanceOf(CorruptSSTableException.class)
                    .hasMessageContaining("Filter.db")
                    .hasMessageContaining("TOC.txt");
        }
    }

    @ParameterizedTest
    @CsvSource({"mz, big", "zz, big", "nb, bti"})
    void shouldRefuseOtherVersions(String version, String format) {
        Descriptor descriptor = new Descriptor(directory, version, "1", format);
        assertThatThrownBy(() -> Formats.open(descriptor))
                .isInstanceOf(UnsupportedVersionException.class)
                .hasMessageContaining("found=" + version + "-" + format)
                .hasMessageContaining(directory.toString());
    }

    @Test
    void shouldTellSchemaAndStatistics() throws IOException {
        Path table = Files.createDirectories(directory.resolve("ks/clustered-2c789050e54c11f199539ddbc8d5a59d"));
        Path snapshot = Files.createDirectories(table.resolve("snapshots/before"));
        try (DataReader reader = SampleSSTables.open(SampleSSTables.copy("clustered", "nb-1-big", snapshot))) {
            TableSchema schema = reader.headerSchema();
            assertThat(schema.qualifiedName()).isEqualTo("ks.clustered");
            assertThat(schema.partitionKey()).extracting(Column::type).containsExactly(CqlTypes.INT, CqlTypes.TEXT);
            assertThat(schema.clustering())
                    .extracting(Column::type)
                    .containsExactly(
                            CqlTypes.reversed(CqlTypes.TIMESTAMP), CqlTypes.TEXT, CqlTypes.reversed(CqlTypes.BIGINT));
            assertThat(schema.staticColumns()).extracting(Column::name).containsExactly("s1", "s2");
            assertThat(schema.regularColumns()).extracting(Column::name).containsExactly("v1", "v2", "v3");
            assertThat(reader.statistics().totalRows()).isEqualTo(44);
            assertThat(reader.statistics().estimatedPartitionCount()).isEqualTo(4);
            assertThat(reader.statistics().minTimestampMicros()).isEqualTo(1_700_000_000_000_813L);
            assertThat(reader.statistics().level()).isZero();
        }
    }

    private static TableSchema.Builder kv(CqlType key) {
        return TableSchema.builder("ks", "kv").column("p", key, Column.Kind.PARTITION_KEY);
    }

    private static void scan(TableSchema schema) throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original("comp_none", "nb-1-big"))) {
            reader.scan(schema, TokenRange.Linear.ALL).close();
        }
    }

    @Test
    void shouldMapColumnsByName() throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original("clustered", "nb-1-big"))) {
            TableSchema.Builder builder = TableSchema.builder("ks", "clustered");
            for (Column column : reader.headerSchema().partitionKey()) {
                builder.column("k" + column.index(), column.type(), column.kind());
            }
            for (Column column : reader.headerSchema().clustering()) {
                builder.column("c" + column.index(), column.type(), column.kind());
            }
            builder.column("s1", CqlTypes.TEXT, Column.Kind.STATIC)
                    .column("s2", CqlTypes.set(CqlTypes.INT), Column.Kind.STATIC)
                    .column("a_new_one", CqlTypes.INT, Column.Kind.REGULAR)
                    .column("v1", CqlTypes.TEXT, Column.Kind.REGULAR)
                    .column("v2", CqlTypes.INT, Column.Kind.REGULAR, 7, true)
                    .column("v3", CqlTypes.BLOB, Column.Kind.REGULAR);
            try (SSTableCursor cursor = reader.scan(builder.build(), TokenRange.Linear.ALL)) {
                cursor.advance();
                cursor.advance();
                cursor.advance();
                assertThat(cursor.row().entryCount()).isEqualTo(3);
                assertThat(cursor.row().columnIndex(0)).isEqualTo(1);
                assertThat(cursor.row().columnIndex(2)).isEqualTo(3);
            }
        }
    }

    @Test
    void shouldNameWhatTheSchemaDoesNotFit() throws IOException {
        List<Column> columns;
        TableSchema header;
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original("comp_none", "nb-1-big"))) {
            header = reader.headerSchema();
            columns = header.regularColumns();
        }
        String name = columns.get(0).name();
        CqlType keyType = header.partitionKey().get(0).type();
        List<Column> clustering = header.clustering();

        TableSchema.Builder withoutColumn = kv(keyType);
        clustering.forEach(c -> withoutColumn.column(c.name(), c.type(), c.kind()));
        assertThatThrownBy(() -> scan(withoutColumn.build()))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("column=" + name)
                .hasMessageContaining("table=ks.kv");

        TableSchema.Builder otherType = kv(keyType);
        clustering.forEach(c -> otherType.column(c.name(), c.type(), c.kind()));
        otherType.column(name, CqlTypes.DURATION, Column.Kind.REGULAR);
        assertThatThrownBy(() -> scan(otherType.build()))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("column=" + name)
                .hasMessageContaining("inFile=" + columns.get(0).type())
                .hasMessageContaining("inSchema=duration");

        assertThatThrownBy(() -> scan(kv(CqlTypes.DURATION).build()))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("column=p")
                .hasMessageContaining("inSchema=duration");

        TableSchema.Builder moreClustering = kv(keyType).column("extra", CqlTypes.INT, Column.Kind.CLUSTERING);
        clustering.forEach(c -> moreClustering.column(c.name(), c.type(), c.kind()));
        assertThatThrownBy(() -> scan(moreClustering.build()))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("number of key columns");
    }

    @Test
    void shouldBeHarmlessToCloseTwice() throws IOException {
        DataReader reader = SampleSSTables.open(SampleSSTables.original("wide", "nb-1-big"));
        SSTableCursor cursor = reader.scan(reader.headerSchema(), new TokenRange.Linear(0, Long.MAX_VALUE));
        cursor.advance();
        cursor.close();
        cursor.close();
        assertThat(cursor.kind()).isNull();
        reader.close();
        reader.close();
    }
}
