package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteBudget;
import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.node.Replicas;
import io.anneal.node.StagingArea;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a session sends, and how often it waits for an answer: counted, so that it does not depend on the machine. */
class SessionTrafficTest {
    /** Each row is a window, and fits into what is pushed at once. */
    private static final int ROW_A_WINDOW = 100;

    @TempDir
    private Path directory;

    private StagingArea ownStaging;
    private StagingArea otherStaging;
    private int repairs;

    @BeforeEach
    void open() throws IOException {
        ownStaging = Sessions.staging(directory.resolve("master"));
        otherStaging = Sessions.staging(directory.resolve("follower"));
    }

    @AfterEach
    void close() throws IOException {
        ownStaging.close();
        otherStaging.close();
    }

    private TestTable own(FragmentList rows) {
        return new TestTable("master", rows, Optional.of(ownStaging));
    }

    private TestTable other(FragmentList rows) {
        return new TestTable("follower", rows, Optional.of(otherStaging));
    }

    private RepairConfig config() {
        return Sessions.config(++repairs, ROW_A_WINDOW);
    }

    private RepairReport repair(FragmentList mine, DelayedReplica follower) throws IOException {
        return repair(mine, follower, config());
    }

    private RepairReport repair(FragmentList mine, DelayedReplica follower, RepairConfig config) throws IOException {
        try (Participant replica = follower.participant();
                RepairMaster master = new RepairMaster(config, own(mine), List.of(replica), RepairListener.NONE)) {
            return master.run();
        }
    }

    private static FragmentList rows(int count) {
        return Sessions.rows(HandMadeTable.keys(count), 1);
    }

    @Test
    void shouldMakeOneRoundTripForAWindowThatIsEqual() throws IOException {
        DelayedReplica few = new DelayedReplica(other(rows(20)));
        DelayedReplica many = new DelayedReplica(other(rows(50)));

        long windows = -repair(rows(20), few).windows();
        windows += repair(rows(50), many).windows();

        assertThat(windows).isEqualTo(30);
        assertThat(many.roundTrips() - few.roundTrips()).isEqualTo(windows);
    }

    @Test
    void shouldAskForTheNextWindowBehindWhatItPushesWhereThereAreNoGhosts() throws IOException {
        DelayedReplica few = new DelayedReplica(other(rows(0)));
        DelayedReplica many = new DelayedReplica(other(rows(0)));

        long windows = -repair(rows(20), few).windows();
        windows += repair(rows(50), many).windows();

        assertThat(windows).isEqualTo(30);
        assertThat(many.roundTrips() - few.roundTrips()).isEqualTo(windows);
    }

    /** The follower deleted each partition long ago, and the master has rows that are older. */
    @Test
    void shouldNotAskForTheNextWindowBeforeGhostsHaveAnswered() throws IOException {
        List<DecoratedKey> keys = HandMadeTable.keys(10);
        FragmentList.Builder deleted = FragmentList.builder(Sessions.SCHEMA);
        for (DecoratedKey key : keys) {
            deleted.partition(key, 7, 50).end();
        }
        DelayedReplica follower = new DelayedReplica(other(deleted.build()));
        TestTable own = own(rows(10));

        try (Participant replica = follower.participant();
                RepairMaster master = new RepairMaster(config(), own, List.of(replica), RepairListener.NONE)) {
            master.run();
        }

        assertThat(own.stagedLines()).isEqualTo(deleted.build().lines());
        assertThat(follower.roundTrips()).isGreaterThan(2 * keys.size());
    }

    /** As of a node with many vnodes: what is between them is another's. */
    private static List<TokenRange> everySecondOf(int slices) {
        List<TokenRange> all = TokenRange.FULL.split(slices);
        return IntStream.range(0, slices)
                .filter(i -> i % 2 == 0)
                .mapToObj(all::get)
                .toList();
    }

    @Test
    void shouldAskAHandfulOfQuestionsForThousandsOfEmptyRanges() throws IOException {
        DelayedReplica follower = new DelayedReplica(other(rows(0)));

        RepairReport report = repair(rows(0), follower, Sessions.config(1, BUFFER_BYTES, everySecondOf(20_000)));

        assertThat(report.windows()).isEqualTo(1);
        assertThat(follower.questions()).isLessThan(8);
        assertThat(follower.roundTrips()).isLessThan(5);
    }

    @Test
    void shouldPutManySparseRangesIntoOneWindow() throws IOException {
        List<TokenRange> ranges = everySecondOf(400);
        List<DecoratedKey> keys = HandMadeTable.keys(1_000);
        List<DecoratedKey> owned = keys.stream()
                .filter(key -> ranges.stream().anyMatch(range -> range.contains(key.token())))
                .toList();
        TestTable behind = other(Sessions.rows(keys.subList(0, 500), 1));
        DelayedReplica follower = new DelayedReplica(behind);

        RepairReport report = repair(Sessions.rows(keys, 1), follower, Sessions.config(1, BUFFER_BYTES, ranges));

        assertThat(report.windows()).isEqualTo(1);
        assertThat(follower.questions()).isLessThan(12);
        assertThat(behind.stagedLines())
                .isEqualTo(Sessions.rows(
                                owned.stream()
                                        .filter(keys.subList(500, 1_000)::contains)
                                        .toList(),
                                1)
                        .lines());
    }

    @Test
    void shouldSendLittleForAWindowThatIsEqual() throws IOException {
        List<DecoratedKey> keys = HandMadeTable.keys(600);
        ByteWriter boundary = new ByteWriter(64);
        RingPosition.of(keys.get(0), PositionInPartition.after(HandMadeTable.clustering(0, 0)))
                .encode(boundary);

        long bytes = wireBytes(keys) - wireBytes(keys.subList(0, 100));

        assertThat(bytes / 500).isLessThan(200 + 2L * boundary.lengthBytes());
    }

    /** All that crosses the wire in both directions, in a repair of replicas that are equal. */
    private long wireBytes(List<DecoratedKey> keys) throws IOException {
        FragmentList rows = Sessions.rows(keys, 1);
        TestTable served = other(rows);
        try (Nodes nodes = new Nodes((handlers, node) -> new RepairService(
                        Nodes.replicas(served.opener()), node.executor(), ByteBudget.of(1L << 26))
                .register(handlers))) {
            Connection connection = nodes.connect();
            try (Participant replica = new RemoteParticipant(connection, Replicas.THE_ONLY_ONE, 2);
                    RepairMaster master =
                            new RepairMaster(config(), own(rows), List.of(replica), RepairListener.NONE)) {
                RepairReport report = master.run();
                assertThat(report.windows()).isGreaterThan(keys.size());
                assertThat(report.wereEqual()).isTrue();
            }
            return connection.bytesSent() + connection.bytesReceived();
        }
    }
}
