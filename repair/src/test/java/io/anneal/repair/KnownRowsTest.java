package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteBudget;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.net.Waiting;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.KeptDirectory;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import io.anneal.repair.message.OpenSession;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.SSTables;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What replicas know of an earlier repair: a repair that relies on it finds what one finds that reads all rows. */
@Timeout(300)
class KnownRowsTest {
    private static final int WORLDS = 6;
    private static final int STEPS = 25;
    private static final int KEYS = 400;
    private static final int REPLICAS = 3;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final long GC_GRACE_SECONDS = 50;
    private static final long FIRST_MICROS = 1_500_000_000_000_000L;

    @TempDir
    private Path directory;

    private final long seed = Long.getLong("anneal.seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private RandomFragments fragments;
    private TableSchema schema;
    private List<Node> nodes;
    private Instant now;
    private Set<Waiver> waivers = EnumSet.allOf(Waiver.class);
    private final AtomicInteger transfers = new AtomicInteger();

    /** A directory as a node of Cassandra has it, and what is kept of it. */
    private final class Node {
        private final Path data;
        private KeptDirectory kept;
        private boolean keeps = true;
        private final Path staged;
        private int generation;

        Node(Path place) throws IOException {
            data = Files.createDirectories(place.resolve("data")
                    .resolve(schema().keyspace())
                    .resolve(schema().name() + "-11111111222233334444555555555555"));
            Files.writeString(data.resolve("schema.cql"), SchemaText.print(schema()) + ";");
            kept = KeptDirectory.open(place.resolve("kept"), random, now);
            staged = place.resolve("staged");
        }

        CassandraReplicas replica(StagingArea area) {
            return new CassandraReplicas(List.of(data.getParent().getParent()), Optional.empty(), Optional.of(area));
        }

        void write(FragmentCursor rows) throws IOException {
            write(rows, EncodingBase.EPOCH);
        }

        void write(FragmentCursor rows, EncodingBase base) throws IOException {
            SSTableWriterConfig config = SSTableWriterConfig.defaults(KEYS)
                    .withVersion(SSTableVersion.NB)
                    .withBase(base);
            try (rows;
                    FragmentWriter writer = Formats.write(data, Integer.toString(++generation), schema(), config)) {
                writer.append(rows);
                writer.finish();
            }
        }

        List<Descriptor> sstables() throws IOException {
            try (Stream<Path> files = Files.list(data)) {
                return files.filter(file -> file.toString().endsWith("TOC.txt"))
                        .map(file -> Descriptor.of(file).orElseThrow())
                        .toList();
            }
        }

        void compact(int most) throws IOException {
            List<Descriptor> some = sstables().stream().limit(most).toList();
            if (some.isEmpty()) {
                return;
            }
            try (SSTables old = SSTables.open(schema(), some)) {
                List<FragmentCursor> cursors = new ArrayList<>();
                old.readers().forEach(reader -> cursors.add(scan(reader)));
                write(MergeCursor.of(schema(), cursors, SSTableVersion.NB.localDeletionTimeMaxSeconds()));
            }
            for (Descriptor sstable : some) {
                sstable.delete();
            }
        }

        private FragmentCursor scan(SSTableReader reader) {
            try {
                return reader.scan(schema(), TokenRange.Linear.ALL);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void importStaged() throws IOException {
            Path from = staged.resolve(schema().keyspace()).resolve(schema().name());
            if (!Files.isDirectory(from)) {
                return;
            }
            List<Path> files;
            try (Stream<Path> all = Files.list(from)) {
                files = all.filter(file -> Descriptor.of(file).isPresent()).toList();
            }
            for (Descriptor sstable : files.stream()
                    .map(file -> Descriptor.of(file).orElseThrow())
                    .distinct()
                    .toList()) {
                String name = Integer.toString(++generation);
                Descriptor moved = new Descriptor(data, sstable.version(), name, sstable.format());
                for (Component component : Component.values()) {
                    if (sstable.has(component)) {
                        Files.move(sstable.file(component), moved.file(component));
                    }
                }
            }
        }
    }

    private TableSchema schema() {
        return schema;
    }

    private RepairReport repair(boolean dryRun, boolean readsAll, Optional<Duration> recent, List<TokenRange> ranges)
            throws IOException {
        List<StagingArea> areas = new ArrayList<>();
        try {
            List<RepairMember> members = new ArrayList<>();
            for (Node node : nodes) {
                StagingArea area = StagingArea.open(node.staged, "of " + node.data, () -> now);
                areas.add(area);
                CassandraReplicas replica = node.replica(area);
                members.add(
                        RepairMember.here(node.data.toString(), node.keeps ? replica.withKept(node.kept) : replica));
            }
            HostEnvironment host = HostEnvironment.system().withClock(() -> now);
            Repair repair = Repair.of(schema().qualifiedName())
                    .between(members)
                    .ranges(ranges)
                    .bufferBytes(BUFFER_BYTES)
                    .dryRun(dryRun)
                    .readsAll(readsAll)
                    .allow(waivers);
            recent.ifPresent(repair::leaveOutRecent);
            return repair.run(new RepairEnvironment(host, Runnable::run, ByteBudget.of(256 << 20))
                    .withTransfer((task, progress) -> {
                        transfers.incrementAndGet();
                        throw new IOException("files are not brought here");
                    }));
        } finally {
            for (StagingArea area : areas) {
                area.close();
            }
        }
    }

    /**
     * What is found, without what was read for it: a range deletion has as many parts as there are windows, and rows of which replicas
     * know are counted as they were when they were read.
     */
    private static List<Object> found(RepairReport report) {
        List<Object> found = new ArrayList<>();
        found.add(report.rowsDiffering());
        found.add(report.deletionsDiffering());
        for (RangeReport range : report.rangesDiffering()) {
            found.add(List.of(range.range(), range.rowsDiffering()));
            for (RangeReport.Lacking replica : range.replicas()) {
                found.add(List.of(replica.member(), replica.rows(), replica.deletions()));
            }
        }
        return found;
    }

    private FragmentList draw(double share) {
        return fragments.next(share);
    }

    private void step(int number) throws IOException {
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                // Some rows that all hold, in files of their own.
                FragmentList rows = draw(random.nextDouble());
                for (Node node : nodes) {
                    write(node, rows);
                }
            }
            case 2, 3 -> write(nodes.get(random.nextInt(REPLICAS)), draw(random.nextInt(5) / 100.0));
            case 4 -> nodes.get(random.nextInt(REPLICAS)).compact(2 + random.nextInt(3));
            case 5 -> now = now.plusSeconds(1L << random.nextInt(13));
            case 6 -> now = now.minusSeconds(random.nextInt(20));
            default -> {
                repair(false, random.nextBoolean(), Optional.empty(), List.of(TokenRange.FULL));
                for (Node node : nodes) {
                    node.importStaged();
                }
            }
        }
    }

    private static void write(Node node, FragmentList rows) throws IOException {
        // A partition of nothing is none.
        if (rows.lines().stream().anyMatch(line -> line.startsWith("  ") || line.contains("deleted@"))) {
            node.write(rows.cursor());
        }
    }

    /** Times of deletions and TTLs lie from the base on. */
    @Test
    void shouldFindWhatIsFoundWhereAllRowsAreRead() throws IOException {
        long known = 0;
        for (int world = 0; world < WORLDS; world++) {
            now = Instant.ofEpochSecond(RandomFragments.DELETION_BASE_SECONDS + random.nextInt(200));
            fragments = RandomFragments.withDistinctClusterings(
                    random.nextLong(),
                    KEYS,
                    // Some TTLs are longer and some are shorter.
                    TableOptions.UNKNOWN.withGcGraceSeconds(random.nextBoolean() ? GC_GRACE_SECONDS : 4_000));
            schema = fragments.schema();
            nodes = new ArrayList<>();
            for (int i = 0; i < REPLICAS; i++) {
                nodes.add(new Node(directory.resolve(world + "-" + i)));
            }
            FragmentList first = draw(0.9);
            for (Node node : nodes) {
                write(node, first);
            }
            for (int step = 0; step < STEPS; step++) {
                Optional<Duration> recent = random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(Duration.ofNanos(Duration.ofSeconds(now.getEpochSecond() - 1_700_000_000L)
                                                .toNanos()
                                        - 1000L * random.nextInt(200))
                                .abs());
                List<TokenRange> ranges = random.nextInt(3) > 0
                        ? List.of(TokenRange.FULL)
                        : TokenRange.FULL.split(1 + random.nextInt(20)).stream()
                                .filter(range -> random.nextInt(4) > 0)
                                .toList();
                if (!ranges.isEmpty()) {
                    RepairReport some = repair(true, false, recent, ranges);
                    RepairReport all = repair(true, true, recent, ranges);

                    assertThat(found(some))
                            .as("seed=%s world=%s step=%s recent=%s", seed, world, step, recent)
                            .isEqualTo(found(all));
                    known += some.rowsKnown();
                    assertThat(all.rowsKnown()).isZero();
                }
                step(step);
            }
        }
        assertThat(known).as("seed=%s", seed).isPositive();
    }

    /** Three nodes that hold the same, and have been repaired once. */
    private void startEqual() throws IOException {
        now = Instant.ofEpochSecond(RandomFragments.DELETION_BASE_SECONDS + 1_000_000);
        FragmentList rows;
        long tableSeed = seed;
        // Some tables have few keys, as that of a boolean has two, and a draw of them may hold nothing to know.
        do {
            fragments = RandomFragments.withDistinctClusterings(
                    tableSeed++, KEYS, TableOptions.UNKNOWN.withGcGraceSeconds(GC_GRACE_SECONDS));
            rows = draw(0.9);
        } while (fragments.keys().size() < KEYS / 2);
        schema = fragments.schema();
        nodes = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            nodes.add(new Node(directory.resolve("node-" + i)));
            write(nodes.get(i), rows);
        }
        assertThat(dryRun().rowsKnown()).isZero();
        assertKnown();
    }

    private RepairReport dryRun() throws IOException {
        return repair(true, false, Optional.empty(), List.of(TokenRange.FULL));
    }

    private void assertKnown() throws IOException {
        RepairReport report = dryRun();
        assertThat(report.wereEqual()).as("seed=%s", seed).isTrue();
        assertThat(report.rowsKnown()).as("seed=%s", seed).isPositive().isEqualTo(report.rowsCompared());
        assertThat(report.replicas())
                .as("seed=%s", seed)
                .allSatisfy(replica -> assertThat(replica.rowsRead()).isZero());
    }

    private void assertReadOnce() throws IOException {
        RepairReport report = dryRun();
        assertThat(report.wereEqual()).as("seed=%s", seed).isTrue();
        assertThat(report.rowsKnown()).as("seed=%s", seed).isZero();
        assertThat(report.rowsCompared()).as("seed=%s", seed).isPositive();
        assertKnown();
    }

    private Path keptFile(int node) {
        return directory.resolve("node-" + node).resolve("kept/11111111222233334444555555555555.kept");
    }

    @Test
    void shouldReadAllWhereAFileOfSumsIsWrong() throws IOException {
        startEqual();
        byte[] right = Files.readAllBytes(keptFile(1));
        List<byte[]> wrong = new ArrayList<>(List.of(
                new byte[0],
                new byte[7],
                Arrays.copyOf(right, right.length - 1),
                Arrays.copyOf(right, right.length - 64),
                Arrays.copyOf(right, right.length + 64)));
        for (int i = 0; i < 20; i++) {
            byte[] flipped = right.clone();
            flipped[i < 4 ? i : random.nextInt(right.length)] ^= (byte) (1 << random.nextInt(8));
            wrong.add(flipped);
        }
        for (byte[] content : wrong) {
            Files.write(keptFile(1), content);

            assertReadOnce();
        }
        Files.delete(keptFile(1));
        assertReadOnce();
    }

    @Test
    void shouldReadAllWhereAFileOfSumsCannotBeReadOrWritten() throws IOException {
        startEqual();
        Files.delete(keptFile(2));
        Files.createDirectories(keptFile(2).resolve("in the way"));

        assertThat(dryRun().rowsKnown()).isZero();
        assertThat(dryRun().wereEqual()).isTrue();
        Files.delete(keptFile(2).resolve("in the way"));
        Files.delete(keptFile(2));
        assertReadOnce();
    }

    @Test
    void shouldReadWhatWasWrittenOverInItsPlace() throws IOException {
        startEqual();
        Path data = nodes.get(0).sstables().get(0).file(Component.DATA);
        Files.setLastModifiedTime(
                data, FileTime.from(Files.getLastModifiedTime(data).toInstant().plusMillis(1)));

        assertReadOnce();
    }

    /** It is an SSTable without a checksum by which it would be known again. */
    @Test
    void shouldReadWhatHasNoDigest() throws IOException {
        startEqual();
        Files.delete(nodes.get(2).sstables().get(0).file(Component.DIGEST));

        assertThat(dryRun().rowsKnown()).isZero();
        assertThat(dryRun().rowsKnown()).isZero();
    }

    @Test
    void shouldReadAllWithAnotherSeed() throws IOException {
        startEqual();
        Files.delete(directory.resolve("node-0/kept/seed"));
        Node before = nodes.get(0);
        before.kept = KeptDirectory.open(directory.resolve("node-0/kept"), random, now);

        assertReadOnce();
    }

    @Test
    void shouldReadAllWhereTheSchemaHasChanged() throws IOException {
        startEqual();
        for (Node node : nodes) {
            Path text = node.data.resolve("schema.cql");
            Files.writeString(text, Files.readString(text).replace("gc_grace_seconds = 50", "gc_grace_seconds = 60"));
        }

        assertReadOnce();
    }

    /** A few rows that came since lie in a small SSTable all over the ring: the parts without them are known still. */
    @Test
    void shouldReadNearThatWhichHasCome() throws IOException {
        startEqual();
        long all = dryRun().rowsCompared();
        for (int i = 0; i < 3; i++) {
            write(nodes.get(1), draw(1.0 / KEYS));
        }

        RepairReport report = dryRun();

        assertThat(report.rowsKnown()).as("seed=%s", seed).isGreaterThan(all / 2);
        assertThat(found(report))
                .as("seed=%s", seed)
                .isEqualTo(found(repair(true, true, Optional.empty(), List.of(TokenRange.FULL))));
        repair(false, false, Optional.empty(), List.of(TokenRange.FULL));
        for (Node node : nodes) {
            node.importStaged();
        }
        assertThat(dryRun().wereEqual()).as("seed=%s", seed).isTrue();
        assertKnown();
    }

    /** Also what one replica alone does not know. */
    @Test
    void shouldReadAllWhereOneReplicaKeepsNothing() throws IOException {
        startEqual();
        nodes.get(1).keeps = false;

        assertThat(dryRun().rowsKnown()).isZero();
        nodes.get(1).keeps = true;
        nodes.get(0).keeps = false;
        assertThat(dryRun().rowsKnown()).isZero();
        nodes.get(0).keeps = true;
        assertKnown();
    }

    /** Where an earlier purge time comes again, what was purged may have to be compared. */
    @Test
    void shouldReadAllWhenTheClockHasGoneBack() throws IOException {
        startEqual();
        now = now.minusSeconds(1);

        assertReadOnce();
    }

    /** What one of the nodes has of a partition besides. */
    private interface Late {
        FragmentList.Builder partition(FragmentList.Builder to, DecoratedKey key);
    }

    private static FragmentList.Builder whole(FragmentList.Builder to, DecoratedKey key) {
        return to.partition(key);
    }

    private static FragmentList.Builder range(FragmentList.Builder to, DecoratedKey key, long micros) {
        return to.partition(key)
                .change(HandMadeTable.clustering(1), -1, micros, 2_000)
                .change(HandMadeTable.clustering(2), 1, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static Stream<Arguments> recent() {
        long recentMicros = 2_000_000_000L;
        List<Late> items = List.of(
                (to, key) -> whole(to, key)
                        .row(HandMadeTable.row(1, 0).live(recentMicros).build()),
                (to, key) -> whole(to, key)
                        .row(HandMadeTable.row(1, 0)
                                .deleted(recentMicros, 2_000)
                                .build()),
                (to, key) -> whole(to, key)
                        .row(HandMadeTable.row(1, 0)
                                .tombstone(0, recentMicros, 2_000)
                                .build()),
                (to, key) -> to.partition(key, recentMicros, 2_000),
                (to, key) -> range(to, key, recentMicros));
        return items.stream().flatMap(item -> Stream.of(0, 1, 2).map(node -> Arguments.of(item, node)));
    }

    /** A sum of what is left when recent writes are left out says nothing of these. */
    @ParameterizedTest
    @MethodSource("recent")
    void shouldNotKnowWhatWasLeftOut(Late item, int holder) throws IOException {
        DecoratedKey key = HandMadeTable.keys(1).get(0);
        startWithARow(key);
        FragmentList late =
                item.partition(FragmentList.builder(schema), key).end().build();
        nodes.get(holder).write(late.cursor());
        for (int i = 0; i < 2; i++) {
            RepairReport leftOut = repair(true, false, Optional.of(Duration.ofSeconds(2)), List.of(TokenRange.FULL));
            assertThat(leftOut.wereEqual()).isTrue();
        }

        assertThat(dryRun().wereEqual()).isFalse();
        assertThat(dryRun().wereEqual()).isFalse();
        RepairReport leftOut = repair(true, false, Optional.of(Duration.ofSeconds(2)), List.of(TokenRange.FULL));
        assertThat(leftOut.wereEqual()).isTrue();
        assertThat(leftOut.rowsKnown()).isZero();
    }

    private void startWithARow(DecoratedKey key) throws IOException {
        startWith(FragmentList.builder(HandMadeTable.schema(1_000))
                .partition(key)
                .row(HandMadeTable.row(7, 0).live(5).build())
                .end()
                .build());
    }

    private void startWith(FragmentList rows) throws IOException {
        now = Instant.ofEpochSecond(2_001);
        schema = rows.schema();
        nodes = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            nodes.add(new Node(directory.resolve("node-" + i)));
            nodes.get(i).write(rows.cursor());
        }
    }

    private static Stream<Arguments> deletions() {
        List<Late> items = List.of((to, key) -> to.partition(key, 3, 2_000), (to, key) -> range(to, key, 3));
        return items.stream().flatMap(item -> Stream.of(0, 1, 2).map(node -> Arguments.of(item, node)));
    }

    /** Nothing of the partition is hidden by it. */
    @ParameterizedTest
    @MethodSource("deletions")
    void shouldKnowThatOneHasADeletionOfNothing(Late item, int holder) throws IOException {
        DecoratedKey key = HandMadeTable.keys(1).get(0);
        startWithARow(key);
        nodes.get(holder)
                .write(item.partition(FragmentList.builder(schema), key)
                        .end()
                        .build()
                        .cursor());

        for (int i = 0; i < 3; i++) {
            assertThat(dryRun().deletionsDiffering()).isEqualTo(1);
        }
    }

    /** What it holds was compared before: it is the right one, and needs no SSTables of others. */
    @Test
    void shouldNotTakeAReplicaForEmptyOfWhichOnlyTheRestIsRead() throws IOException {
        List<DecoratedKey> keys = HandMadeTable.keys(6_000);
        startWith(rows(keys.subList(0, 1_500)));
        long middle = keys.get(2_000).token();
        List<TokenRange> halves =
                List.of(new TokenRange(Long.MIN_VALUE, middle), new TokenRange(middle, Long.MIN_VALUE));
        waivers = Set.of(Waiver.NO_GC_GRACE);
        repair(true, false, Optional.empty(), halves);
        FragmentList late = rows(keys.subList(2_500, 6_000));
        nodes.get(0).write(late.cursor());
        nodes.get(1).write(late.cursor());

        RepairReport report = repair(false, false, Optional.empty(), halves);

        assertThat(report.rowsKnown()).isEqualTo(1_500);
        assertThat(report.rowsDiffering()).isEqualTo(3_500);
        assertThat(transfers).hasValue(0);
        nodes.get(2).importStaged();
        assertThat(dryRun().wereEqual()).isTrue();
    }

    private static FragmentList rows(List<DecoratedKey> keys) {
        FragmentList.Builder rows = FragmentList.builder(HandMadeTable.schema(1_000));
        for (DecoratedKey key : keys) {
            // So large that not all of them fit into a buffer.
            rows.partition(key)
                    .row(HandMadeTable.row(7, 0)
                            .live(5)
                            .cell(0, 5, "x".repeat(400))
                            .build())
                    .end();
        }
        return rows.build();
    }

    /** SSTables that came before a session are the replica's with that session alone. */
    @Test
    void shouldKeepNothingOfASessionBeforeWhichSSTablesCame() throws IOException {
        startEqual();
        byte[] kept = Files.readAllBytes(keptFile(1));
        for (Optional<UUID> left : List.of(Optional.<UUID>empty(), Optional.of(new UUID(1, 2)))) {
            try (StagingArea area = StagingArea.open(nodes.get(1).staged, "of " + nodes.get(1).data, () -> now);
                    LocalParticipant replica = new LocalParticipant(
                            "one", nodes.get(1).replica(area).withKept(nodes.get(1).kept), Runnable::run)) {
                OpenSession session = new OpenSession(
                        UUID.randomUUID(),
                        schema.keyspace(),
                        schema.name(),
                        SchemaText.print(schema),
                        List.of(TokenRange.FULL),
                        now.getEpochSecond(),
                        nodes.get(0).kept.seed(),
                        16 << 20,
                        REPLICAS,
                        false,
                        Optional.empty(),
                        1);
                Waiting.result(replica.open(session.withLeft(left)));
                Waiting.result(replica.agree(Sessions.terms(16 << 20)));

                assertThat(Waiting.result(replica.kept()).isEmpty()).isEqualTo(left.isPresent());
                Sessions.readAll(replica);
                Waiting.result(replica.finish());
            }
        }
        assertThat(Files.readAllBytes(keptFile(1))).isEqualTo(kept);
    }

    private FragmentList one(long micros, String value) {
        return FragmentList.builder(HandMadeTable.schema(1_000))
                .partition(HandMadeTable.keys(1).get(0))
                .row(HandMadeTable.row(7, 0).live(micros).cell(0, micros, value).build())
                .end()
                .build();
    }

    /** In the place of the only SSTable, relative to its only time. */
    private void put(Node node, long micros, String value) throws IOException {
        node.sstables().get(0).delete();
        node.generation--;
        node.write(one(micros, value).cursor(), new EncodingBase(micros, 1_442_880_000, 0));
    }

    private static Stream<Arguments> otherRows() {
        return Stream.of(Arguments.of(FIRST_MICROS, "b"), Arguments.of(FIRST_MICROS + 1, "a"));
    }

    /** Of the same name, length and age; with another time of all its rows even with the same bytes of data, which are relative to it. */
    @ParameterizedTest
    @MethodSource("otherRows")
    void shouldReadAnotherSSTableInThePlaceOfOne(long micros, String value) throws IOException {
        startWith(one(FIRST_MICROS, "a"));
        for (Node node : nodes) {
            put(node, FIRST_MICROS, "a");
        }
        dryRun();
        assertKnown();
        Node node = nodes.get(1);
        Path data = node.sstables().get(0).file(Component.DATA);
        long lengthBytes = Files.size(data);
        FileTime age = Files.getLastModifiedTime(data);
        byte[] content = Files.readAllBytes(data);

        put(node, micros, value);

        assertThat(Arrays.equals(Files.readAllBytes(data), content)).isEqualTo(value.equals("a"));

        assertThat(node.sstables().get(0).file(Component.DATA)).isEqualTo(data).hasSize(lengthBytes);
        Files.setLastModifiedTime(data, age);
        for (int i = 0; i < 2; i++) {
            assertThat(dryRun().rowsDiffering()).isEqualTo(1);
        }
    }

    /** As leveled compaction leaves them: many, each of a narrow part of the ring, in which it has all. */
    @Test
    void shouldNotReadManySSTablesToKnowWhereTheyHaveTokens() throws IOException {
        List<DecoratedKey> keys = HandMadeTable.keys(300_000);
        startWith(rows(keys.subList(0, 300)));
        for (int from = 300; from < 12_000; from += 300) {
            for (Node node : nodes) {
                node.write(rows(keys.subList(from, from + 300)).cursor());
            }
        }
        dryRun();
        assertKnown();
        for (Descriptor sstable : nodes.get(1).sstables()) {
            Path data = sstable.file(Component.DATA);
            FileTime age = Files.getLastModifiedTime(data);
            // Where a partition begins is looked at to know that it lies behind a range.
            byte[] content = Files.readAllBytes(data);
            Arrays.fill(content, content.length / 2, content.length, (byte) 0);
            Files.write(data, content);
            Files.setLastModifiedTime(data, age);
        }

        assertKnown();
        assertThatThrownBy(() -> repair(true, true, Optional.empty(), List.of(TokenRange.FULL)))
                .as("it is read after all")
                .hasMessageContaining("Data.db");
    }
}
