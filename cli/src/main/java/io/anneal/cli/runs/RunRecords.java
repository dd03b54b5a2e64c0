package io.anneal.cli.runs;

import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.RunRefusedException;
import io.anneal.io.Directories;
import io.anneal.io.DirectoryLock;
import io.anneal.job.CheckpointRefusedException;
import io.anneal.job.RangeJob;
import io.anneal.node.FailureText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of runs: a directory with one of each run, by its id. A run that is over stays until there are
 * {@value #ENDED_MOST} newer ones, and as long as it says until when a table is covered; one that is not finished, until it is too
 * old to be gone on with, too. Several processes may use it at once.
 */
public final class RunRecords {
    /** How much of an id names a run. */
    public static final int PREFIX_LEAST = 8;

    static final int ENDED_MOST = 1_000;

    /** What says more of the future would keep an alarm silent until then, and allow a run to go on for as long. */
    private static final Duration CLOCK_AHEAD_MOST = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(RunRecords.class);
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final Path directory;
    private final Clock clock;
    private final Consumer<String> warnings;

    /**
     * @param directory made with the first run
     * @param warnings hears a line of what can't be written
     */
    public RunRecords(Path directory, Clock clock, Consumer<String> warnings) {
        this.directory = directory;
        this.clock = clock;
        this.warnings = warnings;
    }

    /** Where they are. */
    public Path directory() {
        return directory;
    }

    /**
     * Records a run that starts.
     *
     * @throws IOException when no record can be kept
     */
    public OpenRun start(RunRecord run) throws IOException {
        return start(run, Optional.empty());
    }

    /** The same of one that may be changed while it runs. */
    public OpenRun start(RunRecord run, RunSettings settings) throws IOException {
        return start(run, Optional.of(settings));
    }

    private OpenRun start(RunRecord run, Optional<RunSettings> settings) throws IOException {
        Path home = home(run.id());
        OpenRun started = null;
        boolean recorded = false;
        try {
            started = new OpenRun(home, lock(home), run, clock, warnings);
            if (settings.isPresent()) {
                started.settings(settings.get());
            }
            started.write();
            recorded = true;
        } finally {
            if (!recorded) {
                giveUp(started, home);
            }
        }
        removeOldest();
        return started;
    }

    /** Of a run that has no record nothing stays: a full disk may have taken its directory, and no more. */
    private static void giveUp(OpenRun started, Path home) throws IOException {
        if (started != null) {
            started.close();
        }
        if (Files.exists(home)) {
            forget(home);
        }
    }

    /**
     * Goes on with a run.
     *
     * @throws RunRefusedException when it is going on, has ended, or is too old
     */
    public OpenRun resume(UUID id) throws IOException {
        return take(id, record -> {
            // It may have ended since it was looked for.
            requireResumable(new KnownRun(record, Optional.empty(), Optional.empty(), clock.instant()));
            return record.resumed(clock.instant());
        });
    }

    /**
     * Takes a run to end it, whatever became of it before.
     *
     * @throws RunRefusedException when it is going on
     */
    public OpenRun end(UUID id) throws IOException {
        return take(id, record -> record);
    }

    private interface Step {
        RunRecord of(RunRecord record) throws IOException;
    }

    private OpenRun take(UUID id, Step next) throws IOException {
        Path home = home(id);
        DirectoryLock lock;
        try {
            lock = lock(home);
        } catch (IllegalStateException taken) {
            throw new RunRefusedException("run is going on, run=" + id + ", reason=" + taken.getMessage());
        }
        boolean opened = false;
        try {
            OpenRun taken = new OpenRun(home, lock, next.of(read(home)), clock, warnings);
            taken.write();
            opened = true;
            return taken;
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    private static void requireResumable(KnownRun run) throws RunRefusedException {
        RunRecord record = run.record();
        switch (run.state()) {
            case STOPPED -> {}
            case RUNNING ->
                throw new RunRefusedException("run is going on, run=" + record.id() + ", "
                        + run.owner().orElseThrow());
            case ENDED ->
                throw new RunRefusedException("run has ended, start another one, run=" + record.id() + ", ended="
                        + record.ended().orElseThrow());
            case TOO_OLD -> throw new RunRefusedException(tooOld(run));
        }
    }

    private static String tooOld(KnownRun run) {
        RunRecord record = run.record();
        if (record.hold().isEmpty()) {
            return "run is too old to go on with, since deletions that it has not seen may be purged by now: start"
                    + " another one, run=" + record.id() + ", started=" + record.firstStarted() + ", until="
                    + record.resumableUntil();
        }
        return (run.mayBeHeld()
                        ? "nothing of the run may be imported any more: have agents let go of it with --abandon"
                        : "agents have let go of the run by now, or soon do: start another one")
                + ", run=" + record.id() + ", until=" + record.resumableUntil() + ", held-until="
                + record.hold().get().heldUntil();
    }

    /**
     * Forgets all that runs which are over say of a table, or of a keyspace's, as of one that was dropped; returns of how many runs.
     *
     * @throws RunRefusedException when no run knows it, or one that may be gone on with does
     */
    public int forget(QualifiedTable table) throws IOException {
        List<KnownRun> known = all().runs().stream()
                .filter(run -> run.isOf(List.of(table), List.of()))
                .toList();
        if (known.isEmpty()) {
            throw new RunRefusedException("no run knows the table, table=" + table + ", records=" + directory);
        }
        for (KnownRun run : known) {
            if (run.state() == KnownRun.State.RUNNING || run.state() == KnownRun.State.STOPPED || run.mayBeHeld()) {
                throw new RunRefusedException("run of the table is not over: end it first, or remove its record, table="
                        + table + ", run=" + run.record().id() + ", record="
                        + home(run.record().id()));
            }
        }
        for (KnownRun run : known) {
            List<String> names = run.record().wantedTables().stream()
                    .filter(name -> KnownRun.isOneOf(List.of(table), name))
                    .toList();
            if (names.equals(run.record().wantedTables())) {
                forget(home(run.record().id()));
            } else {
                take(run.record().id(), record -> record.without(names)).close();
            }
        }
        return known.size();
    }

    /**
     * The run of an id, or of the start of one.
     *
     * @throws RunRefusedException when there is none, or several, or its record can't be read
     */
    public KnownRun find(String prefix) throws IOException {
        Path home = home(id(prefix));
        KnownRun run = known(home, read(home));
        requireResumable(run);
        return run;
    }

    /**
     * The run in a state, where no id is given.
     *
     * @param overAgents whether it is one of a cluster
     * @throws RunRefusedException when there is none, or several
     */
    public KnownRun theOne(boolean overAgents, KnownRun.State state) throws IOException {
        return theOne(
                run -> run.record().hold().isPresent() == overAgents && run.state() == state,
                state.name().toLowerCase(Locale.ROOT));
    }

    /**
     * The run that may be gone on with, where no id is given; of one for which agents hold in vain it says so.
     *
     * @throws RunRefusedException when there is none, or several
     */
    public KnownRun theResumable(boolean overAgents) throws IOException {
        List<KnownRun> runs = overAgents ? all().runs() : List.of();
        if (runs.stream().noneMatch(run -> run.state() == KnownRun.State.STOPPED)) {
            for (KnownRun run : runs) {
                if (run.mayBeHeld()) {
                    requireResumable(run);
                }
            }
        }
        return theOne(overAgents, KnownRun.State.STOPPED);
    }

    /**
     * The run for which agents may hold something, and at which nobody is, where no id is given.
     *
     * @throws RunRefusedException when there is none, or several
     */
    public KnownRun theHeld() throws IOException {
        return theOne(KnownRun::mayBeHeld, "held");
    }

    private KnownRun theOne(Predicate<KnownRun> wanted, String state) throws IOException {
        List<KnownRun> found = all().runs().stream().filter(wanted).toList();
        if (found.size() != 1) {
            throw new RunRefusedException((found.isEmpty() ? "there is no such run" : "there are several: name one")
                    + ", state=" + state + ", runs="
                    + found.stream().map(run -> run.record().id()).toList() + ", records=" + directory);
        }
        return found.get(0);
    }

    /**
     * The same run, whatever became of it.
     *
     * @throws RunRefusedException when there is none, or several, or its record can't be read
     */
    public KnownRun known(String prefix) throws IOException {
        Path home = home(id(prefix));
        return known(home, read(home));
    }

    /**
     * Changes how a run works that is going on.
     *
     * @throws RunRefusedException when it is not
     */
    public RunSettings change(KnownRun run, UnaryOperator<RunSettings> change) throws IOException {
        if (run.state() != KnownRun.State.RUNNING || run.record().hold().isEmpty()) {
            throw new RunRefusedException("run is not going on, or can't be changed, run="
                    + run.record().id() + ", state=" + run.state().name().toLowerCase(Locale.ROOT));
        }
        Path home = home(run.record().id());
        Path file = home.resolve(OpenRun.SETTINGS);
        RunSettings now = Files.exists(file)
                ? RunJson.parseSettings(Files.readAllBytes(file))
                : run.record().hold().get().settings();
        RunSettings wanted = change.apply(now);
        OpenRun.writeSettings(home, wanted);
        return wanted;
    }

    /**
     * The whole id of which this is the start.
     *
     * @throws RunRefusedException when there is no such run, or several
     */
    public UUID id(String prefix) throws IOException {
        List<String> found = homes().stream()
                .map(home -> home.getFileName().toString())
                .filter(id -> id.startsWith(prefix))
                .sorted()
                .toList();
        if (prefix.length() < PREFIX_LEAST || found.size() != 1) {
            String reason = found.isEmpty()
                    ? "no run has this id"
                    : prefix.length() < PREFIX_LEAST
                            ? "give " + PREFIX_LEAST + " characters of a run's id at least"
                            : "several runs' ids start so, runs=" + found;
            throw new RunRefusedException(reason + ", given=" + prefix + ", state=" + directory);
        }
        return UUID.fromString(found.get(0));
    }

    /**
     * What records say of runs.
     *
     * @param runs the newest first
     * @param unreadable why each of the others can't be read
     */
    public record All(List<KnownRun> runs, List<String> unreadable) {
        public All {
            runs = List.copyOf(runs);
            unreadable = List.copyOf(unreadable);
        }
    }

    public All all() throws IOException {
        List<KnownRun> runs = new ArrayList<>();
        List<String> unreadable = new ArrayList<>();
        for (Path home : homes()) {
            try {
                runs.add(known(home, read(home)));
            } catch (RunRefusedException e) {
                if (!comesOrGoes(home)) {
                    unreadable.add(e.getMessage());
                }
            } catch (IOException failure) {
                unreadable.add("run can't be looked at, directory=" + home + ", reason=" + FailureText.of(failure));
            }
        }
        runs.sort(Comparator.comparing((KnownRun run) -> run.record().firstStarted())
                .reversed());
        return new All(runs, unreadable);
    }

    private Path home(UUID id) {
        return directory.resolve(id.toString());
    }

    private List<Path> homes() throws IOException {
        if (!Files.exists(directory)) {
            return List.of();
        }
        return Directories.list(directory).stream()
                .filter(entry -> ID.matcher(entry.getFileName().toString()).matches())
                .toList();
    }

    private KnownRun known(Path home, RunRecord record) throws IOException {
        Optional<String> owner = record.isUnfinished() ? DirectoryLock.owner(home, OpenRun.LOCK) : Optional.empty();
        return new KnownRun(
                record,
                owner,
                record.isUnfinished() && owner.isEmpty() ? unusable(home) : Optional.empty(),
                clock.instant());
    }

    /** Whether another process has just begun to record it, or has removed what was too old. */
    private static boolean comesOrGoes(Path home) {
        try {
            return Files.notExists(home)
                    || Files.notExists(home.resolve(OpenRun.RECORD))
                            && DirectoryLock.owner(home, OpenRun.LOCK).isPresent();
        } catch (IOException e) {
            LOG.debug("lock is not looked at, run={}", home, e);
            return Files.notExists(home);
        }
    }

    private static Optional<Path> unusable(Path home) {
        try {
            for (Path checkpoint : OpenRun.checkpoints(home)) {
                RangeJob.requireReadable(checkpoint);
            }
        } catch (CheckpointRefusedException e) {
            return Optional.of(e.file());
        } catch (IOException e) {
            // It may have ended just now; what is wrong with a disk is said by who goes on.
            LOG.debug("checkpoint is not looked at, run={}", home, e);
        }
        return Optional.empty();
    }

    private static DirectoryLock lock(Path home) throws IOException {
        return DirectoryLock.take(home, OpenRun.LOCK, "run of a repair", Optional.empty());
    }

    private RunRecord read(Path home) throws IOException {
        Path file = home.resolve(OpenRun.RECORD);
        String reason;
        try {
            RunRecord record = RunJson.parse(Files.readAllBytes(file));
            Instant latest = record.latestClaim();
            if (!home.getFileName().toString().equals(record.id().toString())) {
                reason = "it is of another run, found=" + record.id();
            } else if (latest.isAfter(clock.instant().plus(CLOCK_AHEAD_MOST))) {
                reason = "it is of a time that has not come, a clock was wrong, time=" + latest;
            } else {
                return record;
            }
        } catch (IllegalArgumentException wrong) {
            reason = wrong.getMessage();
        } catch (NoSuchFileException gone) {
            reason = "it is not there";
        } catch (IOException failure) {
            reason = FailureText.of(failure);
        }
        throw new RunRefusedException(
                "record of a run can't be read, remove its directory if nothing else wants it, file=" + file
                        + ", reason=" + reason);
    }

    /** What else stands there, or can't be read, is not ours to remove. */
    private void removeOldest() {
        try {
            if (homes().size() <= ENDED_MOST) {
                return;
            }
            List<KnownRun> over = all().runs().stream()
                    .filter(run -> run.state() == KnownRun.State.ENDED || run.state() == KnownRun.State.TOO_OLD)
                    .toList();
            Set<UUID> basis = Coverage.basis(over.stream().map(KnownRun::record).toList());
            for (KnownRun run : over.subList(Math.min(ENDED_MOST, over.size()), over.size())) {
                if (!basis.contains(run.record().id())) {
                    forget(home(run.record().id()));
                }
            }
        } catch (IOException e) {
            LOG.warn("records of old runs are not removed, state={}", directory, e);
        }
    }

    private static void forget(Path home) throws IOException {
        Directories.deleteTree(home);
    }
}
