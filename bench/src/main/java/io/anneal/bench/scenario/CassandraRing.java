package io.anneal.bench.scenario;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Cassandra nodes in processes of their own, all of which own all of every table. One thread. */
final class CassandraRing implements Closeable {
    private final List<CassandraPeer> nodes;

    private CassandraRing(List<CassandraPeer> nodes) {
        this.nodes = nodes;
    }

    /** Nodes of one token each. */
    static CassandraRing start(
            Path directory, int count, int heapMiB, SSTableVersion version, List<String> settings, List<String> options)
            throws IOException {
        return start(directory, count, 1, heapMiB, version, settings, options);
    }

    /**
     * @param tokens of each node, which are dealt in turn
     * @param settings lines of cassandra.yaml
     * @param options of the JVMs
     */
    static CassandraRing start(
            Path directory,
            int count,
            int tokens,
            int heapMiB,
            SSTableVersion version,
            List<String> settings,
            List<String> options)
            throws IOException {
        List<CassandraPeer> nodes = new ArrayList<>();
        boolean ready = false;
        try {
            for (int i = 0; i < count; i++) {
                CassandraPeerConfig config = CassandraPeerConfig.in(directory.resolve("node-" + (i + 1)))
                        .withVersion(PeerSide.writtenBy(version))
                        .withHeapMiB(heapMiB)
                        .withSettings(withTokens(settings, i, count, tokens), options);
                if (i > 0) {
                    CassandraPeer first = nodes.get(0);
                    long token = token(i, count);
                    String seed = first.config().address() + ":" + first.storagePort();
                    config = config.withPlace("127.0.0." + (i + 1), token, seed);
                }
                nodes.add(CassandraPeer.start(config));
            }
            nodes.forEach(node -> node.awaitRing(count));
            ready = true;
            return new CassandraRing(nodes);
        } finally {
            if (!ready) {
                nodes.forEach(CassandraPeer::close);
            }
        }
    }

    private static long token(long place, int places) {
        return Long.MIN_VALUE + place * (Long.MAX_VALUE / places * 2);
    }

    /** The last line of a name counts. */
    private static List<String> withTokens(List<String> settings, int node, int count, int tokens) {
        if (tokens == 1) {
            return settings;
        }
        List<String> lines = new ArrayList<>(settings);
        lines.add("num_tokens: " + tokens);
        lines.add("initial_token: '"
                + IntStream.range(0, tokens)
                        .mapToObj(i -> Long.toString(token((long) i * count + node, tokens * count)))
                        .collect(Collectors.joining(","))
                + "'");
        return lines;
    }

    /** Makes tables of one keyspace, of which each node has all. */
    void create(String keyspace, List<TableSchema> tables) {
        List<String> statements = new ArrayList<>(List.of("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': " + nodes.size() + "}"));
        tables.forEach(table -> statements.add(SchemaText.print(table)));
        nodes.get(0).executeAll(statements);
    }

    CassandraPeer node(int place) {
        return nodes.get(place);
    }

    List<CassandraPeer> nodes() {
        return nodes;
    }

    /** The numbers of their processes. */
    List<Long> processes() {
        return nodes.stream().map(CassandraPeer::pid).toList();
    }

    @Override
    public void close() {
        for (int i = nodes.size() - 1; i >= 0; i--) {
            nodes.get(i).close();
        }
    }
}
