package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy.Guarantee;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.operation.MethodSpec;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.Side;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.PartitionCopy;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an instance sent to the side that is not right gets there after another instance has taken it away. */
final class LateWritesTest {
    private static final String NAME = "items";
    private static final long KEY = 1;

    private final VirtualTime time = new VirtualTime(new SplittableRandom(1));
    private final SimulatedPartitions origin = store("origin", 2);
    private final SimulatedPartitions target = store("target", 3);
    private final PhaseStore phases = new MemoryPhaseStore();

    private SimulatedPartitions store(String name, long number) {
        return new SimulatedPartitions(name, true, time, new SplittableRandom(number));
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE_BOTH", "READ_TARGET", "TARGET_FIRST"})
    void shouldNotBringBackWhatADecisionTookAwayHoweverLateTheWriteArrives(Phase phase) {
        PhaseRecord record = PhaseRecord.first("test", time.instant(), "begin");
        phases.create(NAME, record);
        for (Phase next : List.of(Phase.WRITE_BOTH, Phase.READ_TARGET, Phase.TARGET_FIRST)) {
            if (next.compareTo(phase) <= 0) {
                PhaseRecord changed = record.changed(next, 100, "test", time.instant(), "step");
                phases.compareAndSet(NAME, record.version(), changed);
                record = changed;
            }
        }
        SimulatedPartitions late = phase.authority() == Side.ORIGIN ? target : origin;
        DualDao<SimulatedDao> writing = instance("writes");
        DualDao<SimulatedDao> deciding = instance("decides");
        time.runFor(TimeUnit.MILLISECONDS.toNanos(100));

        late.holdBack(true);
        CompletionStage<Void> written = writing.dao().write(KEY, List.of(new Item("b", "1", "v")));
        time.runFor(TimeUnit.MILLISECONDS.toNanos(5));
        late.holdBack(false);
        CompletionStage<Boolean> taken = deciding.dao().compareAndSet(KEY, "b", "1", "v", null);
        time.runFor(TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(taken).isCompletedWithValue(true);
        late.letIn();
        time.runFor(TimeUnit.MILLISECONDS.toNanos(50));

        assertThat(written).isCompleted();
        assertThat(origin.held(KEY)).isEmpty();
        assertThat(target.held(KEY)).isEmpty();
    }

    private DualDao<SimulatedDao> instance(String name) {
        VirtualTime.Process process = time.process();
        SimulatedDao one = origin.client(process);
        SimulatedDao other = target.client(process);
        return DualDao.builder(SimulatedDao.class)
                .name(NAME)
                .instance(name)
                .origin(one)
                .target(other)
                .mode(Mode.MIGRATION)
                .phases(phases)
                .withoutDirectory()
                .copy(
                        KeyCodec.LONG,
                        new SimulatedDao.Copy(PartitionCopy.between(one, other), Guarantee.SOURCE_TIMESTAMPS))
                .method("livingIn", MethodSpec::noKey)
                .environment(new DualEnvironment(
                        time, time::nanoTime, PhaseControl.Sleeper.THREAD, new DualEnvironment.Threads() {
                            @Override
                            public ScheduledExecutorService scheduler() {
                                return process.executor();
                            }

                            @Override
                            public ExecutorService shadow(ShadowConfig config) {
                                return process.executor();
                            }
                        }))
                .build();
    }
}
