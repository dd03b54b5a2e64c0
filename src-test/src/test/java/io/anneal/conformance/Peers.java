package io.anneal.conformance;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.bench.peer.PeerSSTableVersion;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Nodes of Cassandra, one for each version of SSTables they write, started when first asked for. Rows are indexed every
 * two kibibytes, so that small partitions have indexes, too. Any thread may call.
 */
final class Peers implements AutoCloseable {
    private static final int COLUMN_INDEX_SIZE_KIB = 2;

    private final Path directory;
    private final Map<PeerSSTableVersion, CassandraPeer> running = new EnumMap<>(PeerSSTableVersion.class);

    private CassandraPeer ordered;

    Peers(Path directory) {
        this.directory = directory;
    }

    synchronized CassandraPeer of(PeerSSTableVersion version) {
        return running.computeIfAbsent(version, v -> CassandraPeer.start(config(v, "")));
    }

    /** One whose tokens are the keys themselves; it reads every version. */
    synchronized CassandraPeer ordered() {
        if (ordered == null) {
            ordered = CassandraPeer.start(
                    config(PeerSSTableVersion.DA, "-ordered").withPartitioner("ByteOrderedPartitioner"));
        }
        return ordered;
    }

    private CassandraPeerConfig config(PeerSSTableVersion version, String suffix) {
        return CassandraPeerConfig.in(directory.resolve(version.name().toLowerCase(Locale.ROOT) + suffix))
                .withVersion(version)
                .withColumnIndexSizeKiB(COLUMN_INDEX_SIZE_KIB)
                .withSettings(List.of("materialized_views_enabled: true"), List.of());
    }

    @Override
    public synchronized void close() {
        running.values().forEach(CassandraPeer::close);
        if (ordered != null) {
            ordered.close();
        }
    }
}
