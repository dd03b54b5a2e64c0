package io.anneal.bench.scenario;

import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableVersion;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Two Cassandra nodes, in processes of their own, that both own all of a table: the first one has it, the second one rebuilds
 * it. Processor time is that of both, to a hundredth of a second.
 */
final class StreamingNodes implements Closeable {
    private static final int HEAP_MIB = 1024;
    /** A node of a ring of one need not wait for others to answer; these do. And who has rebuilt may do so again. */
    private static final List<String> OPTIONS =
            List.of("-Dcassandra.ring_delay_ms=30000", "-Dcassandra.reset_bootstrap_progress=true");

    private final LongSupplier nanoTime;
    private final TemporaryDirectory directory;
    private final StreamingTables.Drawn drawn;
    private final CassandraRing ring;

    private StreamingNodes(
            LongSupplier nanoTime, TemporaryDirectory directory, StreamingTables.Drawn drawn, CassandraRing ring) {
        this.nanoTime = nanoTime;
        this.directory = directory;
        this.drawn = drawn;
        this.ring = ring;
    }

    /** @param entire whether they send SSTables as they are, where they can; else they send rows */
    static StreamingNodes start(
            LongSupplier nanoTime, StreamingTables.Drawn drawn, SSTableVersion version, boolean entire)
            throws IOException {
        TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-nodes");
        boolean ready = false;
        try {
            copyFiles(drawn, Files.createDirectory(directory.path().resolve("sstable")));
            CassandraRing ring = CassandraRing.start(
                    directory.path(), 2, HEAP_MIB, version, List.of("stream_entire_sstables: " + entire), OPTIONS);
            TableSchema schema = StreamingTables.schema(drawn.shape());
            StreamingNodes nodes = new StreamingNodes(nanoTime, directory, drawn, ring);
            ring.create(schema.keyspace(), List.of(schema));
            ready = true;
            return nodes;
        } finally {
            if (!ready) {
                directory.close();
            }
        }
    }

    private static void copyFiles(StreamingTables.Drawn drawn, Path target) throws IOException {
        for (Path file : drawn.files()) {
            Files.copy(file, target.resolve(file.getFileName()));
        }
        Path toc = drawn.sstable().file(Component.TOC);
        Files.copy(toc, target.resolve(toc.getFileName()));
    }

    /** Gives the first node the SSTable again, and lets the second one rebuild. */
    Run rebuild(long dataBytes) throws IOException {
        TableSchema schema = StreamingTables.schema(drawn.shape());
        CassandraPeer first = ring.node(0);
        CassandraPeer second = ring.node(1);
        first.truncate(schema.keyspace(), schema.name());
        first.importDirectory(schema.keyspace(), schema.name(), directory.path().resolve("sstable"));
        ProcessCpu cpu = new ProcessCpu(ring.processes(), List.of());
        long before = nanoTime.getAsLong();
        second.nodetool("rebuild", "--keyspace", schema.keyspace());
        long wallNanos = nanoTime.getAsLong() - before;
        long cpuNanos = cpu.nanos();
        if (second.sstables(schema.keyspace(), schema.name()).isEmpty()) {
            throw new IllegalStateException("Cassandra's second node has rebuilt nothing, log=" + second.systemLog());
        }
        return new Run(0, dataBytes, wallNanos, cpuNanos, 0);
    }

    @Override
    public void close() throws IOException {
        try (directory) {
            ring.close();
        }
    }
}
