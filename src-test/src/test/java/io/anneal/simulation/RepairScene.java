package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.SessionPurgeRule;
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
import java.util.Random;
import java.util.Set;

/** Random replicas with the numbers of their repair, all from one seed. */
record RepairScene(
        long seed,
        TableSchema schema,
        SessionPurgeRule rule,
        List<MemoryReplica> replicas,
        int bufferBytes,
        Random random)
        implements Closeable {

    /** @param name tells apart what is made of the same seed */
    static RepairScene of(Path directory, long seed, String name) throws IOException {
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
        return new RepairScene(seed, schema, rule, replicas, bufferBytes, random);
    }

    private static Set<Feature> features(long seed) {
        return switch ((int) Long.remainderUnsigned(seed, 4)) {
            case 1 -> Set.of(Feature.COUNTERS);
            case 3 -> Set.of(Feature.DROPPED_COLUMNS);
            default -> Set.of();
        };
    }

    private static TableOptions options(long gcGraceSeconds) {
        return new TableOptions(gcGraceSeconds, 0.01, 128, Map.of(), Map.of(), false, Map.of());
    }

    MemoryReplica master() {
        return replicas.get(0);
    }

    List<MemoryReplica> followers() {
        return replicas.subList(1, replicas.size());
    }

    /** All show what the model shows of all that they had. */
    void shouldBeEqual() throws IOException {
        List<String> expected = expected().lines();
        for (MemoryReplica replica : replicas) {
            replica.reopen();
            assertThat(replica.view(rule).lines())
                    .as("seed=%d, %s", seed, replica.name())
                    .isEqualTo(expected);
        }
    }

    /** Counters the model does not know: of these the merge has to be believed. */
    FragmentList expected() throws IOException {
        List<FragmentList> sources =
                replicas.stream().flatMap(replica -> replica.sources().stream()).toList();
        FragmentCursor merged;
        if (features(seed).contains(Feature.COUNTERS)) {
            merged = MergeCursor.of(
                    schema, sources.stream().map(FragmentList::cursor).toList());
        } else {
            NaiveTable model = new NaiveTable(schema);
            sources.forEach(model::add);
            merged = model.content().cursor();
        }
        try (FragmentCursor cursor = new PurgeCursor(merged, rule)) {
            return FragmentList.copyOf(cursor);
        }
    }

    @Override
    public void close() throws IOException {
        for (MemoryReplica replica : replicas) {
            replica.closeForGood();
        }
    }
}
