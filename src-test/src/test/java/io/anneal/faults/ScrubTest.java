package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.LostData;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.Scrub;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.StagingDirectory;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is rescued of damaged SSTables: no row that was not there, and every row that lies outside of what is reported lost. */
class ScrubTest {
    private static final int SEEDS = Integer.getInteger("anneal.scrub.seeds", 12);
    private static final int CHUNK_BYTES = 1024;

    @TempDir
    private Path directory;

    static Stream<Arguments> damages() {
        return Stream.of(SSTableVersion.values())
                .filter(SSTableVersion::isWritten)
                .flatMap(version -> Stream.iterate(Long.getLong("anneal.seed", 0), seed -> seed + 1)
                        .limit(SEEDS)
                        .map(seed -> Arguments.of(version, seed)));
    }

    @ParameterizedTest(name = "{0}, seed={1}")
    @MethodSource("damages")
    void shouldRescueNothingButRowsThatWereThere(SSTableVersion version, long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        RandomFragments fragments = new RandomFragments(seed);
        FragmentList written = random.nextBoolean() ? fragments.nextWide(300) : fragments.next(0.9);
        if (rows(written).isEmpty()) {
            return;
        }
        Compression compression = (random.nextBoolean() ? Compression.LZ4 : Compression.NONE);
        SSTableWriterConfig config = SSTableWriterConfig.defaults(30)
                .withVersion(version)
                .withCompression(compression.withChunkLengthBytes(CHUNK_BYTES))
                .withColumnIndexSizeBytes(200);
        Descriptor source = write(written, config);
        Path data = source.file(Component.DATA);
        byte[] bytes = Files.readAllBytes(data);
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        Files.write(data, bytes);

        List<LostData> lost = new ArrayList<>();
        List<String> rescued = new ArrayList<>();
        try (StagingDirectory staging = StagingDirectory.open(directory.resolve("out"));
                SSTableReader reader = Formats.open(source)) {
            Scrub.Result result = new Scrub(staging, config).run(reader, written.schema(), lost::add, position -> {});
            for (Descriptor target : result.written()) {
                rescued.addAll(verifiedRows(target, written));
            }
        }

        Set<String> all = new HashSet<>(rows(written));
        Set<String> missing = new TreeSet<>(all);
        rescued.forEach(missing::remove);
        assertThat(all).containsAll(rescued);
        if (!missing.isEmpty()) {
            assertThat(lost).anySatisfy(stretch -> assertThat(stretch.reason()).contains("checksum"));
        }
    }

    private Descriptor write(FragmentList content, SSTableWriterConfig config) throws IOException {
        try (FragmentWriter writer = Formats.write(directory, "1", content.schema(), config)) {
            writer.append(content.cursor());
            return writer.finish();
        }
    }

    private static List<String> verifiedRows(Descriptor descriptor, FragmentList written) throws IOException {
        try (SSTableReader reader = Formats.open(descriptor);
                FragmentCursor cursor = reader.scan(written.schema(), TokenRange.Linear.ALL)) {
            reader.verify();
            return rows(FragmentList.copyOf(cursor));
        }
    }

    /** Each row behind the key of its partition. */
    private static List<String> rows(FragmentList list) {
        List<String> rows = new ArrayList<>();
        List<String> lines = list.lines();
        String partition = "";
        for (int i = 0; i < lines.size(); i++) {
            switch (list.fragments().get(i).kind()) {
                case PARTITION_START -> partition = lines.get(i);
                case STATIC_ROW, CLUSTERING_ROW -> rows.add(partition + " " + lines.get(i));
                default -> {
                    // Deletions may be cut where rows are lost.
                }
            }
        }
        return rows;
    }
}
