package io.anneal.harness.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.harness.load.HistoryChecker.UnknownWrites;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class HistoryCheckerTest {
    private final OperationLog log = new OperationLog();

    private void written(String value, long start, long end) {
        log.write("k", Map.of("i", value), start).acknowledged(end);
    }

    private void read(String value, long start, long end) {
        log.read("k", start).answered(value == null ? Map.of() : Map.of("i", value), end);
    }

    private HistoryVerdict check() {
        return HistoryChecker.check(log, UnknownWrites.IN_ORDER);
    }

    private Violation onlyViolation() {
        HistoryVerdict verdict = check();
        assertThat(verdict.samples()).hasSize(1);
        assertThat(verdict.clean()).isFalse();
        return verdict.samples().get(0);
    }

    @Test
    void shouldSaySummaryOfWhatWasFound() {
        HistoryVerdict verdict = new HistoryVerdict(1234, 1, 2, 3, 4, List.of());
        assertThat(verdict.summary())
                .isEqualTo("1,234 operations, 1 lost writes, 2 resurrected deletes, 3 stale reads,"
                        + " 4 reads of what nobody wrote");
    }

    @Test
    void shouldAcceptReadsOfTheLastWrite() {
        read(null, 0, 1);
        written("a", 2, 3);
        read("a", 4, 5);
        written("b", 6, 7);
        read("b", 8, 9);
        log.deleteItem("k", "i", 10).acknowledged(11);
        read(null, 12, 13);
        written("c", 14, 15);
        log.replace("k", Map.of("other", "x"), 16).acknowledged(17);
        log.read("k", 18).answered(Map.of("other", "x"), 19);
        assertThat(check().clean()).isTrue();
        assertThat(check().operations()).isEqualTo(10);
    }

    @Test
    void shouldAcceptEitherOfTwoWritesAtTheSameTime() {
        written("a", 0, 10);
        written("b", 5, 15);
        read("a", 16, 17);
        read("b", 18, 19);
        read("a", 20, 21);
        assertThat(check().clean()).isTrue();
    }

    @Test
    void shouldAcceptOldAndNewWhileAWriteIsUnderWay() {
        written("a", 0, 1);
        written("b", 10, 20);
        read("a", 12, 13);
        read("b", 12, 13);
        read("a", 19, 30);
        assertThat(check().clean()).isTrue();
    }

    @Test
    void shouldFindLostWrite() {
        written("a", 0, 1);
        read(null, 2, 3);
        Violation lost = onlyViolation();
        assertThat(lost.kind()).isEqualTo(Violation.Kind.LOST_WRITE);
        assertThat(lost.key()).isEqualTo("k");
        assertThat(lost.item()).isEqualTo("i");
        assertThat(lost.explanation()).contains("a");
        assertThat(check().summary()).contains("1 lost writes", "0 resurrected deletes", "0 stale reads");
    }

    @Test
    void shouldFindWriteThatIsLostAtLast() {
        written("a", 0, 1);
        written("b", 2, 3);
        log.holdsAtLast("k", Map.of("i", "a"), 4);
        assertThat(onlyViolation().kind()).isEqualTo(Violation.Kind.LOST_WRITE);
    }

    @Test
    void shouldFindStaleRead() {
        written("a", 0, 1);
        written("b", 2, 3);
        read("a", 4, 5);
        assertThat(onlyViolation().kind()).isEqualTo(Violation.Kind.STALE_READ);
    }

    @Test
    void shouldFindResurrectedDelete() {
        written("a", 0, 1);
        log.delete("k", 2).acknowledged(3);
        read("a", 4, 5);
        assertThat(onlyViolation().kind()).isEqualTo(Violation.Kind.RESURRECTED_DELETE);
    }

    @Test
    void shouldFindItemThatReplaceTookAway() {
        written("a", 0, 1);
        log.replace("k", Map.of("other", "x"), 2).acknowledged(3);
        log.read("k", 4).answered(Map.of("i", "a", "other", "x"), 5);
        assertThat(onlyViolation().kind()).isEqualTo(Violation.Kind.RESURRECTED_DELETE);
    }

    @Test
    void shouldAcceptDeletedItemThatWasWrittenAgain() {
        written("a", 0, 1);
        log.delete("k", 2).acknowledged(3);
        written("a", 4, 5);
        read("a", 6, 7);
        assertThat(check().clean()).isTrue();
    }

    @Test
    void shouldFindValueThatNobodyWrote() {
        read("ghost", 4, 5);
        assertThat(onlyViolation().kind()).isEqualTo(Violation.Kind.NEVER_WRITTEN);
    }

    @Test
    void shouldFindValueOfWriteThatFailedAndOfOneToCome() {
        log.write("k", Map.of("i", "failed"), 0).failed(1);
        read("failed", 2, 3);
        read("later", 4, 5);
        written("later", 6, 7);
        HistoryVerdict verdict = check();
        assertThat(verdict.neverWritten()).isEqualTo(2);
        assertThat(verdict.samples().get(0).explanation()).contains("FAILED");
    }

    @Test
    void shouldLetUnknownWriteBeThereOrNot() {
        written("a", 0, 1);
        log.write("k", Map.of("i", "maybe"), 2).unknown(3);
        log.write("k", Map.of("i", "under way"), 4);
        read("a", 6, 7);
        read("maybe", 8, 9);
        read("under way", 10, 11);
        read("a", 12, 13);
        assertThat(check().clean()).isTrue();
    }

    @Test
    void shouldHoldUnknownWriteAgainstWhatWasAcknowledgedAfterIt() {
        log.write("k", Map.of("i", "maybe"), 0).unknown(1);
        written("a", 2, 3);
        read("maybe", 4, 5);
        assertThat(check().staleReads()).isEqualTo(1);
        assertThat(HistoryChecker.check(log, UnknownWrites.AT_ANY_TIME).clean()).isTrue();
    }

    @Test
    void shouldNotBlameFailedRead() {
        written("a", 0, 1);
        log.read("k", 2).failed(3);
        log.read("k", 4);
        assertThat(check().clean()).isTrue();
    }

    @Test
    void shouldLetForeignValueBeThereUntilSomethingIsAcknowledged() {
        HistoryChecker checker = new HistoryChecker(UnknownWrites.IN_ORDER, value -> value.startsWith("old"));
        read("old 1", 0, 1);
        written("a", 2, 3);
        checker.sweep(log);
        assertThat(checker.verdict(log).clean()).isTrue();
        read("old 1", 4, 5);
        checker.sweep(log);
        assertThat(checker.verdict(log).staleReads()).isEqualTo(1);
    }

    @Test
    void shouldRefuseToEndAnOperationTwice() {
        LoggedOperation operation = log.delete("k", 0);
        operation.unknown(1);
        assertThatThrownBy(() -> operation.acknowledged(2)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldStaySmallAndFindWhatItForgotAsStale() {
        HistoryChecker checker = new HistoryChecker(UnknownWrites.IN_ORDER);
        for (int i = 0; i < 1000; i++) {
            written("v" + i, 4L * i, 4L * i + 1);
            read("v" + i, 4L * i + 2, 4L * i + 3);
            checker.sweep(log);
        }
        assertThat(log.histories())
                .singleElement()
                .satisfies(history -> assertThat(history.operations()).hasSizeLessThan(3));
        read("v0", 10_000, 10_001);
        checker.sweep(log);
        HistoryVerdict verdict = checker.verdict(log);
        assertThat(verdict.operations()).isEqualTo(2001);
        assertThat(verdict.staleReads()).isEqualTo(1);
    }

    /** A true register under random concurrent clients is never blamed, one that answers with an older state is. */
    @Test
    void shouldTellARegisterFromABrokenOne() {
        long seed = Long.getLong("anneal.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        assertThat(run(random.split(), false).clean()).as("seed=" + seed).isTrue();
        assertThat(run(random.split(), true).clean()).as("seed=" + seed).isFalse();
    }

    private static HistoryVerdict run(SplittableRandom random, boolean broken) {
        OperationLog log = new OperationLog();
        HistoryChecker checker = new HistoryChecker(UnknownWrites.IN_ORDER);
        Map<String, String> held = new HashMap<>();
        List<Map<String, String>> earlier = new ArrayList<>(List.of(Map.of()));
        List<Runnable> ends = new ArrayList<>();
        long[] time = new long[1];
        for (int step = 0; step < 3000; step++) {
            time[0]++;
            if (ends.size() > 5 || (!ends.isEmpty() && random.nextBoolean())) {
                ends.remove(random.nextInt(ends.size())).run();
                continue;
            }
            String item = "i" + random.nextInt(3);
            String value = "v" + step;
            switch (random.nextInt(5)) {
                case 0 -> {
                    LoggedOperation write = log.write("k", Map.of(item, value), time[0]);
                    held.put(item, value);
                    ends.add(() -> write.acknowledged(time[0]));
                }
                case 1 -> {
                    LoggedOperation delete = log.deleteItem("k", item, time[0]);
                    held.remove(item);
                    ends.add(() -> delete.acknowledged(time[0]));
                }
                case 2 -> {
                    LoggedOperation replace = log.replace("k", Map.of(item, value), time[0]);
                    held.clear();
                    held.put(item, value);
                    ends.add(() -> replace.acknowledged(time[0]));
                }
                default -> {
                    LoggedOperation read = log.read("k", time[0]);
                    Map<String, String> answer =
                            broken ? earlier.get(random.nextInt(earlier.size())) : Map.copyOf(held);
                    ends.add(() -> read.answered(answer, time[0]));
                }
            }
            earlier.add(Map.copyOf(held));
            if (random.nextInt(20) == 0) {
                checker.sweep(log);
            }
        }
        checker.sweep(log);
        return checker.verdict(log);
    }
}
