package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Three Cassandra nodes, in processes of their own, that each own all of the tables and import the replicas that were drawn: the first
 * one repairs. Processor time is that of the three; bytes are those of their messages and of their streams, by their own count,
 * without the frames around them.
 */
final class RepairNodes implements Closeable {
    /** What they may keep of Merkle trees is a sixteenth of it. */
    private static final int HEAP_MIB = 2048;

    private static final List<TableShape> SHAPES = List.of(TableShape.KILOBYTE_ROWS, TableShape.SMALL_ROWS);
    /** Nodes of a ring of several answer each other; and assertions cost time that a fair comparison leaves out. */
    private static final List<String> OPTIONS = List.of("-Dcassandra.ring_delay_ms=30000", "-da");

    private static final double SECOND_NANOS = 1e9;

    private final LongSupplier nanoTime;
    private final TemporaryDirectory directory;
    private final CassandraRing ring;

    private RepairNodes(LongSupplier nanoTime, TemporaryDirectory directory, CassandraRing ring) {
        this.nanoTime = nanoTime;
        this.directory = directory;
        this.ring = ring;
    }

    static RepairNodes start(LongSupplier nanoTime, SSTableVersion version) throws IOException {
        return start(nanoTime, version, 1, HEAP_MIB, SHAPES);
    }

    /**
     * @param tokens of each node
     * @param heapMiB of each node
     * @param shapes of the tables
     */
    static RepairNodes start(
            LongSupplier nanoTime, SSTableVersion version, int tokens, int heapMiB, List<TableShape> shapes)
            throws IOException {
        TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-nodes");
        boolean ready = false;
        try {
            CassandraRing ring = CassandraRing.start(
                    directory.path(), RepairDraw.REPLICAS, tokens, heapMiB, version, List.of(), OPTIONS);
            RepairNodes nodes = new RepairNodes(nanoTime, directory, ring);
            List<TableSchema> tables = shapes.stream().map(RepairData::schema).toList();
            ring.create(tables.get(0).keyspace(), tables);
            ready = true;
            return nodes;
        } finally {
            if (!ready) {
                directory.close();
            }
        }
    }

    CassandraRing ring() {
        return ring;
    }

    List<Long> processes() {
        return ring.processes();
    }

    /**
     * Gives all nodes their replicas again, and lets the first one repair, in full.
     *
     * @param others further processes of the benchmark
     * @param options of nodetool repair
     */
    RepairRun repair(RepairData data, List<Long> others, String... options) throws IOException {
        TableSchema schema = RepairData.schema(data.shape());
        put(data);
        long sentBefore = sentBytes();
        ProcessCpu cpu = new ProcessCpu(ring.processes(), others);
        long before = nanoTime.getAsLong();
        ring.node(0)
                .nodetool(Stream.of(
                                Stream.of("repair", "-full"),
                                Stream.of(options),
                                Stream.of(schema.keyspace(), schema.name()))
                        .flatMap(words -> words)
                        .toArray(String[]::new));
        long wallNanos = nanoTime.getAsLong() - before;
        long cpuNanos = cpu.nanos();
        OptionalDouble othersCpu = cpu.othersNanos().stream()
                .mapToDouble(nanos -> nanos / SECOND_NANOS)
                .findFirst();
        long sentBytes = sentBytes() - sentBefore;
        if (sentBytes < data.bytesLacking()) {
            throw new IllegalStateException("Cassandra has not repaired, bytes=" + sentBytes + ", lacking="
                    + data.bytesLacking() + ", log=" + ring.node(0).systemLog());
        }
        Run run = new Run(data.rowCount(), data.dataBytes(), wallNanos, cpuNanos, 0);
        return new RepairRun(run, sentBytes, OptionalLong.empty(), othersCpu);
    }

    /** Gives all nodes their replicas, and nothing else. */
    void put(RepairData data) throws IOException {
        TableSchema schema = RepairData.schema(data.shape());
        List<Path> replicas = data.replicas();
        ring.node(0).truncate(schema.keyspace(), schema.name());
        for (int i = 0; i < replicas.size(); i++) {
            if (RepairData.holdsSomething(replicas.get(i))) {
                ring.node(i).importDirectory(schema.keyspace(), schema.name(), replicas.get(i));
            }
        }
    }

    private long sentBytes() {
        long bytes = 0;
        for (CassandraPeer node : ring.nodes()) {
            bytes += sum(node, "SELECT JSON bytes_sent FROM system_views.streaming");
            bytes += sum(node, "SELECT JSON sent_bytes FROM system_views.internode_outbound");
        }
        return bytes;
    }

    /** Of one number in each row. */
    private static long sum(CassandraPeer node, String statement) {
        return node.selectJson(statement).stream()
                .map(row -> row.replaceAll("[^0-9]", ""))
                .filter(digits -> !digits.isEmpty())
                .mapToLong(Long::parseLong)
                .sum();
    }

    @Override
    public void close() throws IOException {
        try (directory) {
            ring.close();
        }
    }
}
