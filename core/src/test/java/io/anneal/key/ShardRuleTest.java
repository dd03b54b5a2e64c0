package io.anneal.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShardRuleTest {
    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0", "3, 0", "7, 1", "3, 12", "8, 12", "100, 12", "5, 32", "2147483647, 32"})
    void shouldFindWhereAShardGoesOn(int shardCount, int ignoredBits) {
        ShardRule rule = new ShardRule(shardCount, ignoredBits);
        SplittableRandom random = new SplittableRandom(Long.getLong("anneal.seed", shardCount));
        for (int i = 0; i < 2000; i++) {
            long token = i == 0 ? Long.MIN_VALUE : i == 1 ? Long.MAX_VALUE : random.nextLong();
            int shard = i % 2 == 0 ? random.nextInt(shardCount) : rule.shardOf(token);
            OptionalLong found = rule.ceiling(shard, token);
            long end = found.orElse(Long.MAX_VALUE);

            assertThat(end).isGreaterThanOrEqualTo(token);
            if (found.isPresent()) {
                assertThat(rule.shardOf(end)).isEqualTo(shard);
            }
            if (end > token) {
                assertThat(rule.shardOf(found.isPresent() ? end - 1 : end)).isNotEqualTo(shard);
                // Parts are as long as each other, so no part of the shard hides between places this near.
                double partWidth = Math.scalb(1.0, 64 - ignoredBits) / shardCount;
                assertThat((double) end - token).isLessThanOrEqualTo(partWidth * shardCount);
                for (int j = 0; j < 20; j++) {
                    assertThat(rule.shardOf(random.nextLong(token, end))).isNotEqualTo(shard);
                }
            }
        }
    }
}
