package io.anneal.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** An event loop in virtual time: tasks in the order in which they came, each a little later than it was given. */
final class SimulatedEventLoop extends AbstractScheduledEventExecutor implements EventLoop {
    private static final long TASK_DELAY_MAX_NANOS = 20_000;
    private static final long NO_TIMER = -1;

    private final SimulatedTime time;
    private final Promise<Void> termination = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
    private final Ticker ticker = new Ticker() {
        @Override
        public long initialNanoTime() {
            return 0;
        }

        @Override
        public long nanoTime() {
            return time.nanos();
        }

        @Override
        public void sleep(long delay, TimeUnit unit) {
            throw new UnsupportedOperationException("an event loop does not sleep");
        }
    };

    private long lastTaskNanos;
    private long wakeNanos = NO_TIMER;
    private int waitingTasks;
    private boolean shutDown;

    SimulatedEventLoop(SimulatedTime time) {
        this.time = time;
    }

    SimulatedTime time() {
        return time;
    }

    @Override
    public void execute(Runnable task) {
        if (shutDown) {
            throw new RejectedExecutionException("event loop is shut down");
        }
        lastTaskNanos = Math.max(lastTaskNanos, time.nanos() + time.random().nextLong(TASK_DELAY_MAX_NANOS));
        waitingTasks++;
        time.at(lastTaskNanos, () -> {
            waitingTasks--;
            run(task);
        });
    }

    private void run(Runnable task) {
        time.runAs(this, () -> safeExecute(task));
        armTimer();
    }

    private void armTimer() {
        long deadlineNanos = nextScheduledTaskDeadlineNanos();
        if (deadlineNanos != NO_TIMER && (wakeNanos == NO_TIMER || deadlineNanos < wakeNanos)) {
            wakeNanos = deadlineNanos;
            time.timerAt(deadlineNanos, () -> wake(deadlineNanos));
        }
    }

    private void wake(long armedNanos) {
        if (armedNanos != wakeNanos) {
            return; // An earlier timer has come in between, and has armed the next one.
        }
        wakeNanos = NO_TIMER;
        run(() -> {
            Runnable due = pollScheduledTask(time.nanos());
            while (due != null) {
                safeExecute(due);
                due = pollScheduledTask(time.nanos());
            }
        });
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return time.running() == this && time.isThread();
    }

    @Override
    public Ticker ticker() {
        return ticker;
    }

    @Override
    public ChannelFuture register(Channel channel) {
        return register(new DefaultChannelPromise(channel, this));
    }

    @Override
    public ChannelFuture register(ChannelPromise promise) {
        promise.channel().unsafe().register(this, promise);
        return promise;
    }

    @Deprecated
    @Override
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        channel.unsafe().register(this, promise);
        return promise;
    }

    @Override
    public EventLoopGroup parent() {
        return null;
    }

    @Override
    public EventLoop next() {
        return this;
    }

    boolean hasTasks() {
        return waitingTasks > 0;
    }

    /** Takes no more tasks and forgets its timers. */
    void shutDownNow() {
        shutDown = true;
        cancelScheduledTasks();
        termination.trySuccess(null);
    }

    @Override
    protected void cancelScheduledTasks() {
        time.runAs(this, super::cancelScheduledTasks);
    }

    @Deprecated
    @Override
    public void shutdown() {
        throw new UnsupportedOperationException("the transport shuts its loop down");
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException("the transport shuts its loop down");
    }

    @Override
    public Future<?> terminationFuture() {
        return termination;
    }

    @Override
    public boolean isShuttingDown() {
        return shutDown;
    }

    @Override
    public boolean isShutdown() {
        return shutDown;
    }

    @Override
    public boolean isTerminated() {
        return shutDown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return shutDown;
    }
}
