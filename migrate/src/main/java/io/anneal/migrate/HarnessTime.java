package io.anneal.migrate;

import io.anneal.dualdao.DualEnvironment;
import io.anneal.dualdao.phase.PhaseControl.Sleeper;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * What time it is, and waiting.
 *
 * @param nanoTime for durations, as {@link System#nanoTime()}
 */
public record HarnessTime(InstantSource clock, LongSupplier nanoTime, Sleeper sleeper) {
    /** Of a dual DAO's environment; waits on the calling thread. */
    public static HarnessTime of(DualEnvironment environment) {
        return new HarnessTime(
                environment.clock(), environment.nanoTime(), duration -> Thread.sleep(duration.toMillis()));
    }
}
