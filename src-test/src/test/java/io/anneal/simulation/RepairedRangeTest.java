package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which repairs let stores purge, where {@code tombstone_gc = {'mode': 'repair'}}: those after which no replica that there is
 * can bring back what was deleted.
 */
@Timeout(60)
class RepairedRangeTest {
    private static final long DELAY_SECONDS = 60;
    private static final String TEXT = "CREATE TABLE ks.t (k int PRIMARY KEY, v text) WITH gc_grace_seconds = 864000"
            + " AND tombstone_gc = {'mode': 'repair', 'propagation_delay_in_seconds': '" + DELAY_SECONDS + "'}";

    @TempDir
    private Path directory;

    private final ManualClock clock = ManualClock.create();
    private final List<Store> stores = new ArrayList<>();
    private final List<Table> tables = new ArrayList<>();

    @BeforeEach
    void shouldStartWithARowInEachOfThreeStores() throws IOException {
        for (int i = 0; i < 3; i++) {
            insert(store());
        }
    }

    private Table store() throws IOException {
        Store store = Store.open(
                directory.resolve("store" + stores.size()),
                StoreConfig.defaults().withShardCount(1).withCompactionThreads(0),
                HostEnvironment.system().withClock(clock));
        stores.add(store);
        Table table = tables.isEmpty()
                ? store.createTable(TEXT)
                : store.createTable(tables.get(0).schema());
        tables.add(table);
        return table;
    }

    @AfterEach
    void close() throws IOException {
        for (Store store : stores) {
            store.close();
        }
    }

    private static void insert(Table table) throws IOException {
        table.row().key("k", 1).set("v", "old").timestampMicros(10).insert();
        table.flush();
    }

    private static void delete(Table table) throws IOException {
        table.row().key("k", 1).timestampMicros(20).deleteRow();
        table.flush();
    }

    private RepairMember[] members(int... numbers) {
        return Arrays.stream(numbers)
                .mapToObj(i -> RepairMember.here(new StoreReplicas(stores.get(i))))
                .toArray(RepairMember[]::new);
    }

    private RepairReport repair(boolean allReplicas, RepairMember... members) throws IOException {
        return repair(allReplicas, clock.instant(), members);
    }

    private static RepairReport repair(boolean allReplicas, Instant now, RepairMember... members) throws IOException {
        return Repair.of("ks.t")
                .between(members)
                .range(TokenRange.FULL)
                .allReplicas(allReplicas)
                .run(new RepairEnvironment(
                        HostEnvironment.system().withClock(() -> now), Runnable::run, ByteBudget.of(64 << 20)));
    }

    /** All that a replica has left when it has compacted, with tombstones. */
    private List<String> compacted(int replica) throws IOException {
        Table table = tables.get(replica);
        table.compact();
        try (FragmentCursor cursor = table.scan(TokenRange.Linear.ALL)) {
            return FragmentList.copyOf(cursor).lines();
        }
    }

    private static boolean hasDeletion(List<String> lines) {
        return lines.stream().anyMatch(line -> line.contains("deleted@20"));
    }

    private void passTheDelay() {
        clock.advance(Duration.ofSeconds(DELAY_SECONDS + 40));
    }

    @Test
    void shouldKeepDeletionsWhenAReplicaWasNotRepaired() throws IOException {
        delete(tables.get(0));
        passTheDelay();

        repair(false, members(0, 1));

        assertThat(hasDeletion(compacted(0))).isTrue();
        assertThat(hasDeletion(compacted(1))).isTrue();
        repair(false, members(2, 0));
        assertThat(compacted(2)).noneMatch(line -> line.contains("live@10"));
        assertThat(compacted(0)).noneMatch(line -> line.contains("live@10"));
    }

    @Test
    void shouldPurgeDeletionsWhenAllReplicasWereRepaired() throws IOException {
        delete(tables.get(0));
        passTheDelay();

        RepairReport report = repair(true, members(0, 1, 2));

        assertThat(report.notes()).isEmpty();
        for (int i = 0; i < 3; i++) {
            assertThat(compacted(i)).as("replica %d", i).isEmpty();
        }
        assertThat(repair(true, members(2, 1, 0)).wereEqual()).isTrue();
    }

    @Test
    void shouldKeepDeletionsWhenAReplicaOnlyStagesWhatItReceives() throws IOException {
        delete(tables.get(0));
        passTheDelay();

        for (boolean lacksNothing : new boolean[] {false, true}) {
            if (lacksNothing) {
                delete(tables.get(2));
            }
            Path snapshot = tables.get(2).snapshot("lacks-nothing-" + lacksNothing);
            RepairReport report;
            try (StagingArea staging = StagingArea.open(directory.resolve("staging"), "replica", clock)) {
                report = repair(
                        true,
                        Stream.concat(
                                        Stream.of(members(0, 1)),
                                        Stream.of(RepairMember.here(new CassandraReplicas(
                                                List.of(snapshot), Optional.empty(), Optional.of(staging)))))
                                .toArray(RepairMember[]::new));
            }

            assertThat(report.notes())
                    .as("lacks nothing: %s", lacksNothing)
                    .anyMatch(note -> note.contains("stores do not count the range as repaired")
                            && note.contains(snapshot.toString()));
            assertThat(hasDeletion(compacted(0))).isTrue();
            assertThat(hasDeletion(compacted(1))).isTrue();
        }
    }

    @Test
    void shouldKeepADeletionThatArrivesAfterTheRepair() throws IOException {
        Table writer = store();
        delete(writer);
        clock.advance(Duration.ofSeconds(DELAY_SECONDS / 2));
        repair(true, members(0, 1, 2));

        repair(false, members(3, 0));

        assertThat(hasDeletion(compacted(0))).isTrue();
        assertThat(compacted(1)).anyMatch(line -> line.contains("live@10"));
        passTheDelay();
        repair(true, members(0, 1, 2));
        for (int i = 0; i < 3; i++) {
            assertThat(compacted(i)).as("replica %d", i).isEmpty();
        }
    }

    @Test
    void shouldKeepDeletionsMadeAfterARepairWhoseMastersClockIsAhead() throws IOException {
        repair(true, clock.instant().plus(Duration.ofHours(5)), members(1, 0, 2));
        clock.advance(Duration.ofHours(1));
        delete(tables.get(0));
        clock.advance(Duration.ofHours(1));

        assertThat(hasDeletion(compacted(0))).isTrue();
    }
}
