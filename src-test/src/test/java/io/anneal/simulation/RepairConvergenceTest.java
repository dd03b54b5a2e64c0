package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairReport;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random replicas become equal, to what a merge of all of them shows, whatever the windows and the purge time. */
class RepairConvergenceTest {
    private static final int SEEDS = Integer.getInteger("anneal.repair.seeds", 150);
    private static final int REMOTE_SEEDS = 10;

    @TempDir
    private Path directory;

    @Test
    void shouldMakeRandomReplicasEqualWhenRepaired() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        for (long seed = first; seed < first + SEEDS; seed++) {
            repairRandomReplicas(seed);
        }
    }

    @Test
    void shouldReportTheSameWhenFollowersAreBehindConnections() throws IOException {
        int compared = 0;
        for (long seed = Long.getLong("anneal.seed", 1); compared < REMOTE_SEEDS; seed++) {
            Optional<Scene> local = scene(seed, "local");
            if (local.isEmpty()) {
                continue;
            }
            Scene remote = scene(seed, "remote").orElseThrow();
            RepairConfig config = Repairs.config(local.get().rule(), local.get().bufferBytes(), seed);

            RepairReport inProcess = Repairs.run(local.get().replicas(), config);
            RepairReport overSockets;
            try (LoopbackFollowers followers = new LoopbackFollowers()) {
                List<MemoryReplica> others =
                        remote.replicas().subList(1, remote.replicas().size());
                overSockets = Repairs.run(remote.replicas().get(0), followers.connect(others), config);
            }

            assertThat(overSockets.networkBytes()).isPositive();
            assertThat(withoutPlaces(overSockets)).as("seed=%d", seed).isEqualTo(withoutPlaces(inProcess));
            shouldBeEqual(remote);
            local.get().close();
            remote.close();
            compared++;
        }
    }

    /** Random replicas with the numbers of their repair. */
    private record Scene(
            long seed,
            TableSchema schema,
            SessionPurgeRule rule,
            List<MemoryReplica> replicas,
            int bufferBytes,
            Random random)
            implements Closeable {
        @Override
        public void close() throws IOException {
            for (MemoryReplica replica : replicas) {
                replica.closeForGood();
            }
        }
    }

    private static Set<Feature> features(long seed) {
        return switch ((int) Long.remainderUnsigned(seed, 4)) {
            case 1 -> Set.of(Feature.COUNTERS);
            case 3 -> Set.of(Feature.DROPPED_COLUMNS);
            default -> Set.of();
        };
    }

    private Optional<Scene> scene(long seed, String name) throws IOException {
        Random random = new Random(seed);
        long gcGraceSeconds = random.nextInt(RandomFragments.DELETION_SPREAD_SECONDS);
        RandomFragments fragments =
                RandomFragments.withDistinctClusterings(seed, 12, options(gcGraceSeconds), features(seed));
        if (random.nextBoolean()) {
            fragments.allowShadowed();
        }
        TableSchema schema = fragments.schema();
        SessionPurgeRule rule = new SessionPurgeRule(
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
            Path received = directory.resolve(name + "-" + seed + "-" + i);
            replicas.add(new MemoryReplica("replica " + i, schema, sources, received));
        }
        int bufferBytes = 1 + random.nextInt(random.nextBoolean() ? 2_000 : 100_000);
        return Optional.of(new Scene(seed, schema, rule, replicas, bufferBytes, random));
    }

    private void repairRandomReplicas(long seed) throws IOException {
        Optional<Scene> possible = scene(seed, "replica");
        if (possible.isEmpty()) {
            return;
        }
        try (Scene scene = possible.get()) {
            repair(scene);
            shouldBeEqual(scene);
            RepairReport again = repair(scene);
            assertThat(again.wereEqual())
                    .as("seed=%d, second repair, report=%s", seed, again)
                    .isTrue();
        }
    }

    /** All show what the merge of all that they had shows. */
    private static void shouldBeEqual(Scene scene) throws IOException {
        List<String> expected =
                all(scene.schema(), scene.replicas(), scene.rule()).lines();
        for (MemoryReplica replica : scene.replicas()) {
            replica.reopen();
            assertThat(replica.view(scene.rule()).lines())
                    .as("seed=%d, %s", scene.seed(), replica.name())
                    .isEqualTo(expected);
        }
    }

    private static RepairReport repair(Scene scene) throws IOException {
        return Repairs.run(
                scene.replicas(),
                Repairs.config(scene.rule(), scene.bufferBytes(), scene.random().nextLong()));
    }

    /** Without what names files and counts bytes of the network. */
    private static RepairReport withoutPlaces(RepairReport report) {
        return new RepairReport(
                report.replicas().stream()
                        .map(replica -> new RepairReport.ReplicaReport(
                                replica.name(),
                                replica.rowsRead(),
                                replica.bytesRead(),
                                replica.rowsWritten(),
                                replica.deletionsWritten(),
                                List.of()))
                        .toList(),
                report.windows(),
                report.windowsDiffering(),
                report.rowsDiffering(),
                report.deletionsDiffering(),
                report.itemsFetched(),
                report.itemsPushed(),
                report.itemBytes(),
                0,
                report.dryRun(),
                report.importDeadlineSeconds(),
                report.notes());
    }

    private static FragmentList all(TableSchema schema, List<MemoryReplica> replicas, SessionPurgeRule rule)
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
}
