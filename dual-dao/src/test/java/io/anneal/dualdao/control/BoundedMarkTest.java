package io.anneal.dualdao.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.phase.BoundedMark;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.PhaseView;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A target that hangs, and an instance that has to go back because of it. */
final class BoundedMarkTest {
    private static final String NAME = TestInstance.NAME;

    private final CountDownLatch healed = new CountDownLatch(1);

    private final class HangingMark implements PhaseMark {
        private volatile boolean hangs;
        private volatile Seen seen;

        @Override
        public Optional<Seen> read(String name) {
            hang();
            return Optional.ofNullable(seen);
        }

        @Override
        public void remember(String name, Seen newer) {
            hang();
            seen = newer;
        }

        private void hang() {
            try {
                if (hangs) {
                    healed.await();
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void shouldHandOnWhatTheMarkSays() {
        HangingMark mark = new HangingMark();
        BoundedMark bounded = new BoundedMark(mark, Duration.ofMinutes(1));
        PhaseMark.Seen seen = new PhaseMark.Seen(2, Phase.WRITE_BOTH, Phase.WRITE_BOTH);

        bounded.remember(NAME, seen);

        assertThat(bounded.read(NAME)).contains(seen);
    }

    @Test
    void shouldTakeAMarkThatHangsForUnreadable() {
        HangingMark mark = new HangingMark();
        mark.hangs = true;
        BoundedMark bounded = new BoundedMark(mark, Duration.ofMillis(1));

        assertThatThrownBy(() -> bounded.read(NAME))
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("does not answer");
        assertThatThrownBy(() -> bounded.read(NAME)).isInstanceOf(PhaseStoreException.class);
        healed.countDown();
    }

    @Test
    void shouldLetAnInstanceGoBackFromATargetThatHangs() {
        TestClock clock = new TestClock();
        MemoryPhaseStore store = new MemoryPhaseStore();
        PhaseControl control = PhaseControl.of(store, NAME, clock, ControlPolicy.DEFAULTS);
        control.create("ann", "begin");
        HangingMark mark = new HangingMark();
        // Long enough for a mark that answers, on a busy machine too; the call that hangs is waited for once.
        TestInstance a = TestInstance.started(store, "a", clock, new BoundedMark(mark, Duration.ofSeconds(5)));
        TestInstance dead = TestInstance.started(store, "dead", clock);
        for (TestInstance instance : new TestInstance[] {a, dead}) {
            instance.follower.poll();
        }
        control.advance("ann", "on");
        a.follower.poll();
        dead.follower.poll();
        control.advance("ann", "on", true);
        a.follower.poll();
        mark.hangs = true;
        PhaseView hanging = a.follower.enter();
        assertThatThrownBy(() -> control.rollback("ann", "back")).isInstanceOf(GateException.class);
        assertThat(control.emergencyPrice())
                .anySatisfy(price -> assertThat(price).contains("Not sure to see it: dead"));

        PhaseRecord back = control.emergency("ann", "the target hangs");
        a.follower.poll();

        assertThat(back.phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThat(control.history()).extracting(PhaseRecord::phase).endsWith(Phase.WRITE_BOTH, Phase.ORIGIN_ONLY);
        PhaseView now = a.follower.enter();
        assertThat(now.phase()).isEqualTo(Phase.ORIGIN_ONLY);
        now.leave();
        hanging.leave();
        healed.countDown();
    }
}
