package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pages of a ring, whatever happens to its nodes and its table between two pages or within one: put together they have each row once
 * that was there all the time, none twice, none that was deleted before, in order; and nothing is kept once nobody reads. {@code
 * -Danneal.paging.campaign.seeds=N} for more seeds, {@code -Danneal.seed=N} for others.
 */
class PagingCampaignTest {
    private static final int SEEDS = Integer.getInteger("anneal.paging.campaign.seeds", 200);
    private static final int SEEDS_TWICE = 5;
    /** Beginnings of lines of the log that must not be rare. */
    private static final List<String> HAPPENINGS = List.of(
            "alteration is everywhere",
            "bad disk of ",
            "compaction at ",
            "cut",
            "death of StoreHost",
            "death of the asker",
            "flush at ",
            "lag of ",
            "partition of ",
            "restart of ",
            "return of ",
            "time passed",
            "truncated everywhere",
            "write meanwhile");

    @TempDir
    private Path directory;

    @Test
    void shouldShowWhatWasThereAllTheTimeOnce() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        int tried = 0;
        int read = 0;
        Map<String, Integer> happened = new TreeMap<>();
        for (long seed = first; seed < first + SEEDS; seed++) {
            try (PagingCampaign campaign = new PagingCampaign(directory, seed)) {
                run(campaign, seed);
                tried += campaign.pagesTried();
                read += campaign.pagesRead();
                for (String line : campaign.world().log()) {
                    HAPPENINGS.stream().filter(line::startsWith).forEach(what -> happened.merge(what, 1, Integer::sum));
                }
            }
        }
        if (SEEDS >= 50) {
            assertThat(tried - read).as("of %d pages", tried).isBetween(tried / 100, tried / 2);
            HAPPENINGS.forEach(
                    what -> assertThat(happened.getOrDefault(what, 0)).as(what).isGreaterThan(SEEDS / 20));
        }
    }

    private static List<String> run(PagingCampaign campaign, long seed) {
        try {
            campaign.run();
            return campaign.world().log();
        } catch (IOException | RuntimeException | AssertionError failure) {
            throw new AssertionError(
                    "seed=" + seed + ", " + failure + "\n  "
                            + String.join("\n  ", campaign.world().log()),
                    failure);
        }
    }

    @Test
    void shouldGoTheSameWayForTheSameSeed() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        for (long seed = first; seed < first + SEEDS_TWICE; seed++) {
            List<String> once;
            try (PagingCampaign campaign = new PagingCampaign(directory, seed)) {
                once = run(campaign, seed);
            }
            try (PagingCampaign campaign = new PagingCampaign(directory, seed)) {
                assertThat(run(campaign, seed)).as("seed=%d", seed).isEqualTo(once);
            }
        }
    }
}
