package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.RepairReport;
import io.anneal.schema.TableOptions;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random replicas become equal, to what the naive model shows of all that they had, whatever the windows, the ranges and the
 * purge time.
 */
class RepairConvergenceTest {
    private static final int SEEDS = Integer.getInteger("anneal.repair.seeds", 100);
    /** Fewer, since each repairs several ranges. */
    private static final int RANGE_SEEDS = SEEDS / 3;

    private static final SessionPurgeRule NOTHING_PURGED =
            new SessionPurgeRule(Long.MIN_VALUE, TableOptions.GC_GRACE_UNKNOWN);

    @TempDir
    private Path directory;

    @Test
    void shouldMakeRandomReplicasEqualWhenRepaired() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        for (long seed = first; seed < first + SEEDS; seed++) {
            repairRandomReplicas(seed);
        }
    }

    /** One session after the other, each of any ranges, that are the ring together. */
    @Test
    void shouldChangeOnlyTheRangesThatAreRepaired() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        for (long seed = first; seed < first + RANGE_SEEDS; seed++) {
            try (RepairScene scene = RepairScene.of(directory, seed, "ranges")) {
                FragmentList expected = scene.expected();
                List<TokenRange> ring = ring(scene);
                while (!ring.isEmpty()) {
                    List<TokenRange> together =
                            ring.subList(0, 1 + scene.random().nextInt(ring.size()));
                    repairRanges(scene, List.copyOf(together), expected);
                    together.clear();
                }
                scene.shouldBeEqual();
            }
        }
    }

    private static void repairRanges(RepairScene scene, List<TokenRange> ranges, FragmentList expected)
            throws IOException {
        LongPredicate inside = token -> ranges.stream().anyMatch(range -> range.contains(token));
        List<List<String>> outsideBefore = new ArrayList<>();
        for (MemoryReplica replica : scene.replicas()) {
            outsideBefore.add(lines(replica.view(NOTHING_PURGED), inside.negate()));
        }
        Repairs.run(
                scene.replicas(),
                Repairs.config(
                        scene.rule(),
                        ranges,
                        scene.bufferBytes(),
                        scene.random().nextLong()));
        for (int i = 0; i < scene.replicas().size(); i++) {
            MemoryReplica replica = scene.replicas().get(i);
            replica.reopen();
            assertThat(lines(replica.view(scene.rule()), inside))
                    .as("seed=%d, %s, inside of %s", scene.seed(), replica.name(), ranges)
                    .isEqualTo(lines(expected, inside));
            assertThat(lines(replica.view(NOTHING_PURGED), inside.negate()))
                    .as("seed=%d, %s, outside of %s", scene.seed(), replica.name(), ranges)
                    .isEqualTo(outsideBefore.get(i));
        }
    }

    /** Some end at a key's token, one goes around, unless it is the only one and goes all around. */
    private static List<TokenRange> ring(RepairScene scene) {
        List<Long> keys = new ArrayList<>();
        scene.replicas()
                .forEach(replica -> replica.sources()
                        .forEach(source -> source.fragments().stream()
                                .filter(fragment -> fragment.kind() == FragmentKind.PARTITION_START)
                                .forEach(start -> keys.add(start.key().token()))));
        TreeSet<Long> cuts = new TreeSet<>();
        for (int i = scene.random().nextInt(12); i >= 0; i--) {
            boolean atKey = !keys.isEmpty() && scene.random().nextBoolean();
            cuts.add(
                    atKey
                            ? keys.get(scene.random().nextInt(keys.size()))
                            : scene.random().nextLong());
        }
        List<TokenRange> ranges = new ArrayList<>();
        long left = cuts.last();
        for (long right : cuts) {
            ranges.add(new TokenRange(left, right));
            left = right;
        }
        Collections.shuffle(ranges, scene.random());
        return ranges;
    }

    private static List<String> lines(FragmentList list, LongPredicate wanted) {
        FragmentList.Builder builder = FragmentList.builder(list.schema());
        boolean isWanted = false;
        for (FragmentList.Fragment fragment : list.fragments()) {
            if (fragment.kind() == FragmentKind.PARTITION_START) {
                isWanted = wanted.test(fragment.key().token());
            }
            if (isWanted) {
                builder.add(fragment);
            }
        }
        return builder.build().lines();
    }

    private void repairRandomReplicas(long seed) throws IOException {
        try (RepairScene scene = RepairScene.of(directory, seed, "replica")) {
            repair(scene);
            scene.shouldBeEqual();
            RepairReport again = repair(scene);
            assertThat(again.wereEqual())
                    .as("seed=%d, second repair, report=%s", seed, again)
                    .isTrue();
        }
    }

    private static RepairReport repair(RepairScene scene) throws IOException {
        return Repairs.run(
                scene.replicas(),
                Repairs.config(scene.rule(), scene.bufferBytes(), scene.random().nextLong()));
    }
}
