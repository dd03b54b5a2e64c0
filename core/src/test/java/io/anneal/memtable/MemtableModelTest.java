package io.anneal.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.MemoryPartition;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.StreamText;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.NaiveMerge;
import io.anneal.merge.TinyTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class MemtableModelTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 7_000);
    private static final int ROUNDS = 2000;
    private static final MemtablePool POOL = new MemtablePool(1 << 20);

    @Test
    void shouldHoldWhatTheRulesMakeOfAllWritesInAnyOrder() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            long seed = FIRST_SEED + round;
            Random random = new Random(seed);
            TinyTable table = new TinyTable(seed, false);
            List<List<MemoryPartition>> written = new ArrayList<>();
            for (int i = random.nextInt(6); i >= 0; i--) {
                written.add(table.draw());
            }
            Memtable memtable = new Memtable(TinyTable.SCHEMA, POOL);
            for (Mutation mutation : mutations(written, random)) {
                memtable.apply(mutation);
            }
            assertThat(StreamText.of(MergeCursor.of(TinyTable.SCHEMA, List.of(memtable.scan(TokenRange.Linear.ALL)))))
                    .as("seed=%d", seed)
                    .isEqualTo(NaiveMerge.lines(TinyTable.SCHEMA, written, CanonicalEncoder.UNCLAMPED));
            memtable.release();
        }
        assertThat(POOL.usedBytes()).isZero();
    }

    /** Writes to one partition lie together or apart, as it comes. */
    private static List<Mutation> mutations(List<List<MemoryPartition>> written, Random random) {
        List<Mutation> mutations = new ArrayList<>();
        for (List<MemoryPartition> partitions : written) {
            for (MemoryPartition partition : partitions) {
                Mutation.Builder builder = Mutation.builder(TinyTable.SCHEMA, partition.key());
                List<Consumer<Mutation.Builder>> writes = Mutations.writes(partition);
                Collections.shuffle(writes, random);
                for (Consumer<Mutation.Builder> write : writes) {
                    write.accept(builder);
                    if (random.nextBoolean()) {
                        mutations.add(builder.build());
                        builder = Mutation.builder(TinyTable.SCHEMA, partition.key());
                    }
                }
                mutations.add(builder.build());
            }
        }
        Collections.shuffle(mutations, random);
        return mutations;
    }
}
