package io.anneal.conformance;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.bench.peer.PeerSSTableVersion;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Nodes of Cassandra, one for each version of SSTables they write, started when first asked for. Rows are indexed every
 * two kibibytes, so that small partitions have indexes, too. Any thread may call; a node that starts holds up only those
 * that want it.
 */
final class Peers implements AutoCloseable {
    private static final int COLUMN_INDEX_SIZE_KIB = 2;
    private static final int HEAP_MIB = 1024;

    /** A node lives for minutes and nothing outlives it: no time for the second compiler, none for disks. */
    private static final List<String> SHORT_LIVED = List.of(
            "-XX:TieredStopAtLevel=1",
            "-Dcassandra.skip_sync=true",
            // else each change of a schema flushes a dozen tables
            "-Dcassandra.test.flush_local_schema_changes=false");

    private final Path directory;
    private final Map<String, CassandraPeer> running = new ConcurrentHashMap<>();

    Peers(Path directory) {
        this.directory = directory;
    }

    /** How to run a node for a few tests. */
    static CassandraPeerConfig shortLived(Path directory, String... yamlLines) {
        return CassandraPeerConfig.in(directory).withHeapMiB(HEAP_MIB).withSettings(List.of(yamlLines), SHORT_LIVED);
    }

    CassandraPeer of(PeerSSTableVersion version) {
        String name = version.name().toLowerCase(Locale.ROOT);
        return running.computeIfAbsent(name, key -> CassandraPeer.start(config(key, version)));
    }

    /** One whose tokens are the keys themselves; it reads every version. */
    CassandraPeer ordered() {
        return running.computeIfAbsent(
                "ordered",
                key -> CassandraPeer.start(
                        config(key, PeerSSTableVersion.DA).withPartitioner("ByteOrderedPartitioner")));
    }

    private CassandraPeerConfig config(String name, PeerSSTableVersion version) {
        return shortLived(
                        directory.resolve(name),
                        "materialized_views_enabled: true",
                        "transient_replication_enabled: true")
                .withVersion(version)
                .withColumnIndexSizeKiB(COLUMN_INDEX_SIZE_KIB);
    }

    @Override
    public void close() {
        running.values().parallelStream().forEach(CassandraPeer::close);
    }
}
