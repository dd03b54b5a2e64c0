package io.anneal.environment;

/** Waits on a nano clock; tests put a clock that they move in its place. */
@FunctionalInterface
public interface Sleeper {
    void sleepNanos(long nanos) throws InterruptedException;
}
