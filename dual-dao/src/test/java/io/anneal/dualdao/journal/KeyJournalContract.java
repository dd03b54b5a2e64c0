package io.anneal.dualdao.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.journal.KeyJournal.Entry;
import io.anneal.dualdao.phase.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every journal must do. */
abstract class KeyJournalContract {
    KeyJournal journal;

    abstract KeyJournal open();

    @BeforeEach
    void openJournal() {
        journal = open();
    }

    @AfterEach
    void closeJournal() {
        journal.close();
    }

    static List<String> keys(KeyJournal journal, Side lacking) {
        return journal.entries(lacking, Integer.MAX_VALUE).stream()
                .map(Entry::key)
                .toList();
    }

    @Test
    void shouldHoldNothingAtFirst() {
        assertThat(journal.contains(Side.TARGET, "k")).isFalse();
        assertThat(journal.size(Side.TARGET)).isZero();
        assertThat(journal.entries(Side.TARGET, 10)).isEmpty();
    }

    @Test
    void shouldKeepTheSidesApart() {
        journal.add(Side.TARGET, "k", "target failed");

        assertThat(journal.contains(Side.TARGET, "k")).isTrue();
        assertThat(journal.contains(Side.ORIGIN, "k")).isFalse();
        assertThat(journal.size(Side.ORIGIN)).isZero();
    }

    @Test
    void shouldTakeOutWhatWasNotRenewed() {
        long stamp = journal.add(Side.ORIGIN, "k", "in flight");

        journal.remove(Side.ORIGIN, "k", stamp);

        assertThat(journal.contains(Side.ORIGIN, "k")).isFalse();
        assertThat(journal.size(Side.ORIGIN)).isZero();
        assertThat(journal.entries(Side.ORIGIN, 10)).isEmpty();
    }

    @Test
    void shouldKeepAKeyThatWasRenewedSince() {
        long first = journal.add(Side.TARGET, "k", "in flight");
        long second = journal.add(Side.TARGET, "k", "target failed");

        journal.remove(Side.TARGET, "k", first);

        assertThat(journal.entries(Side.TARGET, 10))
                .containsExactly(new Entry("k", Side.TARGET, second, "target failed"));
        assertThat(journal.size(Side.TARGET)).isOne();
    }

    @Test
    void shouldListTheOldestFirstAndARenewedKeyLast() {
        journal.add(Side.TARGET, "a", "r");
        journal.add(Side.TARGET, "b", "r");
        journal.add(Side.TARGET, "c", "r");
        journal.add(Side.TARGET, "a", "r");

        assertThat(keys(journal, Side.TARGET)).containsExactly("b", "c", "a");
        assertThat(journal.entries(Side.TARGET, 2)).extracting(Entry::key).containsExactly("b", "c");
        assertThat(journal.entries(Side.TARGET, 0)).isEmpty();
    }

    @Test
    void shouldNotTakeOutByAStampOfTheOtherSideOrOfNothing() {
        long stamp = journal.add(Side.TARGET, "k", "r");

        journal.remove(Side.ORIGIN, "k", stamp);
        journal.remove(Side.TARGET, "other", stamp);

        assertThat(journal.contains(Side.TARGET, "k")).isTrue();
    }

    @Test
    void shouldHoldWhatManyThreadsAddAndTakeOutAtOnce() throws Exception {
        int threads = 4;
        int rounds = 2_000;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                String own = "own" + t;
                done.add(executor.submit(() -> {
                    for (int i = 0; i < rounds; i++) {
                        String key = "shared" + i % 7;
                        journal.add(Side.TARGET, own, "r");
                        long stamp = journal.add(Side.TARGET, key, "r");
                        journal.contains(Side.TARGET, key);
                        journal.remove(Side.TARGET, key, stamp);
                    }
                }));
            }
            for (Future<?> each : done) {
                each.get();
            }
        } finally {
            executor.shutdownNow();
        }

        // The last to renew a shared key takes it out again; nobody takes out the others.
        assertThat(keys(journal, Side.TARGET)).containsExactlyInAnyOrder("own0", "own1", "own2", "own3");
        assertThat(journal.size(Side.TARGET)).isEqualTo(threads);
    }
}
