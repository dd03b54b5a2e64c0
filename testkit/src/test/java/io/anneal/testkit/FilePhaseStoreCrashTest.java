package io.anneal.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.phase.FilePhaseMark;
import io.anneal.dualdao.phase.FilePhaseStore;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A phase store whose machine stops, or whose disk fails, at every single operation of a change: the old is there, or the new. */
final class FilePhaseStoreCrashTest {
    private static final String NAME = "users";
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final PhaseRecord FIRST = PhaseRecord.first("ann", AT, "begin");
    private static final PhaseRecord SECOND = FIRST.changed(Phase.WRITE_BOTH, 100, "ann", AT, "on");
    private static final PhaseNote NOTE = new PhaseNote(AT, 1, "ann", PhaseNote.Kind.TEXT, Map.of("text", "hello"));
    private static final PhaseMark.Seen SEEN = new PhaseMark.Seen(1, Phase.ORIGIN_ONLY, Phase.ORIGIN_ONLY);
    private static final PhaseMark.Seen SEEN_LATER = new PhaseMark.Seen(2, Phase.WRITE_BOTH, Phase.WRITE_BOTH);

    /** More than any change does. */
    private static final int OPERATIONS_MAX = 30;

    @TempDir
    private Path temporary;

    /** What a change left, and whether it came to its end. */
    private interface Check {
        void check(Path directory, boolean done, String how);
    }

    private interface Change {
        void make(Path directory);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldHoldTheOldRecordOrTheNew(long seed) throws IOException {
        stopEverywhere(
                seed,
                directory -> new FilePhaseStore(directory).compareAndSet(NAME, 1, SECOND),
                (directory, done, how) -> {
                    List<PhaseRecord> history = new FilePhaseStore(directory).history(NAME);
                    if (done) {
                        assertThat(history).as(how).containsExactly(FIRST, SECOND);
                    } else {
                        assertThat(history).as(how).isIn(List.of(FIRST), List.of(FIRST, SECOND));
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldHoldTheNoteOrNot(long seed) throws IOException {
        stopEverywhere(seed, directory -> new FilePhaseStore(directory).addNote(NAME, NOTE), (directory, done, how) -> {
            List<PhaseNote> notes = new FilePhaseStore(directory).notes(NAME);
            if (done) {
                assertThat(notes).as(how).containsExactly(NOTE);
            } else {
                assertThat(notes).as(how).isIn(List.of(), List.of(NOTE));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldHoldAHeartbeatThatCanBeRead(long seed) throws IOException {
        Heartbeat heartbeat = new Heartbeat("a", 1, true, AT, Map.of());
        stopEverywhere(
                seed, directory -> new FilePhaseStore(directory).heartbeat(NAME, heartbeat), (directory, done, how) -> {
                    List<Heartbeat> heartbeats = new FilePhaseStore(directory).heartbeats(NAME);
                    if (done) {
                        assertThat(heartbeats).as(how).containsExactly(heartbeat);
                    } else {
                        assertThat(heartbeats).as(how).isIn(List.of(), List.of(heartbeat));
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldHoldTheOldMemoryOrTheNew(long seed) throws IOException {
        stopEverywhere(
                seed,
                directory -> new FilePhaseMark(directory).remember(NAME, SEEN_LATER),
                (directory, done, how) -> assertThat(
                                new FilePhaseMark(directory).read(NAME).orElseThrow())
                        .as(how)
                        .satisfies(seen -> assertThat(List.of(done ? SEEN_LATER : SEEN, SEEN_LATER))
                                .contains(seen)));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldBeginOrNot(long seed) throws IOException {
        stopEverywhere(
                seed, directory -> new FilePhaseStore(directory).create("other", FIRST), (directory, done, how) -> {
                    FilePhaseStore store = new FilePhaseStore(directory);
                    if (done) {
                        assertThat(store.read("other")).as(how).contains(FIRST);
                    } else if (store.read("other").isEmpty()) {
                        store.create("other", FIRST);
                    }
                    assertThat(store.history("other")).as(how).containsExactly(FIRST);
                });
    }

    private void stopEverywhere(long seed, Change change, Check check) throws IOException {
        boolean stopped = true;
        for (int operation = 0; stopped; operation++) {
            assertThat(operation).as("operations of one change").isLessThan(OPERATIONS_MAX);
            stopped = stop(operation, seed, true, change, check);
            stop(operation, seed, false, change, check);
        }
    }

    /** Makes the change in a machine that stops, or whose disk fails once, at that operation; answers whether it came so far. */
    private boolean stop(int operation, long seed, boolean powerCut, Change change, Check check) throws IOException {
        String how = "seed=" + seed + ", operation=" + operation + ", powerCut=" + powerCut;
        try (FaultyDirectory faulty = FaultyDirectory.create(temporary)) {
            Path before = faulty.path().resolve("phases");
            new FilePhaseStore(before).create(NAME, FIRST);
            new FilePhaseMark(before).remember(NAME, SEEN);
            Fault fault = Fault.on(
                            Operation.CREATE, Operation.WRITE, Operation.FORCE, Operation.RENAME, Operation.DELETE)
                    .after(operation)
                    .times(1);
            faulty.inject(powerCut ? fault.cuttingPower(seed) : fault);
            boolean done = true;
            try {
                change.make(before);
            } catch (PhaseStoreException e) {
                done = false;
            }
            faulty.heal();
            if (done) {
                // What was said to be there outlives the machine's power.
                faulty.crash(seed);
            }
            check.check(faulty.path().resolve("phases"), done, how);
            return !done;
        }
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 3);
    }
}
