package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static io.anneal.repair.Sessions.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteBudget;
import io.anneal.net.Connection;
import io.anneal.node.Replicas;
import io.anneal.node.StagingArea;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Windows of several followers that do not fit into the memory for the network together, over real sockets. */
@Timeout(120)
class LargeWindowsTest {
    /** A 128th of the default of both. */
    private static final int BUDGET_BYTES = 512 << 10;

    private static final int WINDOW_BYTES = 256 << 10;
    private static final int ROWS = 800;

    @TempDir
    private Path directory;

    private final List<StagingArea> stagings = new ArrayList<>();
    private final List<TestTable> tables = new ArrayList<>();
    private final List<Nodes> nodes = new ArrayList<>();

    private TestTable table(FragmentList rows) throws IOException {
        StagingArea staging = Sessions.staging(directory.resolve("replica" + stagings.size()));
        stagings.add(staging);
        TestTable table = new TestTable("replica" + tables.size(), rows, Optional.of(staging));
        tables.add(table);
        return table;
    }

    /** The first replica is the master. */
    private RepairReport repair(int bufferBytes, long budgetBytes) throws IOException {
        List<Participant> followers = new ArrayList<>();
        Nodes master = new Nodes((handlers, own) -> {}, budgetBytes);
        nodes.add(master);
        try {
            for (TestTable table : tables.subList(1, tables.size())) {
                Nodes follower = new Nodes(
                        (handlers, own) -> new RepairService(
                                        Nodes.replicas(table.opener()), own.executor(), ByteBudget.of(64 << 20))
                                .register(handlers),
                        budgetBytes);
                nodes.add(follower);
                Connection connection = master.client().open(RepairRunner.address(follower.address()));
                followers.add(new RemoteParticipant(connection, Replicas.THE_ONLY_ONE, 2));
            }
            try (RepairMaster repair =
                    new RepairMaster(Sessions.config(bufferBytes), tables.get(0), followers, RepairListener.NONE)) {
                return repair.run();
            }
        } finally {
            followers.forEach(Participant::close);
        }
    }

    @AfterEach
    void stop() throws IOException {
        nodes.forEach(Nodes::close);
        for (StagingArea staging : stagings) {
            staging.close();
        }
    }

    private static FragmentList versions(int replica) {
        Random random = new Random(replica);
        FragmentList.Builder builder = FragmentList.builder(SCHEMA).partition(KEYS.get(0));
        for (int i = 0; i < ROWS; i++) {
            byte[] value = new byte[2_000];
            random.nextBytes(value);
            builder.row(HandMadeTable.row(i, 0).cell(0, 5 + replica, value).build());
        }
        return builder.end().build();
    }

    @Test
    void shouldRepairFiveReplicasOfWhichEveryRowDiffers() throws IOException {
        for (int i = 0; i < 5; i++) {
            table(versions(i));
        }

        RepairReport report = repair(WINDOW_BYTES, BUDGET_BYTES);

        assertThat(report.rowsDiffering()).isEqualTo(ROWS);
        assertThat(report.windows()).isLessThan(20);
        List<String> newest = versions(4).lines();
        for (TestTable older : tables.subList(0, 4)) {
            assertThat(older.stagedLines()).as(older.name()).isEqualTo(newest);
        }
        assertThat(tables.get(4).stagedFiles()).isEmpty();
        assertThat(nodes.get(0).budget().reservedBytesMost()).isLessThanOrEqualTo(BUDGET_BYTES);
    }

    @Test
    void shouldRepairReplicasThatEachHaveRowsOfTheirOwn() throws IOException {
        for (int replica = 0; replica < 5; replica++) {
            FragmentList.Builder builder = FragmentList.builder(SCHEMA).partition(KEYS.get(0));
            for (int i = 0; i < ROWS / 5; i++) {
                builder.row(HandMadeTable.row(5 * i + replica, 0)
                        .cell(0, 5, new byte[2_000])
                        .build());
            }
            table(builder.end().build());
        }

        RepairReport report = repair(WINDOW_BYTES, BUDGET_BYTES);

        assertThat(report.rowsDiffering()).isEqualTo(ROWS);
        // Rows of the master to four others; those of a follower to three, for the master fetches them.
        assertThat(report.itemsPushed()).isEqualTo(4 * ROWS / 5 + 3 * (4 * ROWS / 5));
    }

    @Test
    void shouldMoveARowThatIsLargerThanTheBudget() throws IOException {
        byte[] ours = new byte[8 << 20];
        byte[] theirs = new byte[(8 << 20) + 17];
        new Random(1).nextBytes(ours);
        new Random(2).nextBytes(theirs);
        FragmentList own = Sessions.one(
                KEYS.get(2), HandMadeTable.row(1, 1).cell(0, 5, ours).build());
        FragmentList followers = Sessions.one(
                KEYS.get(0), HandMadeTable.row(1, 1).cell(0, 5, theirs).build());
        table(own);
        table(followers);
        table(followers);

        RepairReport report = repair(1 << 20, 4 << 20);

        assertThat(report.rowsDiffering()).isEqualTo(2);
        assertThat(tables.get(0).stagedLines()).isEqualTo(followers.lines());
        assertThat(tables.get(1).stagedLines()).isEqualTo(own.lines());
        assertThat(tables.get(2).stagedLines()).isEqualTo(own.lines());
    }
}
