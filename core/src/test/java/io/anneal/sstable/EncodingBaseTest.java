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
                .isEqualTo((int) (4_000_000_000L - Integer.MAX_VALUE));
        assertThat(EncodingBase.of(7, 4_000_000_000L, 4_000_000_000L, 60).localDeletionTimeSeconds())
                .isEqualTo(Integer.MAX_VALUE - 1);
    }

    @Test
    void shouldReachWhatIsNotKnownFromTheEpoch() {
        assertThat(EncodingBase.of(7, 1, DeletionTime.NO_DELETION_TIME, 60).localDeletionTimeSeconds())
                .isEqualTo(EncodingBase.EPOCH.localDeletionTimeSeconds());
    }
}
