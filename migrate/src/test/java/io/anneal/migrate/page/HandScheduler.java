package io.anneal.migrate.page;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.control.PhaseControl;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Does what is scheduled with it when the test says so, on the test's thread. */
class HandScheduler extends ScheduledThreadPoolExecutor {
    private final List<Runnable> tasks = new CopyOnWriteArrayList<>();

    HandScheduler() {
        super(1);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initialDelay, long delay, TimeUnit unit) {
        tasks.add(task);
        return null;
    }

    /** Does everything once. */
    void turn() {
        tasks.forEach(Runnable::run);
    }

    DualEnvironment environment(InstantSource clock) {
        return new DualEnvironment(clock, System::nanoTime, PhaseControl.Sleeper.THREAD, new DualEnvironment.Threads() {
            @Override
            public ScheduledExecutorService scheduler() {
                return HandScheduler.this;
            }

            @Override
            public ExecutorService shadow(ShadowConfig config) {
                throw new UnsupportedOperationException();
            }
        });
    }
}
