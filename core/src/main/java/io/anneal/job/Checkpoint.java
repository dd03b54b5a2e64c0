package io.anneal.job;

import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.DirectoryLock;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.job.CheckpointContent.UnitState;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far the units of a job are, in a file that is replaced as a whole after each of them, so that another run goes on after any
 * end of the first. The file is gone once all is done. A lock beside it keeps a second run off. Without a file it is held in memory
 * alone. Any thread.
 */
final class Checkpoint implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoint.class);

    private final Optional<Path> file;
    private final Optional<DirectoryLock> lock;
    private final Map<String, String> identity;
    private final Map<String, String> facts;
    private final LongSupplier nanoTime;
    private final long startNanos;
    private final long ranBeforeMillis;
    private final List<UnitState> units;
    private boolean closed;

    /** Makes the units of a job that starts. */
    @FunctionalInterface
    interface Units {
        List<String> make() throws IOException;
    }

    private Checkpoint(
            Optional<Path> file, Optional<DirectoryLock> lock, LongSupplier nanoTime, CheckpointContent content) {
        this.file = file;
        this.lock = lock;
        identity = content.identity();
        facts = content.facts();
        this.nanoTime = nanoTime;
        startNanos = nanoTime.getAsLong();
        ranBeforeMillis = content.ranMillis();
        units = new ArrayList<>(content.units());
    }

    /**
     * Goes on with the job of a file, or starts one.
     *
     * @param facts of a job that starts
     * @param goesOn whether a run that started with these facts is gone on with
     * @throws JobRefusedException when the file is of another job, is unreadable, or another run has it
     */
    static Checkpoint open(
            Optional<Path> file,
            Map<String, String> identity,
            Map<String, String> facts,
            Predicate<Map<String, String>> goesOn,
            LongSupplier nanoTime,
            Units made)
            throws IOException {
        if (file.isEmpty()) {
            return new Checkpoint(file, Optional.empty(), nanoTime, started(identity, facts, made));
        }
        Path path = file.get().toAbsolutePath();
        DirectoryLock lock = lock(path);
        boolean opened = false;
        try {
            Optional<CheckpointContent> found = read(path, identity).filter(content -> goesOn.test(content.facts()));
            Checkpoint checkpoint = new Checkpoint(
                    Optional.of(path),
                    Optional.of(lock),
                    nanoTime,
                    found.isPresent() ? found.get() : started(identity, facts, made));
            checkpoint.write();
            opened = true;
            return checkpoint;
        } finally {
            if (!opened) {
                giveUp(lock, path);
            }
        }
    }

    private static DirectoryLock lock(Path file) throws IOException {
        try {
            return DirectoryLock.take(
                    file.getParent(), "." + file.getFileName() + ".lock", "checkpoint", Optional.empty());
        } catch (IllegalStateException e) {
            throw new JobRefusedException(
                    "another run uses this checkpoint, file=" + file + ", reason=" + e.getMessage());
        }
    }

    /** Where there is no checkpoint, as there is none of a job that is complete, no file of it stays. */
    private static void giveUp(DirectoryLock lock, Path checkpoint) throws IOException {
        if (Files.exists(checkpoint)) {
            lock.close();
        } else {
            lock.remove();
        }
    }

    private static CheckpointContent started(Map<String, String> identity, Map<String, String> facts, Units made)
            throws IOException {
        List<UnitState> units = made.make().stream().map(UnitState::open).toList();
        Set<String> once = new HashSet<>();
        for (UnitState unit : units) {
            if (!once.add(unit.unit())) {
                throw new IllegalArgumentException("two units of a job are the same, unit=" + unit.unit());
            }
        }
        return new CheckpointContent(identity, facts, 0, units);
    }

    /** Empty where there is none. */
    static Optional<CheckpointContent> read(Path file) throws StorageException {
        return Files.exists(file) ? Optional.of(CheckpointContent.parse(file, bytes(file))) : Optional.empty();
    }

    private static Optional<CheckpointContent> read(Path file, Map<String, String> identity) throws StorageException {
        Optional<CheckpointContent> content = read(file);
        if (content.isPresent() && !content.get().identity().equals(identity)) {
            throw new CheckpointRefusedException(
                    "checkpoint is of another run, name another file or remove this one, file=" + file + ", wanted="
                            + new TreeMap<>(identity) + ", found="
                            + content.get().identity(),
                    file);
        }
        return content;
    }

    private static byte[] bytes(Path file) throws StorageException {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
    }

    /** Of the first of the runs that go on from each other. */
    Map<String, String> facts() {
        return facts;
    }

    /** How long all runs took so far, this one too, pauses included. */
    Duration ran() {
        return Duration.ofMillis(ranBeforeMillis).plusNanos(nanoTime.getAsLong() - startNanos);
    }

    synchronized List<UnitState> units() {
        return List.copyOf(units);
    }

    synchronized UnitState unit(int index) {
        return units.get(index);
    }

    /** Records how a unit is now; it stays as it was if this fails. */
    void record(int index, UnitState state) throws StorageException {
        record(index, state, List.of());
    }

    /**
     * Records how a unit is now, and what was left of it as units of their own; all stays as it was if this fails.
     *
     * @return index of the first of the rest
     */
    synchronized int record(int index, UnitState state, List<String> rest) throws StorageException {
        if (closed) {
            // A worker that outlived its job: the file may be another run's by now.
            throw new IllegalStateException("checkpoint is closed, unit=" + state.unit());
        }
        UnitState before = units.set(index, state);
        int first = units.size();
        rest.forEach(part -> units.add(UnitState.open(part)));
        boolean written = false;
        try {
            write();
            written = true;
            return first;
        } finally {
            if (!written) {
                units.subList(first, units.size()).clear();
                units.set(index, before);
            }
        }
    }

    /**
     * Makes several units of an open one. If the file can't be written now it lags: what it calls open is done again then.
     *
     * @return index of the first of the rest
     */
    synchronized int split(int index, String kept, List<String> rest) {
        UnitState whole = units.get(index);
        units.set(index, whole.named(kept));
        rest.forEach(part -> units.add(UnitState.open(part)));
        if (!closed) {
            try {
                write();
            } catch (StorageException | RuntimeException failure) {
                LOG.warn("checkpoint does not know of a unit that was split, kept={}, rest={}", kept, rest, failure);
            }
        }
        return units.size() - rest.size();
    }

    private void write() throws StorageException {
        if (file.isPresent()) {
            CheckpointContent content = new CheckpointContent(identity, facts, ran().toMillis(), units);
            AtomicFile.replace(file.get(), content.print(), OutputFile.CREATE_NEW);
        }
    }

    /** All is done and said: the next run starts anew. */
    synchronized void complete() throws StorageException {
        if (file.isPresent()) {
            Directories.deleteFile(file.get());
        }
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        if (lock.isPresent()) {
            giveUp(lock.get(), file.orElseThrow());
        }
    }
}
