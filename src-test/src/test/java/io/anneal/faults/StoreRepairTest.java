package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.LocalParticipant;
import io.anneal.repair.Participant;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairListener;
import io.anneal.repair.RepairMaster;
import io.anneal.repair.RepairReport;
import io.anneal.repair.message.ReadRate;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableIntake;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.Fault;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store's table takes part in repairs like any other replica, and goes on being written to meanwhile. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreRepairTest {
    private static final int ROWS = 3_000;
    private static final int VALUE_BYTES = 200;
    private static final long WRITTEN_FROM = 1_000_000;

    @TempDir
    private Path dir;

    private Store store;
    private Table table;

    @BeforeEach
    void open() throws IOException {
        store = Store.open(
                dir.resolve("store"), StoreConfig.defaults().withShardCount(2).withMemtableBudgetBytes(1 << 20));
        table = store.findTable("ks.t").isPresent() ? store.table("ks.t") : store.createTable(ReplicaFiles.SCHEMA_TEXT);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    private Path files(String name, int missing) throws IOException {
        return ReplicaFiles.write(dir.resolve(name), ROWS, VALUE_BYTES, k -> k % 3 != missing);
    }

    private static RepairConfig config() {
        return new RepairConfig(
                UUID.randomUUID(),
                "ks",
                "t",
                List.of(TokenRange.FULL),
                64 << 10,
                Instant.now().getEpochSecond(),
                17,
                false,
                false,
                Optional.empty(),
                Set.of(),
                1,
                ReadRate.UNLIMITED,
                Optional.empty(),
                false);
    }

    private StagingArea staging(String name) throws IOException {
        return StagingArea.open(dir.resolve("staging-" + name), name, InstantSource.system());
    }

    private static RepairReport repair(Replica master, List<ReplicaSource> followers) throws IOException {
        List<Participant> participants = new ArrayList<>();
        for (ReplicaSource follower : followers) {
            participants.add(new LocalParticipant("follower " + participants.size(), follower, Runnable::run));
        }
        try (RepairMaster repair = new RepairMaster(config(), master, participants, RepairListener.NONE)) {
            return repair.run();
        } finally {
            participants.forEach(Participant::close);
        }
    }

    private Set<Long> keys() throws IOException {
        Set<Long> keys = new TreeSet<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                keys.add(row.value("k", Long.class));
            }
        }
        return keys;
    }

    private static Set<Long> numbers(long from, long to) {
        Set<Long> numbers = new TreeSet<>();
        for (long n = from; n < to; n++) {
            numbers.add(n);
        }
        return numbers;
    }

    @Test
    void shouldGetWhatItLacksAndGiveWhatOthersLackWhileFourThreadsWrite() throws Exception {
        table.importSSTables(files("of-store", 0));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong next = new AtomicLong(WRITTEN_FROM);
        ExecutorService writers = Executors.newFixedThreadPool(4);
        List<Future<?>> writing = new ArrayList<>();
        try (StagingArea one = staging("one");
                StagingArea two = staging("two")) {
            for (int i = 0; i < 4; i++) {
                writing.add(writers.submit(() -> {
                    while (!stop.get() || next.get() < WRITTEN_FROM + 1_000) {
                        long k = next.getAndIncrement();
                        table.row()
                                .key("k", k)
                                .set("v", ByteBuffer.allocate(VALUE_BYTES))
                                .insert();
                    }
                    return null;
                }));
            }
            ReplicaSource first = new CassandraReplicas(List.of(files("first", 1)), Optional.empty(), Optional.of(one));
            ReplicaSource second =
                    new CassandraReplicas(List.of(files("second", 2)), Optional.empty(), Optional.of(two));

            RepairReport report;
            try (Replica master = first.open("ks", "t", Optional.empty())) {
                report = repair(master, List.of(new StoreReplicas(store), second));
            }

            assertThat(report.rowsDiffering()).isGreaterThanOrEqualTo(ROWS);
            assertThat(report.replicas().get(1).rowsWritten()).isEqualTo(ROWS / 3);
            assertThat(one.tableDirectory(ReplicaFiles.SCHEMA)).isNotEmptyDirectory();
            assertThat(two.tableDirectory(ReplicaFiles.SCHEMA)).isNotEmptyDirectory();
        } finally {
            stop.set(true);
            writers.shutdown();
        }
        for (Future<?> writer : writing) {
            writer.get();
        }
        Set<Long> expected = numbers(0, ROWS);
        expected.addAll(numbers(WRITTEN_FROM, next.get()));
        assertThat(keys()).isEqualTo(expected);
        store.close();
        open();
        assertThat(keys()).isEqualTo(expected);
        table.compact();
        assertThat(keys()).isEqualTo(expected);
    }

    @Test
    void shouldLeadARepairAndFindNothingTheSecondTime() throws Exception {
        table.importSSTables(files("of-store", 0));
        table.row().key("k", WRITTEN_FROM).set("v", ByteBuffer.allocate(1)).insert();
        Path other = files("other", 1);
        try (StagingArea staging = staging("other")) {
            ReplicaSource follower = new CassandraReplicas(List.of(other), Optional.empty(), Optional.of(staging));
            try (Replica master = new StoreReplicas(store).open("ks", "t", Optional.empty())) {
                RepairReport report = repair(master, List.of(follower));
                assertThat(report.replicas().get(0).rowsWritten()).isEqualTo(ROWS / 3);
                assertThat(report.replicas().get(1).rowsWritten()).isEqualTo(ROWS / 3 + 1);
                assertThat(report.replicas().get(0).importDeadline()).isEmpty();
            }
        }
        try (Store copy = Store.open(dir.resolve("copy"))) {
            Table whole = copy.createTable(table.schema());
            whole.importSSTables(other);
            whole.importSSTables(dir.resolve("staging-other").resolve("ks").resolve("t"));
            try (Replica master = new StoreReplicas(store).open("ks", "t", Optional.empty())) {
                assertThat(repair(master, List.of(new StoreReplicas(copy))).wereEqual())
                        .isTrue();
            }
        }
    }

    @Test
    void shouldRefuseTablesThatItHasNotAndCountWhatARunGaveItAnyway() throws Exception {
        StoreReplicas replicas = new StoreReplicas(store);

        assertThatThrownBy(() -> replicas.open("ks", "other", Optional.empty()))
                .isInstanceOf(ReplicaException.class)
                .hasMessageContaining("store has no such table, table=ks.other, store=" + store.directory());
        try (Replica replica = replicas.open("ks", "t", Optional.of(UUID.randomUUID()))) {
            assertThat(replica.takesInAtOnce()).isTrue();
        }
    }

    /** What another table holds, into an intake of this one; not completed. */
    private TableIntake received() throws IOException {
        TableIntake intake = table.intake();
        try (Store other = Store.open(dir.resolve("other" + UUID.randomUUID()))) {
            Table source = other.createTable(ReplicaFiles.SCHEMA_TEXT);
            source.row().key("k", 7L).set("v", ByteBuffer.allocate(3)).insert();
            try (StagedWriter writer = intake.newWriter();
                    FragmentCursor rows = source.scan(TokenRange.Linear.ALL)) {
                writer.append(rows);
                writer.finish();
            }
        }
        return intake;
    }

    private Path receiving() throws IOException {
        try (var tables = Files.list(dir.resolve("store/data/ks"))) {
            return tables.findFirst().orElseThrow().resolve("receiving");
        }
    }

    @Test
    void shouldShowWhatIsReceivedAllAtOnceAndLeaveNothingBehind() throws Exception {
        try (TableIntake intake = received()) {
            assertThat(keys()).isEmpty();
            intake.complete();
            assertThat(keys()).containsExactly(7L);
            assertThatThrownBy(intake::complete).isInstanceOf(IllegalStateException.class);
        }
        TableIntake dropped = received();
        assertThat(receiving()).isNotEmptyDirectory();
        dropped.close();
        assertThat(receiving()).isEmptyDirectory();
        assertThat(keys()).containsExactly(7L);
    }

    @Test
    void shouldBeTakenInEvenIfTheEmptyDirectoryCannotBeRemoved() throws Exception {
        store.close();
        try (FaultyDirectory disk = FaultyDirectory.create(dir)) {
            store = Store.open(disk.path());
            table = store.createTable(ReplicaFiles.SCHEMA_TEXT);
            TableIntake intake = received();
            disk.inject(Fault.on(Fault.Operation.DELETE).named(name -> name.matches("[0-9a-f-]{36}")));

            intake.complete();

            assertThat(keys()).containsExactly(7L);
            disk.heal();
            store.close();
        }
    }

    @Test
    void shouldTakeNothingInThatWasReceivedBeforeATruncation() throws Exception {
        try (TableIntake intake = received()) {
            table.truncate();
            assertThatThrownBy(intake::complete)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("table was truncated while rows were received for it");
        }
        assertThat(keys()).isEmpty();
    }

    @Test
    void shouldForgetWhatWasNotCompletedWhenTheStoreWasClosedOrKilled() throws Exception {
        TableIntake late = received();
        store.close();
        assertThatThrownBy(late::complete).isInstanceOf(IllegalStateException.class);
        assertThat(receiving()).isNotEmptyDirectory();

        open();
        assertThat(receiving()).doesNotExist();
        table.row().key("k", 8L).set("v", ByteBuffer.allocate(3)).insert();
        table.flush();
        // It is still somebody's, and harms nobody.
        late.close();
        assertThat(keys()).containsExactly(8L);
        store.close();
        open();
        assertThat(keys()).containsExactly(8L);
    }
}
