package io.anneal.cli.runs;

import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.DirectoryLock;
import io.anneal.io.OutputFile;
import io.anneal.job.JobProgress;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * The record of the run that this process is at; until it is closed nobody else takes the run. What can't be written is told once, and
 * keeps nothing from being repaired. Any thread.
 */
public final class OpenRun implements Closeable {
    static final String RECORD = "run.json";
    static final String LOCK = ".run.lock";
    static final String CHECKPOINT = "checkpoint";
    static final String SETTINGS = "settings.json";

    /** One, or one a keyspace: a keyspace's name has letters, digits and underscores. */
    private static final Pattern CHECKPOINTS = Pattern.compile(CHECKPOINT + "(-\\w+)?");

    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(5);

    private final Path home;
    private final DirectoryLock lock;
    private final Clock clock;
    private final Consumer<String> warnings;
    private final Instant started;
    private RunRecord record;
    private long rowsBefore = -1;
    private Instant progressWritten = Instant.EPOCH;
    private boolean warned;
    private boolean isClosed;

    OpenRun(Path home, DirectoryLock lock, RunRecord record, Clock clock, Consumer<String> warnings) {
        this.home = home;
        this.lock = lock;
        this.record = record;
        this.clock = clock;
        this.warnings = warnings;
        started = clock.instant();
    }

    public synchronized RunRecord record() {
        return record;
    }

    /** Where the repair writes how far its ranges are. */
    public Path checkpoint() {
        return home.resolve(CHECKPOINT);
    }

    /** The same of one keyspace of several. */
    public Path checkpoint(String keyspace) {
        return home.resolve(CHECKPOINT + "-" + keyspace);
    }

    /**
     * Takes note of a step over agents, before it begins.
     *
     * @throws IOException when it can't be written: the step must not begin, since nobody could go on from there
     */
    public synchronized void holds(UnaryOperator<HoldState> change) throws IOException {
        record = changed(change);
        write();
    }

    /** The same of what only those who look want to know. */
    public synchronized void tells(UnaryOperator<HoldState> change) {
        record = changed(change);
        writeIfItCan();
    }

    private RunRecord changed(UnaryOperator<HoldState> change) {
        return record.holding(change.apply(record.hold().orElseThrow()));
    }

    /** How it is to work, as somebody may have changed it. */
    public RunSettings settings() throws IOException {
        return RunJson.parseSettings(Files.readAllBytes(home.resolve(SETTINGS)));
    }

    /** Says how it is to work. */
    public void settings(RunSettings wanted) throws IOException {
        writeSettings(home, wanted);
    }

    static void writeSettings(Path home, RunSettings wanted) throws IOException {
        AtomicFile.replace(home.resolve(SETTINGS), RunJson.print(wanted), OutputFile.CREATE_NEW);
    }

    /** Takes note of how far it is, and writes it every five seconds. */
    public synchronized void progressed(JobProgress progress) {
        // Another keyspace's are counted anew.
        if (rowsBefore < 0 || progress.rows() < rowsBefore) {
            rowsBefore = progress.rows();
        }
        Instant now = clock.instant();
        boolean isDone = progress.unitsDone() == progress.unitsTotal();
        long millis = Math.max(1, Duration.between(started, now).toMillis());
        record = record.withProgress(new RecordedProgress(
                now,
                progress.rows(),
                (progress.rows() - rowsBefore) * 1_000 / millis,
                progress.unitsDone(),
                progress.unitsTotal(),
                progress.unitsRunning(),
                isDone ? OptionalLong.of(0) : progress.secondsLeft()));
        if (isDone || !now.isBefore(progressWritten.plus(PROGRESS_INTERVAL))) {
            progressWritten = now;
            writeIfItCan();
        }
    }

    public synchronized void tableDone(RecordedTable table) {
        record = record.withTable(table);
        writeIfItCan();
    }

    /** Forgets tables that the run was to repair. */
    public synchronized void forget(Collection<String> tables) {
        record = record.without(tables);
        writeIfItCan();
    }

    /** Says what became of it. The checkpoint of one that is over is of no use. */
    public synchronized void ends(RunRecord.Outcome outcome) {
        record = record.withOutcome(outcome, clock.instant());
        writeIfItCan();
        if (!record.isUnfinished()) {
            try {
                for (Path checkpoint : checkpoints(home)) {
                    Directories.deleteFile(checkpoint);
                }
            } catch (IOException e) {
                warn(e);
            }
        }
    }

    static List<Path> checkpoints(Path home) throws IOException {
        return Directories.list(home).stream()
                .filter(file ->
                        CHECKPOINTS.matcher(file.getFileName().toString()).matches())
                .toList();
    }

    private void writeIfItCan() {
        // An agent may answer late, when another process has the run.
        if (isClosed) {
            return;
        }
        try {
            write();
        } catch (IOException e) {
            warn(e);
        }
    }

    private void warn(IOException reason) {
        if (!warned) {
            warned = true;
            warnings.accept("warning: the record of this run is not up to date, reason=" + reason.getMessage());
        }
    }

    synchronized void write() throws IOException {
        AtomicFile.replace(home.resolve(RECORD), RunJson.print(record), OutputFile.CREATE_NEW);
    }

    @Override
    public synchronized void close() throws IOException {
        isClosed = true;
        if (record.isUnfinished()) {
            lock.close();
        } else {
            lock.remove();
        }
    }
}
