package io.anneal.bench.oldrepair;

import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.net.Waiting;
import io.anneal.node.Node;
import io.anneal.node.Replica;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Repair by Merkle trees: all replicas build theirs at once, the master compares them, and each two replicas that differ send one
 * another the leaves in which they do, all pairs at once. What comes is written as it comes.
 */
final class MerkleRepair {
    private static final long DEADLINE_MS = 600_000;

    private final Node node;
    private final ReplicaTask task;
    private final List<InetSocketAddress> members;

    private MerkleRepair(Node node, ReplicaTask task, List<InetSocketAddress> members) {
        this.node = node;
        this.task = task;
        this.members = members;
    }

    /** @param members where the replicas are, the master's first */
    static BaselineReport run(Node node, String table, List<InetSocketAddress> members) throws IOException {
        try (Replica own = ReplicaTask.open(node, table)) {
            ReplicaTask task = new ReplicaTask(table, own.localDeletionTimeMaxSeconds());
            return new MerkleRepair(node, task, members).run(own);
        }
    }

    private BaselineReport run(Replica own) throws IOException {
        List<TokenRange.Linear> leaves = leaves(own);
        List<CompletableFuture<ByteBuffer>> asked = new ArrayList<>();
        for (InetSocketAddress follower : members.subList(1, members.size())) {
            ByteWriter request = request();
            TokenCuts.write(request, leaves);
            asked.add(node.peers()
                    .open(follower)
                    .request(BaselineService.TREE, BaselineService.bytes(request), DEADLINE_MS));
        }
        List<MerkleTree> trees = new ArrayList<>();
        trees.add(MerkleTree.build(own, task.localDeletionTimeMaxSeconds(), leaves));
        for (ByteBuffer tree : Waiting.results(asked)) {
            trees.add(MerkleTree.decode(tree));
        }
        long differing = 0;
        List<CompletableFuture<Long>> pulls = new ArrayList<>();
        for (int left = 0; left < members.size(); left++) {
            for (int right = left + 1; right < members.size(); right++) {
                List<TokenRange.Linear> ranges = trees.get(left).differing(trees.get(right), leaves);
                if (!ranges.isEmpty()) {
                    differing += trees.get(left).differingLeaves(trees.get(right));
                    pulls.add(pull(left, right, ranges));
                    pulls.add(pull(right, left, ranges));
                }
            }
        }
        long rows = Waiting.results(pulls).stream().mapToLong(Long::longValue).sum();
        return new BaselineReport(leaves.size(), differing, rows);
    }

    /** As many as there are partitions, as a power of two, and no more than a tree has. */
    private List<TokenRange.Linear> leaves(Replica own) throws IOException {
        List<TokenRange.Linear> leaves = new ArrayList<>();
        for (TokenRange.Linear range : TokenCuts.ascending(TokenRange.FULL)) {
            long partitions = TokenCuts.estimatedPartitions(own, range, task.localDeletionTimeMaxSeconds());
            long count = Long.highestOneBit(Math.max(1, 2 * partitions - 1));
            leaves.addAll(TokenCuts.cut(range, Math.min(MerkleTree.LEAVES_MAX, count)));
        }
        return leaves;
    }

    private ByteWriter request() {
        ByteWriter out = new ByteWriter(1024);
        task.encode(out);
        return out;
    }

    /** One member takes ranges from another one. */
    private CompletableFuture<Long> pull(int into, int from, List<TokenRange.Linear> ranges) throws IOException {
        InetSocketAddress source = members.get(from);
        if (into == 0) {
            return BaselineService.later(node, () -> BaselineService.pull(node, task, source, ranges));
        }
        ByteWriter request = request();
        Texts.write(request, source.getHostString());
        request.writeInt(source.getPort());
        TokenCuts.write(request, ranges);
        return node.peers()
                .open(members.get(into))
                .request(BaselineService.PULL, BaselineService.bytes(request), DEADLINE_MS)
                .thenApply(ByteBuffer::getLong);
    }
}
