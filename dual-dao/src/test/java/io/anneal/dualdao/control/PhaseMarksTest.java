package io.anneal.dualdao.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.phase.FilePhaseMark;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an instance remembers, and which stores it then refuses. */
final class PhaseMarksTest {
    private static final String NAME = TestInstance.NAME;

    @TempDir
    Path directory;

    private final TestClock clock = new TestClock();
    private final UnreliableStore store = new UnreliableStore();
    private final PhaseControl control = PhaseControl.of(store, NAME, clock, ControlPolicy.DEFAULTS);
    private FilePhaseMark mark;

    /** A mark that can be out of reach, as one in the target. */
    private static final class FarMark implements PhaseMark {
        private Seen seen;
        private boolean lost;

        @Override
        public Optional<Seen> read(String name) {
            reach();
            return Optional.ofNullable(seen);
        }

        @Override
        public void remember(String name, Seen newer) {
            reach();
            seen = newer;
        }

        private void reach() {
            if (lost) {
                throw new PhaseStoreException("target is down");
            }
        }

        @Override
        public String toString() {
            return "the target";
        }
    }

    private final FarMark far = new FarMark();

    /** An instance that saw phases 1 and 2 and is gone. */
    @BeforeEach
    void seePhaseTwo() {
        mark = new FilePhaseMark(directory);
        control.create("ann", "begin");
        TestInstance a = TestInstance.started(store, "a", clock, mark, far);
        control.advance("ann", "on");
        a.follower.poll();
        a.follower.close();
    }

    private void assertRefused(String... words) {
        TestInstance a = new TestInstance(store, "a", clock, mark, far);
        assertThatThrownBy(a.follower::start)
                .isInstanceOf(PhaseStoreException.class)
                .message()
                .contains(words);
        assertThat(store.heartbeats(NAME)).isEmpty();
    }

    @Test
    void shouldRememberTheNewestRecord() {
        PhaseMark.Seen seen = new PhaseMark.Seen(2, Phase.WRITE_BOTH, Phase.WRITE_BOTH);

        assertThat(mark.read(NAME)).contains(seen);
        assertThat(far.read(NAME)).contains(seen);
        TestInstance.started(store, "a", clock, mark, far);
    }

    @Test
    void shouldRefuseAStoreWithoutRecord() {
        store.inner = new MemoryPhaseStore();

        assertRefused("phase record is missing", "seen=version 2 phase 2 highest 2", "mark=");
    }

    @Test
    void shouldRefuseAStoreThatWasCreatedAnew() {
        store.inner = new MemoryPhaseStore();
        control.create("eve", "again");

        assertRefused("older than what was seen", "found=version 1 phase 1", "seen=version 2 phase 2");
    }

    @Test
    void shouldRefuseAStoreThatIsAsNewButNeverWentSoFar() {
        store.inner = new MemoryPhaseStore();
        control.create("eve", "again");
        PhaseRecord first = control.current();
        store.compareAndSet(NAME, 1, first.changed(Phase.ORIGIN_ONLY, 50, "eve", clock.instant(), "in disguise"));

        assertRefused("does not know how far the migration went", "highest 1", "highest 2");
    }

    @Test
    void shouldRefuseAStoreThatWentFurtherAnotherWay() {
        store.inner = new MemoryPhaseStore();
        control.create("eve", "again");
        PhaseRecord second = control.current().changed(Phase.ORIGIN_ONLY, 50, "eve", clock.instant(), "another way");
        store.compareAndSet(NAME, 1, second);
        store.compareAndSet(NAME, 2, second.changed(Phase.WRITE_BOTH, 100, "eve", clock.instant(), "on"));

        assertRefused("another history", "found=version 3 phase 2");
    }

    @Test
    void shouldRefuseByTheMarkInTheTargetWhenItsOwnDirectoryIsNew() throws Exception {
        Files.delete(directory.resolve("users.mark"));
        store.inner = new MemoryPhaseStore();
        control.create("eve", "again");

        assertRefused("older than what was seen", "mark=the target");
    }

    @Test
    void shouldStartWithoutTheTargetWhenTheMarkBesideItFits() {
        far.lost = true;
        TestInstance a = TestInstance.started(store, "a", clock, mark, far);
        a.follower.poll();

        assertThat(a.follower.heldUp()).isEmpty();
        assertThat(control.rollback("ann", "target is down").phase()).isEqualTo(Phase.ORIGIN_ONLY);
    }

    @Test
    void shouldRefuseToStartWhenNoMarkCanTell() throws Exception {
        Files.delete(directory.resolve("users.mark"));
        far.lost = true;

        assertRefused("no memory of the phase can be read", "mark=the target", "target is down");
    }

    @Test
    void shouldRefuseToStartWhenTheOnlyMarkIsDamaged() throws Exception {
        Files.writeString(directory.resolve("users.mark"), "");
        far.seen = null;

        assertRefused("no memory of the phase can be read", "users.mark", "line=1", "the file is empty");
    }

    @Test
    void shouldCatchUpAMarkOnceItCanBeWritten() {
        TestInstance a = TestInstance.started(store, "a", clock, mark, far);
        far.lost = true;
        control.rollback("ann", "back");
        a.follower.poll();
        assertThat(far.seen.version()).isEqualTo(2);

        far.lost = false;
        a.follower.poll();
        assertThat(far.seen).isEqualTo(new PhaseMark.Seen(3, Phase.ORIGIN_ONLY, Phase.WRITE_BOTH));
    }

    @Test
    void shouldNotAcknowledgeAStepForwardThatNoMarkRemembers() {
        TestInstance a = TestInstance.started(store, "a", clock, far);
        control.advance("ann", "on", true);
        far.lost = true;
        a.follower.poll();
        assertThat(a.phase()).isEqualTo(Phase.READ_TARGET);
        assertThat(a.follower.heldUp())
                .hasValueSatisfying(reason -> assertThat(reason).contains("can't be remembered, mark=the target"));
        assertThat(control.acknowledged()).isFalse();

        far.lost = false;
        a.follower.poll();
        assertThat(control.acknowledged()).isTrue();
    }

    @Test
    void shouldAcknowledgeTheWayBackThatNoMarkRemembers() {
        TestInstance a = TestInstance.started(store, "a", clock, far);
        far.lost = true;
        control.rollback("ann", "target is down");
        a.follower.poll();

        assertThat(control.acknowledged()).isTrue();
    }

    @Test
    void shouldRefuseToStartWhenNothingCanBeRemembered() throws Exception {
        // A file where the directory belongs.
        Path file = Files.writeString(directory.resolve("file"), "");
        TestInstance b = new TestInstance(store, "b", clock, new FilePhaseMark(file));

        assertThatThrownBy(b.follower::start).isInstanceOf(PhaseStoreException.class);
        assertThat(store.heartbeats(NAME)).isEmpty();
    }

    @Test
    void shouldKeepTheNewerOfTwoMemories() {
        mark.remember(NAME, new PhaseMark.Seen(7, Phase.READ_TARGET, Phase.READ_TARGET));
        mark.remember(NAME, new PhaseMark.Seen(6, Phase.WRITE_BOTH, Phase.WRITE_BOTH));

        assertThat(mark.read(NAME)).contains(new PhaseMark.Seen(7, Phase.READ_TARGET, Phase.READ_TARGET));
        assertThat(mark.read("others")).isEmpty();
    }
}
