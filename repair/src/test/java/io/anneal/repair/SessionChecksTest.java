package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
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
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What replicas tell of themselves before the first row is read, and check again at the end. */
@Timeout(60)
class SessionChecksTest {
    private static final String SCHEMA = "CREATE TABLE ks.t (k int PRIMARY KEY, v text)"
            + " WITH id = 11111111-2222-1333-8444-555555555555 AND gc_grace_seconds = 864000";
    private static final Instant NOW = Instant.parse("2026-11-24T00:00:00Z");

    private final AtomicReference<Instant> now = new AtomicReference<>(NOW);

    @TempDir
    private Path directory;

    private HostEnvironment host() {
        return HostEnvironment.system().withClock(now::get);
    }

    private Store store(String name) throws IOException {
        return Store.open(directory.resolve(name), StoreConfig.defaults().withShardCount(1), host());
    }

    private static void write(Table table, int key) throws IOException {
        table.row().key("k", key).set("v", "some").insert();
    }

    private static boolean has(Table table, int key) throws IOException {
        return table.row(Map.of("k", key)).isPresent();
    }

    private static Repair repair(RepairMember... members) {
        return Repair.of("ks.t").between(members).range(TokenRange.FULL).bufferBytes(1 << 20);
    }

    private static RepairMember here(String name, Store store) {
        return RepairMember.here(name, new StoreReplicas(store).named(name));
    }

    private RepairReport run(Repair repair) throws IOException {
        return repair.run(new RepairEnvironment(host(), Runnable::run, ByteBudget.of(64 << 20)));
    }

    private void assertRefusedAsTruncated(Repair repair) {
        assertThatThrownBy(() -> run(repair))
                .isInstanceOfSatisfying(
                        RepairException.class,
                        refused -> assertThat(refused.waiver()).contains(Waiver.TRUNCATED))
                .hasMessageContaining("truncated=one")
                .hasMessageContaining("not-truncated=two");
    }

    @Test
    void shouldNotBringBackWhatOneReplicaTruncated() throws IOException {
        try (Store two = store("two")) {
            Table others = two.createTable(SCHEMA);
            write(others, 1);
            try (Store one = store("one")) {
                Table table = one.createTable(SCHEMA);
                write(table, 1);
                now.set(NOW.plusSeconds(60));
                table.truncate();
                write(table, 2);
                assertRefusedAsTruncated(repair(here("one", one), here("two", two)));
                assertRefusedAsTruncated(
                        repair(here("two", two), here("one", one)).dryRun(true));
            }
            now.set(NOW.plusSeconds(120));
            try (Store one = store("one")) {
                Table table = one.table("ks.t");
                assertRefusedAsTruncated(repair(here("one", one), here("two", two)));
                assertThat(has(table, 1)).isFalse();

                RepairReport meant =
                        run(repair(here("one", one), here("two", two)).allow(Set.of(Waiver.TRUNCATED)));
                assertThat(meant.notes()).anyMatch(note -> note.contains("comes back"));
                assertThat(has(table, 1)).isTrue();
                assertThat(run(repair(here("one", one), here("two", two))).wereEqual())
                        .as("what came back is there for good")
                        .isTrue();
            }
        }
    }

    @Test
    void shouldRepairWhatAllReplicasTruncated() throws IOException {
        try (Store one = store("one");
                Store two = store("two")) {
            Table table = one.createTable(SCHEMA);
            Table others = two.createTable(SCHEMA);
            write(table, 1);
            write(others, 1);
            now.set(NOW.plusSeconds(60));
            table.truncate();
            now.set(NOW.plusSeconds(63));
            write(others, 2);
            others.truncate();
            now.set(NOW.plusSeconds(70));
            write(others, 3);

            run(repair(here("one", one), here("two", two)));
            assertThat(has(table, 3)).isTrue();
            assertThat(has(table, 1)).isFalse();
        }
    }

    /** Nobody else need be truncated who got all that he has afterwards. */
    @Test
    void shouldRepairReplicaThatHoldsNothingFromBeforeTheTruncation() throws IOException {
        try (Store one = store("one");
                Store two = store("two")) {
            Table table = one.createTable(SCHEMA);
            write(table, 1);
            now.set(NOW.plusSeconds(60));
            table.truncate();
            now.set(NOW.plusSeconds(70));
            write(two.createTable(SCHEMA), 2);

            run(repair(here("one", one), here("two", two)));
            assertThat(has(table, 2)).isTrue();
        }
    }

    @Test
    void shouldKnowTruncationOfClosedStore() throws IOException {
        try (Store one = store("one")) {
            Table table = one.createTable(SCHEMA);
            now.set(NOW.plusSeconds(60));
            table.truncate();
        }
        try (Store two = store("two")) {
            write(two.createTable(SCHEMA), 1);
            now.set(NOW.plusSeconds(120));
            Table old = two.table("ks.t");
            old.row()
                    .key("k", 5)
                    .set("v", "old")
                    .timestampMicros(NOW.getEpochSecond() * 1_000_000)
                    .insert();
            RepairMember closed = RepairMember.here(
                    "one",
                    new CassandraReplicas(List.of(directory.resolve("one")), Optional.empty(), Optional.empty())
                            .named("one"));
            assertRefusedAsTruncated(repair(closed, RepairMember.here("two", new StoreReplicas(two).named("two")))
                    .dryRun(true)
                    .allow(Set.of(Waiver.EMPTY_REPLICA)));
        }
    }

    @Test
    void shouldRefuseReplicaWhoseClockIsFarOff() throws IOException {
        HostEnvironment ahead =
                HostEnvironment.system().withClock(() -> now.get().plusSeconds(3_600));
        try (Store one = store("one");
                Store two = store("two");
                Nodes server = server(new StoreReplicas(two), ahead.clock());
                Nodes client = new Nodes((handlers, node) -> {})) {
            write(one.createTable(SCHEMA), 1);
            two.createTable(SCHEMA);
            RepairMember other =
                    RepairMember.at(client.client().keepAll(5_000), RepairRunner.address(server.address()));

            assertThatThrownBy(() -> run(repair(here("one", one), other)))
                    .isInstanceOfSatisfying(
                            RepairException.class,
                            refused -> assertThat(refused.waiver()).contains(Waiver.CLOCK_SKEW))
                    .hasMessageContaining("millisAhead=3600000");
            RepairReport meant = run(repair(here("one", one), other).allow(Set.of(Waiver.CLOCK_SKEW)));
            assertThat(meant.importDeadline())
                    .as("gc_grace less the skew")
                    .contains(NOW.plus(Duration.ofDays(10)).minusSeconds(3_600));
            assertThat(meant.notes()).anyMatch(note -> note.contains("millisAhead=3600000"));
        }
    }

    private static Nodes server(ReplicaSource source, InstantSource clock) throws IOException {
        return new Nodes((handlers, node) -> new RepairService(
                        Nodes.replicas(source),
                        node.executor(),
                        ByteBudget.of(64 << 20),
                        RepairMetrics.unseen(),
                        Optional.of(clock))
                .register(handlers));
    }

    private void change(Path snapshot, String what) throws IOException {
        Path schema = snapshot.resolve("schema.cql");
        switch (what) {
            case "directories" -> {
                Files.move(snapshot, directory.resolve("moved"));
                Files.createDirectories(snapshot);
            }
            case "SSTables" -> {
                try (Stream<Path> files = Files.list(snapshot)) {
                    for (Path file : files.filter(file -> file.toString().contains("-1-"))
                            .toList()) {
                        Files.copy(
                                file,
                                file.resolveSibling(
                                        file.getFileName().toString().replace("-1-", "-99-")));
                    }
                }
            }
            case "an SSTable's file" -> {
                Path data = dataFile(snapshot);
                Path other = Files.copy(data, directory.resolve("other"));
                Files.move(other, data, StandardCopyOption.REPLACE_EXISTING);
            }
            case "schema" -> {
                FileTime time = Files.getLastModifiedTime(schema);
                Files.writeString(schema, Files.readString(schema).replace("v text", "v text, w text"));
                Files.setLastModifiedTime(schema, time);
            }
            case "date" -> {
                Path manifest = snapshot.resolve("manifest.json");
                Files.writeString(manifest, Files.readString(manifest).replaceFirst("2026-11-2\\d", "2026-11-20"));
            }
            default -> throw new AssertionError(what);
        }
    }

    private static Path dataFile(Path snapshot) throws IOException {
        try (Stream<Path> files = Files.list(snapshot)) {
            return files.filter(file -> file.toString().endsWith("-Data.db"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** What is staged would come of a snapshot that nobody has any more. */
    @ParameterizedTest
    @ValueSource(strings = {"directories", "SSTables", "an SSTable's file", "schema", "date"})
    void shouldKeepNothingWhenSnapshotIsReplacedMeanwhile(String what) throws IOException {
        Path snapshot;
        try (Store two = store("two")) {
            write(two.createTable(SCHEMA), 2);
            snapshot = two.snapshot("s").stream()
                    .filter(path -> path.toString().contains("/t-"))
                    .findFirst()
                    .orElseThrow();
        }
        try (Store one = store("one");
                StagingArea staging = StagingArea.open(directory.resolve("staging"), "two", now::get)) {
            write(one.createTable(SCHEMA), 1);
            CassandraReplicas two = new CassandraReplicas(List.of(snapshot), Optional.empty(), Optional.of(staging));
            Repair repair =
                    repair(here("one", one), RepairMember.here("two", two)).allow(Set.of(Waiver.EMPTY_REPLICA));
            AtomicBoolean isChanged = new AtomicBoolean();
            ReplicaSource moving = (keyspace, table, staged) -> {
                Replica opened = two.open(keyspace, table, staged);
                return (Replica) Proxy.newProxyInstance(
                        Replica.class.getClassLoader(), new Class<?>[] {Replica.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("scan") && isChanged.compareAndSet(false, true)) {
                                change(snapshot, what);
                            }
                            try {
                                return method.invoke(opened, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            };
            assertThatThrownBy(() -> run(repair(here("one", one), RepairMember.here("two", moving))))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("removed or replaced")
                    .hasMessageContaining("take a new snapshot")
                    .hasMessageContaining("change=" + (what.startsWith("an SSTable") ? "SSTables" : what));
            Path staged = staging.tableDirectory(one.table("ks.t").schema());
            assertThat(staged.toFile().list((place, name) -> name.endsWith("-Data.db")))
                    .as("what waits for import at the node of the snapshot")
                    .isNullOrEmpty();
        }
    }
}
