package io.anneal.dualdao.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.FilePhaseMark;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a migration whose phase store is lost. */
final class PhaseRecoveryTest {
    private static final String NAME = TestInstance.NAME;

    @TempDir
    Path directory;

    private final TestClock clock = new TestClock();
    private final UnreliableStore store = new UnreliableStore();
    private final PhaseControl control = PhaseControl.of(store, NAME, clock, ControlPolicy.DEFAULTS);
    private FilePhaseMark ofA;
    private FilePhaseMark ofB;
    private FilePhaseMark ofTarget;
    private TestInstance a;
    private TestInstance b;

    @BeforeEach
    void begin() {
        ofA = new FilePhaseMark(directory.resolve("a"));
        ofB = new FilePhaseMark(directory.resolve("b"));
        ofTarget = new FilePhaseMark(directory.resolve("target"));
        control.create("ann", "begin");
        a = TestInstance.started(store, "a", clock, ofA, ofTarget);
        b = TestInstance.started(store, "b", clock, ofB, ofTarget);
    }

    private void walkTo(Phase phase) {
        while (control.current().phase() != phase) {
            control.advance("ann", "on", true);
            a.follower.poll();
            b.follower.poll();
        }
    }

    /** Registers in the new store by the first look, and acknowledges by the next. */
    private void follow() {
        for (int i = 0; i < 2; i++) {
            a.follower.poll();
            b.follower.poll();
        }
    }

    private void loseTheStore() {
        store.inner = new MemoryPhaseStore();
    }

    private PhaseRecovery look(PhaseMark... marks) {
        return PhaseRecovery.look(store, NAME, List.of(marks), clock);
    }

    private void assertNoStart(String instance, String... words) {
        TestInstance started = new TestInstance(store, instance, clock);
        assertThatThrownBy(started.follower::start)
                .isInstanceOf(PhaseStoreException.class)
                .message()
                .contains(words)
                .contains("'anneal migrate recover'");
    }

    @Test
    void shouldNotStartBesideAnInstanceThatIsAheadOfTheRecord() {
        walkTo(Phase.WRITE_TARGET);
        loseTheStore();
        control.create("eve", "nothing was there");
        a.follower.poll();

        assertNoStart(
                "c",
                "phase store is older than what an instance acts by",
                "found=version 1 phase 1",
                "instance=a, instanceVersion=5, instancePhase=4");
    }

    @Test
    void shouldNotStartWithoutARecordWhereInstancesWereHeardOf() {
        store.inner = new UnreliableStore() {
            @Override
            public List<Heartbeat> heartbeats(String name) {
                return List.of(new Heartbeat("a", 5, true, clock.instant(), Map.of(Facts.PHASE, "4")));
            }
        };

        assertNoStart("c", "phase record is lost", "instance=a, instanceVersion=5, instancePhase=4");
        assertThatThrownBy(() -> control.create("eve", "again")).hasMessageContaining("phase record is lost");
    }

    @Test
    void shouldNotBeginWhereAMarkRemembersThatItWasBegun() {
        loseTheStore();

        assertThatThrownBy(() -> control.create("eve", "again", ofTarget))
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("phase was seen before")
                .hasMessageContaining("'anneal migrate recover'");
        assertThat(store.read(NAME)).isEmpty();
    }

    @Test
    void shouldGoOnWhereTheNewestMarkIs() {
        walkTo(Phase.TARGET_FIRST);
        control.advance("ann", "on", true);
        a.follower.poll();
        loseTheStore();
        PhaseRecovery recovery = look(ofA, ofB);
        assertThat(recovery.findings())
                .extracting(PhaseRecovery.Finding::seen)
                .containsExactly(
                        new PhaseMark.Seen(4, Phase.TARGET_FIRST, Phase.TARGET_FIRST),
                        new PhaseMark.Seen(5, Phase.WRITE_TARGET, Phase.WRITE_TARGET));
        assertThat(store.read(NAME)).as("looking changes nothing").isEmpty();

        PhaseRecord recovered = recovery.run("ann", "the disk burnt");

        assertThat(recovered.version()).isEqualTo(6);
        assertThat(recovered.phase()).isEqualTo(Phase.WRITE_TARGET);
        assertThat(recovered).isEqualTo(control.current());
        follow();
        assertThat(a.follower.current()).isEqualTo(recovered);
        assertThat(b.follower.current()).isEqualTo(recovered);
        assertThat(control.acknowledged()).isTrue();
        TestInstance.started(store, "c", clock, ofTarget);
        assertThat(look(ofA, ofB, ofTarget).planned("ann", "")).isEmpty();
    }

    @Test
    void shouldStartAnInstanceThatSawLessThanTheMarksThatWereGiven() {
        walkTo(Phase.WRITE_BOTH);
        b.follower.close();
        while (control.current().phase() != Phase.WRITE_TARGET) {
            control.advance("ann", "on", true);
            a.follower.poll();
        }
        loseTheStore();

        look(ofA).run("ann", "the disk burnt");

        TestInstance.started(store, "b", clock, ofB);
    }

    @Test
    void shouldGoOnOverARecordThatWasBegunByMistake() {
        walkTo(Phase.READ_TARGET);
        loseTheStore();
        control.create("eve", "nothing was there");

        PhaseRecord recovered = look(ofTarget).run("ann", "it was not lost");

        assertThat(recovered.phase()).isEqualTo(Phase.READ_TARGET);
        assertThat(recovered.readSharePercent()).isZero();
        follow();
        assertThat(a.follower.current()).isEqualTo(recovered);
        control.readShare(100, "ann", "all");
        follow();
        assertThat(control.readiness().missing()).extracting(Gate::name).contains("verification");
    }

    @Test
    void shouldAskForABackfillAgainInTwo() {
        walkTo(Phase.READ_TARGET);
        control.rollback("ann", "back");
        a.follower.poll();
        b.follower.poll();
        loseTheStore();

        look(ofTarget).run("ann", "the disk burnt");
        follow();

        assertThat(control.current().phase()).isEqualTo(Phase.WRITE_BOTH);
        assertThat(control.readiness().missing()).extracting(Gate::name).contains("backfill", "verification");
    }

    @Test
    void shouldAskForTheReverseBackfillIn3b() {
        walkTo(Phase.TARGET_FIRST);
        loseTheStore();

        look(ofTarget).run("ann", "the disk burnt");
        follow();

        assertThat(control.onTheWayBack()).isTrue();
        assertThat(control.rollbackReadiness().missing()).extracting(Gate::name).contains("reverse");
    }

    @Test
    void shouldGoOnWithARecoveryThatWasBrokenOff() {
        walkTo(Phase.READ_TARGET);
        loseTheStore();
        store.inner = new UnreliableStore() {
            private int changes;

            @Override
            public boolean compareAndSet(String name, long expectedVersion, PhaseRecord next) {
                if (changes++ == 2) {
                    throw new PhaseStoreException("down");
                }
                return super.compareAndSet(name, expectedVersion, next);
            }
        };
        assertThatThrownBy(() -> look(ofTarget).run("ann", "")).hasMessageContaining("down");
        assertThat(control.current().version()).isEqualTo(3);

        assertThat(look(ofTarget).run("ann", "").version()).isEqualTo(4);
    }

    @Test
    void shouldNotGuessBetweenTwoHistories() {
        walkTo(Phase.READ_TARGET);
        PhaseMark other = new FilePhaseMark(directory.resolve("other"));
        other.remember(NAME, new PhaseMark.Seen(3, Phase.ORIGIN_ONLY, Phase.WRITE_BOTH));
        loseTheStore();

        PhaseRecovery recovery = look(ofA, other);
        assertThatThrownBy(() -> recovery.run("ann", ""))
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("two histories");
        assertThat(store.read(NAME)).isEmpty();
    }

    @Test
    void shouldRecoverNothingFromNothing() {
        loseTheStore();

        assertThat(look(new FilePhaseMark(directory.resolve("none"))).planned("ann", ""))
                .isEmpty();
        assertThatThrownBy(() -> look().run("ann", "")).isInstanceOf(IllegalStateException.class);
    }
}
