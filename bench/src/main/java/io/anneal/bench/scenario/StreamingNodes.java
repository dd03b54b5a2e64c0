package io.anneal.bench.scenario;

import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableVersion;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Two Cassandra nodes, in processes of their own, that both own all of a table: the first one has it, the second one rebuilds
 * it. Processor time is that of both, to a hundredth of a second.
 */
final class StreamingNodes implements Closeable {
    private static final String SECOND_ADDRESS = "127.0.0.2";
    /** A node of a ring of one need not wait for others to answer; these do. And who has rebuilt may do so again. */
    private static final List<String> OPTIONS =
            List.of("-Dcassandra.ring_delay_ms=30000", "-Dcassandra.reset_bootstrap_progress=true");

    private final LongSupplier nanoTime;
    private final TemporaryDirectory directory;
    private final StreamingTables.Drawn drawn;
    private final CassandraPeer first;
    private final CassandraPeer second;

    private StreamingNodes(
            LongSupplier nanoTime,
            TemporaryDirectory directory,
            StreamingTables.Drawn drawn,
            CassandraPeer first,
            CassandraPeer second) {
        this.nanoTime = nanoTime;
        this.directory = directory;
        this.drawn = drawn;
        this.first = first;
        this.second = second;
    }

    /** @param entire whether they send SSTables as they are, where they can; else they send rows */
    static StreamingNodes start(
            LongSupplier nanoTime, StreamingTables.Drawn drawn, SSTableVersion version, boolean entire)
            throws IOException {
        TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-nodes");
        boolean ready = false;
        try {
            copyFiles(drawn, Files.createDirectory(directory.path().resolve("sstable")));
            StreamingNodes nodes = start(nanoTime, directory, drawn, version, "stream_entire_sstables: " + entire);
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

    private static StreamingNodes start(
            LongSupplier nanoTime,
            TemporaryDirectory directory,
            StreamingTables.Drawn drawn,
            SSTableVersion version,
            String setting)
            throws IOException {
        CassandraPeerConfig config = CassandraPeerConfig.in(directory.path().resolve("first"))
                .withVersion(PeerSide.writtenBy(version))
                .withSettings(List.of(setting), OPTIONS);
        CassandraPeer first = CassandraPeer.start(config);
        boolean ready = false;
        try {
            CassandraPeer second = CassandraPeer.start(CassandraPeerConfig.in(
                            directory.path().resolve("second"))
                    .withVersion(PeerSide.writtenBy(version))
                    .withSettings(List.of(setting), OPTIONS)
                    .withPlace(SECOND_ADDRESS, Long.MAX_VALUE / 2, config.address() + ":" + first.storagePort()));
            StreamingNodes nodes = new StreamingNodes(nanoTime, directory, drawn, first, second);
            first.awaitRing(2);
            second.awaitRing(2);
            TableSchema schema = StreamingTables.schema(drawn.shape());
            first.executeAll(List.of(
                    "CREATE KEYSPACE " + schema.keyspace()
                            + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}",
                    SchemaText.print(schema)));
            ready = true;
            return nodes;
        } finally {
            if (!ready) {
                first.close();
            }
        }
    }

    /** Gives the first node the SSTable again, and lets the second one rebuild. */
    Run rebuild(long dataBytes) {
        TableSchema schema = StreamingTables.schema(drawn.shape());
        first.truncate(schema.keyspace(), schema.name());
        first.importDirectory(schema.keyspace(), schema.name(), directory.path().resolve("sstable"));
        long cpuBefore = cpuNanos(first) + cpuNanos(second);
        long before = nanoTime.getAsLong();
        second.nodetool("rebuild", "--keyspace", schema.keyspace());
        long wallNanos = nanoTime.getAsLong() - before;
        long cpuNanos = cpuNanos(first) + cpuNanos(second) - cpuBefore;
        if (second.sstables(schema.keyspace(), schema.name()).isEmpty()) {
            throw new IllegalStateException("Cassandra's second node has rebuilt nothing, log=" + second.systemLog());
        }
        return new Run(0, dataBytes, wallNanos, cpuNanos, 0);
    }

    private static long cpuNanos(CassandraPeer node) {
        return ProcessHandle.of(node.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .map(Duration::toNanos)
                .orElseThrow();
    }

    @Override
    public void close() throws IOException {
        try (directory) {
            second.close();
            first.close();
        }
    }
}
