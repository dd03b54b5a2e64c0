package io.anneal.net;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A future that runs the simulation while its thread waits for it; so does every future that is derived from it. */
final class SimulatedFuture<T> extends CompletableFuture<T> {
    private final SimulatedTime time;
    private final Executor executor;

    SimulatedFuture(SimulatedTime time, Executor executor) {
        this.time = time;
        this.executor = executor;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new SimulatedFuture<>(time, executor);
    }

    @Override
    public Executor defaultExecutor() {
        return executor;
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        if (!isDone() && time.isThread()) {
            time.runUntilInterrupted(this::isDone);
        }
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        if (isDone() || !time.isThread()) {
            return super.get(timeout, unit);
        }
        if (!time.runUntilInterrupted(this::isDone, Duration.ofNanos(unit.toNanos(timeout)))) {
            throw new TimeoutException();
        }
        return super.get();
    }

    @Override
    public T join() throws CancellationException {
        if (!isDone() && time.isThread()) {
            time.runUntil(this::isDone);
        }
        return super.join();
    }
}
