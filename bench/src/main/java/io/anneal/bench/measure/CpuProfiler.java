package io.anneal.bench.measure;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Operations a second of the measuring threads' own CPU time: what a shared machine's other work disturbs least. Not
 * in it: garbage collection and compilation, which have threads of their own. Named on JMH's command line:
 * {@code -prof io.anneal.bench.measure.CpuProfiler}.
 */
public final class CpuProfiler implements InternalProfiler {
    private static final String WORKER = "jmh-worker";
    private static final double SECOND_NANOS = 1e9;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long startNanos;

    private long workersNanos() {
        long nanos = 0;
        for (long id : threads.getAllThreadIds()) {
            var info = threads.getThreadInfo(id);
            if (info != null && info.getThreadName().contains(WORKER)) {
                nanos += threads.getThreadCpuTime(id);
            }
        }
        return nanos;
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        startNanos = workersNanos();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double seconds = (workersNanos() - startNanos) / SECOND_NANOS;
        double perSecond = result.getMetadata().getAllOps() / seconds;
        return List.of(new ScalarResult("cpu", perSecond, "ops/cpu-s", AggregationPolicy.AVG));
    }

    @Override
    public String getDescription() {
        return "operations a CPU second of the measuring threads";
    }
}
