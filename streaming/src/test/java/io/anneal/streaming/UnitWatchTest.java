package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.anneal.environment.HostEnvironment;
import io.anneal.job.RangeJob;
import io.anneal.key.TokenRange;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UnitWatchTest {
    private static final int RANGES = 4_096;
    private static final int PIECES = 100;

    /** Of a gigabyte there are sixteen thousand pieces. */
    @Test
    void shouldNotAddUpThousandsOfRangesForEachPiece() throws Exception {
        StreamUnit unit = new StreamUnit("ks.t", "source", "target", TokenRange.FULL.split(RANGES));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] allocated = new long[1];
        try (RangeJob<StreamUnit> job = RangeJob.builder("streaming", StreamUnit::parse, HostEnvironment.system())
                .open(() -> List.of(unit))) {
            job.run(run -> {
                UnitWatch watch = new UnitWatch(run, () -> false);
                watch.progress(0, 0, 0);
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 1; i <= PIECES; i++) {
                    watch.progress(0, i, 1.0 * i / PIECES);
                }
                allocated[0] = threads.getCurrentThreadAllocatedBytes() - before;
                return RangeJob.Outcome.DONE;
            });

            assertThat(job.progress().unitsDone()).isEqualTo(1);
        }
        assertThat(allocated[0]).isLessThan((long) PIECES * RANGES);
    }
}
