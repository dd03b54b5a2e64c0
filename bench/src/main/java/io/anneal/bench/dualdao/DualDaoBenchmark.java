package io.anneal.bench.dualdao;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.DualDaoBuilder;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.route.DualOperation;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a read through a dual DAO take beside the same read without it, by the phase: through the DAO that it serves, and through
 * its functional core; and what does it allocate?
 *
 * <pre>
 *   java -jar bench/target/benchmarks.jar dualdao.DualDaoBenchmark -prof gc
 * </pre>
 *
 * One invocation reads one of 1,024 values out of an array, the key boxed beforehand for the core. In phase 3 the target has all of
 * them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class DualDaoBenchmark {
    private static final int KEY_COUNT = 1 << 10;
    private static final String NAME = "bench";

    /** The DAO. */
    public interface ValueDao {
        @Read
        String find(@Key long id);
    }

    /** Origin and target are of two classes, as they are in life. */
    private static class Origin implements ValueDao {
        private final String[] values = new String[KEY_COUNT];

        Origin() {
            for (int i = 0; i < values.length; i++) {
                values[i] = "value " + i;
            }
        }

        @Override
        public String find(long id) {
            return values[(int) id];
        }
    }

    private static final class Target extends Origin {
        @Override
        public String find(long id) {
            return super.find(id);
        }
    }

    @Param({"ORIGIN_ONLY", "WRITE_BOTH", "READ_TARGET", "TARGET_ONLY"})
    public Phase phase;

    private final Long[] keys = new Long[KEY_COUNT];
    private PhaseStore phases;
    private DualDao<ValueDao> served;
    private DualDao<ValueDao> core;
    private ValueDao direct;
    private ValueDao dao;
    private DualOperation<Long, String> find;
    private int next;

    @Setup(Level.Trial)
    public void open() {
        for (int i = 0; i < KEY_COUNT; i++) {
            keys[i] = (long) i;
        }
        phases = new MemoryPhaseStore();
        phases.create(NAME, new PhaseRecord(1, phase, 100, phase, "bench", Instant.EPOCH, "bench"));
        served = configured(DualDao.builder(ValueDao.class)).build();
        core = configured(DualDao.functional(ValueDao.class))
                .operation(
                        OperationSpec.<ValueDao, Long, String>of("find", OperationKind.READ, id -> id, ValueDao::find))
                .build();
        direct = phase.readsTarget() ? new Target() : new Origin();
        dao = served.dao();
        find = core.operation("find");
    }

    private DualDaoBuilder<ValueDao> configured(DualDaoBuilder<ValueDao> builder) {
        return builder.name(NAME)
                .origin(new Origin())
                .target(new Target())
                .mode(io.anneal.dualdao.config.Mode.MIGRATION)
                .phases(phases)
                .poll(Duration.ofHours(1));
    }

    @TearDown(Level.Trial)
    public void close() {
        served.close();
        core.close();
        phases.close();
    }

    private int nextKey() {
        next = (next + 1) & (KEY_COUNT - 1);
        return next;
    }

    @Benchmark
    public String direct() {
        return direct.find(nextKey());
    }

    @Benchmark
    public String proxied() {
        return dao.find(nextKey());
    }

    @Benchmark
    public String functional() throws Exception {
        return find.call(keys[nextKey()]);
    }
}
