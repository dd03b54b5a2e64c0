package io.anneal.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import org.junit.jupiter.api.Test;

class EncodingBaseTest {
    private static final long NOW_SECONDS = 1_750_000_000L;

    @Test
    void shouldCountFromTheSmallestTimes() {
        assertThat(EncodingBase.of(7, NOW_SECONDS, NOW_SECONDS + 100, 60))
                .isEqualTo(new EncodingBase(7, (int) NOW_SECONDS, 60));
    }

    @Test
    void shouldCountFromTheEpochWhenNothingIsKnown() {
        assertThat(EncodingBase.of(Long.MAX_VALUE, DeletionTime.NO_DELETION_TIME, Long.MIN_VALUE, Integer.MAX_VALUE))
                .isEqualTo(EncodingBase.EPOCH);
    }

    @Test
    void shouldNotCountFromATimeTooFarFromTheGreatest() {
        assertThat(EncodingBase.of(7, 1, 4_000_000_000L, 60).localDeletionTimeSeconds())
                .isEqualTo(EncodingBase.EPOCH.localDeletionTimeSeconds());
    }
}
