package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.bench.data.GeneratedCursor;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.measure.RowHasher;
import io.anneal.bench.peer.CassandraPeerException;
import io.anneal.bench.peer.CassandraStore;
import io.anneal.bench.peer.PeerRun;
import io.anneal.bench.peer.PeerWrite;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a store is measured against writes, reads and compacts the rows that it is said to. */
final class CassandraStoreTest {
    private static final int ROWS = 3_000;
    private static final int READS = 100;
    private static final int PARTS = 4;
    private static final int MEMTABLES_MIB = 128;
    private static final int HEAP_MIB = 1024;
    private static final TableSchema SCHEMA = TableShape.KILOBYTE_ROWS.schema();

    private static final Map<CassandraStore.Memtables, CassandraStore> RUNNING =
            new EnumMap<>(CassandraStore.Memtables.class);

    @TempDir
    private static Path directory;

    @AfterAll
    static void stop() {
        RUNNING.values().forEach(CassandraStore::close);
        RUNNING.clear();
    }

    @ParameterizedTest
    @EnumSource
    void shouldWriteTheRowsThatBenchmarksDraw(CassandraStore.Memtables memtables) throws IOException {
        CassandraStore store = empty(memtables);
        PeerWrite write = store.write(GeneratedTable.SEED, ROWS, 2);

        assertThat(write.acknowledgedWallNanos()).isBetween(1L, write.flushedWallNanos());
        assertThat(write.acknowledgedCpuNanos()).isBetween(1L, write.flushedCpuNanos());
        assertThat(store.readMedianNanos(GeneratedTable.SEED, ROWS, READS)).isPositive();
        assertThat(store.sstables()).hasSize(1);
        assertThat(hashOf(store.sstables().get(0))).isEqualTo(hashOfDrawn());
        assertThatThrownBy(() -> store.readMedianNanos(GeneratedTable.SEED, 1000L * ROWS, READS))
                .isInstanceOf(CassandraPeerException.class)
                .hasMessageContaining("row is not there");
    }

    @Test
    void shouldCompactSSTablesOfOursIntoOneAndLeaveThemThere() throws IOException {
        CassandraStore store = empty(CassandraStore.Memtables.SKIP_LIST);
        try (GeneratedTable table = GeneratedTable.write(TableShape.KILOBYTE_ROWS, ROWS, PARTS)) {
            for (int round = 0; round < 2; round++) {
                store.take(table.directory().path(), PARTS);
                PeerRun run = store.compact();

                assertThat(run.wallNanos()).isPositive();
                assertThat(run.cpuNanos()).isPositive();
                assertThat(store.sstables()).hasSize(1);
                try (SSTableReader reader = open(store.sstables().get(0));
                        FragmentCursor compacted = reader.scan(SCHEMA, TokenRange.Linear.ALL);
                        FragmentCursor merged = table.merge()) {
                    assertThat(hash(compacted)).isEqualTo(hash(merged));
                }
                store.truncate();
                assertThat(store.sstables()).isEmpty();
            }
        }
    }

    private static CassandraStore empty(CassandraStore.Memtables memtables) {
        CassandraStore store = RUNNING.computeIfAbsent(memtables, CassandraStoreTest::start);
        store.autoCompaction(false);
        store.truncate();
        return store;
    }

    private static CassandraStore start(CassandraStore.Memtables memtables) {
        return CassandraStore.start(
                Peers.shortLived(directory.resolve(memtables.name())).withHeapMiB(HEAP_MIB),
                memtables,
                MEMTABLES_MIB,
                SCHEMA.keyspace(),
                SCHEMA.name(),
                SchemaText.print(SCHEMA));
    }

    private static long hashOf(Path data) throws IOException {
        try (SSTableReader reader = open(data);
                FragmentCursor cursor = reader.scan(SCHEMA, TokenRange.Linear.ALL)) {
            return hash(cursor);
        }
    }

    private static long hashOfDrawn() throws IOException {
        try (FragmentCursor cursor = GeneratedCursor.of(TableShape.KILOBYTE_ROWS, ROWS, GeneratedTable.SEED)) {
            return hash(cursor);
        }
    }

    private static long hash(FragmentCursor cursor) throws IOException {
        return new RowHasher(SCHEMA).hashAll(cursor, ROWS);
    }

    private static SSTableReader open(Path data) throws IOException {
        return Formats.open(Descriptor.of(data).orElseThrow());
    }
}
