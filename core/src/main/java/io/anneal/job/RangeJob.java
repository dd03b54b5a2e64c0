package io.anneal.job;

import static io.anneal.io.Arguments.notNegative;
import static io.anneal.io.Arguments.positive;
import static java.util.Objects.requireNonNull;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.RateLimiter;
import io.anneal.io.StorageException;
import io.anneal.job.CheckpointContent.UnitState;
import io.anneal.job.JobFailedException.UnitFailure;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works units off, several at once. A unit that fails is tried again after a while, each time after twice as long; one that fails as
 * often as it may is left, and the others are done all the same. With a checkpoint, what is done is recorded, and the next run goes on
 * there, whatever ended this one. One thread opens, runs and closes it; with a parallelism of one, tasks run on that thread.
 *
 * <pre>
 *   open        take the lock, read the checkpoint or make the units
 *   run         for each open unit: ask the guard, run the task, record the outcome; may be repeated for units left open
 *   finish      the last word to the listener
 *   complete    remove the checkpoint: the next run starts anew
 *   close       give up the lock
 * </pre>
 */
public final class RangeJob<U extends JobUnit> implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(RangeJob.class);

    /** What becomes of a unit after its task. */
    public enum Outcome {
        /** It is recorded as done: no later run does it again. */
        DONE,
        /** This run is through with it, and the next run of the same checkpoint does it again. */
        UNRECORDED,
        /** Another pass of this run goes on with it. */
        OPEN
    }

    /**
     * The work on one unit. An {@link IOException} or a {@link RuntimeException} is a failed attempt; {@link JobRefusedException}
     * and errors end the job.
     */
    @FunctionalInterface
    public interface Task<U extends JobUnit> {
        Outcome run(UnitRun<U> unit) throws IOException, InterruptedException;
    }

    /** Makes the units of a job that starts. */
    @FunctionalInterface
    public interface Units<U extends JobUnit> {
        List<U> make() throws IOException;
    }

    private final Builder<U> settings;
    private final Checkpoint checkpoint;
    /** Grows where units are split. */
    private final List<UnitRun<U>> units = new CopyOnWriteArrayList<>();

    private final Map<U, String> results = new LinkedHashMap<>();
    private final Map<U, String> undone = new LinkedHashMap<>();
    private final JobMeter meter;
    private final JobWorkers workers;
    private final RateLimiter rows;
    private final RateLimiter bytes;
    private final JobTicker ticker;
    private final AtomicInteger retries = new AtomicInteger();
    private final JobControl.Steered steered = new Steering();

    private RangeJob(Builder<U> settings, Checkpoint checkpoint) {
        this.settings = settings;
        this.checkpoint = checkpoint;
        List<UnitRun<U>> known = new ArrayList<>();
        for (UnitState state : checkpoint.units()) {
            U unit = settings.parser.apply(state.unit());
            known.add(new UnitRun<>(unit, known.size(), this, checkpoint));
            state.kept().ifPresent(words -> (state.isDone() ? results : undone).put(unit, words));
        }
        units.addAll(known);
        meter = new JobMeter(settings.environment.nanoTime(), units);
        workers = new JobWorkers(settings.name, settings.environment.threads());
        rows = new RateLimiter(settings.rowsPerSecond, settings.environment.nanoTime(), settings.environment.sleeper());
        bytes = new RateLimiter(
                settings.bytesPerSecond, settings.environment.nanoTime(), settings.environment.sleeper());
        ticker = new JobTicker(
                settings.name,
                settings.guard,
                settings.listener,
                meter,
                settings.isWatched()
                        ? Optional.of(settings.environment.threads().single(settings.name + "-progress"))
                        : Optional.empty());
    }

    /**
     * Starts to say how.
     *
     * @param name of the job in logs, failures and names of threads, as {@code repair}
     * @param parser makes a unit from its {@link JobUnit#text()}
     * @param environment time and threads
     */
    public static <U extends JobUnit> Builder<U> builder(
            String name, Function<String, U> parser, HostEnvironment environment) {
        return new Builder<>(name, parser, environment);
    }

    /** Pauses the clock of the meter, and interrupts workers. */
    private final class Steering implements JobControl.Steered {
        @Override
        public void paused() {
            meter.paused();
        }

        @Override
        public void resumed() {
            meter.resumed();
        }

        @Override
        public void aborted() {
            workers.interrupt();
        }
    }

    /** All units, in their order. */
    public List<U> units() {
        return units.stream().map(UnitRun::unit).toList();
    }

    /**
     * Looks whether another run could go on with a checkpoint; one that is not there starts a job.
     *
     * @throws CheckpointRefusedException when it is damaged, or another release wrote it
     */
    public static void requireReadable(Path checkpoint) throws StorageException {
        requireNonNull(checkpoint, "checkpoint");
        Checkpoint.read(checkpoint);
    }

    private int finished() {
        return (int) units.stream().filter(UnitRun::isFinished).count();
    }

    /** The units that are not done. */
    public List<U> open() {
        return units.stream()
                .filter(unit -> !unit.isFinished())
                .map(UnitRun::unit)
                .toList();
    }

    /** How many units earlier runs have done. */
    public int resumed() {
        return meter.finishedBefore();
    }

    /** What was said of the first of the runs that go on from each other. */
    public Map<String, String> facts() {
        return checkpoint.facts();
    }

    /** What units that earlier runs have done left, as {@link UnitRun#leaves} has it. */
    public Map<U, String> results() {
        return Collections.unmodifiableMap(results);
    }

    /** What units that are not done had in {@link UnitRun#kept} when this run began. */
    public Map<U, String> undone() {
        return Collections.unmodifiableMap(undone);
    }

    /** How long the runs that go on from each other took so far, this one too, pauses included. Any thread. */
    public Duration ran() {
        return checkpoint.ran();
    }

    /** How often a unit was tried again in this run. */
    public int retries() {
        return retries.get();
    }

    /** How long this run takes so far, pauses included. */
    public double seconds() {
        return meter.seconds();
    }

    public JobProgress progress() {
        return meter.progress();
    }

    /** The same as {@link #run(Collection, Task)} for all open units. */
    public void run(Task<U> task) throws IOException, InterruptedException {
        requireNonNull(task, "task");
        run(open(), task);
    }

    /**
     * Runs a task for each of these units that is open. Returns, and throws, only once no task runs any more.
     *
     * @throws JobFailedException when units failed for the last time, or what is done can't be recorded
     * @throws JobRefusedException when a task or the guard threw it
     * @throws JobAbortedException when the job was aborted, or stopped before all was done
     * @throws InterruptedException when the thread, or a worker, was interrupted
     */
    public void run(Collection<U> wanted, Task<U> task) throws IOException, InterruptedException {
        requireNonNull(wanted, "wanted");
        requireNonNull(task, "task");
        if (workers.isEnding()) {
            throw new IllegalStateException("job has ended, open it again, job=" + settings.name);
        }
        Set<String> named = wanted.stream().map(JobUnit::text).collect(Collectors.toSet());
        List<UnitRun<U>> waiting = units.stream()
                .filter(unit -> !unit.isFinished() && named.contains(unit.unit().text()))
                .toList();
        waiting.forEach(unit -> unit.tries(new UnitTries(settings.retries, settings.environment)));
        UnitQueue<U> queue = new UnitQueue<>(
                waiting,
                settings.environment.nanoTime(),
                () -> workers.isEnding() || isStopping(),
                settings.splitSecondsLeast.isPresent() ? Optional.of(this::split) : Optional.empty(),
                settings.splitSecondsLeast.orElse(0));
        Queue<UnitFailure> failures = new ConcurrentLinkedQueue<>();
        try {
            if (!waiting.isEmpty()) {
                int useful = settings.splitSecondsLeast.isPresent() ? settings.parallel : waiting.size();
                workers.run(Math.min(settings.parallel, useful), () -> work(queue, task, failures));
            }
        } catch (InterruptedException e) {
            settings.control.requireNotAborted();
            throw e;
        }
        if (failures.isEmpty() && finished() < units.size()) {
            settings.control.requireNotStopped();
        }
        if (!failures.isEmpty()) {
            throw JobFailedException.of(settings.name, List.copyOf(failures), finished(), units.size());
        }
    }

    boolean isStopping() {
        return settings.control.isStopping();
    }

    private void work(UnitQueue<U> queue, Task<U> task, Queue<UnitFailure> failures)
            throws IOException, InterruptedException {
        Optional<UnitRun<U>> next = queue.next();
        while (next.isPresent() && !workers.isEnding()) {
            UnitRun<U> unit = next.get();
            if (isStopping() && !unit.isWorked()) {
                return;
            }
            if (tried(unit, task, unit.tries(), failures)) {
                queue.ended(unit, unit.rest());
                next = queue.next();
                continue;
            }
            retries.incrementAndGet();
            long waitNanos = unit.tries().waitNanos();
            if (unit.tries().isWaitingForRoom()) {
                queue.putBack(unit);
                try {
                    settings.environment.sleeper().sleepNanos(waitNanos);
                } finally {
                    queue.cameAgain();
                }
                next = queue.next();
            } else {
                settings.environment.sleeper().sleepNanos(waitNanos);
            }
        }
    }

    /** The rest are units of the job, and of its checkpoint, before the task of what stays can end. */
    private List<UnitRun<U>> split(UnitRun<U> unit, int parts) throws IOException, InterruptedException {
        return unit.split(parts, settings.environment.nanoTime().getAsLong(), split -> {
            LOG.info(
                    "unit is split, job={}, kept={}, parts={}",
                    settings.name,
                    split.kept(),
                    1 + split.rest().size());
            int index = checkpoint.split(
                    unit.index(),
                    split.kept().text(),
                    split.rest().stream().map(JobUnit::text).toList());
            return added(split.rest(), index);
        });
    }

    /** @param firstIndex of them in the checkpoint */
    List<UnitRun<U>> added(List<U> parts, int firstIndex) {
        List<UnitRun<U>> added = new ArrayList<>();
        for (U part : parts) {
            UnitRun<U> run = new UnitRun<>(part, firstIndex + added.size(), this, checkpoint);
            run.tries(new UnitTries(settings.retries, settings.environment));
            added.add(run);
        }
        units.addAll(added);
        return added;
    }

    /** Whether there is nothing more to try. */
    private boolean tried(UnitRun<U> unit, Task<U> task, UnitTries tries, Queue<UnitFailure> failures)
            throws IOException, InterruptedException {
        boolean done = false;
        try {
            attempt(unit, task);
            done = true;
            return true;
        } catch (JobRefusedException | JobAbortedException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            settings.control.requireNotAborted();
            if (Thread.interrupted() || workers.isEnding()) {
                throw JobWorkers.interrupted(e);
            }
            return failed(unit, e, tries, failures);
        } catch (Error e) {
            LOG.error("unit ended by an error, job={}, unit={}", settings.name, unit, e);
            throw e;
        } finally {
            if (!done) {
                unit.undo();
            }
        }
    }

    private void attempt(UnitRun<U> unit, Task<U> task) throws IOException, InterruptedException {
        if (!unit.isWorked()) {
            settings.control.awaitLeave();
            settings.guard.run();
            unit.started(settings.environment.nanoTime().getAsLong());
            Outcome outcome;
            unit.atWork(true);
            try {
                outcome = task.run(unit);
            } finally {
                unit.atWork(false);
                unit.endSplits();
            }
            unit.worked(outcome);
        }
        unit.end(settings.environment.nanoTime().getAsLong());
    }

    private boolean failed(UnitRun<U> unit, Exception cause, UnitTries tries, Queue<UnitFailure> failures)
            throws JobFailedException {
        // What only has to be recorded is tried again whatever kept it from being so.
        boolean last = !tries.isWorthAnother(cause, unit.isWorked(), meter::done);
        if (tries.isWaitingForRoom() && !last) {
            LOG.debug("unit waits for room, job={}, unit={}, reason={}", settings.name, unit, cause.toString());
            return false;
        }
        // Of the last failure the caller hears.
        if (!last) {
            LOG.warn(
                    "unit failed, and is tried again, job={}, unit={}, attempt={} of {}, reason={}",
                    settings.name,
                    unit,
                    tries.count(),
                    settings.retries.attempts(),
                    JobFailedException.reason(cause));
        }
        LOG.debug("unit failed, job={}, unit={}", settings.name, unit, cause);
        UnitFailure failure = new UnitFailure(unit.unit().text(), cause);
        if (last && unit.isWorked()) {
            throw JobFailedException.ofCheckpoint(
                    settings.name, settings.retries.attempts(), failure, finished(), units.size());
        }
        if (last) {
            failures.add(failure);
        }
        return last;
    }

    /**
     * For work that belongs to no one unit; tasks call {@link UnitRun#pace}, which is the same.
     *
     * @throws JobRefusedException when the job must not go on
     * @throws JobAbortedException when it was aborted
     */
    public void pace(long rowCount, long byteCount) throws InterruptedException {
        pace(rowCount, byteCount, () -> false);
    }

    void pace(long rowCount, long byteCount, BooleanSupplier gone) throws InterruptedException {
        ticker.requireNotRefused();
        if (Thread.interrupted()) {
            throw new InterruptedException("job was interrupted");
        }
        settings.control.awaitLeave();
        rows.acquire(rowCount, gone);
        bytes.acquire(byteCount, gone);
    }

    /** All is done: the last word to the listener. */
    public void finish() {
        ticker.finish();
    }

    /** All is done and said: the checkpoint goes, and the next run starts anew; unless it {@link Builder#checkpointStays stays}. */
    public void complete() throws StorageException {
        if (!settings.checkpointStays) {
            checkpoint.complete();
        }
    }

    @Override
    public void close() throws IOException {
        settings.control.detach(steered);
        try (checkpoint) {
            ticker.end();
        }
    }

    private void start() {
        settings.control.attach(steered);
        ticker.start();
    }

    /** Collects what a job is to do. One thread. */
    public static final class Builder<U extends JobUnit> {
        private static final Runnable NO_GUARD = () -> {};
        private static final JobProgress.Listener NO_LISTENER = progress -> {};

        private final String name;
        private final Function<String, U> parser;
        private final HostEnvironment environment;
        private Optional<Path> checkpoint = Optional.empty();
        private boolean checkpointStays;
        private Map<String, String> identity = Map.of();
        private Map<String, String> facts = Map.of();
        private Predicate<Map<String, String>> goesOn = found -> true;
        private int parallel = 1;
        private OptionalDouble splitSecondsLeast = OptionalDouble.empty();
        private RetryPolicy retries = RetryPolicy.DEFAULT;
        private long rowsPerSecond = RateLimiter.UNLIMITED;
        private long bytesPerSecond = RateLimiter.UNLIMITED;
        private JobControl control = new JobControl();
        private Runnable guard = NO_GUARD;
        private JobProgress.Listener listener = NO_LISTENER;

        private Builder(String name, Function<String, U> parser, HostEnvironment environment) {
            this.name = requireNonNull(name, "name");
            this.parser = requireNonNull(parser, "parser");
            this.environment = requireNonNull(environment, "environment");
        }

        /**
         * Records what is done in a file, which is made if it is not there, so that the next run goes on there. The file is written
         * after each unit, so units should be thousands rather than millions.
         *
         * @param parts what job it is, by words for names: a file that says another is refused
         */
        public Builder<U> checkpoint(Path file, Map<String, String> parts) {
            requireNonNull(parts, "parts");
            checkpoint = Optional.of(requireNonNull(file, "file"));
            identity = Map.copyOf(parts);
            return this;
        }

        /** Leaves the checkpoint when all is done: the next run with it finds all results, and does nothing. */
        public Builder<U> checkpointStays() {
            checkpointStays = true;
            return this;
        }

        /**
         * How this run starts, for {@link RangeJob#facts()}.
         *
         * @param wanted whether a run that started with these facts is gone on with; if not, all units are made anew
         */
        public Builder<U> facts(Map<String, String> start, Predicate<Map<String, String>> wanted) {
            requireNonNull(start, "start");
            facts = Map.copyOf(start);
            goesOn = requireNonNull(wanted, "wanted");
            return this;
        }

        /** How many units are worked on at once; 1 by default. */
        public Builder<U> parallel(int count) {
            parallel = positive("parallel", count);
            return this;
        }

        /**
         * Has workers without a unit take the later parts of the one that has most time left, where its task allows that: see
         * {@link UnitRun#splitsBy}. By default units stay whole.
         *
         * @param least what has less time left is not split
         */
        public Builder<U> splits(Duration least) {
            splitSecondsLeast = OptionalDouble.of(notNegative("least", least).toNanos() / 1e9);
            return this;
        }

        /**
         * How often a unit is tried, and how long it waits before the second time and at most; each wait is twice the one before. 5
         * times after 1 to 30 s by default.
         */
        public Builder<U> retries(int attemptCount, Duration first, Duration longest) {
            requireNonNull(first, "first");
            requireNonNull(longest, "longest");
            retries = retries.withAttempts(
                    positive("attempts", attemptCount), notNegative("first", first), notNegative("longest", longest));
            return this;
        }

        /** What else a unit fails with is not tried again; by default all is. */
        public Builder<U> retriesOnly(Predicate<Exception> passing) {
            retries = retries.withPassing(requireNonNull(passing, "passing"));
            return this;
        }

        /**
         * What says that there is no room for a unit now: it comes again after waits of up to 2 s, in part by chance, which count as
         * no attempts. By default there is no such failure.
         *
         * @param longest for how long, after the first such failure in a row and while no other unit of the job comes on
         */
        public Builder<U> patience(Predicate<Exception> noRoom, Duration longest) {
            requireNonNull(noRoom, "noRoom");
            requireNonNull(longest, "longest");
            retries = retries.withPatience(noRoom, notNegative("patience", longest));
            return this;
        }

        /** Rows a second over all units, 0 for as fast as it goes. */
        public Builder<U> rowsPerSecond(long rate) {
            rowsPerSecond = notNegative("rowsPerSecond", rate);
            return this;
        }

        /** Bytes a second over all units, 0 for as fast as it goes. */
        public Builder<U> bytesPerSecond(long rate) {
            bytesPerSecond = notNegative("bytesPerSecond", rate);
            return this;
        }

        /** What pauses, resumes and aborts it. */
        public Builder<U> control(JobControl control) {
            this.control = requireNonNull(control, "control");
            return this;
        }

        /** Is asked before each attempt and once a second; {@link JobRefusedException} from it ends the job. */
        public Builder<U> guard(Runnable guard) {
            this.guard = requireNonNull(guard, "guard");
            return this;
        }

        public Builder<U> listener(JobProgress.Listener listener) {
            this.listener = requireNonNull(listener, "listener");
            return this;
        }

        private boolean isWatched() {
            return listener != NO_LISTENER || guard != NO_GUARD;
        }

        /**
         * Goes on with the run of the checkpoint, or starts one.
         *
         * @param units are made if this is the start
         * @throws JobRefusedException when the checkpoint is of another job, is unreadable, or another run has it
         */
        public RangeJob<U> open(Units<U> units) throws IOException, InterruptedException {
            requireNonNull(units, "units");
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted before the job was opened");
            }
            Checkpoint opened = Checkpoint.open(
                    checkpoint,
                    identity,
                    facts,
                    goesOn,
                    environment.nanoTime(),
                    () -> units.make().stream().map(JobUnit::text).toList());
            RangeJob<U> job = null;
            try {
                job = new RangeJob<>(this, opened);
                job.start();
                return job;
            } finally {
                if (job == null) {
                    opened.close();
                }
            }
        }
    }
}
