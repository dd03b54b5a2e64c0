package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Mutation;
import io.anneal.key.DecoratedKey;
import io.anneal.memtable.Memtable;
import io.anneal.memtable.MemtablePool;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LiveSetTest {
    private static final TableSchema SCHEMA = CqlSchema.parse("CREATE TABLE ks.t (id blob PRIMARY KEY)", "test")
            .table("ks", "t")
            .orElseThrow();

    private final MemtablePool pool = new MemtablePool(1 << 20);
    private final MemoryGate gate = new MemoryGate(pool, () -> {}, () -> 0, nanos -> {});

    private LiveMemtable memtable() throws CorruptItemException {
        Memtable memtable = new Memtable(SCHEMA, pool);
        memtable.apply(Mutation.builder(SCHEMA, DecoratedKey.of(new byte[] {1}))
                .partitionDeletion(new DeletionTime(1, 1))
                .build());
        return new LiveMemtable(memtable, 0, CommitLogPosition.NONE, gate);
    }

    @Test
    void shouldKeepMemoryUntilTheLastHolderLetsGo() throws CorruptItemException {
        LiveMemtable memtable = memtable();
        LiveSet set = new LiveSet(SCHEMA, 0, List.of(memtable), List.of(), List.of());
        memtable.release();
        assertThat(set.retain()).isTrue();
        set.release();
        assertThat(pool.usedBytes()).isPositive();
        set.release();
        assertThat(pool.usedBytes()).isZero();
        assertThat(set.retain()).isFalse();
    }

    @Test
    void shouldNotCountAFlushedMemtableThatACursorHolds() throws CorruptItemException {
        LiveMemtable memtable = memtable();
        assertThat(gate.usedBytes()).isPositive();
        memtable.linger();
        assertThat(pool.usedBytes()).isPositive();
        assertThat(gate.usedBytes()).isZero();
        memtable.release();
        assertThat(pool.usedBytes()).isZero();
        assertThat(gate.usedBytes()).isZero();
    }

    @Test
    void shouldCountAMemtableOnceThatIsGoneWhenItsFlushEnds() throws CorruptItemException {
        LiveMemtable memtable = memtable();
        memtable.release();
        memtable.linger();
        assertThat(gate.usedBytes()).isZero();
    }
}
