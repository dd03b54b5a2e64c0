package io.anneal.repair;

import com.google.common.util.concurrent.Uninterruptibles;
import io.anneal.environment.HostEnvironment;
import io.anneal.key.RingPosition;
import io.anneal.net.Waiting;
import io.anneal.node.FailureText;
import io.anneal.repair.message.ReadRate;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SyncVote;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
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
final class FilesFirst implements RepairMaster.Before {
    private static final Logger LOG = LoggerFactory.getLogger(FilesFirst.class);

    /** So many times as much the source holds at least. */
    private static final int RATIO = 100;

    private static final long END_SECONDS = 30;
    private static final long WAITS_MS = 500;
    private static final long TOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A session with all replicas. */
    interface Session {
        RepairReport run() throws IOException;
    }

    private static final class SparseReplicaException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int replica;
        private final boolean leaves;
        private final transient Source source;

        SparseReplicaException(int replica, boolean leaves, Source source) {
            super("replica holds next to nothing, and gets SSTables first, replica=" + replica);
            this.replica = replica;
            this.leaves = leaves;
            this.source = source;
        }
    }

    /**
     * A replica that holds much.
     *
     * @param items estimated
     * @param itemBytes encoded, on average, or more
     */
    private record Source(RepairMember replica, double items, double itemBytes) {}

    private final Optional<RangeTransfer> transfer;
    private final HostEnvironment host;
    private final SessionRunner.Part part;
    private final ReadRate rate;
    /** The master first. */
    private final List<RepairMember> replicas;
    /** How other nodes reach the master's replica. */
    private final Optional<RepairMember.There> master;

    /** Each is tried once. */
    private final Set<Integer> tried = new HashSet<>();

    /** What came for replicas that wait for an import, which no session has kept yet. */
    private final Map<Integer, UUID> left = new HashMap<>();

    private final List<String> notes = new ArrayList<>();
    private int given;

    /**
     * @param transfer empty where rows are sent in any case
     * @param master how other nodes reach the first of the replicas, if it is known
     */
    FilesFirst(
            Optional<RangeTransfer> transfer,
            HostEnvironment host,
            SessionRunner.Part part,
            ReadRate rate,
            List<RepairMember> replicas,
            Optional<RepairMember.There> master) {
        this.transfer = transfer;
        this.host = host;
        this.part = part;
        this.rate = rate;
        this.replicas = replicas;
        this.master = master;
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
                give(sparse.source, sparse.replica, sparse.leaves);
            }
        }
    }

    /** Whether this is the first session. */
    boolean isFirst() {
        return tried.isEmpty();
    }

    @Override
    public Optional<UUID> left(int replica) {
        return Optional.ofNullable(left.get(replica));
    }

    /**
     * Ends the session if a replica should get SSTables first.
     *
     * @param votes the first ones
     * @param opened what each replica said of itself
     * @param share which part of the ranges a vote covers, up to 1
     * @return how many replicas got some before this session
     */
    @Override
    public int check(List<SyncVote> votes, List<SessionOpened> opened, ToDoubleFunction<RingPosition> share)
            throws SparseReplicaException {
        for (int i = 0; i < votes.size() && transfer.isPresent(); i++) {
            SyncVote vote = votes.get(i);
            boolean takesInAtOnce = opened.get(i).takesInAtOnce();
            boolean takesFiles = takesInAtOnce || opened.get(i).keepsReceived();
            if (vote.last().isEnd() && takesFiles && !tried.contains(i)) {
                Optional<Source> source = source(i, votes, opened, share);
                if (source.isPresent() && vote.items() * RATIO <= source.get().items()) {
                    throw new SparseReplicaException(i, !takesInAtOnce, source.get());
                }
            }
        }
        return given;
    }

    /** The one that holds most of those that a replica can get SSTables from. */
    private Optional<Source> source(
            int target, List<SyncVote> votes, List<SessionOpened> opened, ToDoubleFunction<RingPosition> share) {
        int bufferBytes =
                opened.stream().mapToInt(SessionOpened::bufferBytes).min().orElseThrow();
        Optional<Source> most = Optional.empty();
        for (int i = 0; i < votes.size(); i++) {
            SyncVote vote = votes.get(i);
            Optional<RepairMember> replica = reachedBy(replicas.get(target), i);
            if (vote.last().isEnd() || replica.isEmpty()) {
                continue;
            }
            // The first says nothing of how close the next are: the ranges may begin right before it.
            double items = (vote.items() - 1) / Math.max(Double.MIN_NORMAL, share.applyAsDouble(vote.last()));
            if (items >= most.map(Source::items).orElse((double) RepairConfig.MUCH_ITEMS)) {
                most = Optional.of(new Source(replica.get(), items, (double) bufferBytes / Math.max(1, vote.items())));
            }
        }
        return most;
    }

    /** A replica as another one can ask it. */
    private Optional<RepairMember> reachedBy(RepairMember target, int replica) {
        RepairMember source = replicas.get(replica);
        if (source instanceof RepairMember.Here && target instanceof RepairMember.There) {
            return replica == 0 ? master.map(RepairMember.class::cast) : Optional.empty();
        }
        return Optional.of(source);
    }

    /** @param leaves whether the target keeps it with the next session only */
    private void give(Source source, int replica, boolean leaves) throws IOException {
        RepairMember target = replicas.get(replica);
        Optional<UUID> leftAs = leaves ? Optional.of(leftAs(replica)) : Optional.empty();
        String where =
                "table=" + part.qualifiedTable() + ", replica=" + name(target) + ", source=" + name(source.replica());
        LOG.info("replica holds next to nothing and gets SSTables first, {}", where);
        // What the session before said of itself is over.
        part.listener().endsWhen(() -> false);
        try {
            transfer(source, target, leftAs);
            leftAs.ifPresent(id -> left.put(replica, id));
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

    /** The same for another attempt at these ranges, which need not bring all of it once more. */
    private UUID leftAs(int replica) {
        String what = part.runId().getMostSignificantBits() + " " + part.qualifiedTable() + " " + replica + " "
                + part.ranges();
        return UUID.nameUUIDFromBytes(what.getBytes(StandardCharsets.UTF_8));
    }

    private static String name(RepairMember replica) {
        if (replica instanceof RepairMember.There there) {
            return RepairOwners.name(there);
        }
        String name = ((RepairMember.Here) replica).name();
        return name.isEmpty() ? "of this process" : name;
    }

    /** This thread tells those that wait for it meanwhile that it is there, and how far it is. */
    private void transfer(Source source, RepairMember target, Optional<UUID> leftAs) throws IOException {
        RangeTransfer.Task task = new RangeTransfer.Task(
                part.qualifiedTable(),
                part.ranges(),
                source.replica(),
                target,
                part.waivers(),
                bytesPerSecond(source.itemBytes()),
                leftAs);
        BlockingQueue<Telling> tellings = new LinkedBlockingQueue<>();
        ExecutorService thread = host.threads().single("repair-transfer");
        try {
            Watch watch = new Watch(source.items(), tellings);
            CompletableFuture<Void> done = CompletableFuture.runAsync(() -> transfer(task, watch), thread);
            done.whenComplete((nothing, failure) -> tellings.add(Telling.NOTHING));
            while (!done.isDone()) {
                Telling next = next(tellings);
                if (next == null) {
                    part.listener().waits();
                } else {
                    part.listener().transferred(next.rows, next.bytes);
                    next.heard.complete(null);
                }
            }
            Waiting.result(done);
        } catch (UncheckedIOException failure) {
            throw failure.getCause();
        } finally {
            thread.shutdownNow();
            Uninterruptibles.awaitTerminationUninterruptibly(thread, END_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void transfer(RangeTransfer.Task task, Watch watch) {
        try {
            transfer.orElseThrow().transfer(task, watch);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalStateException refused) {
            throw new UncheckedIOException(new IOException(refused.getMessage(), refused));
        }
    }

    private static Telling next(BlockingQueue<Telling> tellings) throws InterruptedIOException {
        try {
            return tellings.poll(WAITS_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("repair was interrupted");
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** What holds a target back that hears late how fast the repair may go. */
    private long bytesPerSecond(double itemBytes) {
        long ofRows = (long) Math.ceil(rate.rowsPerSecond() * itemBytes);
        return ofRows == 0 || rate.bytesPerSecond() == 0
                ? Math.max(ofRows, rate.bytesPerSecond())
                : Math.min(ofRows, rate.bytesPerSecond());
    }

    /** What has come since the last one, for the repair's thread to tell. */
    private record Telling(long rows, long bytes, CompletableFuture<Void> heard) {
        static final Telling NOTHING = new Telling(0, 0, new CompletableFuture<>());
    }

    /** Counts what comes as so many rows as its share of what the source holds. The thread of the transfer. */
    private final class Watch implements RangeTransfer.Progress {
        private final double items;
        private final BlockingQueue<Telling> tellings;
        private long toldNanos = host.nanoTime().getAsLong();
        private long rows;
        private long bytes;

        Watch(double items, BlockingQueue<Telling> tellings) {
            this.items = items;
            this.tellings = tellings;
        }

        @Override
        public void came(double share, long bytesSoFar) throws IOException {
            long nowNanos = host.nanoTime().getAsLong();
            if (rate.isUnlimited() && nowNanos - toldNanos < TOLD_NANOS) {
                return;
            }
            toldNanos = nowNanos;
            long rowsSoFar = Math.max(rows, Math.round(share * items));
            Telling telling = new Telling(rowsSoFar - rows, bytesSoFar - bytes, new CompletableFuture<>());
            rows = rowsSoFar;
            bytes = bytesSoFar;
            tellings.add(telling);
            Waiting.result(telling.heard);
        }
    }
}
