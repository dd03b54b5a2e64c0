package io.anneal.bench.scenario;

import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.route.DualOperation;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.List;

/**
 * What a dual DAO costs, each beside the same calls without it.
 *
 * <pre>
 * case        anneal                                                      baseline
 * proxy-1     reads of values in memory through the DAO in phase 1        the same reads of the origin itself
 * proxy-3     in phase 3, all of them in the target                       of the target itself
 * proxy-5     in phase 5                                                  of the target itself
 * core-1 ...  the same through the functional core
 * test-same   reads and writes in test mode, of an origin that takes      the same calls of the origin itself
 *             a while, beside itself as the target
 * test-hang   the same beside a target that never answers                 beside itself: how far those runs lie apart is
 *                                                                         what can be told at all
 * </pre>
 */
public final class DualDaoScenario {
    public static final String NAME = "dual-dao";
    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES =
            List.of("proxy-1", "proxy-3", "proxy-5", "core-1", "core-3", "core-5", "test-same", "test-hang");

    /** Of the origin beside a target that hangs. */
    private static final int SPIN_ROUNDS = 20_000;

    private static final int HANG_CALLS_MAX = 50_000;

    private final BenchConfig config;
    private final Series series = new Series(NAME);

    /** Written and never read: the compiler cannot know that, and so leaves no call out. */
    @SuppressWarnings("unused")
    private volatile long sink;

    public DualDaoScenario(BenchConfig config) {
        this.config = config;
    }

    /** Makes that many calls, and answers something that depends on each. */
    private interface Calls {
        long run(int count) throws Exception;
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        overhead("proxy-1", "core-1", Phase.ORIGIN_ONLY);
        overhead("proxy-3", "core-3", Phase.READ_TARGET);
        overhead("proxy-5", "core-5", Phase.TARGET_ONLY);
        if (config.wants("test-same") || config.wants("test-hang")) {
            testMode("test-same", "test-hang");
        }
        return series.records();
    }

    private void overhead(String proxyCase, String coreCase, Phase phase) throws IOException {
        if (!config.wants(proxyCase) && !config.wants(coreCase)) {
            return;
        }
        ValueDao origin = new ValueDao.Values(0);
        ValueDao target = new ValueDao.TargetValues();
        ValueDao direct = phase.readsTarget() ? target : origin;
        Long[] keys = ValueDao.keys();
        try (DualSides sides = DualSides.open(origin, target, Mode.MIGRATION, phase)) {
            ValueDao dao = sides.dao();
            DualOperation<Long, String> find = sides.find();
            if (config.wants(proxyCase)) {
                compare(proxyCase, count -> reads(dao, count), count -> reads(direct, count));
            }
            if (config.wants(coreCase)) {
                Calls calls = count -> {
                    long characters = 0;
                    for (int i = 0; i < count; i++) {
                        characters += find.call(keys[i & ValueDao.KEY_MASK]).length();
                    }
                    return characters;
                };
                compare(coreCase, calls, count -> reads(direct, count));
            }
        }
    }

    private static long reads(ValueDao dao, int count) {
        long characters = 0;
        for (int i = 0; i < count; i++) {
            characters += dao.find(i & ValueDao.KEY_MASK).length();
        }
        return characters;
    }

    private void compare(String caseName, Calls own, Calls baseline) throws IOException {
        config.progress().accept(NAME + " " + caseName + ": warming up");
        Warming.warm(config, new Contender(BenchSystem.ANNEAL, () -> measured(own)));
        Warming.warm(config, new Contender(BenchSystem.BASELINE, () -> measured(baseline)));
        config.progress().accept(NAME + " " + caseName + ": measuring");
        for (int round = 0; round < config.runs(); round++) {
            add(caseName, BenchSystem.ANNEAL, measured(own));
            add(caseName, BenchSystem.BASELINE, measured(baseline));
        }
    }

    private void add(String caseName, BenchSystem system, Run run) {
        series.add(caseName, system, run);
        series.add(caseName, system, BenchMetric.ALLOCATED_PER_ROW, run.allocatedPerRow());
        series.addNanos(caseName, system, BenchMetric.CPU_PER_CALL, (double) run.cpuNanos() / run.rows());
    }

    private Run measured(Calls calls) throws IOException {
        Stopwatch stopwatch = new Stopwatch(config.nanoTime());
        return stopwatch.measure(config.rowCount(), 0, () -> unchecked(calls, config.rowCount()));
    }

    private static long unchecked(Calls calls, int count) throws IOException {
        try {
            return calls.run(count);
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("a value in memory could not be read", e);
        }
    }

    /** Both cases in turn, since the one is the other's measure. */
    private void testMode(String sameCase, String hangCase) {
        int count = Math.min(HANG_CALLS_MAX, config.rowCount());
        ValueDao origin = new ValueDao.Values(SPIN_ROUNDS);
        ValueDao.Hanging hanging = new ValueDao.Hanging();
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        try (DualSides same = DualSides.open(origin, origin, Mode.TEST, Phase.READ_TARGET)) {
            config.progress().accept(NAME + " " + hangCase + ": warming up");
            latencies(origin, count);
            latencies(same.dao(), count);
            memory.gc();
            long beforeBytes = memory.getHeapMemoryUsage().getUsed();
            try (DualSides beside = DualSides.open(origin, hanging, Mode.TEST, Phase.READ_TARGET)) {
                latencies(beside.dao(), count);
                config.progress().accept(NAME + " " + hangCase + ": measuring");
                for (int round = 0; round < config.runs(); round++) {
                    latencies(origin, count).addTo(series, sameCase, BenchSystem.BASELINE);
                    Latencies ofSame = latencies(same.dao(), count);
                    ofSame.addTo(series, sameCase, BenchSystem.ANNEAL);
                    ofSame.addTo(series, hangCase, BenchSystem.BASELINE);
                    latencies(beside.dao(), count).addTo(series, hangCase, BenchSystem.ANNEAL);
                }
                memory.gc();
                long heldBytes = Math.max(0, memory.getHeapMemoryUsage().getUsed() - beforeBytes);
                series.add(hangCase, BenchSystem.ANNEAL, BenchMetric.PEAK_MEMORY, heldBytes);
                hanging.letGo();
            }
        }
    }

    /** Every eighth call is a write. */
    private Latencies latencies(ValueDao dao, int count) {
        long[] nanos = new long[count];
        long characters = 0;
        for (int i = 0; i < count; i++) {
            long key = i & ValueDao.KEY_MASK;
            long start = config.nanoTime().getAsLong();
            if ((i & 7) == 0) {
                dao.save(key, "value");
            } else {
                characters += dao.find(key).length();
            }
            nanos[i] = config.nanoTime().getAsLong() - start;
        }
        sink = characters;
        return new Latencies(nanos);
    }
}
