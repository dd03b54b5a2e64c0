package io.anneal.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.MemoryPartition;
import io.anneal.merge.TinyTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Whatever is compacted when, and with whatever beside it: what replicas see is what they would see without any compaction.
 * Nearly everything ties with, shadows or repeats something else. Without shadowable deletions, whose merge is not associative
 * with or without purging. A failure names its seed; {@code -Danneal.seed=N} starts from
 * another.
 */
class ResurrectionFuzzTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 1);
    private static final int ROUNDS = 3000;
    private static final MemoryTable TABLE = new MemoryTable(TinyTable.SCHEMA);

    @Test
    void shouldChangeNothingThatReplicasSeeWhateverIsCompacted() throws IOException {
        long purgedRounds = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
            purgedRounds += round(seed) ? 1 : 0;
        }
        assertThat(purgedRounds).isGreaterThan(ROUNDS / 4);
    }

    /** Whether something was purged. */
    private static boolean round(long seed) throws IOException {
        Random random = new Random(seed);
        TinyTable table = new TinyTable(seed, false);
        List<List<MemoryPartition>> untouched = new ArrayList<>();
        for (int i = 2 + random.nextInt(4); i > 0; i--) {
            untouched.add(table.draw());
        }
        List<List<MemoryPartition>> compacted = new ArrayList<>(untouched);
        long gcGraceSeconds = random.nextInt(3);
        long nowSeconds = 100;
        CompactionPurge rule = null;
        boolean purged = false;
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            nowSeconds += random.nextInt(4);
            List<List<MemoryPartition>> inputs = new ArrayList<>();
            for (int n = 1 + random.nextInt(compacted.size()); n > 0; n--) {
                inputs.add(compacted.remove(random.nextInt(compacted.size())));
            }
            boolean byRepair = random.nextInt(4) == 0;
            long repairedSeconds = nowSeconds - gcGraceSeconds;
            rule = new CompactionPurge(
                    byRepair ? PurgeMode.REPAIR : PurgeMode.GC_GRACE,
                    gcGraceSeconds,
                    nowSeconds,
                    token -> repairedSeconds,
                    MemoryTable.overlaps(compacted));
            List<MemoryPartition> output = TABLE.compact(inputs, rule);
            purged |= !output.equals(TABLE.compact(
                    inputs, new CompactionPurge(PurgeMode.DISABLED, 0, 0, RepairTimes.NONE, Overlaps.NONE)));
            compacted.add(output);
        }
        for (int later = 0; later < 3; later++) {
            assertThat(TABLE.view(compacted, nowSeconds + later, gcGraceSeconds))
                    .as("seed=%d later=%d", seed, later)
                    .isEqualTo(TABLE.view(untouched, nowSeconds + later, gcGraceSeconds));
        }
        return purged;
    }
}
