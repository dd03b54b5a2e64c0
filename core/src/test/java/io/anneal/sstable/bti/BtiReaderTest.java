package io.anneal.sstable.bti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.fragment.FragmentKind;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.data.DataCursor;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.PartitionLookup;
import io.anneal.sstable.data.RowLookup;
import io.anneal.sstable.data.SampleSSTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SSTables of version {@code da} that Cassandra wrote: da_many has tries of several pages, with partitions of 4000 rows. */
class BtiReaderTest {
    private static final long SEED = Long.getLong("anneal.seed", 5);

    @TempDir
    Path directory;

    private record Partition(DecoratedKey key, long position) {}

    private static DataReader open(Descriptor descriptor) throws IOException {
        return (DataReader) new BtiFormat().open(descriptor);
    }

    private static DataReader open(String table, String sstable) throws IOException {
        return open(SampleSSTables.original(table, sstable));
    }

    private static List<Partition> partitions(DataReader reader) throws IOException {
        List<Partition> partitions = new ArrayList<>();
        try (DataCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
            while (cursor.advance() != null) {
                if (cursor.kind() == FragmentKind.PARTITION_START) {
                    partitions.add(new Partition(cursor.key().toDecoratedKey(), cursor.dataPosition()));
                }
            }
        }
        return partitions;
    }

    @ParameterizedTest
    @CsvSource({"da_many, da-2-bti", "da_wide_tombs, da-1-bti", "da_clustered, da-1-bti", "da_comp_none, da-1-bti"})
    void shouldFindNothingWrong(String table, String sstable) throws IOException {
        try (DataReader reader = open(table, sstable)) {
            reader.verify();
        }
    }

    @ParameterizedTest
    @CsvSource({"da_many, da-2-bti", "da_wide_tombs, da-1-bti", "da_clustered, da-1-bti", "da_comp_none, da-1-bti"})
    void shouldFindEveryPartitionAndNoOther(String table, String sstable) throws IOException {
        try (DataReader reader = open(table, sstable)) {
            List<Partition> partitions = partitions(reader);
            Set<DecoratedKey> keys = new HashSet<>();
            partitions.forEach(partition -> keys.add(partition.key));
            try (BtiIndex index = new BtiIndex(reader);
                    PartitionLookup lookup = index.lookup()) {
                for (Partition partition : partitions) {
                    assertThat(lookup.seek(new KeyView().wrap(partition.key))).isTrue();
                    assertThat(lookup.dataPosition()).isEqualTo(partition.position);
                    byte[] changed = partition.key.bytes().clone();
                    for (int bit = 0; bit < 8; bit++) {
                        changed[changed.length - 1] = (byte) (partition.key.bytes()[changed.length - 1] ^ 1 << bit);
                        DecoratedKey other = DecoratedKey.of(changed.clone());
                        assertThat(reader.read(reader.headerSchema(), other, Slices.NONE, false)
                                        .isPresent())
                                .isEqualTo(keys.contains(other));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"da_many, da-2-bti", "da_wide_tombs, da-1-bti", "da_clustered, da-1-bti"})
    void shouldFindTheNeighboursOfEveryToken(String table, String sstable) throws IOException {
        try (DataReader reader = open(table, sstable)) {
            List<Partition> partitions = partitions(reader);
            try (BtiIndex index = new BtiIndex(reader);
                    PartitionLookup lookup = index.lookup()) {
                for (int i = 0; i < partitions.size(); i++) {
                    Partition partition = partitions.get(i);
                    long token = partition.key.token();
                    assertThat(lookup.seekLastBelow(token)).isEqualTo(i > 0);
                    if (i > 0) {
                        assertThat(lookup.dataPosition()).isEqualTo(partitions.get(i - 1).position);
                    }
                    assertThat(lookup.next()).isTrue();
                    assertThat(lookup.dataPosition()).isEqualTo(partition.position);
                    assertThat(lookup.seekLastBelow(token + 1)).isTrue();
                    assertThat(lookup.dataPosition()).isEqualTo(partition.position);
                    boolean isKnown = lookup.seek(new KeyView().wrap(partition.key))
                            && lookup.key().isPresent();
                    long end = i + 1 == partitions.size() ? reader.dataLengthBytes() : partitions.get(i + 1).position;
                    assertThat(lookup.seekAfter(new KeyView().wrap(partition.key), partition.position))
                            .isEqualTo(isKnown ? end : PartitionLookup.UNKNOWN);
                }
            }
        }
    }

    @Test
    void shouldWalkThroughAllPartitions() throws IOException {
        try (DataReader reader = open("da_many", "da-2-bti");
                BtiIndex index = new BtiIndex(reader);
                PartitionLookup lookup = index.lookup()) {
            List<Long> positions = new ArrayList<>();
            while (lookup.next()) {
                positions.add(lookup.dataPosition());
            }
            assertThat(positions)
                    .isEqualTo(
                            partitions(reader).stream().map(Partition::position).toList());
        }
    }

    @Test
    void shouldKeepLookupsApartThatAreOpenAtOnce() throws IOException {
        try (DataReader reader = open("da_many", "da-2-bti");
                BtiIndex index = new BtiIndex(reader)) {
            PartitionLookup first = index.lookup();
            first.next();
            first.close();
            first.close();
            try (PartitionLookup left = index.lookup();
                    PartitionLookup right = index.lookup()) {
                for (Partition partition : partitions(reader)) {
                    assertThat(left.next()).isTrue();
                    right.seekLastBelow(-partition.key.token());
                    assertThat(left.dataPosition()).isEqualTo(partition.position);
                    assertThat(right.seek(new KeyView().wrap(partition.key))).isTrue();
                    assertThat(right.dataPosition()).isEqualTo(partition.position);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"da_many, da-2-bti", "da_wide_tombs, da-1-bti"})
    void shouldScanTokenRangesAsWithoutIndex(String table, String sstable) throws IOException {
        Descriptor without = SampleSSTables.copy(table, sstable, directory);
        Files.delete(without.file(Component.PARTITIONS));
        Files.delete(without.file(Component.ROWS));
        try (DataReader indexed = open(table, sstable);
                DataReader plain = open(without)) {
            List<Partition> partitions = partitions(indexed);
            Random random = new Random(SEED);
            for (int i = 0; i < 20; i++) {
                long first =
                        partitions.get(random.nextInt(partitions.size())).key.token() + random.nextInt(3) - 1;
                TokenRange.Linear range =
                        new TokenRange.Linear(first, Math.max(first, first + (random.nextLong() >>> 6)));
                assertThat(SampleSSTables.rows(indexed, range))
                        .as("seed=%s, range=%s", SEED, range)
                        .isEqualTo(SampleSSTables.rows(plain, range));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"da_many, da-2-bti", "da_wide_tombs, da-1-bti"})
    void shouldSkipFromPartitionToPartition(String table, String sstable) throws IOException {
        try (DataReader reader = open(table, sstable);
                DataCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
            cursor.skipBySizeBytes(-1);
            List<DecoratedKey> keys = new ArrayList<>();
            while (cursor.advance() != null) {
                keys.add(cursor.key().toDecoratedKey());
                cursor.nextPartition();
            }
            assertThat(keys)
                    .isEqualTo(partitions(reader).stream().map(Partition::key).toList());
        }
    }

    @ParameterizedTest
    @CsvSource({"da_many, da-2-bti, 28", "da_wide_tombs, da-1-bti, 24"})
    void shouldFindTheBlockOfEveryRow(String table, String sstable, int blocks) throws IOException {
        try (DataReader reader = open(table, sstable);
                BtiIndex index = new BtiIndex(reader);
                PartitionLookup lookup = index.lookup();
                DataCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
            Set<Long> begins = new HashSet<>();
            RowLookup rows = null;
            long partition = 0;
            while (cursor.advance() != null) {
                if (cursor.kind() == FragmentKind.PARTITION_START) {
                    partition = cursor.dataPosition();
                    assertThat(lookup.seek(cursor.key())).isTrue();
                    rows = lookup.rows().orElse(null);
                    requireHead(rows, cursor);
                } else if (rows != null && cursor.kind() == FragmentKind.CLUSTERING_ROW) {
                    long offset = cursor.dataPosition() - partition;
                    begins.add(partition + requireBlock(rows, cursor.row().clustering(), offset));
                }
            }
            assertThat(begins).hasSize(blocks);
        }
    }

    private static void requireHead(RowLookup rows, DataCursor cursor) {
        if (rows != null) {
            assertThat(rows.partitionDeletionMicros()).isEqualTo(cursor.partitionDeletionTimestampMicros());
            assertThat(rows.partitionDeletionSeconds()).isEqualTo(cursor.partitionDeletionLocalTimeSeconds());
        }
    }

    /** The block that a row is found in begins at or before it, and the next one behind it. */
    private static long requireBlock(RowLookup rows, Clustering row, long offset) throws IOException {
        assertThat(rows.seekFloor(row, ClusteringComparator.AT)).isTrue();
        long begin = rows.blockPosition();
        assertThat(begin).isLessThanOrEqualTo(offset);
        rows.requireFirst(row, ClusteringComparator.AT);
        if (rows.next()) {
            assertThat(rows.blockPosition()).isGreaterThan(offset);
            assertThat(rows.previous()).isTrue();
        }
        assertThat(rows.blockPosition()).isEqualTo(begin);
        return begin;
    }

    @Test
    void shouldFindFirstAndLastBlockAroundAllRows() throws IOException {
        try (DataReader reader = open("da_many", "da-2-bti");
                BtiIndex index = new BtiIndex(reader);
                PartitionLookup lookup = index.lookup()) {
            assertThat(lookup.seek(new KeyView().wrap(DecoratedKey.of(new byte[] {-1, -1, -1, -1}))))
                    .isTrue();
            RowLookup rows = lookup.rows().orElseThrow();
            assertThat(rows.seekFloor(new Clustering(), ClusteringComparator.AFTER))
                    .isTrue();
            long last = rows.blockPosition();
            assertThat(rows.next()).isFalse();
            assertThat(rows.blockPosition()).isEqualTo(last);
            assertThat(rows.seekFloor(new Clustering(), ClusteringComparator.BEFORE))
                    .isTrue();
            long first = rows.blockPosition();
            assertThat(rows.previous()).isFalse();
            assertThat(rows.next()).isTrue();
            assertThat(rows.blockPosition()).isEqualTo(first).isLessThan(last);
        }
    }

    @Test
    void shouldRefuseAFirstPlaceBeforeTheBlock() throws IOException {
        try (DataReader reader = open("da_many", "da-2-bti");
                BtiIndex index = new BtiIndex(reader);
                PartitionLookup lookup = index.lookup()) {
            lookup.seek(new KeyView().wrap(DecoratedKey.of(new byte[] {-1, -1, -1, -1})));
            RowLookup rows = lookup.rows().orElseThrow();
            rows.seekFloor(new Clustering(), ClusteringComparator.AFTER);
            assertThatExceptionOfType(CorruptSSTableException.class)
                    .isThrownBy(() -> rows.requireFirst(Clustering.of(new byte[4]), ClusteringComparator.AT))
                    .withMessageContaining("before its separator")
                    .withMessageContaining("Rows.db");
        }
    }

    @ParameterizedTest
    @CsvSource({"da_many, da-2-bti, false", "da_many, da-2-bti, true", "da_wide_tombs, da-1-bti, false"})
    void shouldReadSingleRowsAsAScanDoes(String table, String sstable, boolean reversed) throws IOException {
        try (DataReader reader = open(table, sstable);
                DataCursor scan = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
            int rows = 0;
            while (scan.advance() != null) {
                if (scan.kind() == FragmentKind.CLUSTERING_ROW && rows++ % 97 == 0) {
                    Clustering row = scan.row().clustering().copy();
                    Slices slices = Slices.of(Slice.of(row));
                    Optional<SSTableCursor> found =
                            reader.read(reader.headerSchema(), scan.key().toDecoratedKey(), slices, reversed);
                    try (SSTableCursor cursor = found.orElseThrow()) {
                        assertThat(SampleSSTables.rows(cursor))
                                .contains(SampleSSTables.text(scan, FragmentKind.CLUSTERING_ROW));
                    }
                }
            }
            assertThat(rows).isGreaterThan(100);
        }
    }

    @Test
    void shouldReadWithoutIndex() throws IOException {
        Descriptor descriptor = SampleSSTables.copy("da_wide_tombs", "da-1-bti", directory);
        List<String> expected = SampleSSTables.rows(descriptor);
        Files.delete(descriptor.file(Component.PARTITIONS));
        try (DataReader reader = open(descriptor);
                BtiIndex index = new BtiIndex(reader);
                PartitionLookup lookup = index.lookup()) {
            assertThat(SampleSSTables.rows(descriptor)).isEqualTo(expected);
            assertThat(lookup.seekLastBelow(Long.MAX_VALUE)).isFalse();
            assertThatExceptionOfType(CorruptSSTableException.class)
                    .isThrownBy(reader::verify)
                    .withMessageContaining("Partitions.db");
        }
    }
}
