package io.anneal.dualdao.config;

import io.anneal.dualdao.compare.Comparison;
import io.anneal.dualdao.stats.MetricsSink;
import io.anneal.dualdao.transaction.TransactionHook;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * What the builder gathered and the engine acts by.
 *
 * @param name of the phase record in the phase store, shared by all instances and by DAOs that move together
 * @param instance name of this instance
 * @param copy null if the caller gave none
 * @param keyCodec null if the caller gave none; keys are then named by {@code String.valueOf}
 * @param targetTimeout after which a read of the target counts as late, null for never
 * @param compareSamplePercent of the keys whose answers are compared in test mode
 * @param mismatchRereadDelay after which a mismatch is read again before it is believed, zero for never
 * @param shadowReadPercent of the reads that go to the target, too, in phase 2 of a migration
 * @param speculativePercentile of the side's own latency after which a read is fired a second time, 0 for never
 * @param orderWrites whether writes to a key through this instance wait for each other
 * @param keyWait how long a write waits for others of its key
 * @param transactions of callers' threads
 * @param rememberWrites whether the keys written in phases 4 and 5 go into the journal, without which there is no way back
 * @param outcomes what an exception says of what happened
 * @param batches where {@code DualOperation.callAll} calls synchronous operations, null for the caller's thread
 * @param timingSample in phases 1 and 5 one call of that many is timed, a power of two
 */
public record DualConfig<D>(
        String name,
        String instance,
        Class<D> type,
        D origin,
        D target,
        Mode mode,
        WritePolicy writePolicy,
        FallbackPolicy fallback,
        Duration targetTimeout,
        Partitions partitions,
        KeyCopy<D, Object> copy,
        KeyCodec<Object> keyCodec,
        ReadRepair readRepair,
        Comparison comparison,
        int compareSamplePercent,
        Duration mismatchRereadDelay,
        ShadowConfig shadow,
        int shadowReadPercent,
        double speculativePercentile,
        boolean orderWrites,
        Duration keyWait,
        TransactionHook transactions,
        boolean rememberWrites,
        Function<Throwable, SideOutcome> outcomes,
        Executor batches,
        int timingSample,
        MetricsSink metrics,
        DualEnvironment environment) {}
