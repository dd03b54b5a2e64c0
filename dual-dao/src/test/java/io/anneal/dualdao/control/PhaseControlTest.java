package io.anneal.dualdao.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PhaseControlTest {
    private static final String NAME = TestInstance.NAME;
    private static final ControlPolicy POLICY =
            new ControlPolicy(Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ofHours(24));

    private final TestClock clock = new TestClock();
    private final MemoryPhaseStore store = new MemoryPhaseStore();
    private final PhaseControl control = PhaseControl.of(store, NAME, clock, POLICY);
    private TestInstance a;
    private TestInstance b;

    @BeforeEach
    void begin() {
        control.create("ann", "begin");
        a = TestInstance.started(store, "a", clock);
        b = TestInstance.started(store, "b", clock);
    }

    private void poll() {
        a.follower.poll();
        b.follower.poll();
    }

    private void pass(Duration duration) {
        clock.advance(duration);
        poll();
    }

    private Gate gate(String name) {
        return control.readiness().gates().stream()
                .filter(gate -> gate.name().equals(name))
                .findAny()
                .orElseThrow(() -> new AssertionError("no such gate: " + control.readiness()));
    }

    private void assertMet(String name, String evidence) {
        assertThat(gate(name).met()).as(gate(name).evidence()).isTrue();
        assertThat(gate(name).evidence()).contains(evidence);
    }

    private void assertUnmet(String name, String evidence) {
        assertThat(gate(name).met()).as(gate(name).evidence()).isFalse();
        assertThat(gate(name).evidence()).contains(evidence);
        assertRefused(() -> control.advance("ann", "on"), name + " (", evidence);
    }

    private static void assertRefused(ThrowingCallable call, String... words) {
        assertThatThrownBy(call).isInstanceOf(GateException.class).message().contains(words);
    }

    private void backfill() {
        control.finish(control.begin(), PhaseNote.Kind.BACKFILL, "bulk", Map.of(Facts.ROWS, "42"));
    }

    private void verify(long mismatches) {
        control.finish(
                control.begin(),
                PhaseNote.Kind.VERIFICATION,
                "bulk",
                Map.of(Facts.MISMATCHES, String.valueOf(mismatches), Facts.WRITTEN_PAST, "0", Facts.ROWS, "1"));
    }

    private void reverseBackfill(long mismatches) {
        control.finish(
                control.begin(),
                PhaseNote.Kind.REVERSE_BACKFILL,
                "bulk",
                Map.of(Facts.MISMATCHES, String.valueOf(mismatches), Facts.ROWS, "1"));
    }

    private PhaseRecord advance() {
        PhaseRecord next = control.advance("ann", "on");
        poll();
        return next;
    }

    /** Makes every step up to a phase as one should. */
    private void walkTo(Phase phase) {
        while (control.current().phase() != phase) {
            if (control.current().phase() == Phase.WRITE_BOTH) {
                backfill();
            }
            if (control.current().phase().writes(Side.ORIGIN)) {
                verify(0);
            }
            pass(POLICY.quietWindow());
            advance();
        }
    }

    @Test
    void shouldBeginOnce() {
        assertThat(control.current()).isEqualTo(PhaseRecord.first("ann", clock.instant(), "begin"));
        assertThatThrownBy(() -> control.create("bob", "again")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(PhaseControl.of(store, "other", clock, POLICY)::current)
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("name=other");
    }

    @Test
    void shouldSayWhoAcknowledged() {
        assertThat(control.readiness().step()).isEqualTo("1 to 2");
        assertMet("instances", "a, b acknowledged version 1");
        assertMet("mode", "MIGRATION");
        control.advance("ann", "on");
        a.follower.poll();

        assertThat(control.acknowledged()).isFalse();
        assertUnmet("instances", "b acts by version 1 of 2");
        assertThat(gate("instances").evidence()).doesNotContain("a acts");
        assertRefused(() -> control.rollback("ann", "back"), "b acts by version 1 of 2");
        assertRefused(() -> control.readShare(50, "ann", "half"), "b acts by version 1 of 2");
        assertRefused(() -> control.advance("ann", "on", true), "b acts by version 1 of 2");
        b.follower.poll();
        assertThat(control.acknowledged()).isTrue();
        assertThat(control.instances())
                .extracting(InstanceState::name, InstanceState::acknowledged)
                .containsExactly(tuple("a", true), tuple("b", true));
    }

    @Test
    void shouldWaitForOperationsOfAnEarlierVersion() {
        PhaseView view = a.follower.enter();
        control.advance("ann", "on");
        poll();

        assertUnmet("instances", "a acts by version 2 of 2: operations of an earlier record are under way");
        view.leave();
        poll();
        assertMet("instances", "a, b acknowledged version 2");
    }

    @Test
    void shouldWaitForASilentInstanceUntilItIsDeclaredDead() throws InterruptedException {
        clock.advance(Duration.ofSeconds(11));
        b.follower.poll();

        assertUnmet("instances", "a is silent for 11 s, declare it dead if it is: anneal migrate dead a");
        assertThatThrownBy(() -> control.declareDead("b", "ann", "no", nap -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("instance is alive");
        assertThatThrownBy(() -> control.declareDead("c", "ann", "no", nap -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("instances=[a, b]");
        control.declareDead("a", "ann", "its machine burnt", nap -> {});

        assertMet("instances", "b acknowledged version 1");
        assertThat(control.notes()).singleElement().satisfies(note -> {
            assertThat(note.kind()).isEqualTo(PhaseNote.Kind.INSTANCE_DEAD);
            assertThat(note.who()).isEqualTo("ann");
            assertThat(note.facts()).containsEntry(Facts.INSTANCE, "a").containsEntry(Facts.TEXT, "its machine burnt");
        });
        control.advance("ann", "on");
    }

    @Test
    void shouldNotDeclareOneDeadWhoseClockIsOff() throws InterruptedException {
        for (Duration off : List.of(Duration.ofSeconds(15), Duration.ofSeconds(-15))) {
            TestClock wrong = new TestClock();
            wrong.advance(Duration.between(wrong.instant(), clock.instant()).plus(off));
            TestInstance c = new TestInstance(store, "c" + off, wrong);
            c.say(Facts.POLL_MILLIS, 3_000);
            c.follower.start();
            List<Duration> naps = new ArrayList<>();

            assertThatThrownBy(() -> control.declareDead("c" + off, "ann", "it seems", nap -> {
                        naps.add(nap);
                        clock.advance(nap);
                        wrong.advance(nap);
                        c.follower.poll();
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("instance is alive");
            assertThat(naps).containsExactly(Duration.ofMillis(6_500));
            assertThat(control.notes()).isEmpty();
            assertThat(control.instances()).extracting(InstanceState::name).contains("c" + off);
            c.follower.close();
        }
    }

    @Test
    void shouldNotTrustAClockThatIsAhead() {
        TestClock fast = new TestClock();
        fast.advance(Duration.ofSeconds(11));
        TestInstance.started(store, "c", fast);

        assertUnmet("instances", "c is 11 s ahead");
    }

    @Test
    void shouldGoOnWithoutInstancesAndSaySo() {
        a.follower.close();
        b.follower.close();

        assertMet("instances", "no instance is registered");
        control.advance("ann", "on");
    }

    @Test
    void shouldNotWaitForThoseWhoOnlyCopy() throws InterruptedException {
        store.heartbeat(NAME, new Heartbeat("copier", 0, false, clock.instant(), Map.of(Facts.KIND, "backfill")));

        assertMet("instances", "a, b acknowledged");
        assertThat(control.instances()).hasSize(3);
        clock.advance(Duration.ofHours(1));
        poll();
        assertMet("instances", "a, b acknowledged");
        control.declareDead("copier", "ann", "over", nap -> {});
        assertThat(control.notes()).isEmpty();
    }

    @Test
    void shouldRefuseTwoModes() {
        b.say(Facts.MODE, "TEST");
        poll();

        assertUnmet("mode", "instances run in MIGRATION and TEST");
        assertRefused(() -> control.advance("ann", "on", true), "mode");
    }

    @Test
    void shouldAskForABackfillBetweenTwoAndThree() {
        backfill();
        advance();
        assertUnmet("backfill", "no back-fill since all write both sides (version 2), what was before or outside");
        backfill();
        assertMet("backfill", "back-fill of 42 rows ended at");
    }

    @Test
    void shouldNotCountABackfillThatBeganBeforeAllWroteBothSides() {
        control.advance("ann", "on");
        a.follower.poll();
        WorkStart early = control.begin();
        assertThat(early.acknowledged()).isFalse();
        b.follower.poll();
        control.finish(early, PhaseNote.Kind.BACKFILL, "bulk", Map.of());

        assertUnmet("backfill", "no back-fill since");
        WorkStart late = control.begin();
        assertThat(late).isEqualTo(new WorkStart(2, clock.instant(), true));
        control.finish(late, PhaseNote.Kind.BACKFILL, "bulk", Map.of());
        assertMet("backfill", "back-fill of ? rows");
    }

    @Test
    void shouldNotCountABackfillFromBeforeTheTargetMissedWrites() {
        advance();
        backfill();
        verify(0);
        assertThat(control.readiness().ready()).isTrue();
        control.rollback("ann", "back");
        poll();
        advance();

        assertUnmet("backfill", "no back-fill since all write both sides (version 4)");
        assertUnmet("verification", "no verification since all write both sides (version 4)");
        backfill();
        verify(0);
        advance();
        control.rollback("ann", "back");
        poll();
        assertThat(control.readiness().ready())
                .as("both sides were written ever since")
                .isTrue();
    }

    @Test
    void shouldAskForACleanVerificationAfterTheBackfill() {
        advance();
        verify(0);
        backfill();
        assertUnmet("verification", "no verification since");
        verify(3);
        assertUnmet("verification", "found 3 mismatches");
        verify(0);
        assertMet("verification", "found 0 mismatches");
        control.finish(control.begin(), PhaseNote.Kind.VERIFICATION, "bulk", Map.of(Facts.ROWS, "1"));
        assertUnmet("verification", "found ? mismatches");
    }

    private void verified(Map<String, String> compared) {
        Map<String, String> facts = new HashMap<>(compared);
        facts.put(Facts.MISMATCHES, "0");
        control.finish(control.begin(), PhaseNote.Kind.VERIFICATION, "bulk", facts);
    }

    @Test
    void shouldNotTakeAComparisonOfNothingForAVerification() {
        advance();
        backfill();
        verified(Map.of(Facts.ROWS, "0"));
        assertUnmet("verification", "compared 0 keys");
        assertUnmet("verification", "no key was listed");
        verified(Map.of());
        assertUnmet("verification", "compared ? keys");
        verified(Map.of(Facts.WHOLE, "true"));
        assertUnmet("verification", "compared ? keys");
        verified(Map.of(Facts.ROWS, "0", Facts.WHOLE, "true"));
        assertMet("verification", "compared 0 keys, all of both sides, and found 0 mismatches");
        verified(Map.of(Facts.ROWS, "1"));
        assertMet("verification", "compared 1 keys and found 0 mismatches");
    }

    @Test
    void shouldNotAskTheOriginAgainAfterAComparisonOfNothing() {
        walkTo(Phase.WRITE_TARGET);
        control.reverse("ann", "back");
        poll();
        control.finish(
                control.begin(),
                PhaseNote.Kind.REVERSE_BACKFILL,
                "bulk",
                Map.of(Facts.MISMATCHES, "0", Facts.ROWS, "0"));
        assertRefused(() -> control.rollback("ann", "back"), "reverse (", "no key was listed");
        assertThat(control.originIsWhole()).isFalse();
        reverseBackfill(0);
        assertThat(control.originIsWhole()).isTrue();
        control.rollback("ann", "back");
    }

    @Test
    void shouldNotGoOnWhileSomebodyWritesPastTheDualDao() {
        advance();
        backfill();
        control.finish(
                control.begin(),
                PhaseNote.Kind.VERIFICATION,
                "bulk",
                Map.of(Facts.MISMATCHES, "0", Facts.WRITTEN_PAST, "2", Facts.ROWS, "1"));

        assertUnmet("verification", "2 rows that somebody wrote past the dual DAO");
    }

    @Test
    void shouldNotAskForABackfillWherePartitionsAreNeverPartial() {
        a.say(Facts.PARTITIONS, "whole");
        b.say(Facts.PARTITIONS, "gated");
        poll();
        advance();
        assertUnmet("backfill", "no back-fill");
        b.say(Facts.PARTITIONS, "merged");
        poll();

        assertThat(control.readiness().gates())
                .extracting(Gate::name)
                .containsExactly("instances", "mode", "dirty-target");
        advance();
        pass(POLICY.quietWindow());
        assertUnmet("verification", "no verification began since 100 % of the reads go to the target (version 3)");
    }

    @Test
    void shouldAskForABackfillWhereTheTargetHoldsWhatItGotAnEarlierTime() {
        for (TestInstance instance : List.of(a, b)) {
            instance.say(Facts.PARTITIONS, "whole");
        }
        advance();
        assertThat(control.readiness().ready()).isTrue();
        control.rollback("ann", "back");
        poll();
        advance();

        assertUnmet("backfill", "no back-fill");
        backfill();
        verify(0);
        advance();
    }

    @Test
    void shouldAskForJournalsWithoutKeysThatTheTargetLacks() {
        a.say(Facts.DIRTY_TARGET, 2);
        b.say(Facts.DIRTY_TARGET, 3);
        advance();
        backfill();
        verify(0);
        assertUnmet("dirty-target", "5 keys of which the target may lack the newest state");
        a.say(Facts.DIRTY_TARGET, 0);
        b.facts.remove(Facts.DIRTY_TARGET);
        poll();
        assertUnmet("dirty-target", "0 keys of which the target may lack the newest state; b does not say how many");
        b.say(Facts.DIRTY_TARGET, 0);
        poll();
        assertMet("dirty-target", "0 keys");
    }

    @Test
    void shouldCountTheKeysOfAnInstanceThatEnded() {
        advance();
        backfill();
        verify(0);
        clock.advance(Duration.ofSeconds(1));
        a.say(Facts.DIRTY_TARGET, 7);
        a.say(Facts.JOURNAL, "host:/var/a");
        a.follower.close();
        b.follower.poll();

        assertUnmet("dirty-target", "a ended at");
        assertThat(gate("dirty-target").evidence())
                .contains("with 7 keys in its journal: start it again with its directory, or verify");

        TestInstance again = new TestInstance(store, "a2", clock);
        again.say(Facts.JOURNAL, "host:/var/a");
        again.follower.start();
        assertMet("dirty-target", "0 keys");
        again.follower.close();
        assertUnmet("dirty-target", "a ended at");
        verify(0);
        assertMet("dirty-target", "0 keys");
    }

    @Test
    void shouldCountTheUnknownKeysOfAnInstanceThatDied() throws InterruptedException {
        advance();
        backfill();
        WorkStart before = control.begin();
        clock.advance(Duration.ofSeconds(20));
        b.follower.poll();
        control.declareDead("a", "ann", "its machine burnt", nap -> {});
        control.finish(before, PhaseNote.Kind.VERIFICATION, "bulk", Map.of(Facts.MISMATCHES, "0", Facts.ROWS, "1"));

        assertMet("verification", "found 0 mismatches");
        assertUnmet("dirty-target", "a was declared dead at");
        assertThat(gate("dirty-target").evidence()).contains("with keys in its journal that nobody knows");
        verify(0);
        assertMet("dirty-target", "0 keys");
    }

    @Test
    void shouldReadFromTheTargetByAndBy() {
        advance();
        assertThat(control.readShare(10, "ann", "carefully").readSharePercent()).isEqualTo(10);
        poll();
        backfill();
        verify(0);
        assertThat(advance().readSharePercent()).isEqualTo(10);
        pass(POLICY.quietWindow());

        assertUnmet("share", "10 % of the keys are read from the target");
        assertThatThrownBy(() -> control.readShare(101, "ann", "")).isInstanceOf(IllegalArgumentException.class);
        PhaseRecord whole = control.readShare(100, "ann", "all");
        assertThat(whole.phase()).isEqualTo(Phase.READ_TARGET);
        poll();
        assertMet("share", "100 %");
        assertUnmet("quiet", "0 s since the last change of phase or share, asked for 60 s");
        verify(0);
        pass(Duration.ofSeconds(60));
        advance();
        assertRefused(() -> control.readShare(50, "ann", "late"), "the share (--to-share) is of phase 3 alone");
    }

    @Test
    void shouldAskForAWindowWithoutFallbackHits() {
        walkTo(Phase.READ_TARGET);
        pass(Duration.ofSeconds(50));
        a.say(Facts.FALLBACK_LAST_HIT_MILLIS, clock.millis());
        pass(Duration.ofSeconds(59));

        assertUnmet("quiet", "59 s since the last fallback hit, of a, asked for 60 s");
        pass(Duration.ofSeconds(1));
        assertMet("quiet", "60 s since the last fallback hit, of a");
    }

    @Test
    void shouldCountTheFallbacksOfAnInstanceThatEnded() {
        walkTo(Phase.READ_TARGET);
        pass(Duration.ofSeconds(50));
        a.say(Facts.FALLBACK_LAST_HIT_MILLIS, clock.millis());
        pass(Duration.ofSeconds(9));
        a.follower.close();
        clock.advance(Duration.ofSeconds(50));
        b.follower.poll();

        assertUnmet("quiet", "59 s since the last fallback hit, of a");
        assertMet("dirty-target", "0 keys");
        clock.advance(Duration.ofSeconds(1));
        b.follower.poll();
        assertMet("quiet", "60 s");
    }

    @Test
    void shouldCountTheUnknownFallbacksOfAnInstanceThatDied() throws InterruptedException {
        walkTo(Phase.READ_TARGET);
        clock.advance(Duration.ofSeconds(55));
        b.follower.poll();
        control.declareDead("a", "ann", "its machine burnt", nap -> {});
        clock.advance(Duration.ofSeconds(20));
        b.follower.poll();

        assertUnmet("quiet", "20 s since the last fallback hit, of a, as far as anybody knows");
    }

    @Test
    void shouldLeaveNoNoteWhenNothingIsOwed() {
        a.say(Facts.FALLBACK_LAST_HIT_MILLIS, clock.millis());
        walkTo(Phase.READ_TARGET);
        a.follower.close();

        assertThat(control.notes()).extracting(PhaseNote::kind).doesNotContain(PhaseNote.Kind.INSTANCE_LEFT);
    }

    @Test
    void shouldCountTheWindowFromTheStartOfTheYoungestInstance() {
        walkTo(Phase.READ_TARGET);
        pass(Duration.ofSeconds(55));
        b.follower.close();
        b = TestInstance.started(store, "b", clock);
        pass(Duration.ofSeconds(10));

        assertUnmet("quiet", "10 s since the start of b");
    }

    @Test
    void shouldGoOverTargetFirstToFour() {
        walkTo(Phase.READ_TARGET);
        verify(0);
        assertThat(control.readiness().step()).isEqualTo("3 to 3b");
        assertThat(control.readiness().gates())
                .extracting(Gate::name)
                .containsExactly("instances", "mode", "share", "dirty-target", "verification", "quiet");

        pass(POLICY.quietWindow());
        assertThat(advance().phase()).isEqualTo(Phase.TARGET_FIRST);
        assertThat(control.readiness().step()).isEqualTo("3b to 4");
        a.say(Facts.DIRTY_ORIGIN, 1);
        poll();
        assertUnmet("dirty-origin", "1 keys of which the origin may lack the newest state");
        a.say(Facts.DIRTY_ORIGIN, 0);
        poll();
        assertThat(advance().phase()).isEqualTo(Phase.WRITE_TARGET);
        assertThat(control.readiness().step()).isEqualTo("4 to 5");
        PhaseRecord last = advance();
        assertThat(last.phase()).isEqualTo(Phase.TARGET_ONLY);
        assertThat(last.highest()).isEqualTo(Phase.TARGET_ONLY);

        assertThat(control.readiness().ready()).isFalse();
        assertRefused(() -> control.advance("ann", "on", true), "phase 5 is the last");
    }

    @Test
    void shouldNotGoOnByAVerificationFromBeforeAllReadsWentToTheTarget() {
        advance();
        backfill();
        verify(0);
        control.readShare(50, "ann", "half");
        poll();
        advance();
        verify(0);
        control.readShare(100, "ann", "all");
        a.follower.poll();
        WorkStart early = control.begin();
        b.follower.poll();
        control.finish(early, PhaseNote.Kind.VERIFICATION, "bulk", Map.of(Facts.MISMATCHES, "0", Facts.ROWS, "1"));
        pass(POLICY.quietWindow());

        assertUnmet(
                "verification",
                "no verification began since 100 % of the reads go to the target (version 5): run 'anneal migrate verify'");
        verify(1);
        assertUnmet("verification", "found 1 mismatches");
        verify(0);
        assertMet("verification", "found 0 mismatches");
        advance();
        assertMet("verification", "found 0 mismatches");
    }

    @Test
    void shouldNotGoOnByAVerificationThatIsTooOld() {
        walkTo(Phase.READ_TARGET);
        verify(0);
        pass(POLICY.verifiedWithin());
        assertMet("verification", "found 0 mismatches");
        advance();
        assertMet("verification", "found 0 mismatches");
        pass(Duration.ofMillis(1));

        assertUnmet("verification", "more than 86400 s ago: run 'anneal migrate verify'");
        PhaseControl patient = PhaseControl.of(store, NAME, clock, POLICY.withVerifiedWithin(Duration.ofHours(25)));
        assertThat(patient.readiness().ready()).isTrue();
        verify(0);
        assertMet("verification", "found 0 mismatches");
    }

    @Test
    void shouldNotGoOnByTheVerificationOfAnEarlierShare() {
        walkTo(Phase.READ_TARGET);
        verify(0);
        control.readShare(99, "ann", "a few less");
        poll();
        control.readShare(100, "ann", "all again");
        poll();

        assertUnmet("verification", "no verification began since 100 % of the reads go to the target (version 5)");
    }

    @Test
    void shouldTurnRoundOnTheWayBackWithoutMakingTheOriginWhole() {
        walkTo(Phase.WRITE_TARGET);
        a.say(Facts.DIRTY_ORIGIN, 12);
        poll();
        assertReverse(Phase.TARGET_FIRST);
        assertThat(control.onTheWayBack()).isTrue();

        assertThat(control.readiness().gates())
                .extracting(Gate::name)
                .containsExactly("instances", "mode", "dirty-target");
        assertThat(advance().phase()).isEqualTo(Phase.WRITE_TARGET);
        assertThat(control.onTheWayBack()).isFalse();
    }

    @Test
    void shouldPassGatesByForceAndSaySo() {
        advance();
        PhaseRecord forced = control.advance("ann", "we know better", true);

        assertThat(forced.why()).isEqualTo("we know better (forced without backfill, verification)");
        assertThat(control.history()).extracting(PhaseRecord::version).containsExactly(1L, 2L, 3L);
    }

    @Test
    void shouldRollBackFromTwoAndThreeFreely() {
        assertRefused(() -> control.rollback("ann", "back"), "phase 1 is the first");
        assertThat(control.rollbackPlan().to()).isEmpty();
        walkTo(Phase.READ_TARGET);
        a.say(Facts.DIRTY_TARGET, 5);
        poll();

        RollbackPlan plan = control.rollbackPlan();
        assertThat(plan.from()).isEqualTo(Phase.READ_TARGET);
        assertThat(plan.to()).contains(Phase.WRITE_BOTH);
        assertThat(plan.refusal()).isEmpty();
        assertThat(plan.keysToCopy()).isZero();
        assertThat(plan.whatIsLost()).isEqualTo("nothing: the origin has every write");
        assertThat(control.rollback("ann", "back").phase()).isEqualTo(Phase.WRITE_BOTH);
        poll();
        assertThat(control.rollbackPlan().whatIsLost()).contains("its back-fill and verification no longer count");
        assertThat(control.rollback("ann", "back").phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThat(control.current().highest()).isEqualTo(Phase.READ_TARGET);
    }

    @Test
    void shouldGoBackInAnEmergencyWhileTheOriginHasEverythingOnly() {
        assertRefused(() -> control.emergency("ann", "fire"), "phase 1 is the first");
        advance();
        PhaseRecord unexplained = control.emergency("ann", "");
        assertThat(unexplained.phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThat(unexplained.why()).isEqualTo("emergency");
        poll();
        walkTo(Phase.READ_TARGET);
        clock.advance(Duration.ofHours(1));
        PhaseRecord back = control.emergency("ann", "fire");
        assertThat(back.phase()).isEqualTo(Phase.ORIGIN_ONLY);
        assertThat(back.why()).isEqualTo("emergency: fire");
        assertUnmet("instances", "a acts by version");
        poll();
        advance();
        assertUnmet("backfill", "no back-fill since");
        assertUnmet("verification", "no verification since");

        walkTo(Phase.TARGET_FIRST);
        assertRefused(() -> control.emergency("ann", "fire"), "the origin may lack what was acknowledged in phase 3b");
    }

    @Test
    void shouldRollBackFromTargetFirstOnceTheOriginLacksNothing() {
        walkTo(Phase.TARGET_FIRST);
        a.say(Facts.DIRTY_ORIGIN, 4);
        poll();

        assertRefused(() -> control.rollback("ann", "back"), "4 keys of which the origin may lack the newest state");
        assertThat(control.rollbackPlan().keysToCopy()).isEqualTo(4);
        assertThat(control.rollbackPlan().refusal())
                .hasValueSatisfying(refusal -> assertThat(refusal).contains("dirty-origin"));
        a.say(Facts.DIRTY_ORIGIN, 0);
        poll();
        PhaseRecord back = control.rollback("ann", "back");
        assertThat(back.phase()).isEqualTo(Phase.READ_TARGET);
    }

    @Test
    void shouldRefuseToRollBackFromFourAndFiveUntilTheReverseBackfill() {
        walkTo(Phase.WRITE_TARGET);
        a.say(Facts.DIRTY_ORIGIN, 12);
        b.say(Facts.DIRTY_ORIGIN, 30);
        poll();
        assertRefused(
                () -> control.rollback("ann", "back"),
                "42 keys as far as instances said: run the reverse back-fill first (anneal migrate backfill --reverse)");
        walkTo(Phase.TARGET_ONLY);
        assertRefused(() -> control.rollback("ann", "back"), "run the reverse back-fill first");
        RollbackPlan plan = control.rollbackPlan();
        assertThat(plan.keysToCopy()).isEqualTo(42);
        assertThat(plan.to()).contains(Phase.WRITE_TARGET);
        assertThat(plan.refusal()).isPresent();
        assertThat(plan.whatIsLost()).contains("written and deleted since phase 4, 42 keys, is so in the target alone");
    }

    @Test
    void shouldWalkBackFromFiveOverTargetFirst() {
        walkTo(Phase.TARGET_ONLY);
        a.say(Facts.DIRTY_ORIGIN, 12);
        poll();

        control.reverse("ann", "back");
        assertRefused(() -> control.reverse("ann", "back"), "a acts by version");
        poll();
        assertThat(control.current().phase()).isEqualTo(Phase.WRITE_TARGET);
        assertRefused(() -> control.rollback("ann", "back"), "run the reverse back-fill first");
        assertReverse(Phase.TARGET_FIRST);
        assertRefused(() -> control.reverse("ann", "back"), "both sides are written, there is nothing to reverse");

        assertRefused(() -> control.rollback("ann", "back"), "dirty-origin (12 keys", "reverse (no reverse back-fill");
        reverseBackfill(1);
        a.say(Facts.DIRTY_ORIGIN, 0);
        poll();
        assertRefused(() -> control.rollback("ann", "back"), "found 1 mismatches");
        reverseBackfill(0);
        PhaseRecord three = control.rollback("ann", "back");
        poll();
        assertThat(three.phase()).isEqualTo(Phase.READ_TARGET);
        PhaseRecord two = control.rollback("ann", "back");
        poll();
        assertThat(two.phase()).isEqualTo(Phase.WRITE_BOTH);

        // The target missed nothing, so that the way forward needs a verification and no back-fill.
        assertMet("backfill", "not needed, the target had every write when version");
        assertUnmet("verification", "no verification since all write both sides");
    }

    private void assertReverse(Phase expected) {
        PhaseRecord back = control.reverse("ann", "back");
        poll();
        assertThat(back.phase()).isEqualTo(expected);
    }

    @Test
    void shouldNotCountAReverseBackfillOfAnEarlierTime() {
        walkTo(Phase.WRITE_TARGET);
        assertReverse(Phase.TARGET_FIRST);
        reverseBackfill(0);
        advance();
        assertThat(control.current().phase()).isEqualTo(Phase.WRITE_TARGET);
        assertReverse(Phase.TARGET_FIRST);

        assertRefused(() -> control.rollback("ann", "back"), "reverse (no reverse back-fill");
    }

    @Test
    void shouldNotWalkBackWithTheKeysOfAnInstanceThatEnded() {
        walkTo(Phase.TARGET_ONLY);
        a.say(Facts.DIRTY_ORIGIN, 5);
        a.follower.close();
        b.follower.poll();
        control.reverse("ann", "back");
        b.follower.poll();
        control.reverse("ann", "back");
        b.follower.poll();
        clock.advance(Duration.ofSeconds(1));
        b.follower.poll();
        reverseBackfill(0);

        assertRefused(
                () -> control.rollback("ann", "back"), "dirty-origin", "a ended at", "with 5 keys in its journal");
        verify(0);
        assertThat(control.rollback("ann", "back").phase()).isEqualTo(Phase.READ_TARGET);
    }

    @Test
    void shouldRefuseToReverseWhatNobodyRemembers() {
        walkTo(Phase.WRITE_TARGET);
        a.say(Facts.REMEMBERS_WRITES, false);
        poll();

        assertRefused(() -> control.reverse("ann", "back"), "keys written since phase 4 are not kept");
        assertThat(control.rollbackPlan().refusal())
                .hasValueSatisfying(refusal -> assertThat(refusal).contains("nobody knows what to copy back"));
    }

    @Test
    void shouldRefuseToReverseBeforeFour() {
        assertRefused(() -> control.reverse("ann", "back"), "there is nothing to reverse");
    }

    @Test
    void shouldAskForAcknowledgementsAloneInTestMode() {
        for (TestInstance instance : List.of(a, b)) {
            instance.say(Facts.MODE, "TEST");
            instance.say(Facts.DIRTY_TARGET, 1_000);
        }
        poll();
        for (Phase phase : List.of(
                Phase.WRITE_BOTH, Phase.READ_TARGET, Phase.TARGET_FIRST, Phase.WRITE_TARGET, Phase.TARGET_ONLY)) {
            assertThat(control.readiness().gates()).extracting(Gate::name).containsExactly("instances", "mode");
            assertThat(advance().phase()).isEqualTo(phase);
        }
        assertThat(control.rollbackPlan().whatIsLost()).contains("in test mode the origin has every write");
        assertRefused(() -> control.reverse("ann", "back"), "in test mode the origin has everything, roll back");
        for (Phase phase : List.of(
                Phase.WRITE_TARGET, Phase.TARGET_FIRST, Phase.READ_TARGET, Phase.WRITE_BOTH, Phase.ORIGIN_ONLY)) {
            assertThat(control.rollback("ann", "back").phase()).isEqualTo(phase);
            poll();
        }
    }

    @Test
    void shouldNotGoOnWithAWalkInTestMode() {
        a.say(Facts.MODE, "TEST");
        b.say(Facts.MODE, "TEST");
        poll();
        advance();
        assertThat(control.notes())
                .extracting(note -> note.facts().get(Facts.TEXT))
                .containsExactly("step 1 to 2 in test mode, only acknowledgements count");
        a.say(Facts.MODE, "MIGRATION");
        b.say(Facts.MODE, "MIGRATION");
        poll();

        assertUnmet("mode", "phases were walked in test mode, go back to phase 1 first");
        control.rollback("ann", "back");
        poll();
        assertMet("mode", "MIGRATION");
        advance();
        assertMet("mode", "MIGRATION");
    }

    @Test
    void shouldLetOneOfTwoChangesWin() {
        PhaseStore racing = new UnreliableStore() {
            @Override
            public boolean compareAndSet(String name, long expectedVersion, PhaseRecord next) {
                control.advance("bob", "first");
                return super.compareAndSet(name, expectedVersion, next);
            }
        };
        ((UnreliableStore) racing).inner = store;

        assertThatThrownBy(() -> PhaseControl.of(racing, NAME, clock, POLICY).advance("ann", "on"))
                .isInstanceOf(PhaseChangedException.class)
                .hasMessageContaining("expectedVersion=1");
        assertThat(control.current().who()).isEqualTo("bob");
        assertThat(control.current().version()).isEqualTo(2);
    }

    @Test
    void shouldThrowWhenTheStoreIsLost() {
        UnreliableStore lost = new UnreliableStore();
        lost.lost = true;
        PhaseControl of = PhaseControl.of(lost, NAME, clock, POLICY);

        assertThatThrownBy(of::readiness).isInstanceOf(PhaseStoreException.class);
        assertThatThrownBy(() -> of.advance("ann", "on", true)).isInstanceOf(PhaseStoreException.class);
    }

    @Test
    void shouldWaitForAcknowledgements() throws Exception {
        control.advance("ann", "on");
        assertThat(control.awaitAcknowledged(Duration.ofSeconds(5), clock::advance))
                .isFalse();
        assertThat(control.awaitAcknowledged(Duration.ofSeconds(5), slept -> pass(slept)))
                .isTrue();
    }

    @Test
    void shouldKeepWordsOfPeople() {
        control.note("ann", "compaction on the target");

        assertThat(control.notes()).singleElement().satisfies(note -> {
            assertThat(note.kind()).isEqualTo(PhaseNote.Kind.TEXT);
            assertThat(note.facts()).containsEntry(Facts.TEXT, "compaction on the target");
            assertThat(note.version()).isEqualTo(1);
        });
        assertThatThrownBy(() -> control.finish(control.begin(), PhaseNote.Kind.TEXT, "ann", Map.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
