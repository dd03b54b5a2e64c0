package io.anneal.repair;

import io.anneal.io.StorageException;
import io.anneal.job.CheckpointRefusedException;
import io.anneal.job.JobFailedException;
import io.anneal.job.RangeJob;
import io.anneal.job.RangeUnit;
import io.anneal.job.UnitRun;
import io.anneal.key.TokenRange;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.PeerException;
import io.anneal.node.Waiver;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs ranges as a job: tries again what may pass, and tells of each range when it has ended well; of an attempt that failed
 * only where replicas may have kept what it brought. Its workers use it.
 */
final class RepairJob {
    private static final Logger LOG = LoggerFactory.getLogger(RepairJob.class);

    private static final int ATTEMPTS = 3;
    private static final Duration WAIT_FIRST = Duration.ofSeconds(1);
    private static final Duration WAIT_LONGEST = Duration.ofSeconds(30);
    /** Of the time that a run took so far, a session takes one part before it ends and is recorded. */
    private static final int SESSIONS_OF_RUN = 100;

    /** One attempt at one unit. */
    @FunctionalInterface
    interface Attempt {
        RepairReport run(RangeUnit unit, Try terms, RepairListener listener) throws IOException;
    }

    /**
     * What holds for one attempt.
     *
     * @param runId of the run that it is a part of, and of those that this one goes on from
     * @param waived what is not refused, beside what nobody refuses in this repair
     */
    record Try(UUID runId, Set<Waiver> waived) {}

    /** Looks at what has become of what an earlier run did. */
    @FunctionalInterface
    interface LookAgain {
        /**
         * Returns why what replicas were given of a table may not be theirs any more, by their places.
         *
         * @throws IOException when what it did of the table does not count any more
         */
        Map<Integer, String> look(String table, RepairReport done) throws IOException;
    }

    private final Attempt attempt;
    /** Of all replicas; a unit has those that own its ranges. */
    private final List<String> members;
    /** As the caller gave them: of which each unit has parts. */
    private final List<TokenRange> ranges;

    private final Optional<DifferenceListener> differences;
    private final BiConsumer<RangeUnit, RepairReport> reports;
    private final BiConsumer<String, RepairReport> tableReports;
    private final LookAgain lookAgain;
    private final BiConsumer<String, RepairReport> unfinishedReports;
    private final boolean dryRun;
    private final Optional<Path> checkpoint;
    /** With a checkpoint: how long a session runs at least before it ends to be recorded. */
    private final Duration sessionLeast;

    private final LongSupplier nanoTime;
    /** By earlier runs of the checkpoint, too. */
    private final Map<RangeUnit, RepairReport> done = new LinkedHashMap<>();
    /** Of what earlier runs did; by table. */
    private final Map<String, String> tableIds = new HashMap<>();
    /** Attempts that failed when replicas may have kept what they received, by their units, which stay whole from then on. */
    private final Map<RangeUnit, LostAttempts> lost = new LinkedHashMap<>();

    /** Units in which a replica holds nothing where others hold much: what of it holds for the table is known at the end. */
    private final Map<UnitRun<RangeUnit>, RepairException> seemEmpty = new HashMap<>();
    /** Places of the replicas that held something of a table in some unit, by its name; known when all units have run. */
    private final Map<String, Set<Integer>> holding = new HashMap<>();

    /** How many units of a table have not ended well yet, by its name: a job may have very many. */
    private final Map<String, Integer> openUnits = new HashMap<>();

    /**
     * Held while a part that has ended is told of, before {@code done}: to tell each row may take long, and the parts that are still
     * repaired, with replicas that wait for them, need the other lock.
     */
    private final Object telling = new Object();

    private RangeJob<RangeUnit> running;
    /** Whether all replicas were there once: what can't be reached then has gone, and may come back. */
    private volatile boolean begun;

    RepairJob(
            Attempt attempt,
            List<String> members,
            List<TokenRange> ranges,
            Optional<DifferenceListener> differences,
            BiConsumer<RangeUnit, RepairReport> reports,
            BiConsumer<String, RepairReport> tableReports,
            LookAgain lookAgain,
            BiConsumer<String, RepairReport> unfinishedReports,
            boolean dryRun,
            Optional<Path> checkpoint,
            Duration sessionLeast,
            LongSupplier nanoTime) {
        this.checkpoint = checkpoint;
        this.sessionLeast = sessionLeast;
        this.nanoTime = nanoTime;
        this.attempt = attempt;
        this.members = List.copyOf(members);
        this.ranges = List.copyOf(ranges);
        this.differences = differences;
        this.reports = reports;
        this.tableReports = tableReports;
        this.lookAgain = lookAgain;
        this.unfinishedReports = unfinishedReports;
        this.dryRun = dryRun;
    }

    RepairReport run(RangeJob.Builder<RangeUnit> builder, Duration patience, RangeJob.Units<RangeUnit> units)
            throws IOException {
        builder.retries(ATTEMPTS, WAIT_FIRST, WAIT_LONGEST)
                .retriesOnly(this::mayPass)
                .patience(RepairJob::isBusy, patience);
        List<String> notes;
        try (RangeJob<RangeUnit> job = builder.open(units)) {
            // A node that was started again just now may still be waited for by the one that lost it.
            begun = job.resumed() > 0;
            synchronized (done) {
                running = job;
                job.open().forEach(unit -> openUnits.merge(unit.table(), 1, Integer::sum));
                goOn(job);
            }
            try {
                runAll(job);
            } catch (JobFailedException e) {
                // What else is done counts.
                job.finish();
                throw job.units().size() == 1 || isOneRefusal(e) ? single(e) : e;
            }
            job.finish();
            job.complete();
            notes = job.resumed() == 0 ? List.of() : List.of(noteOf(job));
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            closeLost();
            tellUnfinished();
        }
        synchronized (done) {
            RepairReport sum = sum(List.copyOf(done.values()));
            return notes.isEmpty() ? sum : sum.withNote(notes.get(0));
        }
    }

    /** What earlier runs did is counted as if this one had. */
    private void goOn(RangeJob<RangeUnit> job) throws IOException {
        job.results().forEach((unit, left) -> {
            KeptReport kept = KeptReport.parse(left);
            done.put(unit, kept.report());
            kept.tableId().ifPresent(id -> tableIds.put(unit.table(), id));
        });
        job.undone().forEach((unit, left) -> {
            KeptReport kept = KeptReport.parse(left);
            lost.put(unit, LostAttempts.ofEarlierRun(kept));
            kept.tableId().ifPresent(id -> tableIds.put(unit.table(), id));
        });
        Map<String, RangeUnit> firstOfTables = new LinkedHashMap<>();
        done.keySet().forEach(unit -> firstOfTables.putIfAbsent(unit.table(), unit));
        for (RangeUnit first : firstOfTables.values()) {
            lookAgain
                    .look(first.table(), sumOf(first.table()))
                    .forEach((member, reason) -> doubt(first.table(), member, reason));
        }
        firstOfTables.keySet().stream()
                .filter(table -> !openUnits.containsKey(table))
                .forEach(table -> tableReports.accept(table, sumOf(table)));
    }

    /** Of what a replica was given of a table nobody knows any more whether it has it: that is told once. */
    private void doubt(String table, int member, String reason) {
        Map<RangeUnit, RepairReport> given = new LinkedHashMap<>();
        done.forEach((unit, report) -> {
            if (unit.table().equals(table) && report.hasStaged(member)) {
                given.put(unit, report);
            }
        });
        List<TokenRange> ranges = given.keySet().stream()
                .flatMap(unit -> unit.ranges().ranges().stream())
                .toList();
        long items = given.values().stream()
                .mapToLong(report -> report.itemsWritten(member))
                .sum();
        given.entrySet().stream()
                .findFirst()
                .ifPresent(first -> done.put(
                        first.getKey(), first.getValue().unkept(member, new Unkept(ranges, items, true, reason))));
    }

    /** Those in which a replica seems empty come once more, when it is known whether it holds something elsewhere. */
    private void runAll(RangeJob<RangeUnit> job) throws IOException, InterruptedException {
        JobFailedException failed = null;
        try {
            job.run(this::repair);
        } catch (JobFailedException e) {
            if (e.isUnrecorded()) {
                throw e;
            }
            failed = e;
        }
        List<RangeUnit> again = seemingEmpty();
        if (!again.isEmpty()) {
            try {
                job.run(again, this::repairSeemingEmpty);
            } catch (JobFailedException e) {
                failed = failed == null ? e : failed.and(e);
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    private List<RangeUnit> seemingEmpty() {
        synchronized (done) {
            List<RangeUnit> units =
                    seemEmpty.keySet().stream().map(UnitRun::unit).toList();
            units.stream().map(RangeUnit::table).forEach(table -> holding.computeIfAbsent(table, this::membersHolding));
            return units;
        }
    }

    private RangeJob.Outcome repairSeemingEmpty(UnitRun<RangeUnit> run) throws IOException {
        synchronized (done) {
            // A part that was split off from one of them has been refused nothing yet.
            RepairException refusal = seemEmpty.get(run);
            if (refusal != null && !holding.get(run.unit().table()).containsAll(places(run.unit()))) {
                throw refusal;
            }
        }
        return repair(run, EnumSet.of(Waiver.EMPTY_REPLICA));
    }

    private Set<Integer> membersHolding(String table) {
        return sumOf(table).replicas().stream()
                .filter(replica -> replica.rowsRead() + replica.deletionsRead() + replica.deletionsRecent() > 0)
                .map(RepairReport.ReplicaReport::member)
                .collect(Collectors.toSet());
    }

    private List<Integer> places(RangeUnit unit) {
        return unit.replicas().stream().map(members::indexOf).toList();
    }

    private static boolean saysEmpty(Exception failure) {
        return failure instanceof RepairException refused && refused.waiver().equals(Optional.of(Waiver.EMPTY_REPLICA));
    }

    private boolean hasOtherUnits(RangeUnit unit) {
        return running.units().stream()
                        .filter(other -> other.table().equals(unit.table()))
                        .count()
                > 1;
    }

    private static String noteOf(RangeJob<RangeUnit> job) {
        return "went on with an earlier run, which is counted here, began="
                + job.facts().getOrDefault(Repair.BEGAN_FACT, "") + ", ranges=" + job.resumed();
    }

    /** The thread stays interrupted. */
    private static InterruptedIOException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted = new InterruptedIOException("repair was interrupted");
        interrupted.initCause(cause);
        return interrupted;
    }

    /** What all ranges are refused for is said once, so that the caller can ask what would let it go on. */
    private static boolean isOneRefusal(JobFailedException failed) {
        return failed.failures().stream()
                                .map(failure -> failure.cause() instanceof RepairException refused
                                        ? refused.waiver()
                                        : Optional.<Waiver>empty())
                                .distinct()
                                .count()
                        == 1
                && failed.failures().get(0).cause() instanceof RepairException first
                && first.waiver().isPresent();
    }

    /** Of one range the failure speaks for itself. */
    private static IOException single(JobFailedException failed) {
        Exception cause = failed.failures().get(0).cause();
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return cause instanceof IOException known ? known : failed;
    }

    private RangeJob.Outcome repair(UnitRun<RangeUnit> run) throws IOException {
        try {
            return repair(run, Set.of());
        } catch (RepairException refusal) {
            if (!saysEmpty(refusal) || !hasOtherUnits(run.unit())) {
                throw refusal;
            }
            synchronized (done) {
                seemEmpty.put(run, refusal);
            }
            return RangeJob.Outcome.OPEN;
        }
    }

    private RangeJob.Outcome repair(UnitRun<RangeUnit> run, Set<Waiver> waived) throws IOException {
        Optional<Long> lostEnd = lostEnd(run);
        RangeUnit wanted = lostEnd.flatMap(token -> cut(run.unit(), token))
                .map(UnitRun.Split::kept)
                .orElse(run.unit());
        try (Watch watch = new Watch(run, sessionNanos(run))) {
            watch.endsAt = lostEnd;
            RepairReport report;
            try {
                report = attempt.run(wanted, new Try(runId(), waived), watch).ofMembers(places(run.unit()));
            } catch (IOException | RuntimeException failure) {
                if (watch.found.isPresent()) {
                    lost(watch, watch.found.get());
                }
                throw failure;
            }
            ended(watch, report);
            return RangeJob.Outcome.DONE;
        }
    }

    private UUID runId() {
        synchronized (done) {
            return UUID.fromString(running.facts().get(Repair.RUN_FACT));
        }
    }

    /** After an attempt that was lost in its last step, the next one does neither more nor less. */
    private long sessionNanos(UnitRun<RangeUnit> run) {
        if (checkpoint.isEmpty() || run.unit().goesAroundTheRing() || hasLost(run)) {
            return Long.MAX_VALUE;
        }
        synchronized (done) {
            return Math.max(
                    sessionLeast.toNanos(),
                    running.ran().dividedBy(SESSIONS_OF_RUN).toNanos());
        }
    }

    private Optional<Long> lostEnd(UnitRun<RangeUnit> run) {
        synchronized (done) {
            return Optional.ofNullable(lost.get(run.unit())).flatMap(LostAttempts::endsAt);
        }
    }

    /** What a session did that ended at a token, and what it left; empty if it did all. */
    private static Optional<UnitRun.Split<RangeUnit>> cut(RangeUnit unit, long token) {
        Optional<UnitRun.Split<RangeUnit>> cut = unit.splitAt(token, 1);
        if (cut.isEmpty() && !unit.endsBy(token)) {
            throw new IllegalStateException(
                    "session ended where its range can't be cut, token=" + token + ", unit=" + unit);
        }
        return cut;
    }

    /** What was kept in vain, and what was not kept, is known to later runs, too. */
    private void lost(Watch watch, RepairReport found) {
        // What is being split off is none of it; nothing is from now on.
        watch.run.endSplits();
        synchronized (done) {
            RangeUnit unit = watch.run.unit();
            watch.isLost = true;
            LostAttempts attempts = lost.computeIfAbsent(unit, first -> new LostAttempts());
            attempts.add(noted(found, unit), watch.endsAt, watch.log);
            if (checkpoint.isPresent()) {
                record(watch, attempts);
            }
        }
    }

    /** Where it can't be, only the report of a later run lacks it. */
    private static void record(Watch watch, LostAttempts attempts) {
        try {
            watch.run.leavesUndone(new KeptReport(watch.tableId, attempts.report(), attempts.endsAt()).print());
        } catch (StorageException failure) {
            LOG.warn("checkpoint does not know what replicas kept of a unit that failed, unit={}", watch.run, failure);
        }
    }

    /** Tells what was found, also by attempts before: of a row that they found differing too, once. */
    private void ended(Watch last, RepairReport report) throws IOException {
        // What is being split off must be known before this is called the last unit, and this one go by what it keeps.
        last.run.endSplits();
        synchronized (telling) {
            Optional<LostAttempts> before;
            synchronized (done) {
                before = Optional.ofNullable(lost.get(last.run.unit()));
            }
            if (differences.isPresent()) {
                before.flatMap(attempts -> attempts.logOfMore(report))
                        .orElse(last.log)
                        .replay(differences.get());
            }
            tell(last, before, report);
        }
    }

    private void tell(Watch last, Optional<LostAttempts> before, RepairReport report) throws IOException {
        synchronized (done) {
            RepairReport whole =
                    before.map(LostAttempts::report).map(report::after).orElse(report);
            Optional<UnitRun.Split<RangeUnit>> cut = last.endsAt.flatMap(token -> cut(last.run.unit(), token));
            RangeUnit unit = cut.map(UnitRun.Split::kept).orElse(last.run.unit());
            reports.accept(unit, whole);
            if (cut.isPresent()) {
                last.run.endsBefore(cut.get());
                openUnits.merge(unit.table(), cut.get().rest().size(), Integer::sum);
            }
            if (checkpoint.isPresent()) {
                last.run.leaves(KeptReport.ofDone(last.tableId, whole).print());
            }
            if (done.put(unit, whole) == null) {
                openUnits.merge(unit.table(), -1, Integer::sum);
            }
            if (openUnits.get(unit.table()) == 0) {
                tableReports.accept(unit.table(), sumOf(unit.table()));
            }
            if (before.isPresent()) {
                before.get().close();
                lost.remove(last.run.unit());
            }
        }
    }

    /** Says what nobody knows. */
    private static RepairReport noted(RepairReport found, RangeUnit unit) {
        if (found.replicas().isEmpty()) {
            return found.withNote("an attempt was lost while replicas kept what they had received: what they kept of it"
                    + " is not among what was written, unit=" + unit.text());
        }
        RepairReport noted = found;
        for (RepairReport.ReplicaReport replica : found.replicas()) {
            if (replica.unkept().stream().anyMatch(Unkept::mayBeKept)) {
                noted = noted.withNote(
                        "replica was lost before it said whether it kept what it had received: if it did,"
                                + " that is not among what was written, replica=" + replica.name() + ", session="
                                + found.sessionIds() + ", unit=" + unit.text());
            }
        }
        return noted;
    }

    /** Of tables that are not done, however the repair ended. */
    private void tellUnfinished() {
        synchronized (done) {
            Map<String, List<RepairReport>> tables = new LinkedHashMap<>();
            done.forEach((unit, report) -> tables.computeIfAbsent(unit.table(), table -> new ArrayList<>())
                    .add(report));
            lost.forEach((unit, attempts) -> tables.computeIfAbsent(unit.table(), table -> new ArrayList<>())
                    .add(attempts.report()));
            tables.forEach((table, parts) -> {
                if (openUnits.getOrDefault(table, 0) > 0) {
                    unfinishedReports.accept(
                            table, RepairReport.sum(parts, dryRun).uncovered());
                }
            });
        }
    }

    private RepairReport sumOf(String table) {
        return sum(done.entrySet().stream()
                .filter(unit -> unit.getKey().table().equals(table))
                .map(Map.Entry::getValue)
                .toList());
    }

    /** Of all units of tables: what was cut into units is one again. */
    private RepairReport sum(List<RepairReport> units) {
        return RepairReport.sum(units, dryRun).within(ranges);
    }

    private boolean hasLost(UnitRun<RangeUnit> run) {
        synchronized (done) {
            return lost.containsKey(run.unit());
        }
    }

    private void closeLost() throws IOException {
        synchronized (done) {
            for (LostAttempts attempts : lost.values()) {
                attempts.close();
            }
        }
    }

    static boolean isBusy(Exception failure) {
        return code(failure).equals(Optional.of(PeerException.BUSY));
    }

    private boolean mayPass(Exception failure) {
        return code(failure)
                .filter(code -> PeerException.mayPass(code)
                        || code.equals(RepairCode.TRUNCATED)
                        || begun && code.equals(PeerException.CONNECT_FAILED))
                .isPresent();
    }

    /** With which a replica was lost, or refused. */
    static Optional<String> code(Throwable failure) {
        if (failure instanceof PeerException peer) {
            return Optional.of(peer.code());
        }
        if (failure instanceof CorruptFrameException) {
            // It ends the connection: to a command that asked this master for the repair the replica was lost, too.
            return Optional.of(PeerException.PEER_LOST);
        }
        return failure instanceof RepairException repair ? repair.peerCode() : Optional.empty();
    }

    /** One attempt as the job sees it. */
    private final class Watch implements RepairListener, Closeable {
        private final UnitRun<RangeUnit> run;
        private final DifferenceLog log = new DifferenceLog();
        private final DifferenceListener heard = differences.isPresent() ? log : RepairListener.NONE;
        private long rows;
        private long bytes;
        private volatile double covered;
        private BooleanSupplier gone = () -> false;
        private Optional<RepairReport> found = Optional.empty();
        private boolean isLost;
        private final long sessionNanos;
        private final long startNanos = nanoTime.getAsLong();
        private Optional<String> tableId = Optional.empty();
        private Optional<Long> endsAt = Optional.empty();

        Watch(UnitRun<RangeUnit> run, long sessionNanos) {
            this.run = run;
            this.sessionNanos = sessionNanos;
        }

        @Override
        public long nanosLeft() {
            if (sessionNanos == Long.MAX_VALUE) {
                return Long.MAX_VALUE;
            }
            return run.isStopping() ? 0 : sessionNanos - (nanoTime.getAsLong() - startNanos);
        }

        @Override
        public void endsAt(long token) {
            endsAt = Optional.of(token);
        }

        @Override
        public void opens(Optional<String> id) {
            tableId = id;
            String table = run.unit().table();
            String before = tableIds.getOrDefault(table, id.orElse(""));
            if (id.isPresent() && !id.get().equals(before)) {
                throw new CheckpointRefusedException(
                        "table was dropped and made again since the run began: start another run, or remove the checkpoint"
                                + " to do all of this one again, file="
                                + checkpoint.orElseThrow() + ", table=" + table + ", id=" + id.get() + ", id-before="
                                + before,
                        checkpoint.orElseThrow());
            }
        }

        @Override
        public void begins(TableSchema schema, List<String> none) throws IOException {
            heard.begins(schema, run.unit().replicas());
        }

        @Override
        public boolean namesRows() {
            return differences.isPresent();
        }

        @Override
        public void deletionDiffers(DeletionDifference difference) throws IOException {
            heard.deletionDiffers(difference);
        }

        @Override
        public void rowDiffers(RowDifference difference) throws IOException {
            heard.rowDiffers(difference);
        }

        @Override
        public void endsWhen(BooleanSupplier value) {
            gone = value;
        }

        /** What was found in the whole of it by an attempt that was lost must not be said of its parts. */
        @Override
        public void endsEarlyBy(EarlyEnd end) {
            if (!hasLost(run)) {
                run.splitsBy(parts -> split(end, parts));
            }
        }

        private Optional<UnitRun.Split<RangeUnit>> split(EarlyEnd end, int parts) throws InterruptedException {
            RangeUnit unit = run.unit();
            long token = unit.ranges().endOfPart(covered, parts);
            Optional<UnitRun.Split<RangeUnit>> split = unit.splitAt(token, parts - 1);
            if (split.isEmpty() || !end.endAt(token)) {
                return Optional.empty();
            }
            synchronized (done) {
                openUnits.merge(unit.table(), split.get().rest().size(), Integer::sum);
            }
            return split;
        }

        @Override
        public void keeps(RepairReport value) {
            found = Optional.of(value.ofMembers(places(run.unit())));
        }

        @Override
        public void unfinished(RepairReport value) {
            found = Optional.of(value.ofMembers(places(run.unit())));
        }

        @Override
        public void transferred(long rows, long bytes) throws InterruptedIOException {
            begun = true;
            run.add(rows, bytes);
            pace(rows, bytes);
        }

        private void pace(long moreRows, long moreBytes) throws InterruptedIOException {
            try {
                run.pace(moreRows, moreBytes, gone);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        @Override
        public void progress(long windows, long rowsRead, long bytesRead, double width) throws InterruptedIOException {
            begun = true;
            long moreRows = rowsRead - rows;
            long moreBytes = bytesRead - bytes;
            rows = rowsRead;
            bytes = bytesRead;
            run.add(moreRows, moreBytes);
            covered = width;
            run.covered(width);
            pace(moreRows, moreBytes);
        }

        @Override
        public void close() throws IOException {
            if (!isLost) {
                log.close();
            }
        }
    }
}
