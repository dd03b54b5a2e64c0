package io.anneal.cli.repair;

import io.anneal.agent.AgentPeer;
import io.anneal.agent.ClusterHold;
import io.anneal.agent.GuardedTables;
import io.anneal.cli.command.ClusterRefusedException;
import io.anneal.cli.command.Counted;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.RunRefusedException;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.runs.HoldState;
import io.anneal.cli.runs.OpenRun;
import io.anneal.cli.runs.RunRecord;
import io.anneal.cli.runs.RunSettings;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.job.JobFailedException;
import io.anneal.job.JobProgress;
import io.anneal.node.Waiver;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairException;
import io.anneal.repair.RepairMember;
import io.anneal.schema.SchemaException;
import io.anneal.schema.UnsupportedTypeException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One process's share of a cluster's repair: holds, or goes on with what is held, compares, has nodes import, and lets go; or leaves
 * what is held to who goes on. What changes how it works, as a window that closes, ends the comparison at the next place that is
 * recorded, and another one goes on from there: there is no other way in which parts stop and start. One thread, but {@link #stop},
 * which any may call.
 */
final class ClusterSession {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * What stays as it is while it runs.
     *
     * @param lease how long agents hold after the last sign of the process
     * @param review decides what of that which is staged is imported
     */
    record Terms(
            boolean dryRun,
            boolean namesRows,
            boolean includeRecent,
            boolean readsAll,
            Duration lease,
            GuardedTables.Fence fence,
            Function<List<ClusterHold.Looked>, StagedReview> review) {}

    private final Subcommand command;
    private final CommandNode node;
    private final List<ClusterPart> parts;
    private final ClusterResults results;
    private final Optional<OpenRun> record;
    private final Terms terms;
    private final ZoneId zone = ZoneId.systemDefault();

    private RunSettings settings;
    /** Why they can't be read now. */
    private Optional<String> unreadable = Optional.empty();

    private JobControl control = new JobControl();
    private boolean isStopped;
    /** Another round goes on from where this one ends. */
    private boolean isRoundEnding;

    /** Comparisons may have begun: to go on with them saves work. */
    private boolean hasSnapshots;

    private boolean isKept;
    private StagedReview review = StagedReview.NONE;
    private boolean mayHaveImported;

    /**
     * @param record where it is told how far it is; nobody goes on with a run without one
     * @param settings by which it works until they are changed in the record
     */
    ClusterSession(
            Subcommand command,
            CommandNode node,
            List<ClusterPart> parts,
            ClusterResults results,
            Optional<OpenRun> record,
            Terms terms,
            RunSettings settings) {
        this.command = command;
        this.node = node;
        this.parts = List.copyOf(parts);
        this.results = results;
        this.record = record;
        this.terms = terms;
        this.settings = settings;
    }

    /** Has it end soon, where that is recorded. */
    synchronized void stop() {
        isStopped = true;
        control.stop("interrupted");
    }

    private synchronized boolean isStopped() {
        return isStopped;
    }

    /** Nodes were asked to import: what an interrupt leaves undone nobody knows here. */
    boolean mayHaveImported() {
        return mayHaveImported;
    }

    /** Whether agents hold on for who goes on with the run. */
    boolean isKept() {
        return isKept;
    }

    /**
     * Does all of it.
     *
     * @param resumed what the process before had recorded; empty of a run that starts
     * @return what the command exits with
     */
    int run(Optional<HoldState> resumed) throws IOException {
        Optional<HoldState> held = resumed.filter(state -> state.step() != HoldState.Step.HOLD);
        try {
            if (held.isEmpty()) {
                awaitWindow(Optional.empty());
            }
            List<ClusterHold.Imported> imported = hold(held);
            results.firstFailure(imported).ifPresent(this::failing);
            int exitCode = results.finish(imported, review, isKept);
            // All that a dry run does is to answer: who reads what was cut off has no answer.
            if (terms.dryRun() && results.isWhole(imported) && !command.out().checkError()) {
                record.ifPresent(run -> run.ends(RunRecord.Outcome.DONE));
            }
            return exitCode;
        } catch (IOException | RuntimeException e) {
            failing(ErrorReport.of(e).message());
            throw e;
        } finally {
            if (!isKept) {
                record.filter(run -> run.record().isUnfinished()).ifPresent(run -> run.ends(RunRecord.Outcome.FAILED));
            }
        }
    }

    private void failing(String why) {
        record.ifPresent(run -> run.tells(state -> state.failing(why)));
    }

    private void leaving(List<AgentPeer> left) {
        record.ifPresent(run -> run.tells(
                state -> state.leaving(left.stream().map(AgentPeer::name).toList())));
    }

    private List<ClusterHold.Imported> hold(Optional<HoldState> resumed) throws IOException {
        try (ClusterHold hold = resumed.isPresent() ? goOn(resumed.get()) : take()) {
            hold.heldUntil(this::tells);
            hold.leaving(this::leaving);
            try {
                List<ClusterHold.Imported> imported = work(hold, resumed);
                if (results.mayPass(imported) && hold.stands()) {
                    keep(hold);
                } else if (results.isWhole(imported)) {
                    // What is done stays so, whatever becomes of the letting go.
                    results.covers(imported, review);
                    if (!terms.dryRun()) {
                        record.ifPresent(run -> run.ends(RunRecord.Outcome.DONE));
                    }
                }
                return imported;
            } catch (InterruptedIOException | JobAbortedException e) {
                keep(hold);
                throw e;
            } catch (IOException | RuntimeException e) {
                if (hasSnapshots && mayPass(e) && hold.stands()) {
                    keep(hold);
                }
                throw e;
            }
        }
    }

    /** Whether another try of the same run may end otherwise; of what is not known it may. */
    private static boolean mayPass(Throwable failure) {
        if (failure instanceof JobFailedException failed) {
            return failed.failures().stream().anyMatch(unit -> mayPass(unit.cause()));
        }
        boolean isOfData =
                failure instanceof RepairException refused && refused.waiver().isPresent();
        boolean isOfWords = failure instanceof IllegalArgumentException
                || failure instanceof SchemaException
                || failure instanceof UnsupportedTypeException
                || failure instanceof UnsupportedOperationException;
        return !isOfData && !isOfWords && !(failure instanceof RunRefusedException);
    }

    /** What other commands let by when they are told to, this one never does: no word of how. */
    private static Exception withoutWaiver(Exception failure) {
        return failure instanceof RepairException refused && refused.waiver().isPresent()
                ? new RepairException(failure.getMessage(), failure)
                : failure;
    }

    private void keep(ClusterHold hold) {
        if (hasSnapshots && record.isPresent()) {
            hold.keep();
            isKept = true;
        }
    }

    private void tells(Instant until) {
        record.ifPresent(run -> run.tells(state -> state.heldUntil(until)));
    }

    private List<AgentPeer> agents() {
        Set<AgentPeer> all = new LinkedHashSet<>();
        parts.forEach(part -> all.addAll(part.agents()));
        return List.copyOf(all);
    }

    private ClusterHold take() throws IOException {
        List<String> tables = new ArrayList<>();
        parts.forEach(part -> part.tables().forEach(table -> tables.add(table.toString())));
        tells(now().plus(terms.lease()));
        ClusterHold hold =
                ClusterHold.take(agents(), results.run(), tables, terms.fence(), terms.lease(), command.host());
        say((terms.dryRun() ? "looking at " : "holding ") + String.join(", ", tables) + " on " + agents().size()
                + " nodes, whose clocks are at most " + hold.skew().toMillis() + " ms apart");
        return hold;
    }

    private ClusterHold goOn(HoldState state) throws IOException {
        try {
            ClusterHold hold = ClusterHold.resume(agents(), results.run(), state.skew(), terms.lease(), command.host());
            hasSnapshots = true;
            say("going on with run " + results.run() + ", which all " + agents().size() + " agents hold still");
            return hold;
        } catch (IOException e) {
            if (!ClusterHold.isOver(e)) {
                // Another try may find all of them.
                isKept = true;
                throw e;
            }
            leaving(ClusterHold.letGo(agents(), results.run()));
            RunRefusedException refusal =
                    new RunRefusedException("an agent has let go of the run, as when it was started"
                            + " again or its lease had ended: start another run, run=" + results.run() + ", reason="
                            + e.getMessage());
            refusal.initCause(e);
            throw refusal;
        }
    }

    private void say(String line) {
        if (!command.json()) {
            command.say(line);
        }
    }

    private List<ClusterHold.Imported> work(ClusterHold hold, Optional<HoldState> resumed) throws IOException {
        if (record.isPresent() && resumed.isEmpty()) {
            record.get().holds(state -> state.withSkew(hold.skew()).at(HoldState.Step.SNAPSHOT));
        }
        Instant earliest = hold.takeSnapshots();
        hasSnapshots = true;
        Optional<Instant> before = resumed.flatMap(HoldState::snapshotAt);
        if (before.isPresent() && !before.get().equals(earliest)) {
            throw new RunRefusedException("snapshots are not those of the run, run=" + results.run() + ", first="
                    + earliest + ", before=" + before.get());
        }
        if (record.isPresent()) {
            record.get()
                    .holds(state -> state.withSkew(hold.skew())
                            .withSnapshots(earliest, hold.importBefore())
                            .at(HoldState.Step.REPAIR));
        }
        results.snapshots(earliest, hold.snapshotsDone().orElseThrow());
        say("snapshots are taken, the first began at " + earliest + ", the last was there "
                + Duration.between(earliest, hold.snapshotsDone().orElseThrow()).toMillis() + " ms later");
        for (ClusterPart part : parts) {
            if (!repair(part, hold)) {
                break;
            }
        }
        if (terms.dryRun()) {
            return List.of();
        }
        if (record.isPresent()) {
            record.get().holds(state -> state.at(HoldState.Step.IMPORT));
        }
        review = terms.review().apply(hold.look());
        results.tell(review);
        mayHaveImported = true;
        return hold.importAll(review.refused());
    }

    /** Repairs the tables of a keyspace; what fails there keeps no other from it, but that there is no time for any. */
    private boolean repair(ClusterPart part, ClusterHold hold) throws IOException {
        String what = part.tables().size() == 1
                ? part.tables().get(0).toString()
                : part.tables().size() + " tables";
        results.begin(part);
        try (Progress progress = command.progress(what)) {
            boolean isDone = false;
            while (!isDone) {
                RunSettings now = awaitWindow(hold.importBefore());
                isDone = round(part, now, progress);
            }
            return true;
        } catch (ClusterRefusedException tooLate) {
            // What could be gone on with in time would be held all the while until somebody does.
            results.fail(command.tell(tooLate), false);
            return false;
        }
    }

    private Instant now() {
        return command.environment().clock().instant();
    }

    /** Until when the window is closed; empty while it is open. */
    private Optional<Instant> closedUntil(RunSettings some) {
        Instant now = now();
        return some.window().filter(window -> !window.isOpen(now, zone)).map(window -> window.opens(now, zone));
    }

    /** As they stand in the record; what can't be read there changes nothing, and is said once: it is read each second. */
    private synchronized RunSettings settings() {
        if (record.isPresent()) {
            Optional<String> reason = Optional.empty();
            try {
                settings = record.get().settings();
            } catch (IOException | IllegalArgumentException e) {
                reason = Optional.of(String.valueOf(e.getMessage()));
            }
            if (!reason.equals(unreadable)) {
                unreadable = reason;
                reason.ifPresent(why -> command.say(
                        "warning: how the run is to work can't be read, it works as before, reason=" + why));
            }
        }
        return settings;
    }

    /**
     * Waits while the window is closed.
     *
     * @throws ClusterRefusedException when nothing may be imported any more when it opens
     */
    private RunSettings awaitWindow(Optional<Instant> importBefore) throws IOException {
        Optional<Instant> said = Optional.empty();
        while (true) {
            RunSettings wanted = settings();
            Optional<Instant> opens = closedUntil(wanted);
            if (opens.isEmpty()) {
                record.ifPresent(run ->
                        run.tells(state -> state.waiting(Optional.empty()).working(wanted)));
                return wanted;
            }
            if (importBefore.isPresent() && !opens.get().isBefore(importBefore.get())) {
                throw new ClusterRefusedException(
                        "run can't wait for its window: when that opens nodes refuse what was compared, opens="
                                + opens.get() + ", imports-before=" + importBefore.get() + ", window="
                                + wanted.window().orElseThrow(),
                        "start another run, with a --window that opens before imports end");
            }
            if (!opens.equals(said)) {
                said = opens;
                say("waiting until " + opens.get() + ", when the window "
                        + wanted.window().orElseThrow() + " opens");
                record.ifPresent(run -> run.tells(state -> state.waiting(opens).working(wanted)));
            }
            if (isStopped()) {
                throw new InterruptedIOException("interrupted while it waited for its window");
            }
            sleep();
        }
    }

    private void sleep() throws InterruptedIOException {
        try {
            command.host().sleeper().sleepNanos(LOOK_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while it waited for its window");
        }
    }

    private synchronized JobControl nextRound() {
        control = new JobControl();
        isRoundEnding = false;
        if (isStopped) {
            control.stop("interrupted");
        }
        return control;
    }

    /** Has the round end where it can be recorded if it is to work otherwise. */
    private void look(RunSettings now) {
        RunSettings wanted = settings();
        if (!wanted.equals(now) || closedUntil(wanted).isPresent()) {
            synchronized (this) {
                if (!isRoundEnding) {
                    isRoundEnding = true;
                    control.stop("another round goes on");
                }
            }
        }
    }

    private synchronized boolean isFollowed() {
        return isRoundEnding && !isStopped;
    }

    /** Compares until all is done, or it is to work otherwise; returns whether all is done or failed. */
    private boolean round(ClusterPart part, RunSettings now, Progress progress) throws IOException {
        JobControl ours = nextRound();
        RepairTask task = new RepairTask(
                part.tables(),
                part.owned(),
                RepairConfig.BUFFER_MAX_BYTES,
                terms.dryRun(),
                part.owned().isComplete(),
                Optional.empty(),
                // A node holds what its own snapshot has, and only receives: no directory can be the wrong one.
                Set.of(Waiver.EMPTY_REPLICA),
                now.parallel(),
                now.rowsPerSecond(),
                terms.includeRecent(),
                terms.readsAll(),
                Optional.empty());
        Repair repair = task.repair()
                .runId(results.run())
                .control(ours)
                .progress(done -> {
                    show(progress, done, now);
                    record.ifPresent(run -> run.progressed(done));
                    look(now);
                })
                .tableReports((table, report) -> progress.aside(() -> results.add(table, report)))
                .between(part.agents().stream()
                        .map(agent -> RepairMember.at(agent.connector(), agent.address()))
                        .toList());
        record.ifPresent(
                run -> repair.checkpoint(run.checkpoint(part.keyspace())).checkpointStays());
        try {
            run(repair, progress);
            return true;
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // What failed comes again in the next round.
            if (isFollowed()) {
                return false;
            }
            if (e instanceof JobAbortedException) {
                throw e;
            }
            progress.aside(() -> results.fail(command.tell(withoutWaiver(e)), mayPass(e)));
            return true;
        }
    }

    private static void show(Progress progress, JobProgress done, RunSettings now) {
        progress.more(String.format(
                Locale.ROOT,
                ", %d of %s done, %d at work, %d allowed",
                done.unitsDone(),
                Counted.of(done.unitsTotal(), "part"),
                done.unitsRunning(),
                now.parallel()));
        progress.update(done.bytes(), done.rows(), done.secondsLeft());
    }

    private void run(Repair repair, Progress progress) throws IOException {
        RepairEnvironment environment = new RepairEnvironment(
                command.host(), node.node().executor(), node.node().budget());
        if (!terms.namesRows()) {
            repair.run(environment);
            return;
        }
        Consumer<String> notes = note -> progress.aside(() -> command.say("note: " + note));
        try (RowLines rows = new RowLines(
                repair, terms.dryRun(), command::nowSeconds, notes, new RowText(command.out(), progress))) {
            repair.differences(rows).run(environment);
        }
    }
}
