package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.Directories;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.node.Receiving;
import io.anneal.node.StagingArea;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableMetadata.KeyRange;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.SSTableWriter;
import io.anneal.store.SSTables;
import io.anneal.table.SSTableLinks;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What many sessions staged becomes few SSTables, whose content is the same to the byte. */
class StagedCompactionTest {
    private static final UUID RUN = new UUID(1, 1);
    private static final int SESSIONS = 4;
    private static final long DAY_MICROS = TimeUnit.DAYS.toMicros(1);
    private static final long FIRST_MICROS = 20_000 * DAY_MICROS;
    private static final String COLUMNS = "CREATE TABLE ks.t (k int, c int, s text static, v blob, PRIMARY KEY (k, c))";
    private static final TableSchema PLAIN = schema(COLUMNS);
    private static final TableSchema BY_DAYS = schema(COLUMNS + " WITH compaction = {'class':"
            + " 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'DAYS', 'compaction_window_size': '1'}");
    private static final List<Long> ONE_DISK = List.of();

    @TempDir
    private Path directory;

    private int sessions;

    private static TableSchema schema(String text) {
        return CqlSchema.parse(text + ";", "test").table("ks", "t").orElseThrow();
    }

    private StagingArea open() throws IOException {
        return StagingArea.open(directory.resolve("staging"), "n1", () -> Instant.EPOCH);
    }

    private void stage(StagingArea staging, FragmentCursor content, SSTableWriterConfig config) throws IOException {
        UUID session = new UUID(RUN.getMostSignificantBits(), ++sessions);
        try (Receiving receiving = staging.start(session, content.schema(), Optional.empty(), 1, config);
                StagedWriter writer = receiving.newWriter()) {
            writer.append(content);
            writer.finish();
            receiving.complete();
        }
    }

    private static List<Path> staged(StagingArea staging, TableSchema schema) throws IOException {
        return staging.sstables(schema, Optional.empty(), RUN).stream()
                .map(sstable -> sstable.file(Component.DATA))
                .toList();
    }

    private static List<String> items(StagingArea staging, TableSchema schema) throws IOException {
        return Content.items(Content.merged(schema, staged(staging, schema)));
    }

    static Stream<Arguments> tables() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + 30)
                .boxed()
                .flatMap(seed -> Stream.of(WrittenVersion.values()).map(version -> Arguments.of(seed, version)));
    }

    private static Set<Feature> features(long seed) {
        return switch ((int) (seed % 3)) {
            case 1 -> Set.of(Feature.COUNTERS);
            case 2 -> Set.of(Feature.SHADOWABLE_DELETIONS, Feature.DROPPED_COLUMNS);
            default -> Set.of();
        };
    }

    @ParameterizedTest(name = "seed={0}, version={1}")
    @MethodSource("tables")
    void shouldHoldTheSameInAnSSTableForEachDisk(long seed, WrittenVersion version) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        RandomFragments fragments =
                RandomFragments.withDistinctClusterings(seed, 30, TableOptions.UNKNOWN, features(seed));
        TableSchema schema = fragments.schema();
        List<Long> tokens = fragments.keys().stream().map(DecoratedKey::token).toList();
        List<Long> boundaries =
                seed % 2 == 0 ? ONE_DISK : List.of(tokens.get(tokens.size() / 3), tokens.get(tokens.size() * 2 / 3));
        try (StagingArea staging = open()) {
            for (int session = 0; session < SESSIONS; session++) {
                try (FragmentCursor content =
                        Content.merged(List.of(fragments.next(0.7))).cursor()) {
                    stage(staging, content, version.config(random, 30));
                }
            }
            List<String> before = items(staging, schema);

            staging.compact(schema, boundaries);

            assertThat(items(staging, schema)).isEqualTo(before);
            Set<Integer> disks = new HashSet<>();
            for (Path data : staged(staging, schema)) {
                assertThat(data.getFileName().toString())
                        .startsWith(version.version().text() + "-");
                assertThat(disks.add(disk(data, boundaries))).isTrue();
            }
        }
    }

    /** The one in which all of an SSTable lies. */
    private static int disk(Path data, List<Long> boundaries) throws IOException {
        try (SSTableReader reader = Content.open(data)) {
            assertThat(reader.verify()).isEmpty();
            KeyRange keys = reader.keyRange().orElseThrow();
            int disk = disk(keys.first(), boundaries);
            assertThat(disk(keys.last(), boundaries)).isEqualTo(disk);
            return disk;
        }
    }

    private static int disk(byte[] key, List<Long> boundaries) {
        return (int) boundaries.stream()
                .filter(last -> DecoratedKey.of(key).token() > last)
                .count();
    }

    private interface Rows {
        void write(SSTableWriter writer) throws IOException;
    }

    private void stage(StagingArea staging, TableSchema schema, Rows rows) throws IOException {
        stage(staging, schema, SSTableVersion.NB, rows);
    }

    private void stage(StagingArea staging, TableSchema schema, SSTableVersion version, Rows rows) throws IOException {
        Path place = directory.resolve("rows" + sessions);
        List<Descriptor> written;
        try (SSTableWriter writer = SSTableWriter.builder(schema).to(place).unsorted(64 << 20)) {
            rows.write(writer);
            written = writer.finish();
        }
        try (SSTables sstables = SSTables.open(schema, written);
                FragmentCursor content = sstables.scan(TokenRange.Linear.ALL)) {
            stage(staging, content, SSTableWriterConfig.defaults(100).withVersion(version));
        }
    }

    private static void insert(SSTableWriter writer, int k, int c, byte[] value, long micros) throws IOException {
        writer.row()
                .key("k", k)
                .clustering("c", c)
                .set("v", ByteBuffer.wrap(value))
                .timestampMicros(micros)
                .insert();
    }

    private void stageRow(StagingArea staging, int k) throws IOException {
        stage(staging, PLAIN, writer -> insert(writer, k, 0, new byte[1], FIRST_MICROS));
    }

    @Test
    void shouldKeepTimeWindowsApart() throws IOException {
        int days = 3;
        try (StagingArea staging = open()) {
            for (int session = 0; session < SESSIONS; session++) {
                int first = session * 10;
                stage(staging, BY_DAYS, writer -> {
                    for (int day = 0; day < days; day++) {
                        long micros = FIRST_MICROS + day * DAY_MICROS;
                        insert(writer, first + day, 0, new byte[1], micros);
                        insert(writer, first, day + 1, new byte[1], micros);
                        writer.row()
                                .key("k", first + 5)
                                .clustering("c", day)
                                .timestampMicros(micros)
                                .deleteRow();
                        writer.rangeDeletion()
                                .key("k", first + 6)
                                .from("c", day, true)
                                .to("c", day + 1, false)
                                .timestampMicros(micros)
                                .delete();
                    }
                });
            }
            List<String> before = items(staging, BY_DAYS);
            assertThat(staged(staging, BY_DAYS)).hasSize(SESSIONS * days);

            staging.compact(BY_DAYS, ONE_DISK);

            assertThat(items(staging, BY_DAYS)).isEqualTo(before);
            assertThat(staged(staging, BY_DAYS)).hasSize(days);
            for (Path data : staged(staging, BY_DAYS)) {
                try (SSTableReader reader = Content.open(data)) {
                    assertThat(reader.statistics().maxTimestampMicros())
                            .isEqualTo(reader.statistics().minTimestampMicros());
                }
            }
        }
    }

    @Test
    void shouldLeaveLargeOnesAndWhatOneSessionStaged() throws IOException {
        Random random = new Random(1);
        byte[] value = new byte[1 << 20];
        try (StagingArea staging = open()) {
            stage(staging, PLAIN, writer -> {
                for (int c = 0; c < 65; c++) {
                    random.nextBytes(value);
                    insert(writer, 0, c, value, FIRST_MICROS);
                }
            });
            stageRow(staging, 1);
            List<Path> before = staged(staging, PLAIN);

            staging.compact(PLAIN, ONE_DISK);

            assertThat(staged(staging, PLAIN)).isEqualTo(before);
            stageRow(staging, 2);
            staging.compact(PLAIN, ONE_DISK);
            assertThat(staged(staging, PLAIN))
                    .hasSize(2)
                    .contains(before.get(0))
                    .doesNotContain(before.get(1));
        }
    }

    @Test
    void shouldOpenNoMoreThanSoManyAtOnce() throws IOException {
        int most = 64;
        try (StagingArea staging = open()) {
            for (int k = 0; k < 2 * most + 1; k++) {
                stageRow(staging, k);
            }
            List<String> before = items(staging, PLAIN);

            staging.compact(PLAIN, ONE_DISK);

            assertThat(staged(staging, PLAIN)).hasSize(3);
            assertThat(items(staging, PLAIN)).isEqualTo(before);
        }
    }

    @Test
    void shouldLeaveWhatCanNotBeRead() throws IOException {
        try (StagingArea staging = open()) {
            stageRow(staging, 1);
            stageRow(staging, 2);
            List<Path> before = staged(staging, PLAIN);
            byte[] bytes = Files.readAllBytes(before.get(1));
            bytes[bytes.length - 1]++;
            Files.write(before.get(1), bytes);

            staging.compact(PLAIN, ONE_DISK);

            assertThat(staged(staging, PLAIN)).isEqualTo(before);
            assertThat(Files.readAllBytes(before.get(1))).isEqualTo(bytes);
            assertThat(staging.isReceiving()).isFalse();
        }
    }

    @Test
    void shouldLeaveWhatWasCutShort() throws IOException {
        try (StagingArea staging = open()) {
            for (int k = 1; k <= 3; k++) {
                stageRow(staging, k);
            }
            Path cut = staged(staging, PLAIN).get(1);
            Files.write(cut, new byte[1], StandardOpenOption.TRUNCATE_EXISTING);

            staging.compact(PLAIN, ONE_DISK);

            assertThat(lying("t"))
                    .as("it, and what the others are merged to")
                    .hasSize(2)
                    .contains(cut);
            assertThatThrownBy(() -> staged(staging, PLAIN)).hasMessageContaining("cut short");
        }
    }

    private List<Path> lying(String table) throws IOException {
        Path place = directory.resolve("staging").toRealPath().resolve("ks").resolve(table);
        return Directories.list(place).stream()
                .filter(file -> file.getFileName().toString().endsWith("-Data.db"))
                .toList();
    }

    @Test
    void shouldLeaveVersionsApart() throws IOException {
        try (StagingArea staging = open()) {
            for (SSTableVersion version : List.of(SSTableVersion.NB, SSTableVersion.OA, SSTableVersion.NB)) {
                stage(staging, PLAIN, version, writer -> insert(writer, sessions, 0, new byte[1], FIRST_MICROS));
            }

            staging.compact(PLAIN, ONE_DISK);

            assertThat(staged(staging, PLAIN))
                    .extracting(data -> data.getFileName().toString().substring(0, 2))
                    .containsExactlyInAnyOrder("nb", "oa");
        }
    }

    /** Which came as they are. */
    @Test
    void shouldLeaveVersionsThatNobodyWritesAnyMore() throws IOException {
        Path old = Corpus.ROOT.resolve("legacy/me/legacy_me_simple");
        TableSchema schema;
        Descriptor original;
        try (SSTables sstables = SSTables.open(old)) {
            schema = sstables.schema();
            original = sstables.readers().get(0).descriptor();
        }
        try (StagingArea staging = open()) {
            for (int session = 1; session <= 2; session++) {
                try (Receiving receiving = staging.start(
                        new UUID(RUN.getMostSignificantBits(), session),
                        schema,
                        Optional.empty(),
                        1,
                        SSTableWriterConfig.defaults(1))) {
                    Descriptor copy = receiving.newSSTable(SSTableVersion.ME).descriptor();
                    SSTableLinks.link(original, copy);
                    receiving.complete();
                }
            }
            List<Path> before = staged(staging, schema);

            staging.compact(schema, ONE_DISK);

            assertThat(staged(staging, schema)).hasSize(2).isEqualTo(before);
        }
    }

    @Test
    void shouldLeaveOtherTablesWhoseSSTablesHaveTheSameNames() throws IOException {
        TableSchema other = CqlSchema.parse(COLUMNS.replace("ks.t", "ks.u") + ";", "test")
                .table("ks", "u")
                .orElseThrow();
        try (StagingArea staging = open()) {
            stageRow(staging, 1);
            stageRow(staging, 2);
            stage(staging, other, writer -> insert(writer, 1, 0, new byte[1], FIRST_MICROS));
            List<Path> before = staged(staging, other);

            staging.compact(PLAIN, ONE_DISK);

            assertThat(staged(staging, PLAIN)).hasSize(1);
            assertThat(staged(staging, other)).isEqualTo(before).isEqualTo(lying("u"));
        }
    }

    @Test
    void shouldRefuseWhileASessionWrites() throws IOException {
        try (StagingArea staging = open();
                Receiving receiving =
                        staging.start(RUN, PLAIN, Optional.empty(), 1, SSTableWriterConfig.defaults(100))) {
            receiving.newSSTable(SSTableVersion.NB);

            assertThatThrownBy(() -> staging.compact(PLAIN, ONE_DISK)).isInstanceOf(IllegalStateException.class);
        }
    }
}
