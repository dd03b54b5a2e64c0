package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.bench.peer.CassandraStore;
import io.anneal.bench.peer.PeerRun;
import io.anneal.bench.peer.PeerWrite;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import java.io.Closeable;
import java.io.IOException;

/** Cassandra's store, in one process that stays for the whole scenario. */
final class StorePeer implements Closeable {
    /** The faster of its two at these rows: by processor time a third less for each. */
    private static final CassandraStore.Memtables MEMTABLES = CassandraStore.Memtables.TRIE;

    private static final TableSchema SCHEMA = TableShape.KILOBYTE_ROWS.schema();

    private final TemporaryDirectory directory;
    private final CassandraStore store;

    private StorePeer(TemporaryDirectory directory, CassandraStore store) {
        this.directory = directory;
        this.store = store;
    }

    /** @param version what it writes */
    static StorePeer start(StoreSizes sizes, SSTableVersion version) throws IOException {
        TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-cassandra");
        try {
            CassandraPeerConfig config = CassandraPeerConfig.in(directory.path())
                    .withVersion(PeerSide.writtenBy(version))
                    .withHeapMiB(sizes.heapMiB());
            return new StorePeer(
                    directory,
                    CassandraStore.start(
                            config,
                            MEMTABLES,
                            sizes.memtablesMiB(),
                            SCHEMA.keyspace(),
                            SCHEMA.name(),
                            SchemaText.print(SCHEMA)));
        } catch (RuntimeException e) {
            try (directory) {
                throw e;
            }
        }
    }

    /** Forgets everything; compactions begin by themselves. */
    void empty() {
        store.truncate();
    }

    /** Writes drawn rows from threads, and flushes. */
    PeerWrite write(long rows, int threads) {
        return store.write(GeneratedTable.SEED, rows, threads);
    }

    /** Writes drawn rows, which stay in memtables. */
    void writeUnflushed(long rows) {
        store.writeUnflushed(GeneratedTable.SEED, rows);
    }

    void flush() {
        store.flush();
    }

    long readMedianNanos(long rows, int reads) {
        return store.readMedianNanos(GeneratedTable.SEED, rows, reads);
    }

    /** Its compaction of the table's SSTables, whose layout is that of its own table whatever their name. */
    Run compact(GeneratedTable table) {
        store.autoCompaction(false);
        store.truncate();
        store.take(table.directory().path(), table.readers().size());
        PeerRun run = store.compact();
        store.truncate();
        store.autoCompaction(true);
        return new Run(table.rowCount(), table.dataLengthBytes(), run.wallNanos(), run.cpuNanos(), 0);
    }

    @Override
    public void close() throws IOException {
        try (directory) {
            store.close();
        }
    }
}
