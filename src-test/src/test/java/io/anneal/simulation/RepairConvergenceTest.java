package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.RepairListener;
import io.anneal.repair.RepairReport;
import io.anneal.schema.TableOptions;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
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

    /** What is recent is left out, or brought along by what it hides: what is older is equal then, and nothing is lost. */
    @Test
    void shouldBeEqualUpToTheCutoffAndLoseNothing() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        long leftOut = 0;
        for (long seed = first; seed < first + SEEDS; seed++) {
            try (RepairScene scene = RepairScene.of(directory, seed, "cutoff")) {
                FragmentList expected = scene.expected();
                long cutoffMicros = RandomFragments.TIMESTAMP_BASE_MICROS
                        + scene.random().nextInt(3 * RandomFragments.TIMESTAMP_SPREAD_MICROS);
                for (boolean dryRun : new boolean[] {true, false, true}) {
                    RepairReport report = Repairs.run(
                            scene.replicas(),
                            Repairs.upTo(
                                    cutoffMicros,
                                    scene.rule(),
                                    scene.bufferBytes(),
                                    scene.random().nextLong(),
                                    dryRun));
                    leftOut += report.replicas().get(0).rowsRecent();
                    for (MemoryReplica replica : scene.replicas()) {
                        replica.reopen();
                    }
                    assertThat(report.cutoff()).isPresent();
                    assertThat(!dryRun
                                    || report.replicas().stream()
                                            .allMatch(r -> r.sstables().isEmpty()))
                            .isTrue();
                }
                RepairReport after = Repairs.run(
                        scene.replicas(),
                        Repairs.upTo(
                                cutoffMicros,
                                scene.rule(),
                                scene.bufferBytes(),
                                scene.random().nextLong(),
                                true));
                assertThat(after.wereEqual()).as("seed=%d, %s", seed, after).isTrue();
                repair(scene);
                scene.shouldBeEqual();
                assertThat(scene.replicas().get(0).view(scene.rule()).lines())
                        .as("seed=%d", seed)
                        .isEqualTo(expected.lines());
            }
        }
        assertThat(leftOut).isPositive();
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

    @Test
    void shouldRepairAllUpToTheTokenWhereItIsEndedAndNothingAfterIt() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        int ended = 0;
        for (long seed = first; seed < first + RANGE_SEEDS; seed++) {
            try (RepairScene scene = RepairScene.of(directory, seed, "ended")) {
                FragmentList expected = scene.expected();
                ended += endEarly(scene, expected) ? 1 : 0;
                repair(scene);
                scene.shouldBeEqual();
            }
        }
        assertThat(ended).as("sessions that were ended, of %d", RANGE_SEEDS).isGreaterThan(RANGE_SEEDS / 4);
    }

    /** Ends a session at a token, after some windows; false if it had come further. */
    private static boolean endEarly(RepairScene scene, FragmentList expected) throws IOException {
        List<Long> tokens = tokens(scene);
        long token = tokens.isEmpty() || scene.random().nextInt(4) == 0
                ? scene.random().nextLong()
                : tokens.get(scene.random().nextInt(tokens.size()))
                        - scene.random().nextInt(2);
        int windowsBefore = scene.random().nextInt(3);
        List<List<String>> afterIt = new ArrayList<>();
        for (MemoryReplica replica : scene.replicas()) {
            afterIt.add(lines(replica.view(NOTHING_PURGED), tokenOfKey -> tokenOfKey > token));
        }
        EarlyEnd ending = new EarlyEnd(token, windowsBefore);
        Repairs.run(
                scene.replicas(),
                Repairs.config(scene.rule(), scene.bufferBytes(), scene.random().nextLong()),
                ending);
        for (int i = 0; i < scene.replicas().size(); i++) {
            MemoryReplica replica = scene.replicas().get(i);
            replica.reopen();
            assertThat(lines(replica.view(scene.rule()), tokenOfKey -> tokenOfKey <= token))
                    .as("seed=%d, %s, up to %d", scene.seed(), replica.name(), token)
                    .isEqualTo(lines(expected, tokenOfKey -> tokenOfKey <= token));
            if (ending.isEnded) {
                assertThat(lines(replica.view(NOTHING_PURGED), tokenOfKey -> tokenOfKey > token))
                        .as("seed=%d, %s, after %d", scene.seed(), replica.name(), token)
                        .isEqualTo(afterIt.get(i));
            }
        }
        return ending.isEnded;
    }

    private static final class EarlyEnd implements RepairListener {
        private final long token;
        private final int windowsBefore;
        private RepairListener.EarlyEnd end = ignored -> false;
        private boolean isEnded;

        EarlyEnd(long token, int windowsBefore) {
            this.token = token;
            this.windowsBefore = windowsBefore;
        }

        @Override
        public void endsEarlyBy(RepairListener.EarlyEnd by) {
            end = by;
            if (windowsBefore == 0) {
                end();
            }
        }

        @Override
        public void progress(long windows, long rowsRead, long bytesRead, double covered) {
            if (windows == windowsBefore) {
                end();
            }
        }

        private void end() {
            try {
                isEnded = end.endAt(token);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
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

    private static List<Long> tokens(RepairScene scene) {
        List<Long> tokens = new ArrayList<>();
        scene.replicas()
                .forEach(replica -> replica.sources()
                        .forEach(source -> source.fragments().stream()
                                .filter(fragment -> fragment.kind() == FragmentKind.PARTITION_START)
                                .forEach(start -> tokens.add(start.key().token()))));
        return tokens;
    }

    /** Some end at a key's token, one goes around, unless it is the only one and goes all around. */
    private static List<TokenRange> ring(RepairScene scene) {
        List<Long> keys = tokens(scene);
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
