package io.anneal.bench.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A node driven below CQL, to measure a store against: its mutations go through its own commit log ({@code periodic}) and
 * memtables, its compactions through its own compaction manager, all inside its process, which does nothing else. One
 * table, whose rows are the drawn ones of 1 KiB. As with {@link CassandraPeer} any thread may call, requests run one after
 * the other, and {@link CassandraPeerException} says what went wrong.
 */
public final class CassandraStore implements AutoCloseable {
    /** Cassandra's two kinds of memtables, each with the memory that suits it. */
    public enum Memtables {
        /** What a node has unless told otherwise. */
        SKIP_LIST(List.of("memtable_allocation_type: heap_buffers")),
        TRIE(List.of(
                "memtable: { configurations: { default: { class_name: TrieMemtable } } }",
                "memtable_allocation_type: offheap_objects"));

        private final List<String> yamlLines;

        Memtables(List<String> yamlLines) {
            this.yamlLines = yamlLines;
        }
    }

    private final PeerProcess process;
    private final String keyspace;
    private final String table;

    private CassandraStore(PeerProcess process, String keyspace, String table) {
        this.process = process;
        this.keyspace = keyspace;
        this.table = table;
    }

    /**
     * Starts a node, with assertions off, as a fair comparison wants it, and creates the table.
     *
     * @param memtablesMiB what memtables may take of the heap, and as much beside it
     * @param createTable the statement that creates the table
     */
    public static CassandraStore start(
            CassandraPeerConfig config,
            Memtables memtables,
            int memtablesMiB,
            String keyspace,
            String table,
            String createTable) {
        List<String> yamlLines = new ArrayList<>(config.yamlLines());
        yamlLines.addAll(memtables.yamlLines);
        yamlLines.addAll(List.of(
                "commitlog_segment_size: 32MiB",
                "memtable_heap_space: " + memtablesMiB + "MiB",
                "memtable_offheap_space: " + memtablesMiB + "MiB",
                "concurrent_compactors: 1",
                "compaction_throughput: 64MiB/s"));
        List<String> jvmOptions = new ArrayList<>(config.jvmOptions());
        jvmOptions.add("-da");
        jvmOptions.add("-Xms" + config.heapMiB() + "m");
        CassandraStore store = new CassandraStore(
                PeerProcess.start(config.withSettings(yamlLines, jvmOptions), PeerProcess.Agent.NODE), keyspace, table);
        try {
            store.process.request(
                    "EXECUTE_ALL",
                    "CREATE KEYSPACE " + keyspace
                            + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                    createTable);
            return store;
        } catch (CassandraPeerException e) {
            try (store) {
                throw e;
            }
        }
    }

    /**
     * Applies the mutations of the first {@code rows} drawn rows, and then flushes.
     *
     * @param seed of the rows
     * @param threads that draw rows and apply them, each waiting for its own
     */
    public PeerWrite write(long seed, long rows, int threads) {
        return PeerWrite.of(
                request("APPLY_ROWS", Long.toString(seed), Long.toString(rows), Integer.toString(threads), "true"));
    }

    /** The same from one thread; rows stay in memtables. */
    public void writeUnflushed(long seed, long rows) {
        request("APPLY_ROWS", Long.toString(seed), Long.toString(rows), "1", "false");
    }

    /** Reads partitions chosen at random of the first {@code rows}, wherever they are now; the median of one in nanoseconds. */
    public long readMedianNanos(long seed, long rows, int reads) {
        return Long.parseLong(request("READ_ROWS", Long.toString(seed), Long.toString(rows), Integer.toString(reads))
                .get(0)
                .get(0));
    }

    /** Reads selects to their ends page by page, each in a thread of its own; processor time is that of the process. */
    public PeerRun page(int pageRows, List<String> statements) {
        List<String> arguments = new ArrayList<>(List.of(Integer.toString(pageRows)));
        arguments.addAll(statements);
        return PeerRun.of(process.request("PAGE_ROWS", arguments.toArray(String[]::new)));
    }

    /** False where files cannot be linked, as between two disks. */
    private static boolean link(Path file, Path target) {
        try {
            Files.createLink(target, file);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * Makes the SSTables of a directory the table's, beside what it has. Data components are linked, not copied, where that is
     * possible; the directory stays as it is.
     */
    public void take(Path directory, int expected) {
        Path round = process.files().importDirectory().resolve(keyspace).resolve(table);
        try {
            Files.createDirectories(round);
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Path target = round.resolve(file.getFileName());
                    if (!file.getFileName().toString().endsWith("-Data.db") || !link(file, target)) {
                        Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String count = request("TAKE", round.toString()).get(0).get(0);
        if (Integer.parseInt(count) != expected) {
            throw new CassandraPeerException(
                    "SSTables are not what was given, expected=" + expected + ", found=" + count);
        }
    }

    /** Compacts everything on disk into one SSTable, unthrottled; {@code rows} and {@code allocatedBytes} of the answer are 0. */
    public PeerRun compact() {
        List<String> answer = request("COMPACT_MEASURED").get(0);
        return new PeerRun(0, Long.parseLong(answer.get(0)), Long.parseLong(answer.get(1)), 0);
    }

    /** The live SSTables, by their Data components. */
    public List<Path> sstables() {
        return request("SSTABLES").stream().map(row -> Path.of(row.get(0))).toList();
    }

    public void flush() {
        request("FLUSH");
    }

    /** Lets compactions begin by themselves, as they do in a table just created, or keeps them from it. */
    public void autoCompaction(boolean enabled) {
        request("AUTO_COMPACTION", Boolean.toString(enabled));
    }

    public void truncate() {
        process.request("EXECUTE", "TRUNCATE " + keyspace + "." + table);
    }

    /** The port of the native protocol. */
    public int cqlPort() {
        return process.ports().cql();
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.close();
    }

    private List<List<String>> request(String operation, String... arguments) {
        List<String> all = new ArrayList<>(List.of(keyspace, table));
        all.addAll(List.of(arguments));
        return process.request(operation, all.toArray(String[]::new));
    }
}
