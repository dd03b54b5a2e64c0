package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables go between stores and directories whatever goes wrong on the way: all of it or nothing, each byte once, nothing lost,
 * invented or back from the dead, and nothing left behind. {@code -Danneal.stream.campaign.seeds=N} for more seeds, {@code
 * -Danneal.seed=N} for others.
 */
class StreamCampaignTest {
    private static final int SEEDS = Integer.getInteger("anneal.stream.campaign.seeds", 200);

    @TempDir
    private Path directory;

    @Test
    void shouldBringAllOrNothingWhateverGoesWrong() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        int attempts = 0;
        int succeeded = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            try (RepairCampaign campaign = new RepairCampaign(directory, seed, true)) {
                RepairCampaignTest.run(campaign, seed);
                attempts += campaign.attempts();
                succeeded += campaign.succeeded();
            }
        }
        if (SEEDS >= 50) {
            assertThat(succeeded).as("of %d plans under faults", attempts).isBetween(attempts / 4, 9 * attempts / 10);
        }
    }
}
