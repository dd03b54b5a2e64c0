package io.anneal.dualdao.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.PhaseView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PhaseFollowerTest {
    private static final String NAME = TestInstance.NAME;

    private final TestClock clock = new TestClock();
    private final UnreliableStore store = new UnreliableStore();
    private final PhaseControl control = PhaseControl.of(store, NAME, clock, ControlPolicy.DEFAULTS);

    private Heartbeat heartbeat(String instance) {
        return store.heartbeats(NAME).stream()
                .filter(heartbeat -> heartbeat.instance().equals(instance))
                .findAny()
                .orElseThrow();
    }

    /** Makes a store of another history: created anew, and changed so often. */
    private void replaceStore(int changes) {
        store.inner = new MemoryPhaseStore();
        store.create(NAME, PhaseRecord.first("eve", clock.instant(), "again"));
        for (int i = 0; i < changes; i++) {
            PhaseRecord current = store.read(NAME).orElseThrow();
            Phase phase = current.phase() == Phase.WRITE_BOTH ? Phase.ORIGIN_ONLY : Phase.WRITE_BOTH;
            store.compareAndSet(NAME, current.version(), current.changed(phase, 100, "eve", clock.instant(), "again"));
        }
    }

    @Test
    void shouldRefuseToStartWhenNothingWasCreated() {
        TestInstance a = new TestInstance(store, "a", clock);

        assertThatThrownBy(a.follower::start)
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("no phase record")
                .hasMessageContaining("name=users");
        assertThat(store.heartbeats(NAME)).isEmpty();
        assertThatThrownBy(a.follower::enter).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldRefuseToStartWhenTheStoreIsOutOfReach() {
        control.create("ann", "begin");
        store.lost = true;

        assertThatThrownBy(new TestInstance(store, "a", clock).follower::start).isInstanceOf(PhaseStoreException.class);
    }

    @Test
    void shouldServeAndAcknowledgeTheRecordInForce() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);

        assertThat(a.follower.enter().phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThat(heartbeat("a").version()).isEqualTo(1);
        assertThat(heartbeat("a").drained()).isTrue();
        assertThat(heartbeat("a").facts()).containsEntry(Facts.KIND, "dao").containsKey(Facts.STARTED_MILLIS);
    }

    @Test
    void shouldActByTheNewRecordAndAcknowledgeItOnceTheOldOneIsLeft() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        PhaseView old = a.follower.enter();
        control.advance("ann", "on");
        a.follower.poll();

        assertThat(a.follower.enter().phase()).isEqualTo(Phase.WRITE_BOTH);
        assertThat(old.phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThat(heartbeat("a").version()).isEqualTo(2);
        assertThat(heartbeat("a").drained()).isFalse();
        assertThat(a.follower.heldUp())
                .hasValueSatisfying(reason -> assertThat(reason).contains("under way"));

        old.leave();
        a.follower.poll();
        assertThat(heartbeat("a").drained()).isTrue();
        assertThat(a.follower.heldUp()).isEmpty();
    }

    @Test
    void shouldWaitForOperationsOfEveryEarlierRecord() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        PhaseView first = a.follower.enter();
        control.advance("ann", "on");
        a.follower.poll();
        // As if it had been declared dead meanwhile, the phase goes on.
        PhaseRecord second = control.current();
        store.compareAndSet(NAME, 2, second.changed(Phase.ORIGIN_ONLY, 100, "ann", clock.instant(), "back"));
        a.follower.poll();
        assertThat(heartbeat("a").drained()).isFalse();

        first.leave();
        a.follower.poll();
        assertThat(heartbeat("a").version()).isEqualTo(3);
        assertThat(heartbeat("a").drained()).isTrue();
    }

    @Test
    void shouldRegisterBeforeItTakesUpWhatItRead() {
        control.create("ann", "begin");
        TestInstance a = new TestInstance(store, "a", clock);
        // Between the first look and the second, while nobody is registered yet, two steps are made.
        store.beforeRead = () -> {
            PhaseRecord first = store.inner.read(NAME).orElseThrow();
            store.beforeRead = () -> {
                PhaseRecord second = first.changed(Phase.WRITE_BOTH, 100, "bob", clock.instant(), "on");
                PhaseRecord third = second.changed(Phase.READ_TARGET, 100, "bob", clock.instant(), "on");
                store.inner.compareAndSet(NAME, 1, second);
                store.inner.compareAndSet(NAME, 2, third);
            };
        };

        a.follower.start();

        assertThat(a.follower.current().version()).isEqualTo(3);
        assertThat(heartbeat("a").version()).isEqualTo(3);
    }

    @Test
    void shouldKeepItsPhaseAndSayWhenTheStoreIsLost() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        a.follower.poll();
        control.advance("ann", "on");
        store.lost = true;
        clock.advance(Duration.ofMinutes(10));
        a.follower.poll();
        a.follower.poll();

        assertThat(a.phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThat(a.follower.failures()).isEqualTo(2);
        assertThat(a.follower.heldUp())
                .hasValueSatisfying(reason -> assertThat(reason).contains("can't be asked"));
        assertThat(a.follower.lastContact()).contains(clock.instant().minus(Duration.ofMinutes(10)));

        store.lost = false;
        assertThatThrownBy(() -> control.advance("ann", "on"))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("a acts by version 1 of 2")
                .hasMessageContaining("a is silent for 600 s, declare it dead if it is: anneal migrate dead a");
        a.follower.poll();
        assertThat(a.phase()).isEqualTo(Phase.WRITE_BOTH);
        assertThat(a.follower.heldUp()).isEmpty();
        assertThat(heartbeat("a").facts()).containsEntry(Facts.STORE_FAILURES, "2");
    }

    @Test
    void shouldOutliveWhateverAStoreOrTheFactsThrow() {
        control.create("ann", "begin");
        boolean[] fails = {false};
        PhaseFollower a = new PhaseFollower(
                store,
                NAME,
                "a",
                List.of(),
                () -> {
                    if (fails[0]) {
                        throw new IllegalStateException("no facts");
                    }
                    return Map.of();
                },
                clock,
                duration -> {});
        a.start();
        fails[0] = true;

        a.poll();

        assertThat(a.failures()).isEqualTo(1);
        assertThat(a.current().phase()).isEqualTo(Phase.ORIGIN_ONLY);
    }

    @Test
    void shouldKeepItsPhaseWhenTheRecordIsGone() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        control.advance("ann", "on");
        a.follower.poll();
        store.inner = new MemoryPhaseStore();

        a.follower.poll();

        assertThat(a.phase()).isEqualTo(Phase.WRITE_BOTH);
        assertThat(a.follower.heldUp())
                .hasValueSatisfying(reason -> assertThat(reason).contains("missing"));
    }

    @Test
    void shouldKeepItsPhaseWhenTheStoreIsOlder() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        control.advance("ann", "on");
        a.follower.poll();
        replaceStore(0);

        a.follower.poll();

        assertThat(a.phase()).isEqualTo(Phase.WRITE_BOTH);
        assertThat(a.follower.heldUp())
                .hasValueSatisfying(reason ->
                        assertThat(reason).contains("holds version 1 (phase 1)").contains("older"));
        assertThatThrownBy(() -> control.advance("ann", "on"))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("a acts by version 2 of 1");
    }

    @Test
    void shouldKeepItsPhaseWhenAStoreOfAnotherHistoryCatchesUp() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        control.advance("ann", "on");
        a.follower.poll();
        control.rollback("ann", "back");
        a.follower.poll();

        replaceStore(2);
        a.follower.poll();
        assertThat(heartbeat("a").drained())
                .as("the same version, another record")
                .isFalse();
        replaceStore(3);
        a.follower.poll();

        assertThat(a.phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThat(a.follower.heldUp())
                .hasValueSatisfying(reason -> assertThat(reason)
                        .contains("holds version 4 (phase 2), in whose history version 3 (phase 1) is not"));
        assertThat(heartbeat("a").drained()).isFalse();
    }

    @Test
    void shouldGoOnWithTheOthersWhenItWasDeclaredDead() throws InterruptedException {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        clock.advance(Duration.ofMinutes(1));
        control.declareDead("a", "ann", "its machine is gone", nap -> {});
        control.advance("ann", "on");
        control.advance("ann", "on", true);

        a.follower.poll();

        assertThat(a.phase()).isEqualTo(Phase.READ_TARGET);
        assertThat(heartbeat("a").version()).isEqualTo(3);
    }

    @Test
    void shouldNotAcknowledgeWhenAnotherInstanceHasItsName() throws InterruptedException {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        clock.advance(Duration.ofMinutes(1));
        control.declareDead("a", "ann", "it must be", nap -> {});
        TestInstance again = TestInstance.started(store, "a", clock);
        control.advance("ann", "on");

        a.follower.poll();

        assertThat(a.follower.heldUp())
                .hasValueSatisfying(reason -> assertThat(reason).contains("another instance has the same name"));
        again.follower.poll();
        assertThat(again.follower.heldUp()).isPresent();
        assertThat(control.acknowledged()).isFalse();
    }

    @Test
    void shouldRefuseToStartUnderTheNameOfOneThatMayBeServing() throws InterruptedException {
        control.create("ann", "begin");
        TestInstance a = new TestInstance(store, "a", clock);
        a.say(Facts.JOURNAL, "one");
        a.follower.start();
        Heartbeat before = heartbeat("a");
        clock.advance(Duration.ofHours(1));
        TestInstance elsewhere = new TestInstance(store, "a", clock);
        elsewhere.say(Facts.JOURNAL, "two");

        assertThatThrownBy(elsewhere.follower::start)
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("another run has this instance's name")
                .hasMessageContaining("anneal migrate dead");
        assertThatThrownBy(new TestInstance(store, "a", clock).follower::start)
                .as("without a journal that lasts")
                .isInstanceOf(PhaseStoreException.class);
        assertThat(store.heartbeats(NAME)).containsExactly(before);

        control.declareDead("a", "ann", "its machine is gone", nap -> {});
        TestInstance.started(store, "a", clock);
    }

    @Test
    void shouldTakeThePlaceOfARunWhoseJournalItHas() {
        control.create("ann", "begin");
        TestInstance crashed = new TestInstance(store, "a", clock);
        crashed.say(Facts.JOURNAL, "one");
        crashed.follower.start();
        TestInstance again = new TestInstance(store, "a", clock);
        again.say(Facts.JOURNAL, "one");
        again.follower.start();
        assertThat(store.heartbeats(NAME)).hasSize(1);

        TestInstance renamed = new TestInstance(store, "b", clock);
        renamed.say(Facts.JOURNAL, "one");
        renamed.follower.start();
        assertThat(store.heartbeats(NAME)).extracting(Heartbeat::instance).containsExactly("b");
        control.advance("ann", "on");
    }

    @Test
    void shouldLeaveTheRegistrationOfTheRunBeforeWhenItMayNotServe() {
        control.create("ann", "begin");
        TestInstance crashed = new TestInstance(store, "a", clock);
        crashed.say(Facts.JOURNAL, "one");
        crashed.say(Facts.DIRTY_TARGET, 5);
        crashed.follower.start();
        TestInstance.started(store, "b", clock);
        Heartbeat before = heartbeat("a");
        TestInstance again = new TestInstance(store, "a", clock);
        again.say(Facts.JOURNAL, "one");
        again.say(Facts.MODE, "TEST");

        assertThatThrownBy(again.follower::start).hasMessageContaining("instances of two modes");
        assertThat(heartbeat("a")).isEqualTo(before);
    }

    @Test
    void shouldNotTakeOffAnotherRunOfItsName() throws InterruptedException {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        clock.advance(Duration.ofMinutes(1));
        control.declareDead("a", "ann", "it must be", nap -> {});
        TestInstance.started(store, "a", clock);
        Heartbeat other = heartbeat("a");

        a.follower.close();

        assertThat(store.heartbeats(NAME)).containsExactly(other);
    }

    /** As Cassandra does it for a clock behind that of whoever took the instance off. */
    private final class Hiding extends UnreliableStore {
        private boolean hides = true;

        Hiding() {
            inner = store;
        }

        @Override
        public void heartbeat(String name, Heartbeat heartbeat) {
            if (!hides) {
                super.heartbeat(name, heartbeat);
            }
        }
    }

    @Test
    void shouldServeOnlyOnceTheStoreShowsIt() {
        control.create("ann", "begin");
        Hiding hiding = new Hiding();
        TestInstance a = new TestInstance(hiding, "a", clock);
        assertThatThrownBy(a.follower::start)
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("doesn't show this run's heartbeats");
        assertThatThrownBy(a.follower::enter).isInstanceOf(IllegalStateException.class);

        TestInstance waits = new TestInstance(hiding, "a", clock);
        waits.naps = () -> hiding.hides = false;
        waits.follower.start();
        assertThat(heartbeat("a").drained()).isTrue();
    }

    @Test
    void shouldNotAcknowledgeWhatTheStoreDoesNotShow() {
        control.create("ann", "begin");
        Hiding hiding = new Hiding();
        hiding.hides = false;
        TestInstance a = TestInstance.started(hiding, "a", clock);
        hiding.hides = true;
        store.forget(NAME, "a");
        control.advance("ann", "on");

        a.follower.poll();
        a.follower.poll();
        assertThat(a.follower.heldUp())
                .hasValueSatisfying(reason -> assertThat(reason).contains("it is not registered"));
        hiding.hides = false;
        a.follower.poll();
        assertThat(heartbeat("a").drained()).isFalse();
        a.follower.poll();
        assertThat(heartbeat("a").drained()).isTrue();
    }

    @Test
    void shouldBeTakenOffWhenItIsClosed() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        PhaseView view = a.follower.enter();
        a.follower.stop();
        assertThatThrownBy(a.follower::enter).isInstanceOf(IllegalStateException.class);
        assertThat(a.follower.drained()).isFalse();
        view.leave();
        assertThat(a.follower.drained()).isTrue();

        a.follower.close();
        a.follower.close();
        a.follower.poll();

        assertThat(store.heartbeats(NAME)).isEmpty();
        assertThat(a.follower.current().phase()).isEqualTo(Phase.ORIGIN_ONLY);
    }

    @Test
    void shouldStayRegisteredWhenItIsClosedWithOperationsUnderWay() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        a.follower.enter();

        a.follower.close();

        assertThat(store.heartbeats(NAME)).hasSize(1);
    }

    @Test
    void shouldStayRegisteredWhenItIsClosedWithoutAStore() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        store.lost = true;

        a.follower.close();

        store.lost = false;
        assertThat(store.heartbeats(NAME)).hasSize(1);
    }

    @Test
    void shouldGoOnSayingThatItLivesWhileItStops() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        PhaseView view = a.follower.enter();
        a.follower.stop();
        clock.advance(Duration.ofSeconds(5));
        a.follower.poll();

        assertThat(heartbeat("a").at()).isEqualTo(clock.instant());
        assertThat(heartbeat("a").drained()).isFalse();
        view.leave();
    }

    @Test
    void shouldNoteTheKeysThatItLeavesInItsJournal() {
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock);
        a.say(Facts.DIRTY_TARGET, 3);
        a.say(Facts.JOURNAL, "host:/var/a");

        a.follower.close();

        assertThat(store.heartbeats(NAME)).isEmpty();
        assertThat(store.notes(NAME)).singleElement().satisfies(note -> {
            assertThat(note.kind()).isEqualTo(PhaseNote.Kind.INSTANCE_LEFT);
            assertThat(note.facts())
                    .containsEntry(Facts.INSTANCE, "a")
                    .containsEntry(Facts.DIRTY_TARGET, "3")
                    .containsEntry(Facts.JOURNAL, "host:/var/a");
        });
    }

    @Test
    void shouldRefuseToStartBesideAnInstanceOfAnotherMode() {
        control.create("ann", "begin");
        TestInstance.started(store, "a", clock);
        TestInstance b = new TestInstance(store, "b", clock);
        b.say(Facts.MODE, "TEST");

        assertThatThrownBy(b.follower::start)
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("instances of two modes share a phase")
                .hasMessageContaining("otherMode=MIGRATION");
        assertThat(store.heartbeats(NAME)).hasSize(1);
    }

    @Test
    void shouldRefuseToMigrateByPhasesThatWereWalkedInTestMode() {
        control.create("ann", "begin");
        TestInstance tested = new TestInstance(store, "a", clock);
        tested.say(Facts.MODE, "TEST");
        tested.follower.start();
        control.advance("ann", "try");
        tested.follower.poll();
        control.advance("ann", "try");
        tested.follower.close();

        assertThatThrownBy(new TestInstance(store, "b", clock).follower::start)
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("walked in test mode")
                .hasMessageContaining("phase=3");

        control.rollback("ann", "back");
        control.rollback("ann", "back");
        TestInstance.started(store, "b", clock);
    }

    @Test
    void shouldRefuseToTestInTheMidstOfAMigration() {
        control.create("ann", "begin");
        while (control.current().phase() != Phase.TARGET_ONLY) {
            control.advance("ann", "on", true);
            TestInstance b = new TestInstance(store, "b", clock);
            b.say(Facts.MODE, "TEST");

            assertThatThrownBy(b.follower::start)
                    .as(control.current().toString())
                    .isInstanceOf(PhaseStoreException.class)
                    .hasMessageContaining("a migration went this far");
        }
    }

    /** Whoever made the step did not see yet that it was for test mode. */
    @Test
    void shouldNoteTestModeThatBeganJustBeforeTheStep() {
        control.create("ann", "begin");
        TestInstance tested = new TestInstance(store, "a", clock);
        tested.say(Facts.MODE, "TEST");
        tested.follower.start();
        PhaseRecord first = control.current();
        store.compareAndSet(NAME, 1, first.changed(Phase.WRITE_BOTH, 100, "ann", clock.instant(), "saw nobody"));
        tested.follower.poll();
        tested.follower.close();

        assertThatThrownBy(new TestInstance(store, "b", clock).follower::start)
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("walked in test mode");
    }
}
