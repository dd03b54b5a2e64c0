package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random replicas become equal, to what the naive model shows of all that they had, whatever the windows, the ranges and the
 * purge time.
 */
class RepairConvergenceTest {
    private static final int SEEDS = Integer.getInteger("anneal.repair.seeds", 150);
    /** Fewer, since each repairs several ranges. */
    private static final int RANGE_SEEDS = SEEDS / 3;

    private static final int REMOTE_SEEDS = 10;
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

    /** One range after the other, in any order, that are the ring together. */
    @Test
    void shouldChangeOnlyTheRangeThatIsRepaired() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        for (long seed = first; seed < first + RANGE_SEEDS; seed++) {
            try (Scene scene = scene(seed, "ranges").orElseThrow()) {
                FragmentList expected = expected(scene);
                for (TokenRange range : ring(scene)) {
                    repairRange(scene, range, expected);
                }
                shouldBeEqual(scene);
            }
        }
    }

    private static void repairRange(Scene scene, TokenRange range, FragmentList expected) throws IOException {
        List<List<String>> outsideBefore = new ArrayList<>();
        for (MemoryReplica replica : scene.replicas()) {
            outsideBefore.add(lines(replica.view(NOTHING_PURGED), token -> !range.contains(token)));
        }
        Repairs.run(
                scene.replicas(),
                Repairs.config(
                        scene.rule(), range, scene.bufferBytes(), scene.random().nextLong()));
        for (int i = 0; i < scene.replicas().size(); i++) {
            MemoryReplica replica = scene.replicas().get(i);
            replica.reopen();
            assertThat(lines(replica.view(scene.rule()), range::contains))
                    .as("seed=%d, %s, inside of %s", scene.seed(), replica.name(), range)
                    .isEqualTo(lines(expected, range::contains));
            assertThat(lines(replica.view(NOTHING_PURGED), token -> !range.contains(token)))
                    .as("seed=%d, %s, outside of %s", scene.seed(), replica.name(), range)
                    .isEqualTo(outsideBefore.get(i));
        }
    }

    /** Some end at a key's token, one goes around, unless it is the only one and goes all around. */
    private static List<TokenRange> ring(Scene scene) {
        List<Long> keys = new ArrayList<>();
        scene.replicas()
                .forEach(replica -> replica.sources()
                        .forEach(source -> source.fragments().stream()
                                .filter(fragment -> fragment.kind() == FragmentKind.PARTITION_START)
                                .forEach(start -> keys.add(start.key().token()))));
        TreeSet<Long> cuts = new TreeSet<>();
        for (int i = scene.random().nextInt(4); i >= 0; i--) {
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

    /** All show what the model shows of all that they had. */
    private static void shouldBeEqual(Scene scene) throws IOException {
        List<String> expected = expected(scene).lines();
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
                                replica.importDeadlineSeconds(),
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

    /** Counters the model does not know: of these the merge has to be believed. */
    private static FragmentList expected(Scene scene) throws IOException {
        List<FragmentList> sources = scene.replicas().stream()
                .flatMap(replica -> replica.sources().stream())
                .toList();
        FragmentCursor merged;
        if (features(scene.seed()).contains(Feature.COUNTERS)) {
            merged = MergeCursor.of(
                    scene.schema(), sources.stream().map(FragmentList::cursor).toList());
        } else {
            NaiveTable model = new NaiveTable(scene.schema());
            sources.forEach(model::add);
            merged = model.content().cursor();
        }
        try (FragmentCursor cursor = new PurgeCursor(merged, scene.rule())) {
            return FragmentList.copyOf(cursor);
        }
    }

    private static TableOptions options(long gcGraceSeconds) {
        return new TableOptions(gcGraceSeconds, 0.01, 128, Map.of(), Map.of(), false, Map.of());
    }
}
