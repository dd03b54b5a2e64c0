package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.io.ByteBudget;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.node.StagingArea;
import io.anneal.repair.message.ReadRate;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was written after the cut-off: left out on all replicas, and counted. The repair is at second 100. */
@Timeout(60)
class RecentRowsTest {
    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final long CUTOFF = 90_000_000;
    private static final long OLD = 5;
    private static final DecoratedKey KEY = HandMadeTable.keys(1).get(0);

    private final List<RingPosition> differing = new ArrayList<>();

    @TempDir
    private Path directory;

    private interface Content {
        void addTo(FragmentList.Builder builder);
    }

    private static FragmentList table(Content content) {
        FragmentList.Builder builder = FragmentList.builder(Sessions.SCHEMA);
        content.addTo(builder);
        return builder.build();
    }

    private static FragmentList rows(Row... rows) {
        return table(to -> {
            to.partition(KEY);
            List.of(rows).forEach(to::row);
            to.end();
        });
    }

    private static Row row(int c1, long micros) {
        return HandMadeTable.row(c1, 0).live(micros).build();
    }

    private static Repair repair(List<FragmentList> replicas) {
        List<RepairMember> members = new ArrayList<>();
        for (FragmentList rows : replicas) {
            String name = "r" + members.size();
            members.add(RepairMember.here(name, new TestTable(name, rows, Optional.empty()).opener()));
        }
        return Repair.of("ks.t").between(members).range(TokenRange.FULL).bufferBytes(1 << 20);
    }

    private RepairReport dryRun(Repair repair) throws IOException {
        return repair.dryRun(true)
                .differences(new DifferenceListener() {
                    @Override
                    public void rowDiffers(RowDifference difference) {
                        differing.add(difference.place());
                    }
                })
                .run(environment());
    }

    private static RepairEnvironment environment() {
        HostEnvironment host = HostEnvironment.system().withClock(() -> Instant.ofEpochSecond(100));
        return new RepairEnvironment(host, Runnable::run, ByteBudget.of(64 << 20));
    }

    /** In each order: the master asks, and the others are asked. */
    private static List<List<FragmentList>> orders(FragmentList one, FragmentList other) {
        return List.of(List.of(one, other), List.of(other, one), List.of(other, other, one), List.of(one, other, one));
    }

    private void assertNothingDiffersButWithAll(FragmentList one, FragmentList other) throws IOException {
        for (List<FragmentList> replicas : orders(one, other)) {
            RepairReport report = dryRun(repair(replicas).leaveOutRecent(WINDOW));
            assertThat(report.wereEqual()).as(report.toString()).isTrue();
            assertThat(differing).isEmpty();
            assertThat(report.cutoff()).contains(Instant.ofEpochSecond(90));
            RepairReport counted =
                    repair(replicas).leaveOutRecent(WINDOW).dryRun(true).run(environment());
            assertThat(counted.wereEqual()).as("without places").isTrue();
            long leftOut = report.replicas().stream()
                    .mapToLong(replica -> replica.rowsRecent() + replica.deletionsRecent())
                    .sum();
            assertThat(leftOut).isPositive();

            RepairReport all = dryRun(repair(replicas));
            assertThat(all.wereEqual()).isFalse();
            assertThat(all.cutoff()).isEmpty();
            assertThat(all.replicas())
                    .allSatisfy(replica -> assertThat(replica.rowsRecent()).isZero());
            differing.clear();
        }
    }

    @Test
    void shouldLeaveOutRowThatOneReplicaHasJustReceived() throws IOException {
        assertNothingDiffersButWithAll(rows(row(1, OLD), row(2, CUTOFF + 1)), rows(row(1, OLD)));
    }

    @Test
    void shouldLeaveOutWhatStandsElsewhereInPlaceOfRecentUpdate() throws IOException {
        assertNothingDiffersButWithAll(rows(row(1, OLD), row(2, CUTOFF + 1)), rows(row(1, OLD), row(2, OLD)));
    }

    @Test
    void shouldLeaveOutRowsUnderRecentDeletionOfPartition() throws IOException {
        assertNothingDiffersButWithAll(
                table(to -> to.partition(KEY, CUTOFF + 1, 91).end()), rows(row(1, OLD), row(2, OLD)));
    }

    @Test
    void shouldLeaveOutRowsUnderRecentRangeDeletion() throws IOException {
        assertNothingDiffersButWithAll(
                table(to -> to.partition(KEY)
                        .change(HandMadeTable.clustering(1), -1, CUTOFF + 1, 91)
                        .change(HandMadeTable.clustering(2), 1, Long.MIN_VALUE, Long.MAX_VALUE)
                        .row(row(3, OLD))
                        .end()),
                rows(row(1, OLD), row(2, OLD), row(3, OLD)));
    }

    @Test
    void shouldLeaveOutDeletionThatRecentOneCuts() throws IOException {
        FragmentList whole = table(to -> to.partition(KEY)
                .change(HandMadeTable.clustering(1), -1, 50, 95)
                .change(HandMadeTable.clustering(9), 1, Long.MIN_VALUE, Long.MAX_VALUE)
                .end());
        FragmentList cut = table(to -> to.partition(KEY)
                .change(HandMadeTable.clustering(1), -1, 50, 95)
                .change(HandMadeTable.clustering(3), -1, CUTOFF + 1, 96)
                .change(HandMadeTable.clustering(3), 1, 50, 95)
                .change(HandMadeTable.clustering(9), 1, Long.MIN_VALUE, Long.MAX_VALUE)
                .end());
        assertNothingDiffersButWithAll(cut, whole);
    }

    /** A deletion is looked at where the recent one does not reach. */
    @Test
    void shouldTellOfADeletionOfWhichARecentOneHidesAPart() throws IOException {
        FragmentList both = table(to -> to.partition(KEY)
                .change(HandMadeTable.clustering(1), -1, 50, 95)
                .change(HandMadeTable.clustering(3), -1, CUTOFF + 1, 96)
                .change(HandMadeTable.clustering(3), 1, Long.MIN_VALUE, Long.MAX_VALUE)
                .end());
        for (List<FragmentList> replicas : orders(both, rows(row(9, OLD)))) {
            RepairReport report = dryRun(repair(replicas).leaveOutRecent(WINDOW));

            assertThat(report.deletionsDiffering()).isEqualTo(1);
            differing.clear();
        }
    }

    /** Where one replica has cut a deletion shorter, that is counted alike whatever was just written to another partition. */
    @Test
    void shouldCountDeletionsAlikeWhateverIsRecentInAnotherPartition() throws IOException {
        DecoratedKey other = HandMadeTable.keys(2).get(1);
        List<Long> counted = new ArrayList<>();
        for (boolean anyIsRecent : List.of(false, true)) {
            FragmentList large = table(to -> {
                deleted(to, 9);
                if (anyIsRecent) {
                    to.partition(other, CUTOFF + 1, 91).end();
                }
            });
            RepairReport report =
                    dryRun(repair(List.of(large, table(to -> deleted(to, 3)))).leaveOutRecent(WINDOW));
            counted.add(report.deletionsDiffering());
        }

        assertThat(counted.get(1)).isEqualTo(counted.get(0)).isPositive();
    }

    private static void deleted(FragmentList.Builder to, int last) {
        to.partition(HandMadeTable.keys(2).get(0))
                .change(HandMadeTable.clustering(1), ClusteringComparator.BEFORE, 50, 95)
                .change(
                        HandMadeTable.clustering(last),
                        ClusteringComparator.AFTER,
                        DeletionTime.NO_TIMESTAMP,
                        DeletionTime.NO_DELETION_TIME)
                .end();
    }

    @ParameterizedTest
    @ValueSource(longs = {OLD, CUTOFF})
    void shouldCompareWhatWasWrittenUpToTheCutoff(long micros) throws IOException {
        for (List<FragmentList> replicas :
                orders(rows(row(1, OLD), row(2, CUTOFF + 1), row(3, micros)), rows(row(1, OLD)))) {
            RepairReport report = dryRun(repair(replicas).leaveOutRecent(WINDOW));

            assertThat(report.rowsDiffering()).isEqualTo(1);
            assertThat(differing)
                    .singleElement()
                    .satisfies(place -> assertThat(place.toString())
                            .contains(RingPosition.of(KEY, PositionInPartition.at(HandMadeTable.clustering(3, 0)))
                                    .toString()));
            differing.clear();
        }
    }

    /** What only purging hides is old: that another replica has it still is a difference. */
    @Test
    void shouldNotTakeExpiredDeletionForRecentOne() throws IOException {
        FragmentList purgeable = rows(HandMadeTable.row(1, 0).deleted(7, 1).build());
        RepairReport report =
                dryRun(repair(List.of(purgeable, rows(row(1, OLD)))).leaveOutRecent(WINDOW));

        assertThat(report.rowsDiffering()).isEqualTo(1);
        assertThat(report.replicas().get(0).rowsRecent()).isZero();
    }

    @Test
    void shouldNotCallReplicaEmptyOfWhichAllIsLeftOut() throws IOException {
        int many = RepairConfig.MUCH_ITEMS * 2;
        FragmentList old =
                rows(IntStream.range(0, many).mapToObj(i -> row(i, OLD)).toArray(Row[]::new));
        FragmentList recent =
                rows(IntStream.range(0, many).mapToObj(i -> row(i, CUTOFF + 1)).toArray(Row[]::new));
        RepairReport report =
                dryRun(repair(List.of(old, recent)).bufferBytes(4_096).leaveOutRecent(WINDOW));

        assertThat(report.wereEqual()).isTrue();
        assertThat(report.windows()).isGreaterThan(1);
        assertThat(report.replicas().get(1).rowsRecent()).isEqualTo(many);
    }

    @Test
    void shouldCountADeletionThatItLeavesOutOnceInHoweverManyWindows() throws IOException {
        int many = 2_000;
        FragmentList recent = table(to -> {
            to.partition(KEY).change(HandMadeTable.clustering(0), ClusteringComparator.BEFORE, CUTOFF + 1, 91);
            IntStream.range(0, many).forEach(i -> to.row(row(i, CUTOFF + 2)));
            to.change(
                            HandMadeTable.clustering(many),
                            ClusteringComparator.AFTER,
                            DeletionTime.NO_TIMESTAMP,
                            DeletionTime.NO_DELETION_TIME)
                    .end();
        });
        RepairReport report =
                dryRun(repair(List.of(recent, recent)).bufferBytes(4_096).leaveOutRecent(WINDOW));

        assertThat(report.windows()).isGreaterThan(1);
        assertThat(report.replicas())
                .allSatisfy(replica -> assertThat(replica.deletionsRecent()).isEqualTo(1));
    }

    @Test
    void shouldNotCountAsComparedWhatAReplicaLeftOut() throws IOException {
        for (List<FragmentList> replicas :
                orders(rows(row(1, OLD), row(2, CUTOFF + 1), row(3, CUTOFF + 1)), rows(row(1, OLD), row(2, OLD)))) {
            RepairReport report = dryRun(repair(replicas).leaveOutRecent(WINDOW));
            assertThat(report.wereEqual()).isTrue();
            assertThat(report.rowsCompared()).isEqualTo(1);
            assertThat(report.comparedNothing()).isFalse();
            assertThat(dryRun(repair(replicas)).rowsCompared()).isEqualTo(3);
        }
    }

    @Test
    void shouldSayWhenAllThatIsThereWasLeftOut() throws IOException {
        FragmentList recent = rows(row(1, CUTOFF + 1));
        for (FragmentList other : List.of(recent, rows(), rows(row(1, OLD)))) {
            for (List<FragmentList> replicas : orders(recent, other)) {
                RepairReport report = dryRun(repair(replicas).leaveOutRecent(WINDOW));
                assertThat(report.rowsCompared()).isZero();
                assertThat(report.comparedNothing()).isTrue();
            }
        }
        assertThat(dryRun(repair(List.of(rows(), rows())).leaveOutRecent(WINDOW))
                        .comparedNothing())
                .as("nothing is there")
                .isFalse();
    }

    @Test
    void shouldSayWhenDeletionsAreAllThatWasCompared() throws IOException {
        FragmentList deleted =
                table(to -> to.partition(KEY, OLD, 95).row(row(1, CUTOFF + 1)).end());

        RepairReport report = dryRun(repair(List.of(deleted, deleted)).leaveOutRecent(WINDOW));

        assertThat(report.replicas()).allSatisfy(replica -> {
            assertThat(replica.rowsRecent()).isEqualTo(1);
            assertThat(replica.deletionsRead()).isEqualTo(1);
        });
        assertThat(report.wereEqual()).isTrue();
        assertThat(report.comparedNothing()).isFalse();
    }

    /** What was read behind the end is counted by the session that goes on there. */
    @Test
    void shouldCountWhatItLeavesOutUpToWhereTheSessionEnds() throws IOException {
        List<DecoratedKey> keys = HandMadeTable.keys(9);
        FragmentList recent = table(to -> keys.forEach(
                key -> to.partition(key, CUTOFF + 1, 91).row(row(1, CUTOFF + 2)).end()));
        RepairConfig config = new RepairConfig(
                new UUID(0, 1),
                "ks",
                "t",
                List.of(TokenRange.FULL),
                1 << 20,
                100,
                1,
                true,
                true,
                Optional.empty(),
                Set.of(),
                1,
                ReadRate.UNLIMITED,
                Optional.of(WINDOW),
                false);
        RepairListener ending = new RepairListener() {
            @Override
            public void endsEarlyBy(EarlyEnd end) {
                try {
                    assertThat(end.endAt(keys.get(3).token())).isTrue();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
        TestTable own = new TestTable("own", recent, Optional.empty());
        TestTable other = new TestTable("other", recent, Optional.empty());
        try (Participant follower = new LocalParticipant("other", other.opener(), Runnable::run);
                RepairMaster master = new RepairMaster(config, own, List.of(follower), ending)) {
            assertThat(master.run().replicas()).allSatisfy(replica -> {
                assertThat(replica.rowsRead()).isEqualTo(9);
                assertThat(replica.rowsRecent()).isEqualTo(4);
                assertThat(replica.deletionsRecent()).isEqualTo(4);
            });
        }
    }

    /** Deletions are purged by it: what one replica did not keep is not known to all. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldNotCountAsRepairedWhatOneReplicaDidNotKeep(int failing) throws IOException {
        try (StagingArea one = Sessions.staging(directory.resolve("one"));
                StagingArea two = Sessions.staging(directory.resolve("two"))) {
            TestTable own = new TestTable("own", rows(row(1, OLD)), Optional.of(one));
            TestTable other = new TestTable("other", rows(row(4, OLD)), Optional.of(two));
            List.of(own, other).forEach(table -> table.takesInAtOnce = true);
            List.of(own, other).get(failing).afterComplete = () -> {
                throw new UncheckedIOException(new IOException("disk is full"));
            };

            assertThatThrownBy(() -> Repair.of("ks.t")
                            .between(RepairMember.here("own", own.opener()), RepairMember.here("other", other.opener()))
                            .range(TokenRange.FULL)
                            .bufferBytes(1 << 20)
                            .allReplicas(true)
                            .run(environment()))
                    .hasStackTraceContaining("disk is full");
            assertThat(own.repairedSeconds).isEmpty();
            assertThat(other.repairedSeconds).isEmpty();
        }
    }

    /** A repair that writes brings along what is recent only where it meets what is older. */
    @Test
    void shouldRepairUpToTheCutoffAlone() throws IOException {
        try (StagingArea one = Sessions.staging(directory.resolve("one"));
                StagingArea two = Sessions.staging(directory.resolve("two"))) {
            TestTable own =
                    new TestTable("own", rows(row(1, OLD), row(2, CUTOFF + 1), row(3, CUTOFF + 1)), Optional.of(one));
            TestTable other = new TestTable("other", rows(row(3, OLD), row(4, OLD)), Optional.of(two));
            own.takesInAtOnce = true;
            other.takesInAtOnce = true;
            RepairReport report = Repair.of("ks.t")
                    .between(RepairMember.here("own", own.opener()), RepairMember.here("other", other.opener()))
                    .range(TokenRange.FULL)
                    .bufferBytes(1 << 20)
                    .allReplicas(true)
                    .leaveOutRecent(WINDOW)
                    .run(environment());

            assertThat(String.join("\n", other.stagedLines()))
                    .contains("5")
                    .contains(Long.toString(CUTOFF + 1))
                    .doesNotContain("(2, 0)");
            assertThat(own.repairedSeconds)
                    .as("a deletion may have been left out")
                    .isEmpty();
            assertThat(report.cutoff()).contains(Instant.ofEpochSecond(90));
        }
    }
}
