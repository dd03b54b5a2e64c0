package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableOptions;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is written is read back as it was, and passes every check, whatever the table and the version. */
class RoundTripTest {
    @TempDir
    private Path directory;

    static Stream<Arguments> tables() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + 150)
                .boxed()
                .flatMap(seed -> Stream.of(WrittenVersion.values()).map(version -> Arguments.of(seed, version)));
    }

    @ParameterizedTest(name = "seed={0}, version={1}")
    @MethodSource("tables")
    void shouldReadBackWhatWasWritten(long seed, WrittenVersion version) throws IOException {
        RandomFragments fragments = new RandomFragments(seed, 30, TableOptions.UNKNOWN, features(seed)).allowShadowed();
        SSTableWriterConfig config = version.config(new SplittableRandom(seed), 30);
        assertRoundTrip(withContent(fragments.next(0.7)), "1", config);
        assertRoundTrip(withContent(fragments.nextWide(300)), "2", config);
    }

    private static Set<Feature> features(long seed) {
        return switch ((int) (seed % 5)) {
            case 1 -> Set.of(Feature.COUNTERS);
            case 2 -> Set.of(Feature.COUNTERS, Feature.LEGACY_SHARDS);
            case 3 -> Set.of(Feature.SHADOWABLE_DELETIONS, Feature.DROPPED_COLUMNS);
            default -> Set.of();
        };
    }

    private void assertRoundTrip(FragmentList written, String generation, SSTableWriterConfig config)
            throws IOException {
        if (written.partitionCount() == 0) {
            return;
        }
        Descriptor descriptor;
        try (FragmentWriter writer = Formats.write(directory, generation, written.schema(), config)) {
            writer.append(written.cursor());
            descriptor = writer.finish();
        }
        try (SSTableReader reader = Formats.open(descriptor);
                FragmentCursor cursor = reader.scan(written.schema(), TokenRange.Linear.ALL)) {
            assertThat(FragmentList.copyOf(cursor).lines()).isEqualTo(written.lines());
            reader.verify();
            assertThat(reader.statistics().totalRows()).isEqualTo(rows(written));
        }
    }

    private static long rows(FragmentList list) {
        return list.fragments().stream()
                .filter(fragment -> fragment.row() != null)
                .count();
    }

    /** Without partitions that have neither deletion nor content, which a writer leaves out. */
    private static FragmentList withContent(FragmentList list) {
        FragmentList.Builder builder = FragmentList.builder(list.schema());
        for (int i = 0; i < list.fragments().size(); i++) {
            FragmentList.Fragment fragment = list.fragments().get(i);
            boolean start = fragment.kind() == FragmentKind.PARTITION_START;
            if (start
                    && fragment.timestampMicros() == Long.MIN_VALUE
                    && list.fragments().get(i + 1).kind() == FragmentKind.PARTITION_END) {
                i++;
            } else {
                builder.add(fragment);
            }
        }
        return builder.build();
    }
}
