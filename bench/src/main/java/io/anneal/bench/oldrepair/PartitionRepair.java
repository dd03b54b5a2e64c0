package io.anneal.bench.oldrepair;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.net.Connection;
import io.anneal.net.MessageStream;
import io.anneal.node.Node;
import io.anneal.node.Replica;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Partition-level repair, as published of ScyllaDB 3.0. The master cuts the range into sub-ranges of about 100 partitions, by how
 * close its own lie, and takes one after the other:
 *
 * <pre>
 *   1. it computes the sub-range's checksum and asks all followers for theirs, at once
 *   2. where they are not all the same, it reads the sub-range again, fetches it from a follower for each checksum that is not its
 *      own, merges all of them, writes what comes out, and sends it to all followers, which write it
 * </pre>
 *
 * <p>The post does not say whether checksums are asked for ahead. Here they are, for {@value #RANGES_AHEAD} sub-ranges, so that no
 * replica waits for another: one at a time takes nearly twice as long. All that is read goes on where the last sub-range ended;
 * all that a replica receives becomes one SSTable, without a memtable.
 */
final class PartitionRepair implements Closeable {
    private static final int PARTITIONS = 100;
    private static final int RANGES_AHEAD = 16;

    private final Replica own;
    private final long localDeletionTimeMaxSeconds;
    private final ChecksumKind kind;
    private final OrderedReads compared;
    private final OrderedReads sent;
    private final RowIntake intake;
    private final List<Follower> followers = new ArrayList<>();
    private RowSender merged;

    private long differing;
    private long rowsFetched;

    /** A stream for each thing that is asked of a follower, so that none waits for another. */
    private record Follower(BaselineStream checksums, BaselineStream reads, BaselineStream takes) implements Closeable {
        @Override
        public void close() {
            checksums.close();
            reads.close();
            takes.close();
        }
    }

    private PartitionRepair(Replica own, ChecksumKind kind) throws IOException {
        this.own = own;
        this.kind = kind;
        localDeletionTimeMaxSeconds = own.localDeletionTimeMaxSeconds();
        compared = new OrderedReads(own, localDeletionTimeMaxSeconds);
        sent = new OrderedReads(own, localDeletionTimeMaxSeconds);
        intake = new RowIntake(own);
    }

    static BaselineReport run(Node node, String table, List<InetSocketAddress> followers, ChecksumKind kind)
            throws IOException {
        try (Replica own = ReplicaTask.open(node, table);
                PartitionRepair repair = new PartitionRepair(own, kind)) {
            ReplicaTask task = new ReplicaTask(table, own.localDeletionTimeMaxSeconds());
            for (InetSocketAddress follower : followers) {
                repair.follow(node.peers().open(follower), task);
            }
            return repair.run();
        }
    }

    private void follow(Connection peer, ReplicaTask task) {
        followers.add(new Follower(
                new BaselineStream(peer, BaselineService.CHECKSUMS, out -> {
                    out.writeByte(kind.ordinal());
                    task.encode(out);
                }),
                new BaselineStream(peer, BaselineService.READS, task::encode),
                new BaselineStream(peer, BaselineService.TAKES, task::encode)));
    }

    private BaselineReport run() throws IOException {
        List<MessageStream> takers =
                followers.stream().map(follower -> follower.takes().messages()).toList();
        merged = new RowSender(own.schema(), takers);
        List<TokenRange.Linear> ranges = new ArrayList<>();
        for (TokenRange.Linear part : TokenCuts.ascending(TokenRange.FULL)) {
            long partitions = TokenCuts.estimatedPartitions(own, part, localDeletionTimeMaxSeconds);
            ranges.addAll(TokenCuts.cut(part, (partitions + PARTITIONS - 1) / PARTITIONS));
        }
        ChecksumKind.RangeChecksums checksums = new ChecksumKind.RangeChecksums(own.schema(), kind);
        int asked = 0;
        for (int i = 0; i < ranges.size(); i++) {
            for (; asked < Math.min(ranges.size(), i + RANGES_AHEAD); asked++) {
                ask(ranges.get(asked));
            }
            byte[] ownChecksum = checksums.of(compared.read(ranges.get(i)));
            // Of replicas that have the same, one is enough.
            Map<ByteBuffer, Follower> others = new LinkedHashMap<>();
            for (Follower follower : followers) {
                others.putIfAbsent(ByteBuffer.wrap(follower.checksums().read(BaselineService.CHECKSUM)), follower);
            }
            others.remove(ByteBuffer.wrap(ownChecksum));
            if (!others.isEmpty()) {
                sync(ranges.get(i), others.values());
            }
        }
        finish();
        return new BaselineReport(ranges.size(), differing, rowsFetched + merged.rows());
    }

    private void ask(TokenRange.Linear range) {
        for (Follower follower : followers) {
            follower.checksums().write(BaselineService.RANGES, out -> TokenCuts.write(out, List.of(range)));
        }
    }

    /** Brings a sub-range together and sends it to all. */
    private void sync(TokenRange.Linear range, Collection<Follower> others) throws IOException {
        differing++;
        List<FragmentCursor> sources = new ArrayList<>();
        sources.add(sent.read(range));
        List<ReceivedFragments> fetched = new ArrayList<>();
        for (Follower follower : others) {
            follower.reads().write(BaselineService.RANGES, out -> TokenCuts.write(out, List.of(range)));
            fetched.add(new ReceivedFragments(own.schema(), follower.reads()::readRows));
        }
        sources.addAll(fetched);
        try (MergeCursor all = MergeCursor.of(own.schema(), sources, localDeletionTimeMaxSeconds)) {
            while (all.advance() != null) {
                intake.add(all);
                merged.add(all);
            }
        }
        rowsFetched += fetched.stream().mapToLong(ReceivedFragments::rows).sum();
    }

    private void finish() throws IOException {
        merged.end();
        for (Follower follower : followers) {
            follower.checksums().end();
            follower.reads().end();
            follower.takes().read(BaselineService.END);
            follower.takes().end();
        }
        intake.complete();
    }

    @Override
    public void close() throws IOException {
        followers.forEach(Follower::close);
        try (intake;
                sent) {
            compared.close();
        }
    }
}
