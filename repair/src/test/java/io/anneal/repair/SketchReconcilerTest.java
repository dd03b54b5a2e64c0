package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.RingPosition;
import io.anneal.net.Waiting;
import io.anneal.node.StagingArea;
import io.anneal.repair.hashes.HashRanges;
import io.anneal.repair.hashes.RangeSums;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.message.ReadRate;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.WindowAnswer;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas become equal by the way that costs least, and by lists where a follower's sketch does not tell. */
class SketchReconcilerTest {
    private static final int ROWS = 6_000;
    /** Windows of 1,400 rows. */
    private static final int BUFFER_BYTES = 600_000;

    /** What a follower says in the place of an honest answer. */
    private interface Lie {
        Object answer(Participant honest, Object[] arguments);
    }

    private static final Lie FOREIGN_AHEAD =
            (honest, arguments) -> honest.window((RingPosition) arguments[0], (int) arguments[1])
                    .thenApply(answer -> new WindowAnswer(
                            answer.summary(), Sketch.of(new long[] {7, 8, -9}, 0, (int) arguments[1])));

    @TempDir
    private Path directory;

    private final List<StagingArea> stagings = new ArrayList<>();
    private final List<TestTable> tables = new ArrayList<>();
    private int sketchesAsked;

    @AfterEach
    void close() throws IOException {
        for (StagingArea staging : stagings) {
            staging.close();
        }
    }

    private void table(IntPredicate holds) throws IOException {
        FragmentList.Builder rows = FragmentList.builder(Sessions.SCHEMA).partition(KEYS.get(0));
        for (int i = 0; i < ROWS; i++) {
            if (holds.test(i)) {
                rows.row(HandMadeTable.row(i, 0).live(5).build());
            }
        }
        stagings.add(Sessions.staging(directory.resolve("replica" + stagings.size())));
        tables.add(new TestTable(
                "replica" + tables.size(), rows.end().build(), Optional.of(stagings.get(stagings.size() - 1))));
    }

    private RepairReport repair(boolean dryRun, Map<String, Lie> lies) throws IOException {
        return repair(BUFFER_BYTES, dryRun, lies);
    }

    private RepairReport repair(int bufferBytes, boolean dryRun, Map<String, Lie> lies) throws IOException {
        RepairConfig asked = Sessions.config(bufferBytes);
        RepairConfig config = new RepairConfig(
                asked.sessionId(),
                asked.keyspace(),
                asked.table(),
                asked.ranges(),
                asked.bufferBytes(),
                asked.purgeTimeSeconds(),
                asked.hashSeed(),
                dryRun,
                asked.allReplicas(),
                asked.staged(),
                asked.waivers(),
                asked.sessions(),
                ReadRate.UNLIMITED,
                Optional.empty(),
                false);
        List<Participant> followers = new ArrayList<>();
        for (TestTable table : tables.subList(1, tables.size())) {
            followers.add(lying(new LocalParticipant(table.name(), table.opener(), Runnable::run), lies));
        }
        try (RepairMaster master = new RepairMaster(config, tables.get(0), followers, RepairListener.NONE)) {
            return master.run();
        } finally {
            followers.forEach(Participant::close);
        }
    }

    /** @param lies answers by method */
    private Participant lying(Participant honest, Map<String, Lie> lies) {
        return (Participant) Proxy.newProxyInstance(
                Participant.class.getClassLoader(), new Class<?>[] {Participant.class}, (proxy, method, arguments) -> {
                    if (lies.containsKey(method.getName())) {
                        return lies.get(method.getName()).answer(honest, arguments);
                    }
                    sketchesAsked += method.getName().equals("sketch") ? 1 : 0;
                    try {
                        return method.invoke(honest, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private RepairReport repair() throws IOException {
        return repair(false, Map.of());
    }

    /** Each replica wrote just the rows that it lacked. */
    private void shouldHaveWritten(RepairReport report, long... rows) {
        for (int i = 0; i < rows.length; i++) {
            assertThat(report.replicas().get(i).counts().of(RepairCount.ROWS_WRITTEN))
                    .as("rows written by replica %d", i)
                    .isEqualTo(rows[i]);
        }
    }

    private static void shouldHaveCountedNo(RepairReport report, RepairCount... counts) {
        for (RepairCount count : counts) {
            assertThat(report.counts().of(count)).as(count.text()).isZero();
        }
    }

    @Test
    void shouldAskEachFollowerForWhatItDiffersInAndNotForWhatAllDoTogether() throws IOException {
        int lacking = 40;
        int followers = 6;
        table(i -> true);
        for (int follower = 0; follower < followers; follower++) {
            int first = follower;
            table(i -> i % 100 != first || i / 100 >= lacking);
        }

        RepairReport report = repair(8 << 20, false, Map.of());

        assertThat(report.windows()).isEqualTo(1);
        assertThat(report.rowsDiffering()).isEqualTo(lacking * followers);
        assertThat(report.counts().of(RepairCount.SYMBOLS)).isLessThan(3L * lacking * followers);
    }

    @Test
    void shouldSketchWhereFewRowsDiffer() throws IOException {
        for (int replica = 0; replica < 3; replica++) {
            int own = replica;
            table(i -> i % 300 != 7 || i / 300 % 3 == own);
        }

        RepairReport report = repair();

        // Twenty rows, of which each replica holds a third.
        assertThat(report.rowsDiffering()).isEqualTo(20);
        shouldHaveWritten(report, 13, 13, 14);
        assertThat(report.counts().of(RepairCount.HASHES))
                .as("hashes by which rows are fetched")
                .isEqualTo(13);
        assertThat(report.counts().of(RepairCount.WINDOWS_RANGE_SUMS))
                .as("of the first window, of which nothing was known")
                .isEqualTo(1);
        assertThat(report.counts().of(RepairCount.WINDOWS_SKETCH)).isEqualTo(report.windowsDiffering());
        assertThat(report.counts().of(RepairCount.SYMBOLS)).isLessThan(20 * 2 * 12);
        shouldHaveCountedNo(report, RepairCount.WINDOWS_LIST);
        assertThat(sketchesAsked)
                .as("of all windows but the first they come with the sums")
                .isEqualTo(2);
    }

    @Test
    void shouldListWhereManyRowsDiffer() throws IOException {
        table(i -> i % 2 == 0);
        table(i -> i % 3 == 0);

        RepairReport report = repair();

        shouldHaveWritten(report, 1_000, 2_000);
        assertThat(report.counts().of(RepairCount.WINDOWS_LIST)).isEqualTo(report.windowsDiffering());
        assertThat(report.counts().of(RepairCount.SYMBOLS)).isZero();
    }

    /** Its list is short, however long the master's would be. */
    @Test
    void shouldListWhereAFollowerHasFewRows() throws IOException {
        table(i -> i % 20 != 3);
        table(i -> i % 20 == 3);
        table(i -> i % 20 != 4);

        RepairReport report = repair(Sessions.BUFFER_BYTES, false, Map.of());

        shouldHaveWritten(report, 300, 5_700, 300);
    }

    @Test
    void shouldAskForNothingWhereOneSideHasNothing() throws IOException {
        table(i -> false);
        table(i -> true);
        table(i -> true);

        RepairReport report = repair();

        shouldHaveWritten(report, ROWS, 0, 0);
        shouldHaveCountedNo(
                report,
                RepairCount.WINDOWS_LIST,
                RepairCount.WINDOWS_SKETCH,
                RepairCount.WINDOWS_RANGE_SUMS,
                RepairCount.HASHES);
        assertThat(report.counts().of(RepairCount.ITEMS_RECEIVED)).isEqualTo(ROWS);
        assertThat(report.counts().of(RepairCount.ITEMS_SENT)).isZero();
    }

    @Test
    void shouldFetchFromOneOfThoseThatAreEqualAndPushToTheEmpty() throws IOException {
        table(i -> i % 100 != 0);
        table(i -> true);
        table(i -> true);
        table(i -> false);

        RepairReport report = repair();

        shouldHaveWritten(report, 60, 0, 0, ROWS);
        assertThat(report.counts().of(RepairCount.ITEMS_RECEIVED)).isEqualTo(60);
        assertThat(report.counts().of(RepairCount.ITEMS_SENT)).isEqualTo(ROWS);
        shouldHaveCountedNo(report, RepairCount.WINDOWS_LIST);
    }

    @Test
    void shouldRepairEmptyMasterWhoseFollowersDiffer() throws IOException {
        table(i -> false);
        table(i -> i % 2 == 0);
        table(i -> i % 3 == 0);

        RepairReport report = repair();

        shouldHaveWritten(report, 4_000, 1_000, 2_000);
    }

    @Test
    void shouldCountTheSameInADryRun() throws IOException {
        table(i -> i % 100 != 3);
        table(i -> i % 200 != 4);
        table(i -> i % 2_000 < 1_000);

        RepairReport report = repair(true, Map.of());

        assertThat(report.rowsDiffering()).isEqualTo(30 + 15 + 3_000);
        shouldHaveWritten(report, 60, 30, 3_000);
        shouldHaveCountedNo(report, RepairCount.ITEMS_RECEIVED, RepairCount.ITEMS_SENT);
    }

    @Test
    void shouldRepairByListsWhateverTheSketchesOfAFollowerAre() throws IOException {
        table(i -> i % 100 != 3);
        table(i -> i % 200 != 4);
        RangeSums noSums = RangeSums.of(new long[] {1, 2, 3});

        RepairReport report = repair(
                false,
                Map.of(
                        "window",
                        FOREIGN_AHEAD,
                        "sums",
                        (honest, arguments) -> CompletableFuture.completedFuture(noSums),
                        "sketch",
                        (honest, arguments) -> CompletableFuture.completedFuture(
                                Sketch.of(new long[] {5, 5, 6}, (int) arguments[1], (int) arguments[2]))));

        shouldHaveWritten(report, 60, 30);
        assertThat(report.counts().of(RepairCount.WINDOWS_LIST)).isEqualTo(report.windowsDiffering());
    }

    @Test
    void shouldRepairWhateverCameAheadOfSketches() throws IOException {
        table(i -> i % 100 != 3);
        table(i -> i % 200 != 4);

        RepairReport report = repair(false, Map.of("window", FOREIGN_AHEAD));

        shouldHaveWritten(report, 60, 30);
    }

    @Test
    void shouldRefuseToSketchForEver() throws IOException {
        table(i -> i < 10);
        try (LocalParticipant replica =
                new LocalParticipant("follower", tables.get(0).opener(), Runnable::run)) {
            Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
            Waiting.result(replica.agree(Sessions.terms(BUFFER_BYTES)));

            assertThatThrownBy(() -> Waiting.result(replica.sketch(HashRanges.ALL, 0, Sketch.SYMBOLS_MAX)))
                    .isInstanceOf(RepairException.class)
                    .hasMessageContaining("longer than a list");
        }
    }
}
