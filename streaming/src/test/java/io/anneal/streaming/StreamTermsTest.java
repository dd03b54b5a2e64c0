package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.node.Waiver;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a target refuses to take from a source, since deleted rows would come back, or nothing be gained. */
@Timeout(60)
class StreamTermsTest {
    private static final String COLUMNS =
            "CREATE TABLE ks.t (k int PRIMARY KEY, v text) WITH id = 11111111-2222-3333-4444-555555555555";
    private static final String SCHEMA = COLUMNS + " AND gc_grace_seconds = 864000";
    private static final Duration GC_GRACE = Duration.ofDays(10);
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();

    @TempDir
    private Path directory;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private TestNode asking;

    @BeforeEach
    void start() throws IOException {
        asking = node((keyspace, table, staged) -> {
            throw new IOException("has no replica");
        });
    }

    @AfterEach
    void stop() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private TestNode node(ReplicaSource replica) throws IOException {
        TestNode node = TestNode.of(replica);
        opened.push(node);
        return node;
    }

    private Store store(String name, String schema) throws IOException {
        Store store = Store.open(directory.resolve(name));
        opened.push(store);
        store.createTable(schema);
        return store;
    }

    private Store filled(String name, String schema) throws IOException {
        Store store = store(name, schema);
        store.table("ks.t").row().key("k", 1).set("v", "a").insert();
        store.table("ks.t").flush();
        return store;
    }

    /** A snapshot that says it was taken so long ago. */
    private Path snapshot(Duration age) throws IOException {
        Path snapshot = filled("from", SCHEMA).table("ks.t").snapshot("s");
        Path manifest = snapshot.resolve("manifest.json");
        String text = Files.readString(manifest);
        Instant created = Instant.now().minus(age).truncatedTo(ChronoUnit.SECONDS);
        String old = text.replaceFirst("(\"created_at\"\\s*:\\s*)\"[^\"]*\"", "$1\"" + created + "\"");
        assertThat(old).isNotEqualTo(text);
        Files.writeString(manifest, old);
        return snapshot;
    }

    private static CassandraReplicas directory(Path path, Optional<StagingArea> staging) {
        return new CassandraReplicas(List.of(path), Optional.empty(), staging);
    }

    /** A Cassandra node without data. */
    private ReplicaSource staged() throws IOException {
        return staged(InstantSource.system());
    }

    private ReplicaSource staged(InstantSource clock) throws IOException {
        StagingArea staging = StagingArea.open(directory.resolve("staging"), "n9", clock);
        opened.push(staging);
        Path data = directory.resolve("data/ks/t-11111111222233334444555555555555");
        Files.createDirectories(data);
        Files.writeString(data.resolve("schema.cql"), SCHEMA + ";");
        return directory(directory.resolve("data"), Optional.of(staging));
    }

    private StreamPlan plan(TestNode source, TestNode target) {
        return StreamPlan.into(StreamTarget.at(asking.node().peers(), target.address()))
                .add("ks.t", StreamSource.at(asking.node().peers(), source.address()), TokenRange.FULL);
    }

    @Test
    void shouldRefuseASnapshotThatIsOlderThanGcGrace() throws IOException {
        TestNode source = node(directory(snapshot(Duration.ofDays(80)), Optional.empty()));
        Store to = store("to", SCHEMA);

        assertThatThrownBy(() -> StreamPlan.into(new StoreReplicas(to))
                        .add("ks.t", source.source(), TokenRange.FULL)
                        .run(ENVIRONMENT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("older than gc_grace")
                .hasMessageContaining("gcGraceSeconds=864000");
        assertThatThrownBy(() -> plan(source, node(new StoreReplicas(to))).run(ENVIRONMENT))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("older than gc_grace")
                .satisfies(refused ->
                        assertThat(((StreamException) refused).waiver()).contains(Waiver.OLD_DATA));
        assertThat(to.table("ks.t").sstableCount()).isZero();

        plan(source, node(new StoreReplicas(to))).allow(Set.of(Waiver.OLD_DATA)).run(ENVIRONMENT);

        assertThat(to.table("ks.t").sstableCount()).isPositive();
    }

    @Test
    void shouldCountTheImportDeadlineFromTheTimeOfTheSourcesData() throws IOException {
        Duration age = Duration.ofDays(7);
        TestNode source = node(directory(snapshot(age), Optional.empty()));

        StreamReport report = plan(source, node(staged())).run(ENVIRONMENT);

        assertThat(Instant.ofEpochSecond(report.importDeadlineSeconds()))
                .isBefore(Instant.now().plus(GC_GRACE).minus(age).plusSeconds(1));
        assertThat(report.stagedIn())
                .containsExactly(directory.resolve("staging/ks/t").toString());
    }

    @Test
    void shouldRefuseATableWhoseDeletionsMayBePurgedAtOnce() throws IOException {
        String schema = COLUMNS + " AND gc_grace_seconds = 0";
        TestNode source = node(new StoreReplicas(filled("from", schema)));
        TestNode target = node(new StoreReplicas(store("to", schema)));

        assertThatThrownBy(() -> plan(source, target).run(ENVIRONMENT))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("gc_grace of 0");
        StreamReport report =
                plan(source, target).allow(Set.of(Waiver.NO_GC_GRACE)).run(ENVIRONMENT);
        assertThat(report.sstables()).isPositive();
    }

    @Test
    void shouldRefuseASourceWithoutAnySSTable() throws IOException {
        TestNode source = node(new StoreReplicas(store("from", SCHEMA)));
        TestNode target = node(new StoreReplicas(store("to", SCHEMA)));

        assertThatThrownBy(() -> plan(source, target).run(ENVIRONMENT))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("source has no SSTable of the table");
        StreamReport report =
                plan(source, target).allow(Set.of(Waiver.EMPTY_REPLICA)).run(ENVIRONMENT);
        assertThat(report.bytes()).isZero();
    }

    @Test
    void shouldTakeNothingFromASourceThatHasDataElsewhere() throws IOException {
        Table table = filled("from", SCHEMA).table("ks.t");
        TestNode source = node(new StoreReplicas(filled("other", SCHEMA)));
        Store to = store("to", SCHEMA);
        TokenRange.Linear tokens;
        try (var files = table.liveFiles()) {
            tokens = files.sstables().get(0).tokens().orElseThrow();
        }

        StreamReport report = StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", source.source(), new TokenRange(tokens.last(), tokens.first() - 1))
                .run(ENVIRONMENT);

        assertThat(report.bytes()).isZero();
    }

    @Test
    void shouldRefuseANodeAsItsOwnSource() throws IOException {
        TestNode node = node(new StoreReplicas(filled("from", SCHEMA)));

        assertThatThrownBy(() -> plan(node, node).run(ENVIRONMENT))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("one server is given as two replicas");
    }

    /** A store with a row of long ago, opened now. */
    private Store closedFor(Duration time) throws IOException {
        Instant closed = Instant.now().minus(time);
        Path place = directory.resolve("to");
        try (Store store =
                Store.open(place, StoreConfig.defaults(), ENVIRONMENT.withClock(InstantSource.fixed(closed)))) {
            store.createTable(SCHEMA)
                    .row()
                    .key("k", 2)
                    .set("v", "deleted on all other nodes")
                    .insert();
            store.flush();
        }
        try (Stream<Path> files = Files.walk(place)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(closed));
            }
        }
        Store store = Store.open(place);
        opened.push(store);
        return store;
    }

    @Test
    void shouldRefuseATargetWhoseOwnRowsMayHaveBeenDeletedForGood() throws IOException {
        TestNode source = node(new StoreReplicas(filled("from", SCHEMA)));
        Store to = closedFor(GC_GRACE.plusDays(1));
        TestNode target = node(new StoreReplicas(to).named("n3"));

        assertThatThrownBy(() -> plan(source, target).run(ENVIRONMENT))
                .isInstanceOf(StreamException.class)
                .hasMessageContainingAll("older than gc_grace", "empty the table", "replica=n3")
                .satisfies(refused ->
                        assertThat(((StreamException) refused).waiver()).contains(Waiver.OLD_DATA));
        plan(source, target).allow(Set.of(Waiver.OLD_DATA)).run(ENVIRONMENT);
        to.table("ks.t").truncate();
        plan(source, target).run(ENVIRONMENT);

        assertThat(to.table("ks.t").row(Map.of("k", 1))).isPresent();
        assertThat(to.table("ks.t").row(Map.of("k", 2))).isEmpty();
    }

    @Test
    void shouldTakeATargetOfLessThanGcGrace() throws IOException {
        TestNode source = node(new StoreReplicas(filled("from", SCHEMA)));
        Store to = closedFor(GC_GRACE.minusDays(1));

        plan(source, node(new StoreReplicas(to))).run(ENVIRONMENT);

        assertThat(to.table("ks.t").row(Map.of("k", 1))).isPresent();
    }

    /** As long as it takes the first piece to come, so long may it take all of them. */
    private StreamPlan slow(TestNode source, ReplicaSource target, AtomicReference<Instant> now) {
        return StreamPlan.into(target)
                .add("ks.t", source.source(), TokenRange.FULL)
                .listener((rows, bytes, share) -> now.updateAndGet(
                        before -> bytes > 0 ? Instant.now().plus(GC_GRACE).plusSeconds(60) : before));
    }

    @Test
    void shouldTakeNothingThatCameForLongerThanGcGrace() throws IOException {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        HostEnvironment slowly = ENVIRONMENT.withClock(now::get);
        TestNode source = node(new StoreReplicas(filled("from", SCHEMA)));
        Store to = Store.open(directory.resolve("to"), StoreConfig.defaults(), slowly);
        opened.push(to);
        to.createTable(SCHEMA);

        assertThatThrownBy(() -> slow(source, new StoreReplicas(to), now).run(slowly))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("longer than gc_grace", "table=ks.t", "gcGraceSeconds=864000");

        assertThat(to.table("ks.t").sstableCount()).isZero();
    }

    @Test
    void shouldStageNothingThatCameForLongerThanGcGrace() throws IOException {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        TestNode source = node(new StoreReplicas(filled("from", SCHEMA)));
        ReplicaSource staged = staged(now::get);

        assertThatThrownBy(() -> slow(source, staged, now).run(ENVIRONMENT.withClock(now::get)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("longer than gc_grace");

        assertThat(directory.resolve("staging/ks/t"))
                .satisfiesAnyOf(
                        place -> assertThat(place).doesNotExist(),
                        place -> assertThat(place).isEmptyDirectory());
    }

    @Test
    void shouldLeaveTheAgeOfWhatATargetHadAsItWas() throws IOException {
        TestNode source = node(new StoreReplicas(filled("from", SCHEMA)));
        Instant age = Instant.now().minus(Duration.ofDays(5)).truncatedTo(ChronoUnit.SECONDS);
        Store filled = filled("to", SCHEMA);
        Path held = filled.directory();
        filled.close();
        try (Stream<Path> files = Files.walk(held)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(age));
            }
        }
        Store store = Store.open(held, StoreConfig.defaults().withForRepairs(true));
        opened.push(store);
        StoreReplicas to = new StoreReplicas(store);

        plan(source, node(to)).run(ENVIRONMENT);

        try (Replica replica = to.open("ks", "t", Optional.empty())) {
            assertThat(replica.asOf(List.of(TokenRange.FULL))).contains(age);
        }
    }

    @Test
    void shouldRefuseOneStoreThatTwoNodesServe() throws IOException {
        Store store = filled("from", SCHEMA);
        TestNode source = node(new StoreReplicas(store));
        TestNode target = node(new StoreReplicas(store));

        assertThatThrownBy(() -> plan(source, target).run(ENVIRONMENT))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("one replica is given as two");
        assertThatThrownBy(() -> StreamPlan.into(new StoreReplicas(store))
                        .add("ks.t", source.source(), TokenRange.FULL)
                        .run(ENVIRONMENT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("one replica is given as two");
        assertThat(store.table("ks.t").row(Map.of("k", 1))).isPresent();
    }
}
