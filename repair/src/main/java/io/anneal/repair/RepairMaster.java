package io.anneal.repair;

import io.anneal.key.ClusteringComparator;
import io.anneal.key.LinearRanges;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.net.Waiting;
import io.anneal.node.DistinctReplicas;
import io.anneal.node.FailureText;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaException;
import io.anneal.node.Waiver;
import io.anneal.repair.kept.EqualSums;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.RepairCounts;
import io.anneal.repair.message.SessionFinished;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.SyncVote;
import io.anneal.repair.message.TokenSum;
import io.anneal.repair.message.WindowAnswer;
import io.anneal.repair.message.WindowSummary;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Row-level repair of a list of ranges, driven from the replica that is its master: windows are negotiated, compared by combined
 * hash, and reconciled where they differ, until the last range's end (after ScyllaDB's published row-level repair). All
 * replicas read on while the master compares. A window may span many ranges: those without rows cost nothing.
 *
 * <p>Runs on the caller's thread. Owns neither its table nor the replicas; {@link #close} ends the master's own session.
 */
public final class RepairMaster implements Closeable {
    /** What came before the session. */
    interface Before {
        Before NOTHING = new Before() {
            @Override
            public Optional<UUID> left(int replica) {
                return Optional.empty();
            }

            @Override
            public int check(List<SyncVote> votes, List<SessionOpened> opened, ToDoubleFunction<RingPosition> share) {
                return 0;
            }
        };

        /** Under which SSTables came for a replica, the master 0: it keeps them with the session, or not at all. */
        Optional<UUID> left(int replica);

        /** See {@link FilesFirst#check}. */
        int check(List<SyncVote> votes, List<SessionOpened> opened, ToDoubleFunction<RingPosition> share)
                throws IOException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(RepairMaster.class);
    /** To begin once more behind what is known costs each replica about what reading so many parts does. */
    private static final int KNOWN_PARTS_LEAST = 4;
    /** With fewer nothing costs much. */
    private static final int KNOWN_PARTS_MANY = 256;

    private final RepairConfig config;
    private final Replica table;
    private final List<Participant> followers;
    private final RepairListener listener;
    private final OpenSession parameters;
    private final ClusteringComparator comparator;
    private final SessionOpened ownOpened;
    private final LinearRanges ranges;
    private final boolean mayEndEarly;
    private final RepairMeter meter;
    private final Before before;

    /** The replicas that hold something, the master first. */
    private final BitSet hold = new BitSet();

    /** Held for the two places below. */
    private final Object ends = new Object();
    /** Where the session ends. */
    private RingPosition end = RingPosition.END;
    /** The end of the window that was begun last. */
    private Optional<RingPosition> begun = Optional.empty();

    /** Started when the terms are agreed. */
    private ReplicaSession own;

    private SessionAgreement agreement;
    private EqualSums known = EqualSums.NONE;
    private WindowSync sync;
    private List<String> names = List.of();
    private List<SessionOpened> opened = List.of();

    /** @throws RepairException when the table's replica would have to receive rows and cannot */
    public RepairMaster(RepairConfig config, Replica table, List<Participant> followers, RepairListener listener)
            throws IOException {
        this(config, table, followers, listener, RepairMetrics.unseen(), Before.NOTHING, Optional.empty());
    }

    /**
     * @param metrics of the process that the master is in
     * @param before what came before the session, and looks at what replicas hold before the first window
     * @param waits called before each wait for a replica and every half second meanwhile; what it throws ends the session
     * @throws RepairException when the table's replica would have to receive rows and cannot
     */
    RepairMaster(
            RepairConfig config,
            Replica table,
            List<Participant> followers,
            RepairListener listener,
            RepairMetrics metrics,
            Before before,
            Optional<Waiting.Check> waits)
            throws IOException {
        meter = new RepairMeter(metrics, waits);
        this.before = before;
        this.config = config;
        this.table = table;
        this.followers = List.copyOf(followers);
        this.listener = listener;
        TableSchema schema = table.schema();
        parameters = new OpenSession(
                config.sessionId(),
                config.keyspace(),
                config.table(),
                SchemaText.print(schema),
                config.ranges(),
                config.purgeTimeSeconds(),
                config.hashSeed(),
                config.bufferBytes(),
                followers.size() + 1,
                config.dryRun(),
                config.staged(),
                config.sessions());
        comparator = ClusteringComparator.of(schema);
        ranges = LinearRanges.of(config.ranges());
        mayEndEarly = !goesAroundTheRing(config) && !bringsFiles();
        ownOpened = ReplicaSession.opened(table, parameters);
    }

    /**
     * Repairs the ranges; afterwards all replicas hold the same rows there.
     *
     * @throws IOException naming the replica that failed; nothing of what was received is kept then, but where a replica
     *     fails in the last step: the others keep what they received, as {@link RepairListener#unfinished} tells
     */
    @SuppressWarnings("try") // The entries are there for the log, not for this code.
    public RepairReport run() throws IOException {
        try (MDC.MDCCloseable session =
                        MDC.putCloseable("session", config.sessionId().toString());
                MDC.MDCCloseable qualifiedTable = MDC.putCloseable("table", config.keyspace() + "." + config.table());
                MDC.MDCCloseable range = MDC.putCloseable("range", config.rangesText())) {
            return repair();
        }
    }

    /**
     * Makes a token the last one that is repaired: {@link #run} returns when it is done. For any thread; does not wait.
     *
     * @return false if the session has come further, or ends before it, and goes on as before
     */
    private boolean endAt(long token) {
        RingPosition place = RingPosition.behind(token);
        synchronized (ends) {
            boolean isAhead = begun.isEmpty() || place.compareTo(begun.get(), comparator) > 0;
            if (!isAhead || place.compareTo(end, comparator) >= 0) {
                return false;
            }
            end = place;
            return true;
        }
    }

    /** One that goes around the ring is not repaired in the order in which its caller would cut it. */
    private static boolean goesAroundTheRing(RepairConfig config) {
        return config.ranges().stream().anyMatch(range -> range.wrapsAround() && range.right() != Long.MIN_VALUE);
    }

    /** These are kept as a whole, so that all of them must be compared first. */
    private boolean bringsFiles() {
        return IntStream.rangeClosed(0, followers.size())
                .anyMatch(replica -> before.left(replica).isPresent());
    }

    private RepairReport repair() throws IOException {
        LOG.info(
                "repair starts, session={}, table={}.{}, range={}, replicas={}",
                config.sessionId(),
                config.keyspace(),
                config.table(),
                config.rangesText(),
                followers.size() + 1);
        opened = new ArrayList<>(List.of(ownOpened));
        List<CompletableFuture<SessionOpened>> opening = new ArrayList<>();
        for (Participant follower : followers) {
            opening.add(follower.open(parameters.withLeft(before.left(opening.size() + 1))));
        }
        opened.addAll(meter.awaitAll(opening));
        names = opened.stream().map(SessionOpened::name).toList();
        requireDistinctData(opened);
        agreement = SessionAgreement.of(
                config,
                table.schema(),
                opened,
                followers.stream()
                        .flatMap(follower -> follower.clockSkew().stream())
                        .toList());
        repairWindows(start(agreement.terms()));
        if (!end.isEnd()) {
            listener.endsAt(end.lastToken());
        }
        RepairReport report = finish();
        if (agreement.repairsAll()) {
            tellRepaired();
        }
        LOG.info("repair is done, session={}, report={}", config.sessionId(), report);
        return report;
    }

    /** @throws IOException the first failure of a replica, when the listener knows what the others kept */
    private RepairReport finish() throws IOException {
        boolean isAnyChanged = !config.dryRun() && meter.of(RepairCount.WINDOWS_DIFFERING) > 0;
        if (isAnyChanged) {
            listener.keeps(report(List.of(), List.of(), agreement.terms().importDeadlineSeconds()));
        }
        List<LastStep.End> ends = LastStep.of(own, followers, meter);
        RepairReport report = report(ends);
        List<Exception> failures = ends.stream()
                .filter(LastStep.Failed.class::isInstance)
                .map(end -> ((LastStep.Failed) end).cause())
                .toList();
        if (failures.isEmpty()) {
            return report;
        }
        LOG.warn(
                "the last step failed at replicas, the others keep what they received, session={}, replicas={}",
                config.sessionId(),
                report.replicas().stream()
                        .filter(replica -> !replica.unkept().isEmpty())
                        .map(RepairReport.ReplicaReport::name)
                        .toList());
        if (isAnyChanged) {
            listener.unfinished(report);
        }
        Exception first = failures.get(0);
        failures.stream().skip(1).filter(other -> other != first).forEach(first::addSuppressed);
        if (first instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        throw (IOException) first;
    }

    private static void requireDistinctData(List<SessionOpened> opened) throws RepairException {
        try {
            DistinctReplicas.requireDistinctData(
                    opened.stream().map(SessionOpened::facts).toList());
        } catch (ReplicaException twice) {
            throw new RepairException(twice.getMessage(), twice);
        }
    }

    /** The replicas are equal whatever comes of this: one that does not hear it keeps its deletions for longer. */
    private void tellRepaired() {
        long seconds = config.purgeTimeSeconds();
        List<TokenRange> repaired = repairedRanges();
        List<CompletableFuture<Void>> told = ask(follower -> follower.repaired(repaired, seconds));
        try {
            table.repaired(repaired, seconds);
            meter.awaitAll(told);
        } catch (IOException | RuntimeException failure) {
            LOG.warn("not every replica took note of its repair, cause={}", failure.toString());
            LOG.debug("not every replica took note of its repair", failure);
        }
    }

    private List<TokenRange> repairedRanges() {
        return config.ranges().stream()
                .flatMap(range -> repaired(range).stream())
                .toList();
    }

    /**
     * What of a range is done. Of a session that ended early the empty key's token is not, though it was read: who goes on after
     * the session has it, as the last of the ring.
     */
    private List<TokenRange> repaired(TokenRange range) {
        return end.isEnd()
                ? List.of(range)
                : TokenRanges.of(range).within(new TokenRange(Long.MIN_VALUE, end.lastToken()));
    }

    private List<RangeReport> rangeReports() {
        return sync.tally().reports(config.keyspace() + "." + config.table(), names).stream()
                .map(found -> found.of(repaired(found.range()).stream()
                        .findFirst()
                        .orElse(TokenRange.Linear.MIN_TOKEN_ONLY.asRange())))
                .toList();
    }

    /** All in one go; votes for the first window. */
    private Votes start(SessionTerms terms) throws IOException {
        List<CompletableFuture<Void>> agreeing = ask(follower -> follower.agree(terms));
        own = new ReplicaSession(table, parameters.withLeft(before.left(0)), terms, meter);
        known = askForKnown();
        LinearRanges unknown = ranges.without(known.tokens());
        List<CompletableFuture<Void>> starting = ask(follower -> follower.start(
                known.isNone()
                        ? config.ranges()
                        : unknown.ranges().stream()
                                .map(TokenRange.Linear::asRange)
                                .toList()));
        own.start(unknown);
        RangeTally tally = new RangeTally(new RangeIndex(config.ranges()), followers.size() + 1);
        sync = new WindowSync(table.schema(), own, followers, listener, tally, terms.bufferBytes(), config.dryRun());
        Votes first = askForVotes();
        meter.awaitAll(agreeing);
        meter.awaitAll(starting);
        return first;
    }

    /** Where replicas hold the same, by sums that all have kept of what they have read before. */
    private EqualSums askForKnown() throws IOException {
        if (!own.keepsSums()) {
            return EqualSums.NONE;
        }
        List<CompletableFuture<List<TokenSum>>> asked = ask(Participant::kept);
        List<List<TokenSum>> all = new ArrayList<>(List.of(own.kept()));
        all.addAll(meter.awaitAll(asked));
        EqualSums equal = config.readsAll() ? EqualSums.NONE : EqualSums.of(all);
        return equal.equal().size() < KNOWN_PARTS_MANY ? equal : equal.inRuns(KNOWN_PARTS_LEAST);
    }

    private <T> List<CompletableFuture<T>> ask(Function<Participant, CompletableFuture<T>> question) {
        return followers.stream().map(question).toList();
    }

    private void repairWindows(Votes first) throws IOException {
        long[] items = new long[followers.size() + 1];
        hold.set(0, items.length, known.rows() > 0);
        Optional<RingPosition> lastBoundary = Optional.empty();
        Votes votes = first;
        boolean isLast;
        do {
            List<SyncVote> all = votes.all(meter);
            refuseEmptyReplica(items, all);
            if (lastBoundary.isEmpty()) {
                if (known.isNone()) {
                    int gotFiles =
                            before.check(all, opened, place -> covered(place) / ranges.widthUpTo(Long.MAX_VALUE));
                    meter.add(RepairCount.FILES_FIRST, gotFiles);
                }
                if (mayEndEarly) {
                    // Not before: what the check ends is done by another session, which must find all of it to do.
                    listener.endsEarlyBy(this::endAt);
                }
            }
            requireProgress(lastBoundary, all);
            RingPosition boundary = next(smallest(all), lastBoundary);
            isLast = isLast(boundary);
            votes = repairWindow(boundary, isLast, items);
            listener.progress(
                    meter.of(RepairCount.WINDOWS),
                    meter.of(RepairCount.ROWS_READ),
                    meter.of(RepairCount.BYTES_READ),
                    covered(boundary));
            lastBoundary = Optional.of(boundary);
        } while (!isLast);
        sync.settle();
        countKnown(lastBoundary.get().lastToken());
    }

    /** What lies behind the session's end is another one's. */
    private void countKnown(long lastToken) {
        for (TokenSum sum : known.equal()) {
            if (sum.tokens().last() <= lastToken && sum.rows() > 0) {
                sync.tally().known(sum.tokens().first(), sum.rows());
                meter.add(RepairCount.ROWS_KNOWN, sum.rows());
            }
        }
    }

    /** Where the next window ends; the session can not end before it any more. */
    private RingPosition next(RingPosition vote, Optional<RingPosition> lastBoundary) {
        Optional<RingPosition> timely = timelyEnd(vote, lastBoundary);
        synchronized (ends) {
            end = timely.filter(place -> place.compareTo(end, comparator) < 0).orElse(end);
            RingPosition boundary = vote.compareTo(end, comparator) < 0 ? vote : end;
            begun = Optional.of(boundary);
            return boundary;
        }
    }

    /**
     * Where the session ends when its time is up: before the last partition that all have read a part of, so that none has read the
     * next window in vain; or with it, if it is larger than a window.
     */
    private Optional<RingPosition> timelyEnd(RingPosition vote, Optional<RingPosition> lastBoundary) {
        // The empty key's token is the smallest: it is read first, and is the last of its range.
        if (!mayEndEarly || vote.isEnd() || vote.lastToken() == Long.MIN_VALUE || listener.nanosLeft() > 0) {
            return Optional.empty();
        }
        long before = vote.lastToken() - 1;
        boolean isNew =
                lastBoundary.isEmpty() || RingPosition.behind(before).compareTo(lastBoundary.get(), comparator) > 0;
        boolean hasTokens = ranges.upTo(before).ranges().stream().anyMatch(range -> range.last() > Long.MIN_VALUE);
        return Optional.of(RingPosition.behind(isNew && hasTokens ? before : vote.lastToken()));
    }

    private boolean isLast(RingPosition boundary) {
        synchronized (ends) {
            return boundary.compareTo(end, comparator) == 0;
        }
    }

    /** How far the replicas have read after a window, the master first. */
    private record Votes(SyncVote own, List<CompletableFuture<SyncVote>> others) {
        static final Votes NONE = new Votes(new SyncVote(RingPosition.END, 0), List.of());

        List<SyncVote> all(RepairMeter meter) throws IOException {
            List<SyncVote> all = new ArrayList<>(List.of(own));
            all.addAll(meter.awaitAll(others));
            return all;
        }
    }

    private Votes askForVotes() throws IOException {
        List<CompletableFuture<SyncVote>> others = ask(Participant::read);
        return new Votes(own.read(), others);
    }

    /**
     * Fixes a window, has all replicas read on after it, and reconciles it meanwhile.
     *
     * @param items adds what each replica held there, the master first
     * @return votes for the next window; none after the last
     */
    private Votes repairWindow(RingPosition boundary, boolean isLast, long[] items) throws IOException {
        int symbols = sync.symbolsAhead();
        List<CompletableFuture<WindowAnswer>> asked = ask(follower -> follower.window(boundary, symbols));
        WindowSummary summary = own.window(boundary);
        Votes next = isLast ? Votes.NONE : askForVotes();
        meter.add(RepairCount.WINDOWS, 1);
        sync.settle();
        List<WindowAnswer> answers = meter.awaitAll(asked);
        items[0] += items(summary);
        for (int i = 0; i < answers.size(); i++) {
            items[i + 1] += items(answers.get(i).summary());
        }
        long startNanos = meter.nanoTime() - meter.of(RepairCount.WAIT_NANOS);
        if (sync.reconcile(boundary, summary, answers)) {
            meter.add(RepairCount.WINDOWS_DIFFERING, 1);
        }
        meter.addNanosSince(RepairCount.RECONCILE_NANOS, startNanos + meter.of(RepairCount.WAIT_NANOS));
        return next;
    }

    /** How much of the ranges' width is done. */
    private double covered(RingPosition boundary) {
        return ranges.widthUpTo(boundary.lastToken());
    }

    private static long items(WindowSummary summary) {
        return summary.of(Phase.ROWS).count() + summary.of(Phase.DELETIONS).count();
    }

    /** A replica that stays where it is would keep the session for ever. */
    private void requireProgress(Optional<RingPosition> lastBoundary, List<SyncVote> votes) throws RepairException {
        for (int i = 0; i < votes.size(); i++) {
            RingPosition vote = votes.get(i).last();
            if (lastBoundary.isPresent() && vote.compareTo(lastBoundary.get(), comparator) <= 0) {
                throw new RepairException("replica has not read beyond the last boundary, replica=" + names.get(i)
                        + ", vote=" + vote + ", lastBoundary=" + lastBoundary.get());
            }
        }
    }

    private RingPosition smallest(List<SyncVote> votes) {
        RingPosition smallest = RingPosition.END;
        for (SyncVote vote : votes) {
            if (vote.last().compareTo(smallest, comparator) < 0) {
                smallest = vote.last();
            }
        }
        return smallest;
    }

    /**
     * Windows may be small: what was found in those before counts.
     *
     * @param items what each replica held in the windows before
     */
    private void refuseEmptyReplica(long[] items, List<SyncVote> votes) throws RepairException {
        long most = 0;
        for (int i = 0; i < items.length; i++) {
            most = Math.max(most, items[i] + votes.get(i).items());
            // What is left out of the windows' sums is held all the same.
            hold.set(i, hold.get(i) || votes.get(i).items() > 0);
        }
        if (config.waivers().contains(Waiver.EMPTY_REPLICA) || most < RepairConfig.MUCH_ITEMS) {
            return;
        }
        for (int i = 0; i < votes.size(); i++) {
            if (!hold.get(i) && votes.get(i).last().isEnd()) {
                throw new RepairException(
                        "replica holds nothing where others hold much: is it the right one, replica=" + names.get(i)
                                + ", range=" + config.rangesText() + ", itemsElsewhere=" + most,
                        Optional.of(Waiver.EMPTY_REPLICA));
            }
        }
    }

    private RepairReport report(List<LastStep.End> ends) {
        List<RepairReport.ReplicaReport> replicas = new ArrayList<>();
        long importDeadlineSeconds = agreement.terms().importDeadlineSeconds();
        for (int i = 0; i < ends.size(); i++) {
            RepairReport.ReplicaReport replica = ends.get(i) instanceof LastStep.Kept kept
                    ? kept(i, kept.finished())
                    : unkept(i, (LastStep.Failed) ends.get(i));
            replicas.add(replica);
            importDeadlineSeconds = Math.min(importDeadlineSeconds, replica.importDeadlineSeconds());
        }
        return report(List.of(config.sessionId()), replicas, importDeadlineSeconds);
    }

    private RepairReport.ReplicaReport kept(int replica, SessionFinished done) {
        // What it has staged is no younger than what was agreed, whatever it says.
        long latestSeconds = done.sstables().isEmpty()
                ? Receiving.NO_DEADLINE
                : agreement.terms().importDeadlineSeconds();
        return new RepairReport.ReplicaReport(
                replica,
                names.get(replica),
                config.dryRun()
                        ? done.counts()
                                .with(RepairCount.ROWS_WRITTEN, sync.tally().rowsLacking(replica))
                        : done.counts(),
                Math.min(done.importDeadlineSeconds(), latestSeconds),
                done.sstables(),
                List.of());
    }

    /** One that lacked nothing has nothing to keep. */
    private RepairReport.ReplicaReport unkept(int replica, LastStep.Failed end) {
        long items = replica == 0 ? meter.of(RepairCount.ITEMS_RECEIVED) : sync.itemsGiven(replica - 1);
        List<Unkept> unkept = items == 0
                ? List.of()
                : List.of(new Unkept(repairedRanges(), items, end.mayBeKept(), FailureText.of(end.cause())));
        return new RepairReport.ReplicaReport(
                replica, names.get(replica), RepairCounts.NONE, Receiving.NO_DEADLINE, List.of(), unkept);
    }

    private RepairReport report(
            List<UUID> sessionIds, List<RepairReport.ReplicaReport> replicas, long importDeadlineSeconds) {
        long networkBytes = followers.stream()
                .mapToLong(follower -> follower.bytesSent() + follower.bytesReceived())
                .sum();
        meter.raiseTo(RepairCount.NETWORK_BYTES, networkBytes);
        meter.raiseTo(
                RepairCount.PLACE_BYTES,
                followers.stream().mapToLong(Participant::placeBytes).sum());
        return new RepairReport(
                sessionIds,
                replicas,
                meter.counts(),
                config.dryRun(),
                importDeadlineSeconds,
                agreement.notes(),
                agreement.coveredUntilSeconds(),
                table.schema().options().gcGraceSeconds(),
                agreement.terms().cutoffMicros(),
                rangeReports());
    }

    @Override
    public void close() throws IOException {
        if (own != null) {
            own.close();
        }
    }
}
