package io.anneal.bench.oldrepair;

import io.anneal.node.Node;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** All ways that there are. */
public final class Baselines {
    private static final String PARTITIONS = "baseline";
    private static final String PARTITIONS_FAST_HASH = "baseline-fast-hash";
    private static final String MERKLE = "baseline-merkle";

    /** Their names, the first of them that of what was published. */
    public static final List<String> NAMES = List.of(PARTITIONS, PARTITIONS_FAST_HASH, MERKLE);

    private Baselines() {}

    /**
     * One of each for a node; they use its connections, threads, budget and its only replicas. Registers what they answer, so it is
     * called once, before the node listens.
     */
    public static List<Baseline> of(Node node) {
        BaselineService.register(node);
        return List.of(
                new Way(PARTITIONS, node, (table, members) -> partitions(node, table, members, ChecksumKind.SHA256)),
                new Way(
                        PARTITIONS_FAST_HASH,
                        node,
                        (table, members) -> partitions(node, table, members, ChecksumKind.XXH3)),
                new Way(MERKLE, node, (table, members) -> MerkleRepair.run(node, table, members)));
    }

    private static BaselineReport partitions(
            Node node, String table, List<InetSocketAddress> members, ChecksumKind kind) throws IOException {
        return PartitionRepair.run(node, table, members.subList(1, members.size()), kind);
    }

    private interface Work {
        BaselineReport run(String table, List<InetSocketAddress> members) throws IOException;
    }

    private record Way(String name, Node node, Work work) implements Baseline {
        @Override
        public BaselineReport repair(String qualifiedTable, List<InetSocketAddress> followers) throws IOException {
            List<InetSocketAddress> members =
                    new ArrayList<>(List.of(node.addresses().get(0)));
            members.addAll(followers);
            return work.run(qualifiedTable, members);
        }
    }
}
