package io.anneal.dualdao.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.FilePhaseMark;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseView;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Declared dead, an instance went on in phase 1, where nobody journals, while the others took the target for complete. */
final class ReturnedInstanceTest {
    private static final String NAME = TestInstance.NAME;

    private final TestClock clock = new TestClock();
    private final UnreliableStore store = new UnreliableStore();
    private final MemoryPhaseStore shared = new MemoryPhaseStore();
    private final PhaseControl control = PhaseControl.of(shared, NAME, clock, ControlPolicy.DEFAULTS);

    @TempDir
    Path directory;

    private TestInstance a;
    private TestInstance b;

    @BeforeEach
    void begin() {
        store.inner = shared;
        control.create("ann", "begin");
        a = instance("a");
        b = instance("b");
        a.follower.start();
        b.follower.start();
    }

    private TestInstance instance(String name) {
        FilePhaseMark mark = new FilePhaseMark(directory.resolve(name));
        TestInstance made = new TestInstance(name.equals("a") ? store : shared, name, clock, mark);
        made.say(Facts.JOURNAL, "journal of " + name);
        return made;
    }

    /** Phase 2 begins without it. */
    private void goOnWithoutA() throws InterruptedException {
        store.lost = true;
        clock.advance(Duration.ofMinutes(1));
        b.follower.poll();
        control.declareDead("a", "ann", "its machine is gone", nap -> {});
        control.advance("ann", "on");
        b.follower.poll();
    }

    private void backfillAndVerify() {
        clock.advance(Duration.ofSeconds(1));
        b.follower.poll();
        control.finish(control.begin(), PhaseNote.Kind.BACKFILL, "bulk", Map.of());
        control.finish(
                control.begin(), PhaseNote.Kind.VERIFICATION, "bulk", Map.of(Facts.MISMATCHES, "0", Facts.ROWS, "1"));
    }

    private void returns(TestInstance instance) {
        store.lost = false;
        instance.follower.poll();
        instance.follower.poll();
        assertThat(control.acknowledged()).isTrue();
    }

    private void assertRefusedUntilVerifiedAnew() {
        assertThatThrownBy(() -> control.advance("ann", "on"))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("dirty-target")
                .hasMessageContaining("a was declared dead and wrote the origin alone until");
        backfillAndVerify();
        control.advance("ann", "on");
        assertThat(control.current().phase()).isEqualTo(Phase.READ_TARGET);
    }

    @Test
    void shouldAskForAnotherVerificationWhenItReturnsFromPhaseOne() throws InterruptedException {
        goOnWithoutA();
        backfillAndVerify();
        returns(a);

        assertRefusedUntilVerifiedAnew();
    }

    @Test
    void shouldAskForAVerificationWherePartitionsAreNeverPartial() throws InterruptedException {
        a.say(Facts.PARTITIONS, "whole");
        b.say(Facts.PARTITIONS, "whole");
        goOnWithoutA();
        returns(a);

        assertRefusedUntilVerifiedAnew();
    }

    @Test
    void shouldOwnUpOnlyWhenNothingOfPhaseOneIsUnderWay() throws InterruptedException {
        PhaseView underWay = a.follower.enter();
        goOnWithoutA();
        store.lost = false;
        a.follower.poll();
        backfillAndVerify();
        assertThat(control.acknowledged()).isFalse();
        underWay.leave();
        returns(a);

        assertRefusedUntilVerifiedAnew();
    }

    @Test
    void shouldOwnUpWhenItIsClosedAtOnce() throws InterruptedException {
        goOnWithoutA();
        backfillAndVerify();
        store.lost = false;
        a.follower.close();

        assertRefusedUntilVerifiedAnew();
    }

    @Test
    void shouldOwnUpForTheRunBeforeInTheSameDirectory() throws InterruptedException {
        goOnWithoutA();
        backfillAndVerify();
        store.lost = false;
        TestInstance again = instance("a");
        again.follower.start();

        assertRefusedUntilVerifiedAnew();
    }

    @Test
    void shouldGoOnWithoutCeremonyWhenItDiedAndStartedInPhaseOne() throws InterruptedException {
        clock.advance(Duration.ofMinutes(1));
        b.follower.poll();
        control.declareDead("a", "ann", "its machine burnt", nap -> {});
        TestInstance again = instance("a");
        again.follower.start();
        control.advance("ann", "on");
        again.follower.poll();
        b.follower.poll();
        backfillAndVerify();
        again.follower.poll();

        control.advance("ann", "on");
    }

    @Test
    void shouldNotOwnUpWhenBothSidesWereWrittenAllTheTime() throws InterruptedException {
        control.advance("ann", "on");
        a.follower.poll();
        b.follower.poll();
        backfillAndVerify();
        store.lost = true;
        clock.advance(Duration.ofMinutes(1));
        b.follower.poll();
        control.declareDead("a", "ann", "its machine is gone", nap -> {});
        returns(a);

        control.advance("ann", "on");
        assertThat(control.notes()).extracting(PhaseNote::kind).doesNotContain(PhaseNote.Kind.INSTANCE_RETURNED);
    }

    @Test
    void shouldHoldUpPhaseFiveWhenItReturnsInFour() throws InterruptedException {
        goOnWithoutA();
        backfillAndVerify();
        while (control.current().phase() != Phase.WRITE_TARGET) {
            clock.advance(Duration.ofMinutes(2));
            b.follower.poll();
            backfillAndVerify();
            control.advance("ann", "on");
            b.follower.poll();
        }
        returns(a);
        clock.advance(Duration.ofMinutes(2));
        b.follower.poll();
        a.follower.poll();

        assertThatThrownBy(() -> control.advance("ann", "on"))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("a was declared dead and wrote the origin alone until");
    }
}
