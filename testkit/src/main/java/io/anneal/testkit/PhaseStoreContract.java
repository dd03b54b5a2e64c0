package io.anneal.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every phase store must do, as tests of JUnit Jupiter. Extend it, say how the store is opened, and run it:
 *
 * <pre>{@code
 * class MyPhaseStoreTest extends PhaseStoreContract {
 *     @Override
 *     protected PhaseStore open() {
 *         return new MyPhaseStore(...);
 *     }
 * }
 * }</pre>
 *
 * Times are whole milliseconds, so that a store need keep no more.
 */
public abstract class PhaseStoreContract {
    private static final String NAME = "users";
    private static final Instant AT = Instant.parse("2026-01-01T10:15:30.123Z");
    private static final String ODD = "a b=c%20 \"d\" 'e' \\ \n\r\t\u0001 ü 漢 \uD83D\uDE80";
    private static final int ROUNDS = 20;
    private static final int THREADS = 4;

    private PhaseStore store;
    private PhaseStore other;

    /**
     * A store, empty at the first call of a test; at the second call one over the same content, as another process has it. A
     * store of one process may return the same object twice.
     */
    protected abstract PhaseStore open() throws Exception;

    @BeforeEach
    void openBoth() throws Exception {
        store = open();
        other = open();
    }

    @AfterEach
    void closeBoth() {
        if (other != null && other != store) {
            other.close();
        }
        if (store != null) {
            store.close();
        }
    }

    @Test
    void shouldHoldNothingBeforeItIsCreated() {
        assertEquals(Optional.empty(), store.read(NAME));
        assertEquals(List.of(), store.history(NAME));
        assertEquals(List.of(), store.notes(NAME));
        assertEquals(List.of(), store.heartbeats(NAME));
    }

    @Test
    void shouldHoldWhatWasCreated() {
        store.create(NAME, first());

        assertEquals(Optional.of(first()), other.read(NAME));
        assertEquals(List.of(first()), other.history(NAME));
    }

    @Test
    void shouldRefuseToCreateTwice() {
        store.create(NAME, first());
        PhaseRecord second = second(first(), "ann");
        assertTrue(store.compareAndSet(NAME, 1, second));

        assertThrows(IllegalStateException.class, () -> other.create(NAME, first()));
        assertEquals(Optional.of(second), store.read(NAME));
        assertEquals(List.of(first(), second), store.history(NAME));
    }

    @Test
    void shouldKeepNamesApart() {
        store.create(NAME, first());
        store.create("user", PhaseRecord.first("bob", AT, "another one"));
        store.heartbeat("user", heartbeat("a", 1));
        store.addNote("user", note(1, "hello"));

        assertEquals("ann", store.read(NAME).orElseThrow().who());
        assertEquals("bob", store.read("user").orElseThrow().who());
        assertEquals(List.of(), store.heartbeats(NAME));
        assertEquals(List.of(), store.notes(NAME));
        assertEquals(Optional.empty(), store.read("Users"));
    }

    @Test
    void shouldTakeOddNames() {
        for (String name : List.of("com.example.User$Dao", "über/users", "..", "a b", "%41", "A")) {
            assertEquals(Optional.empty(), store.read(name));
            store.create(name, PhaseRecord.first(name, AT, name));
            store.heartbeat(name, heartbeat("host/1:" + name, 1));

            assertEquals(name, other.read(name).orElseThrow().who());
            assertEquals("host/1:" + name, other.heartbeats(name).get(0).instance());
        }
    }

    @Test
    void shouldPutTheNextRecordInForceWhenTheVersionIsTheExpectedOne() {
        store.create(NAME, first());
        PhaseRecord second = new PhaseRecord(2, Phase.WRITE_BOTH, 37, Phase.WRITE_BOTH, "bob", AT.plusMillis(1), "on");
        PhaseRecord third =
                new PhaseRecord(3, Phase.ORIGIN_ONLY, 100, Phase.WRITE_BOTH, "eve", AT.plusMillis(2), "back");

        assertTrue(store.compareAndSet(NAME, 1, second));
        assertEquals(Optional.of(second), other.read(NAME));
        assertTrue(other.compareAndSet(NAME, 2, third));
        assertEquals(Optional.of(third), store.read(NAME));
        assertEquals(List.of(first(), second, third), store.history(NAME));
        assertEquals(List.of(first(), second, third), other.history(NAME));
    }

    @Test
    void shouldChangeNothingWhenTheVersionIsAnotherOne() {
        store.create(NAME, first());
        PhaseRecord second = second(first(), "ann");
        assertTrue(store.compareAndSet(NAME, 1, second));

        assertFalse(other.compareAndSet(NAME, 1, second(first(), "bob")));
        assertFalse(other.compareAndSet(NAME, 3, second(second(second, "bob"), "bob")));
        assertEquals(Optional.of(second), store.read(NAME));
        assertEquals(2, store.history(NAME).size());
    }

    @Test
    void shouldNotBeginAMigrationByCompareAndSet() {
        assertFalse(store.compareAndSet(NAME, 1, second(first(), "ann")));
        assertEquals(Optional.empty(), store.read(NAME));
    }

    @Test
    void shouldRefuseAVersionThatIsNotTheNext() {
        store.create(NAME, first());
        PhaseRecord third = second(second(first(), "ann"), "ann");

        assertThrows(IllegalArgumentException.class, () -> store.compareAndSet(NAME, 1, third));
        assertEquals(Optional.of(first()), store.read(NAME));
    }

    @Test
    void shouldLetOneOfSeveralCreate() throws Exception {
        List<Boolean> created = atOnce(thread -> {
            try {
                (thread % 2 == 0 ? store : other).create(NAME, PhaseRecord.first("thread " + thread, AT, ""));
                return true;
            } catch (IllegalStateException e) {
                return false;
            }
        });

        assertEquals(1, created.stream().filter(won -> won).count());
        assertEquals(
                "thread " + created.indexOf(true),
                store.read(NAME).orElseThrow().who());
        assertEquals(1, store.history(NAME).size());
    }

    @Test
    void shouldLetOneOfSeveralWin() throws Exception {
        store.create(NAME, first());
        for (int round = 0; round < ROUNDS; round++) {
            PhaseRecord current = store.read(NAME).orElseThrow();
            List<Boolean> won = atOnce(thread -> (thread % 2 == 0 ? store : other)
                    .compareAndSet(NAME, current.version(), second(current, "thread " + thread)));

            assertEquals(1, won.stream().filter(one -> one).count(), "winners of round " + round);
            PhaseRecord next = other.read(NAME).orElseThrow();
            assertEquals(current.version() + 1, next.version());
            assertEquals("thread " + won.indexOf(true), next.who());
        }
        List<Long> versions =
                store.history(NAME).stream().map(PhaseRecord::version).toList();
        assertEquals(ROUNDS + 1, versions.size());
        assertEquals(versions.stream().sorted().distinct().toList(), versions);
    }

    @Test
    void shouldKeepEveryCharacter() {
        store.create(NAME, PhaseRecord.first(ODD, AT, ""));
        Heartbeat heartbeat = new Heartbeat(ODD, 1, true, AT, Map.of(ODD, ODD, "empty", ""));
        store.heartbeat(NAME, heartbeat);
        PhaseNote note = new PhaseNote(AT, 1, ODD, PhaseNote.Kind.TEXT, Map.of(ODD, ODD, "empty", ""));
        store.addNote(NAME, note);

        assertEquals(ODD, other.read(NAME).orElseThrow().who());
        assertEquals("", other.read(NAME).orElseThrow().why());
        assertEquals(List.of(heartbeat), other.heartbeats(NAME));
        assertEquals(List.of(note), other.notes(NAME));
        store.forget(NAME, ODD);
        assertEquals(List.of(), other.heartbeats(NAME));
    }

    @Test
    void shouldKeepTheLastHeartbeatOfEachInstance() {
        store.create(NAME, first());
        store.heartbeat(NAME, heartbeat("a", 1));
        other.heartbeat(NAME, heartbeat("b", 1));
        Heartbeat later = new Heartbeat("a", 2, false, AT.plusSeconds(1), Map.of(Facts.KIND, "dao"));
        store.heartbeat(NAME, later);

        assertEquals(List.of(later, heartbeat("b", 1)), sorted(other.heartbeats(NAME)));
        assertEquals(List.of(later, heartbeat("b", 1)), sorted(store.heartbeats(NAME)));
    }

    @Test
    void shouldForgetAnInstanceAndTakeItOnAgain() {
        store.create(NAME, first());
        store.heartbeat(NAME, heartbeat("a", 1));
        store.heartbeat(NAME, heartbeat("b", 1));

        other.forget(NAME, "a");
        other.forget(NAME, "a");
        other.forget(NAME, "never heard of");
        assertEquals(List.of(heartbeat("b", 1)), store.heartbeats(NAME));
        store.heartbeat(NAME, heartbeat("a", 1));
        assertEquals(2, other.heartbeats(NAME).size());
    }

    @Test
    void shouldKeepFactsAsLargeAsHistograms() {
        store.create(NAME, first());
        String histogram = "HISTFAAAA+/=".repeat(4_000);
        Heartbeat heartbeat = new Heartbeat("a", 1, true, AT, Map.of("readNanos.origin", histogram));
        store.heartbeat(NAME, heartbeat);

        assertEquals(List.of(heartbeat), other.heartbeats(NAME));
    }

    @Test
    void shouldKeepAllNotesInOrder() {
        store.create(NAME, first());
        List<PhaseNote> notes = new ArrayList<>();
        for (PhaseNote.Kind kind : PhaseNote.Kind.values()) {
            // Two of the same time, too.
            notes.add(new PhaseNote(AT, 1, "ann", kind, Map.of(Facts.ROWS, "12")));
        }
        notes.add(note(1, "later"));
        for (int i = 0; i < notes.size(); i++) {
            (i % 2 == 0 ? store : other).addNote(NAME, notes.get(i));
        }

        assertEquals(notes, store.notes(NAME));
        assertEquals(notes, other.notes(NAME));
    }

    @Test
    void shouldLoseNoNoteOfSeveralThreads() throws Exception {
        store.create(NAME, first());
        atOnce(thread -> {
            for (int i = 0; i < ROUNDS; i++) {
                (thread % 2 == 0 ? store : other).addNote(NAME, note(1, thread + "/" + i));
            }
            return true;
        });

        List<String> texts = store.notes(NAME).stream()
                .map(note -> note.facts().get(Facts.TEXT))
                .toList();
        assertEquals(THREADS * ROUNDS, texts.stream().distinct().count());
        for (int thread = 0; thread < THREADS; thread++) {
            String prefix = thread + "/";
            List<Integer> order = texts.stream()
                    .filter(text -> text.startsWith(prefix))
                    .map(text -> Integer.valueOf(text.substring(prefix.length())))
                    .toList();
            assertEquals(order.stream().sorted().toList(), order, "the order of thread " + thread);
        }
    }

    private static List<Boolean> atOnce(IntPredicate work) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        List<FutureTask<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                start.await();
                return work.test(thread);
            });
            tasks.add(task);
            new Thread(task, "contract-" + thread).start();
        }
        start.countDown();
        List<Boolean> results = new ArrayList<>();
        for (FutureTask<Boolean> task : tasks) {
            results.add(task.get());
        }
        return results;
    }

    private static List<Heartbeat> sorted(List<Heartbeat> heartbeats) {
        List<Heartbeat> sorted = new ArrayList<>(heartbeats);
        sorted.sort((left, right) -> left.instance().compareTo(right.instance()));
        return sorted;
    }

    private static PhaseRecord first() {
        return PhaseRecord.first("ann", AT, "it begins");
    }

    private static PhaseRecord second(PhaseRecord before, String who) {
        return before.changed(Phase.WRITE_BOTH, 100, who, AT.plusSeconds(before.version()), "on");
    }

    private static Heartbeat heartbeat(String instance, long version) {
        return new Heartbeat(instance, version, true, AT, Map.of(Facts.KIND, "dao"));
    }

    private static PhaseNote note(long version, String text) {
        return new PhaseNote(AT.plusSeconds(1), version, "ann", PhaseNote.Kind.TEXT, Map.of(Facts.TEXT, text));
    }
}
