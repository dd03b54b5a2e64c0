package io.anneal.bench.scenario;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.DualDaoBuilder;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.route.DualOperation;
import java.io.Closeable;
import java.time.Instant;
import java.util.Map;

/** Two sides in one phase, once as a DAO and once as the functional core. */
final class DualSides implements Closeable {
    private static final String NAME = "bench";

    private final PhaseStore phases;
    private final DualDao<ValueDao> served;
    private final DualDao<ValueDao> core;

    private DualSides(PhaseStore phases, DualDao<ValueDao> served, DualDao<ValueDao> core) {
        this.phases = phases;
        this.served = served;
        this.core = core;
    }

    static DualSides open(ValueDao origin, ValueDao target, Mode mode, Phase phase) {
        PhaseStore phases = new MemoryPhaseStore();
        phases.create(NAME, new PhaseRecord(1, phase, 100, phase, "bench", Instant.EPOCH, "bench"));
        if (mode == Mode.TEST) {
            // As whoever walks there in test mode leaves it.
            phases.addNote(
                    NAME,
                    new PhaseNote(Instant.EPOCH, 1, "bench", PhaseNote.Kind.TEXT, Map.of(Facts.MODE, mode.name())));
        }
        DualDao<ValueDao> served = configured(DualDao.builder(ValueDao.class), phases, origin, target, mode)
                .build();
        DualDao<ValueDao> core = configured(DualDao.functional(ValueDao.class), phases, origin, target, mode)
                .operation(
                        OperationSpec.<ValueDao, Long, String>of("find", OperationKind.READ, id -> id, ValueDao::find))
                .build();
        return new DualSides(phases, served, core);
    }

    private static DualDaoBuilder<ValueDao> configured(
            DualDaoBuilder<ValueDao> builder, PhaseStore phases, ValueDao origin, ValueDao target, Mode mode) {
        if (origin == target) {
            builder.sameStoreOnPurpose();
        }
        return builder.name(NAME).origin(origin).target(target).mode(mode).phases(phases);
    }

    ValueDao dao() {
        return served.dao();
    }

    DualOperation<Long, String> find() {
        return core.operation("find");
    }

    @Override
    public void close() {
        served.close();
        core.close();
        phases.close();
    }
}
