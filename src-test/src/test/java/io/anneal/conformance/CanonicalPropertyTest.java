package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.fragment.HashSum;
import io.anneal.fragment.ItemHash;
import io.anneal.fragment.Row;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rule 20 of the canonical form: {@code canon(merge(a, b)) = canon(merge(unpurged a, unpurged b))} for any split of the
 * data over sources, files, versions and earlier merges, at any purge time, and for rows that were sent.
 */
class CanonicalPropertyTest {
    private static final int SPLITS = 3;
    private static final long CEILING_SECONDS = RandomFragments.DELETION_BASE_SECONDS + 3_600;
    private static final long[] GC_GRACE_SECONDS = {0, 10, 40, 80, Integer.MAX_VALUE};

    @TempDir
    private Path directory;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 40));
    }

    /** Purges some of what was deleted: at a moment among the deletions, or when some of what expires has expired. */
    private static SessionPurgeRule rule(long seed) {
        SplittableRandom random = new SplittableRandom(seed ^ RandomFragments.DELETION_BASE_SECONDS);
        long afterSeconds = random.nextInt(random.nextBoolean() ? 150 : 100_000);
        return new SessionPurgeRule(
                RandomFragments.DELETION_BASE_SECONDS + afterSeconds,
                GC_GRACE_SECONDS[random.nextInt(GC_GRACE_SECONDS.length)]);
    }

    /** Every other table is an ordinary one; the rest take turns with what they have. */
    private static EnumSet<Feature> features(long seed) {
        return switch ((int) Long.remainderUnsigned(seed, 6)) {
            case 1 -> EnumSet.of(Feature.COUNTERS);
            case 3 -> EnumSet.of(Feature.DROPPED_COLUMNS);
            case 5 -> EnumSet.of(Feature.COUNTERS, Feature.DROPPED_COLUMNS);
            default -> EnumSet.noneOf(Feature.class);
        };
    }

    /** The items of a stream as text, in order. */
    private static List<String> canon(FragmentCursor unchecked) throws IOException {
        return CanonicalItems.text(FragmentStreamValidator.withValues(unchecked), CEILING_SECONDS);
    }

    private static FragmentCursor merge(TableSchema schema, List<FragmentCursor> cursors) {
        return MergeCursor.of(schema, cursors, CEILING_SECONDS);
    }

    private static FragmentCursor mergeLists(TableSchema schema, List<FragmentList> lists) {
        return merge(schema, lists.stream().map(FragmentList::cursor).toList());
    }

    private static List<FragmentList> draws(RandomFragments fragments) {
        List<FragmentList> draws = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            draws.add(fragments.next(0.5));
        }
        return draws;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldNotDependOnHowCellsAreSplitOverSources(long seed) throws IOException {
        Set<Feature> features = EnumSet.copyOf(features(seed));
        features.add(Feature.SHADOWABLE_DELETIONS);
        RandomFragments fragments = new RandomFragments(seed, 30, TableOptions.UNKNOWN, features).allowShadowed();
        List<FragmentList> draws = draws(fragments);
        List<FragmentList> scattered = scatterAll(draws, new SplittableRandom(seed));
        assertThat(canon(mergeLists(fragments.schema(), scattered)))
                .isEqualTo(canon(mergeLists(fragments.schema(), draws)));
        List<String> view = canon(new PurgeCursor(mergeLists(fragments.schema(), draws), rule(seed)));
        List<String> scatteredView = canon(new PurgeCursor(mergeLists(fragments.schema(), scattered), rule(seed)));
        assertThat(scatteredView).isEqualTo(view);
        assertThat(sum(scatteredView, seed).sameAs(sum(view, seed))).isTrue();
    }

    private static HashSum sum(List<String> items, long seed) {
        HashSum sum = new HashSum();
        ItemHash hash = new ItemHash(seed);
        for (String item : items) {
            byte[] bytes = HexFormat.of().parseHex(item);
            hash.hash(bytes, 0, bytes.length);
            sum.add(hash);
        }
        return sum;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldNotDependOnWhatWasMergedBefore(long seed) throws IOException {
        RandomFragments fragments = distinct(seed);
        TableSchema schema = fragments.schema();
        List<FragmentList> lists = scatterAll(draws(fragments), new SplittableRandom(seed));
        int half = lists.size() / 2;
        FragmentCursor left = MergeCursor.of(
                schema,
                lists.subList(0, half).stream().map(FragmentList::cursor).toList());
        FragmentCursor right = mergeLists(schema, lists.subList(half, lists.size()));
        assertThat(canon(new PurgeCursor(merge(schema, List.of(left, right)), rule(seed))))
                .isEqualTo(canon(new PurgeCursor(mergeLists(schema, lists), rule(seed))));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldNotDependOnWhatWasSentAsItems(long seed) throws IOException {
        RandomFragments fragments = distinct(seed);
        TableSchema schema = fragments.schema();
        List<FragmentList> draws = draws(fragments);
        List<byte[]> sent = CanonicalItems.of(mergeLists(schema, draws.subList(1, 3)), CEILING_SECONDS);
        Collections.shuffle(sent, new Random(seed));
        assertThat(canon(ReceivedItems.list(schema, sent).cursor()))
                .isEqualTo(canon(mergeLists(schema, draws.subList(1, 3))));
        FragmentCursor both = merge(
                schema,
                List.of(draws.get(0).cursor(), ReceivedItems.list(schema, sent).cursor()));
        assertThat(canon(new PurgeCursor(both, rule(seed))))
                .isEqualTo(canon(new PurgeCursor(mergeLists(schema, draws), rule(seed))));
    }

    /** Decimals may be equal and differ in bytes, and a version that an earlier merge dropped is not seen. */
    private static RandomFragments distinct(long seed) {
        return RandomFragments.withDistinctClusterings(seed, 30, TableOptions.UNKNOWN, features(seed))
                .allowShadowed();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldNotDependOnHowDataIsSplitOverFilesAndVersions(long seed) throws IOException {
        RandomFragments fragments = distinct(seed);
        TableSchema schema = fragments.schema();
        List<FragmentList> lists = scatterAll(draws(fragments), new SplittableRandom(seed));
        List<SSTableReader> readers = new ArrayList<>();
        List<FragmentCursor> cursors = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(seed);
        try {
            for (int i = 0; i < lists.size(); i++) {
                if (!hasContent(lists.get(i))) {
                    continue;
                }
                WrittenVersion[] versions = WrittenVersion.values();
                SSTableWriterConfig config = versions[random.nextInt(versions.length)].config(random, 100);
                try (FragmentWriter writer = Formats.write(directory, String.valueOf(i + 1), schema, config)) {
                    writer.append(MergeCursor.of(schema, List.of(lists.get(i).cursor())));
                    readers.add(Formats.open(writer.finish()));
                }
            }
            for (SSTableReader reader : readers) {
                cursors.add(reader.scan(schema, TokenRange.Linear.ALL));
            }
            assertThat(canon(new PurgeCursor(merge(schema, cursors), rule(seed))))
                    .isEqualTo(canon(new PurgeCursor(mergeLists(schema, lists), rule(seed))));
        } finally {
            for (SSTableReader reader : readers) {
                reader.close();
            }
        }
    }

    private static boolean hasContent(FragmentList list) throws IOException {
        return MergeCursor.of(list.schema(), List.of(list.cursor())).advance() != null;
    }

    private static List<FragmentList> scatterAll(List<FragmentList> lists, SplittableRandom random) {
        List<FragmentList> scattered = new ArrayList<>();
        lists.forEach(list -> scattered.addAll(scatter(list, random)));
        return scattered;
    }

    /** Spreads every cell, deletion and liveness over some of the lists, at least one each. */
    private static List<FragmentList> scatter(FragmentList list, SplittableRandom random) {
        List<FragmentList.Builder> builders = new ArrayList<>();
        for (int i = 0; i < SPLITS; i++) {
            builders.add(FragmentList.builder(list.schema()));
        }
        boolean[] rangeGoesTo = new boolean[SPLITS];
        boolean[] isOpen = new boolean[SPLITS];
        for (Fragment fragment : list.fragments()) {
            switch (fragment.kind()) {
                case PARTITION_START -> {
                    boolean[] goesTo = some(random);
                    for (int i = 0; i < SPLITS; i++) {
                        if (goesTo[i]) {
                            builders.get(i).add(fragment);
                        } else {
                            builders.get(i).partition(fragment.key());
                        }
                    }
                }
                case STATIC_ROW, CLUSTERING_ROW -> scatterRow(fragment.row(), builders, random);
                case RANGE_TOMBSTONE_CHANGE -> {
                    rangeGoesTo = some(random);
                    boolean live = DeletionTime.isLive(fragment.timestampMicros(), fragment.localDeletionTimeSeconds());
                    for (int i = 0; i < SPLITS; i++) {
                        boolean opens = rangeGoesTo[i] && !live;
                        if (opens) {
                            builders.get(i).add(fragment);
                        } else if (isOpen[i]) {
                            builders.get(i)
                                    .change(
                                            fragment.prefix(),
                                            fragment.weight(),
                                            DeletionTime.NO_TIMESTAMP,
                                            DeletionTime.NO_DELETION_TIME);
                        }
                        isOpen[i] = opens;
                    }
                }
                case PARTITION_END -> builders.forEach(FragmentList.Builder::end);
            }
        }
        return builders.stream().map(FragmentList.Builder::build).toList();
    }

    private static boolean[] some(SplittableRandom random) {
        boolean[] some = new boolean[SPLITS];
        for (int i = 0; i < SPLITS; i++) {
            some[i] = random.nextInt(3) == 0;
        }
        some[random.nextInt(SPLITS)] = true;
        return some;
    }

    private static void scatterRow(Row row, List<FragmentList.Builder> builders, SplittableRandom random) {
        Row[] parts = new Row[SPLITS];
        for (int i = 0; i < SPLITS; i++) {
            parts[i] = new Row();
            parts[i].clear(row.isStatic());
            parts[i].clustering().wrap(row.clustering());
        }
        boolean[] livenessGoesTo = some(random);
        boolean[] deletionGoesTo = some(random);
        for (int i = 0; i < SPLITS; i++) {
            if (livenessGoesTo[i]) {
                parts[i].liveness(row.livenessTimestampMicros(), row.livenessTtlSeconds(), row.livenessExpirySeconds());
            }
            if (deletionGoesTo[i]) {
                parts[i].deletion(
                        row.deletionTimestampMicros(), row.deletionLocalTimeSeconds(), row.isDeletionShadowable());
            }
        }
        for (int entry = 0; entry < row.entryCount(); entry++) {
            boolean[] goesTo = some(random);
            for (int i = 0; i < SPLITS; i++) {
                if (goesTo[i]) {
                    parts[i].addEntryOf(row, entry);
                }
            }
        }
        for (int i = 0; i < SPLITS; i++) {
            if (!parts[i].isEmpty()) {
                builders.get(i).row(parts[i]);
            }
        }
    }
}
