package io.anneal.harness;

import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.harness.report.StoryRecorder;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has a recorder look again and again; a look that fails is made up for by the next. */
final class RecorderLooks {
    private static final Logger LOG = LoggerFactory.getLogger(RecorderLooks.class);

    private RecorderLooks() {}

    static void start(StoryRecorder recorder, ScheduledExecutorService scheduler, Duration interval) {
        scheduler.scheduleWithFixedDelay(() -> look(recorder), 0, interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    static void look(StoryRecorder recorder) {
        try {
            recorder.look();
        } catch (PhaseStoreException e) {
            LOG.warn("phase store can't be asked, the story has a gap, reason={}", e.getMessage());
        }
    }
}
