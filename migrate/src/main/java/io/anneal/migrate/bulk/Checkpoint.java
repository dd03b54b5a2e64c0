package io.anneal.migrate.bulk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.anneal.io.AtomicFile;
import io.anneal.io.OutputFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which ranges of a run are done, in a file that is replaced as a whole after each of them, so that another run goes on after any
 * end of the first. The file is gone once all is done. A lock beside it keeps a second run off. Any thread.
 */
final class Checkpoint implements Closeable {
    private static final int FORMAT = 1;
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /**
     * What a run is: only one that is the same may go on with its ranges.
     *
     * @param kind back-fill or verification, with what makes a difference to its result
     * @param source its identity
     * @param shape of what both sides hold
     * @param epoch version of the phase record since which both sides are written, 0 if there is none: what was copied before
     *     an earlier one lacks what was written between the two
     */
    record Identity(String kind, String source, String target, String shape, long epoch) {
        /** Whether it is the same work but for the epoch. */
        private boolean sameWork(Identity other) {
            return new Identity(kind, source, target, shape, other.epoch).equals(other);
        }
    }

    /**
     * When a run began, the first of those that go on from each other.
     *
     * @param version of the phase record in force, 0 if there is none
     * @param acknowledged whether all instances had acknowledged it
     */
    record Start(long version, long startedMillis, boolean acknowledged) {}

    /** A range that is done, and what was counted in it. */
    record Done(long after, long through, Map<String, Long> counts) {}

    /** The file's content. */
    record Content(int format, Identity identity, Start start, List<BulkRange> ranges, List<Done> done) {}

    /** Makes the ranges of a run that begins. */
    @FunctionalInterface
    interface Ranges {
        List<BulkRange> make() throws IOException;
    }

    private final Optional<Path> file;
    private final Optional<CheckpointLock> lock;
    private final Content begun;
    private final int resumed;
    private final Map<BulkRange, Map<String, Long>> done =
            new TreeMap<>((left, right) -> Long.compare(left.after(), right.after()));

    private Checkpoint(Optional<Path> file, Optional<CheckpointLock> lock, Content begun) {
        this.file = file;
        this.lock = lock;
        this.begun = begun;
        resumed = begun.done().size();
        begun.done().forEach(range -> done.put(new BulkRange(range.after(), range.through()), range.counts()));
    }

    /**
     * Goes on with the run of a file, or begins one.
     *
     * @param start of a run that begins
     * @param validSinceMillis a run that began before is not gone on with
     * @throws BulkRefusedException when the file is of other work, is unreadable, or another run has it
     */
    static Checkpoint open(Optional<Path> file, Identity identity, Start start, long validSinceMillis, Ranges ranges)
            throws IOException {
        if (file.isEmpty()) {
            return new Checkpoint(
                    file, Optional.empty(), new Content(FORMAT, identity, start, ranges.make(), List.of()));
        }
        Path path = file.get().toAbsolutePath();
        CheckpointLock lock = CheckpointLock.take(path);
        boolean opened = false;
        try {
            Optional<Content> found = read(path).filter(content -> fits(path, content, identity, validSinceMillis));
            Checkpoint checkpoint = new Checkpoint(
                    Optional.of(path),
                    Optional.of(lock),
                    found.isPresent() ? found.get() : new Content(FORMAT, identity, start, ranges.make(), List.of()));
            checkpoint.write();
            opened = true;
            return checkpoint;
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    private static boolean fits(Path file, Content content, Identity identity, long validSinceMillis) {
        if (!content.identity().sameWork(identity)) {
            throw new BulkRefusedException("checkpoint is of another run, name another file or remove this one, file="
                    + file + ", wanted=" + identity + ", found=" + content.identity());
        }
        return content.identity().epoch() == identity.epoch() && content.start().startedMillis() >= validSinceMillis;
    }

    private static Optional<Content> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        byte[] bytes = Files.readAllBytes(file);
        try {
            int format = JSON.readTree(bytes).path("format").asInt();
            if (format != FORMAT) {
                throw new BulkRefusedException("checkpoint has another format, remove it to begin anew, file=" + file
                        + ", format=" + format + ", supported=" + FORMAT);
            }
            return Optional.of(JSON.readValue(bytes, Content.class));
        } catch (JsonProcessingException e) {
            throw new BulkRefusedException("checkpoint can't be read, remove it to begin anew, file=" + file
                    + ", reason=" + e.getOriginalMessage());
        }
    }

    Start start() {
        return begun.start();
    }

    List<BulkRange> ranges() {
        return begun.ranges();
    }

    /** How many ranges were done before. */
    int resumed() {
        return resumed;
    }

    synchronized List<BulkRange> open() {
        return begun.ranges().stream().filter(range -> !done.containsKey(range)).toList();
    }

    synchronized int doneCount() {
        return done.size();
    }

    /** A count over all ranges that are done. */
    synchronized long sum(String count) {
        return done.values().stream()
                .mapToLong(counts -> counts.getOrDefault(count, 0L))
                .sum();
    }

    /** Keeps that a range is done; it is not if this fails. */
    synchronized void done(BulkRange range, Map<String, Long> counts) throws IOException {
        boolean written = false;
        done.put(range, counts);
        try {
            write();
            written = true;
        } finally {
            if (!written) {
                done.remove(range);
            }
        }
    }

    private void write() throws IOException {
        if (file.isPresent()) {
            List<Done> ranges = new ArrayList<>();
            done.forEach((range, counts) -> ranges.add(new Done(range.after(), range.through(), counts)));
            Content content = new Content(FORMAT, begun.identity(), begun.start(), begun.ranges(), ranges);
            AtomicFile.replace(file.get(), JSON.writeValueAsBytes(content), OutputFile.CREATE_NEW);
        }
    }

    /** All is done and said: the next run begins anew. */
    synchronized void complete() throws IOException {
        if (file.isPresent()) {
            Files.deleteIfExists(file.get());
        }
    }

    @Override
    public void close() throws IOException {
        if (lock.isPresent()) {
            lock.get().close();
        }
    }
}
