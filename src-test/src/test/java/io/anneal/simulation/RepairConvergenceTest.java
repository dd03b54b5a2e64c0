package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.PurgeRule;
import io.anneal.repair.LocalReplica;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairListener;
import io.anneal.repair.RepairMaster;
import io.anneal.repair.RepairReport;
import io.anneal.repair.Replica;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random replicas become equal, to what a merge of all of them shows, whatever the windows and the purge time. */
class RepairConvergenceTest {
    private static final int SEEDS = Integer.getInteger("anneal.repair.seeds", 150);

    @TempDir
    private Path directory;

    @Test
    void shouldMakeRandomReplicasEqualWhenRepaired() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        for (long seed = first; seed < first + SEEDS; seed++) {
            repairRandomReplicas(seed);
        }
    }

    private void repairRandomReplicas(long seed) throws IOException {
        Random random = new Random(seed);
        long gcGraceSeconds = random.nextInt(RandomFragments.DELETION_SPREAD_SECONDS);
        RandomFragments fragments = new RandomFragments(seed, 12, options(gcGraceSeconds));
        TableSchema schema = fragments.schema();
        if (schema.clustering().stream()
                .anyMatch(column -> column.type().cqlName().contains("decimal"))) {
            // Equal decimals may differ in bytes: docs/encoding.md says what that means for range deletions.
            return;
        }
        PurgeRule rule = new PurgeRule(
                RandomFragments.DELETION_BASE_SECONDS + random.nextInt(2 * RandomFragments.DELETION_SPREAD_SECONDS),
                gcGraceSeconds);
        List<MemoryReplica> replicas = new ArrayList<>();
        FragmentList common = fragments.next(0.5);
        for (int i = 0, count = 2 + random.nextInt(3); i < count; i++) {
            List<FragmentList> sources = new ArrayList<>();
            if (random.nextInt(4) > 0) {
                sources.add(common);
            }
            for (int s = random.nextInt(3); s > 0; s--) {
                sources.add(fragments.next(random.nextDouble()));
            }
            replicas.add(new MemoryReplica("replica " + i, schema, sources, directory.resolve(seed + "-" + i)));
        }
        List<String> expected = lines(all(schema, replicas, rule));
        int bufferBytes = 1 + random.nextInt(random.nextBoolean() ? 2_000 : 100_000);

        repair(replicas, rule, bufferBytes, random);

        for (MemoryReplica replica : replicas) {
            replica.reopen();
            assertThat(lines(replica.view(rule)))
                    .as("seed=%d, %s", seed, replica.name())
                    .isEqualTo(expected);
        }
        RepairReport again = repair(replicas, rule, bufferBytes, random);
        assertThat(again.wereEqual())
                .as("seed=%d, second repair, report=%s", seed, again)
                .isTrue();
        for (MemoryReplica replica : replicas) {
            replica.closeForGood();
        }
    }

    private static RepairReport repair(List<MemoryReplica> replicas, PurgeRule rule, int bufferBytes, Random random)
            throws IOException {
        RepairConfig config = new RepairConfig(
                new UUID(random.nextLong(), random.nextLong()),
                "ks",
                "t",
                TokenRange.FULL,
                bufferBytes,
                rule.purgeTimeSeconds(),
                random.nextLong(),
                RepairConfig.NB_LOCAL_DELETION_TIME_MAX_SECONDS,
                false,
                true);
        List<Replica> followers = new ArrayList<>();
        for (MemoryReplica replica : replicas.subList(1, replicas.size())) {
            followers.add(new LocalReplica(replica.name(), (keyspace, table) -> replica, Runnable::run));
        }
        try (RepairMaster master = new RepairMaster(config, replicas.get(0), followers, RepairListener.NONE)) {
            return master.run();
        } finally {
            followers.forEach(Replica::close);
        }
    }

    private static FragmentList all(TableSchema schema, List<MemoryReplica> replicas, PurgeRule rule)
            throws IOException {
        List<FragmentCursor> cursors = new ArrayList<>();
        replicas.forEach(replica -> replica.sources().forEach(source -> cursors.add(source.cursor())));
        try (FragmentCursor cursor = new PurgeCursor(MergeCursor.of(schema, cursors), rule)) {
            return FragmentList.copyOf(cursor);
        }
    }

    private static TableOptions options(long gcGraceSeconds) {
        return new TableOptions(gcGraceSeconds, 0.01, 128, Map.of(), Map.of(), false, Map.of());
    }

    private static List<String> lines(FragmentList list) {
        return list.lines();
    }
}
