package io.anneal.repair;

import com.google.common.util.concurrent.Uninterruptibles;
import io.anneal.environment.HostEnvironment;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.Waiting;
import io.anneal.node.FailureText;
import io.anneal.node.Waiver;
import io.anneal.repair.message.SyncVote;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a replica that holds next to nothing, where another one holds more than its row buffer, get SSTables first: the session ends
 * as soon as its first votes show it, a {@link RangeTransfer} runs, and another session compares all replicas as ever. So what is
 * called equal was compared. How much a replica holds is estimated from how far in its ranges it came with its first buffer: nothing
 * is read for it. Belongs to the repair's thread.
 */
final class FilesFirst {
    private static final Logger LOG = LoggerFactory.getLogger(FilesFirst.class);

    /** So many times as much the source holds at least. */
    private static final int RATIO = 100;

    private static final long END_SECONDS = 30;

    /** A session with all replicas. */
    interface Session {
        RepairReport run() throws IOException;
    }

    private static final class SparseReplicaException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int replica;
        private final int source;

        SparseReplicaException(int replica, int source) {
            super("replica holds next to nothing, and gets SSTables first, replica=" + replica + ", source=" + source);
            this.replica = replica;
            this.source = source;
        }
    }

    private final Optional<RangeTransfer> transfer;
    private final HostEnvironment host;
    private final String table;
    private final List<TokenRange> ranges;
    /** The master first. */
    private final List<RepairMember> replicas;

    private final Set<Waiver> waivers;
    private final RepairListener listener;
    /** Each is tried once. */
    private final Set<Integer> tried = new HashSet<>();

    private final List<String> notes = new ArrayList<>();
    private int given;

    /** @param transfer empty where rows are sent in any case */
    FilesFirst(
            Optional<RangeTransfer> transfer,
            HostEnvironment host,
            String table,
            List<TokenRange> ranges,
            List<RepairMember> replicas,
            Set<Waiver> waivers,
            RepairListener listener) {
        this.transfer = transfer;
        this.host = host;
        this.table = table;
        this.ranges = ranges;
        this.replicas = replicas;
        this.waivers = waivers;
        this.listener = listener;
    }

    /** Runs sessions until one has no replica left that is to get SSTables first. */
    RepairReport run(Session session) throws IOException {
        for (; ; ) {
            try {
                RepairReport report = session.run();
                for (String note : notes) {
                    report = report.withNote(note);
                }
                return report;
            } catch (SparseReplicaException sparse) {
                tried.add(sparse.replica);
                give(sparse);
            }
        }
    }

    /** Whether this is the first session. */
    boolean isFirst() {
        return tried.isEmpty();
    }

    /**
     * Ends the session if a replica should get SSTables first.
     *
     * @param votes the first ones
     * @param takesInAtOnce of each replica
     * @param share which part of the ranges a vote covers, up to 1
     * @return how many replicas got some before this session
     */
    int check(List<SyncVote> votes, List<Boolean> takesInAtOnce, ToDoubleFunction<RingPosition> share)
            throws SparseReplicaException {
        if (transfer.isEmpty()) {
            return 0;
        }
        int source = -1;
        double most = RepairConfig.MUCH_ITEMS;
        for (int i = 0; i < votes.size(); i++) {
            SyncVote vote = votes.get(i);
            boolean holdsMore = !vote.last().isEnd() && replicas.get(i) instanceof RepairMember.There;
            double items = holdsMore ? vote.items() / Math.max(Double.MIN_NORMAL, share.applyAsDouble(vote.last())) : 0;
            if (items >= most) {
                source = i;
                most = items;
            }
        }
        for (int i = 0; i < votes.size() && source >= 0; i++) {
            SyncVote vote = votes.get(i);
            if (vote.last().isEnd() && takesInAtOnce.get(i) && vote.items() * RATIO <= most && !tried.contains(i)) {
                throw new SparseReplicaException(i, source);
            }
        }
        return given;
    }

    private void give(SparseReplicaException sparse) throws IOException {
        RepairMember.There source = (RepairMember.There) replicas.get(sparse.source);
        RepairMember target = replicas.get(sparse.replica);
        String where = "table=" + table + ", replica=" + name(target) + ", source=" + name(source);
        LOG.info("replica holds next to nothing and gets SSTables first, {}", where);
        try {
            transfer(source, target);
            given++;
            notes.add(
                    "replica held next to nothing and got SSTables of another one before they were compared, " + where);
        } catch (InterruptedIOException ended) {
            throw ended;
        } catch (IOException failure) {
            LOG.warn(
                    "SSTables could not be brought to a replica, it gets rows, {}, cause={}",
                    where,
                    failure.toString());
            LOG.debug("SSTables could not be brought to a replica, {}", where, failure);
            notes.add("replica held next to nothing, and SSTables could not be brought to it: it got rows, " + where
                    + ", cause=" + FailureText.of(failure));
        }
    }

    private static String name(RepairMember replica) {
        return replica instanceof RepairMember.There there ? RepairOwners.name(there) : "of this process";
    }

    /** This thread tells those that wait for it meanwhile that it is there. */
    private void transfer(RepairMember.There source, RepairMember target) throws IOException {
        ScheduledExecutorService thread = host.threads().single("repair-transfer");
        try {
            CompletableFuture<Void> done = CompletableFuture.runAsync(
                    () -> {
                        try {
                            transfer.orElseThrow().transfer(table, ranges, source, target, waivers);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        } catch (IllegalStateException refused) {
                            throw new UncheckedIOException(new IOException(refused.getMessage(), refused));
                        }
                    },
                    thread);
            Waiting.result(done, listener::waits);
        } catch (UncheckedIOException failure) {
            throw failure.getCause();
        } finally {
            thread.shutdownNow();
            Uninterruptibles.awaitTerminationUninterruptibly(thread, END_SECONDS, TimeUnit.SECONDS);
        }
    }
}
