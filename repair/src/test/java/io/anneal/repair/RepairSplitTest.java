package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.job.JobFailedException;
import io.anneal.job.RangeUnit;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
import io.anneal.node.StoreReplicas;
import io.anneal.schema.SchemaText;
import io.anneal.store.Store;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A range that takes long is not waited for: who has nothing to do repairs the later part of it. */
@Timeout(60)
class RepairSplitTest extends TwoHalves {
    private static final int PARTITIONS = 200;
    /** A fragment of the tenth partition or so. */
    private static final int HELD_AT = 30;

    private final AtomicLong millis = new AtomicLong(100_000);

    RepairSplitTest() {
        super(PARTITIONS);
    }

    /** A clock that goes on whenever it is looked at, so that a node tells of each window. */
    private RepairEnvironment environment() {
        HostEnvironment host = HostEnvironment.system()
                .withTime(() -> Instant.ofEpochMilli(millis.addAndGet(100)), System::nanoTime, nanos -> {})
                .withRandom(new Random(1));
        return new RepairEnvironment(host, executor, ByteBudget.of(64 << 20));
    }

    @Override
    Repair repair(RepairMember... members) {
        return inSmallWindows(members).parallel(2).splitLeast(Duration.ZERO);
    }

    private void shouldBeEqual(RepairReport report) throws IOException {
        assertThat(report.rowsDiffering()).isEqualTo(2L * PARTITIONS);
        shouldHaveReceived(own, 1);
        shouldHaveReceived(other, 0);
    }

    /** In any order, since each session wrote an SSTable. */
    private void shouldHaveReceived(TestTable table, int half) throws IOException {
        assertThat(table.stagedLines()).containsExactlyInAnyOrderElementsOf(lines(half));
    }

    @Test
    void shouldRepairTheRestOfARangeThatIsHeldUp() throws IOException {
        CountDownLatch restDone = new CountDownLatch(1);
        AtomicBoolean held = new AtomicBoolean();
        List<RepairReport> tables = Collections.synchronizedList(new ArrayList<>());
        own.beforeFragmentOfFirst = fragment -> {
            // What is left can be taken by others once the first window has been compared, of a partition each.
            if (fragment == HELD_AT && held.compareAndSet(false, true)) {
                await(restDone);
            }
        };

        RepairReport report = repairHere()
                .reports((unit, done) -> {
                    units.add(unit);
                    restDone.countDown();
                })
                .tableReports((table, done) -> tables.add(done))
                .run(environment());

        shouldBeEqual(report);
        assertThat(units).hasSizeGreaterThan(1);
        assertThat(units.get(0).slice().left()).as("what is done first").isNotEqualTo(Long.MIN_VALUE);
        assertThat(tables)
                .singleElement()
                .satisfies(table -> assertThat(table.rowsDiffering()).isEqualTo(report.rowsDiffering()));
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void shouldSplitWhatAnotherNodeRepairs() throws IOException {
        AtomicBoolean first = new AtomicBoolean(true);
        own.beforeFragment = fragment -> {
            // Slow until somebody helps, which takes as long as it takes two nodes to agree on it.
            if (first.get() && own.opened.get() < 2) {
                try {
                    TimeUnit.MILLISECONDS.sleep(20);
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
        };
        try (Nodes follower = new Nodes((handlers, node) -> new RepairService(
                                Nodes.replicas(other.opener()), node.executor(), ByteBudget.of(64 << 20))
                        .register(handlers));
                Nodes master = new Nodes((handlers, node) -> new RepairRunner(
                                node.id(), Nodes.replicas(own.opener()), node.client(), node.waiting(), environment())
                        .register(handlers));
                Nodes command = new Nodes((handlers, node) -> {})) {
            Connector connector = command.client().keepAll(5_000);
            RepairReport report = repair(
                            RepairMember.at(connector, RepairRunner.address(master.address())),
                            RepairMember.at(connector, RepairRunner.address(follower.address())))
                    .run(environment());

            shouldBeEqual(report);
        }
        assertThat(units).hasSizeGreaterThan(1);
    }

    @Test
    void shouldGoOnRightWhenItEndedWithUnitsThatWereSplit() throws IOException {
        Path checkpoint = directory.resolve("repair.checkpoint");
        CountDownLatch restDone = new CountDownLatch(1);
        AtomicBoolean held = new AtomicBoolean();
        RepairEnvironment environment = environment();
        own.beforeFragment = fragment -> {
            if (fragment == 20 && held.compareAndSet(false, true)) {
                await(restDone);
                throw new IOException("disk is gone");
            }
        };
        Repair repair = repairHere().checkpoint(checkpoint).dryRun(false).reports((unit, done) -> {
            units.add(unit);
            restDone.countDown();
        });

        assertThatThrownBy(() -> repair.run(environment)).isInstanceOf(JobFailedException.class);
        int before = units.size();
        assertThat(before).isPositive();
        assertThat(Files.readString(checkpoint)).contains("open ", "done ");
        own.beforeFragment = fragment -> {};
        // Another run need not be as the first one was.
        RepairReport rest = repair.parallel(1).units(7).run(environment);

        assertThat(rest.notes()).anyMatch(note -> note.contains("earlier run") && note.endsWith("ranges=" + before));
        shouldHaveReceived(own, 1);
        shouldHaveReceived(other, 0);
        assertThat(units).doesNotHaveDuplicates();
        assertThat(units.stream().mapToDouble(RangeUnit::width).sum())
                .isBetween(0.999 * TokenRange.FULL.width(), 1.001 * TokenRange.FULL.width());
    }

    @Test
    void shouldMakeStoresOfOneProcessEqualSixteenAtOnce() throws IOException {
        RepairEnvironment environment = environment();
        HostEnvironment clock = HostEnvironment.system().withClock(() -> Instant.ofEpochSecond(100));
        try (Store one = Store.open(directory.resolve("one"), StoreConfig.defaults(), clock);
                Store two = Store.open(directory.resolve("two"), StoreConfig.defaults(), clock)) {
            String table = SchemaText.print(own.schema())
                    .replace("WITH ", "WITH id = 11111111-2222-1333-8444-555555555555 AND ");
            one.createTable(table);
            two.createTable(table);
            List<RepairMember> stores = List.of(
                    RepairMember.here("one", new StoreReplicas(one)), RepairMember.here("two", new StoreReplicas(two)));
            List<RepairMember> all = new ArrayList<>(stores);
            all.add(RepairMember.here("own", own.opener()));
            all.add(RepairMember.here("other", other.opener()));

            repair().between(all).units(16).parallel(16).run(environment);

            assertThat(units).hasSizeGreaterThanOrEqualTo(16);
            RepairReport compared =
                    repair().between(stores).dryRun(true).parallel(1).run(environment);
            assertThat(compared.wereEqual()).isTrue();
            assertThat(compared.replicas())
                    .extracting(RepairReport.ReplicaReport::rowsRead)
                    .containsOnly(2L * PARTITIONS);
        }
    }
}
