package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static io.anneal.repair.Sessions.SCHEMA;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.key.ClusteringComparator;
import io.anneal.node.StagingArea;
import io.anneal.repair.hashes.Wanted;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What crosses from one replica to another at once is bounded, whatever differs; only a row that is larger is not. */
class PiecesTest {
    private static final int BUFFER_BYTES = 100_000;
    private static final int REPLICAS = 3;
    private static final long LIVING = 95;
    private static final int SHARE_BYTES = BUFFER_BYTES / (REPLICAS - 1);

    @TempDir
    private Path directory;

    private final List<StagingArea> stagings = new ArrayList<>();
    private final List<TestTable> tables = new ArrayList<>();
    private final List<Integer> fetchedBytes = new ArrayList<>();
    private final List<Integer> pushedBytes = new ArrayList<>();
    private final List<Wanted> wanted = new ArrayList<>();

    private void table(FragmentList rows) throws IOException {
        StagingArea staging = Sessions.staging(directory.resolve("replica" + stagings.size()));
        stagings.add(staging);
        tables.add(new TestTable("replica" + tables.size(), rows, Optional.of(staging)));
    }

    @AfterEach
    void close() throws IOException {
        for (StagingArea staging : stagings) {
            staging.close();
        }
    }

    /** The first replica is the master. */
    private RepairReport repair() throws IOException {
        List<Participant> followers = new ArrayList<>();
        for (TestTable table : tables.subList(1, tables.size())) {
            followers.add(watched(new LocalParticipant(table.name(), table.opener(), Runnable::run)));
        }
        try (RepairMaster master =
                new RepairMaster(Sessions.config(BUFFER_BYTES), tables.get(0), followers, RepairListener.NONE)) {
            return master.run();
        } finally {
            followers.forEach(Participant::close);
        }
    }

    private Participant watched(Participant follower) {
        return (Participant) Proxy.newProxyInstance(
                Participant.class.getClassLoader(), new Class<?>[] {Participant.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("push")) {
                        pushedBytes.add(((byte[]) arguments[0]).length);
                    }
                    Object answer;
                    try {
                        answer = method.invoke(follower, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                    if (method.getName().equals("fetch")) {
                        wanted.add((Wanted) arguments[1]);
                        fetchedBytes.add(((byte[]) ((CompletableFuture<?>) answer).join()).length);
                    }
                    return answer;
                });
    }

    private static byte[] random(int number, int lengthBytes) {
        byte[] value = new byte[lengthBytes];
        new Random(number).nextBytes(value);
        return value;
    }

    @Test
    void shouldFillNoMoreThanOneBufferTogether() throws IOException {
        int rows = 600;
        for (int replica = 0; replica < REPLICAS; replica++) {
            FragmentList.Builder builder = FragmentList.builder(SCHEMA).partition(KEYS.get(0));
            for (int i = replica; i < rows; i += REPLICAS) {
                builder.row(HandMadeTable.row(i, 0).cell(0, 5, random(i, 1_000)).build());
            }
            table(builder.end().build());
        }

        RepairReport report = repair();

        assertThat(report.rowsDiffering()).isEqualTo(rows);
        assertThat(report.itemsFetched()).isEqualTo(rows * 2 / 3);
        assertThat(report.itemsPushed()).isEqualTo(rows / 3 * 2 + rows * 2 / 3);
        assertThat(fetchedBytes).isNotEmpty().allMatch(bytes -> bytes <= SHARE_BYTES);
        assertThat(pushedBytes).isNotEmpty().allMatch(bytes -> bytes <= SHARE_BYTES);
        for (TestTable table : tables) {
            assertThat(table.stagedLines()).hasSize(rows * 2 / 3 + 2);
        }
    }

    @Test
    void shouldCountARangeDeletionOnceInHoweverManyWindowsItLies() throws IOException {
        int rows = 600;
        for (int replica = 0; replica < REPLICAS; replica++) {
            FragmentList.Builder builder = FragmentList.builder(SCHEMA).partition(KEYS.get(0));
            if (replica == 1) {
                builder.change(HandMadeTable.clustering(0), ClusteringComparator.BEFORE, 3, LIVING);
            }
            for (int i = 0; i < rows; i++) {
                builder.row(HandMadeTable.row(i, 0).cell(0, 5, random(i, 1_000)).build());
            }
            if (replica == 1) {
                builder.change(
                        HandMadeTable.clustering(rows),
                        ClusteringComparator.AFTER,
                        DeletionTime.NO_TIMESTAMP,
                        DeletionTime.NO_DELETION_TIME);
            }
            table(builder.end().build());
        }

        RepairReport report = repair();

        assertThat(report.windows()).isGreaterThan(3);
        assertThat(report.deletionsDiffering()).isEqualTo(1);
        assertThat(report.rowsDiffering()).isZero();
        // Whole in the file of a replica that lacked it: start, end, and those of the partition.
        assertThat(tables.get(0).stagedLines()).hasSize(4);
    }

    @Test
    void shouldNameTheHashesThatItWantsOnceInHoweverManyPiecesTheyCome() throws IOException {
        int rows = 600;
        for (int replica = 0; replica < REPLICAS; replica++) {
            FragmentList.Builder builder = FragmentList.builder(SCHEMA).partition(KEYS.get(0));
            for (int i = 0; i < rows; i++) {
                if (i % 10 == 0 || i % REPLICAS == replica) {
                    builder.row(
                            HandMadeTable.row(i, 0).cell(0, 5, random(i, 1_000)).build());
                }
            }
            table(builder.end().build());
        }

        RepairReport report = repair();

        long naming =
                wanted.stream().filter(one -> !one.equals(Wanted.AS_BEFORE)).count();
        assertThat(naming).isLessThanOrEqualTo((REPLICAS - 1) * report.windows());
        assertThat(wanted).hasSizeGreaterThan((int) naming);
        assertThat(tables.get(0).stagedLines()).hasSize((int) report.itemsFetched() + 2);
        assertThat(report.itemsFetched()).isEqualTo(rows * 9 / 10 * 2 / 3);
    }

    /** Cells of the master's rows were deleted at a follower, so long ago that nobody else needs to know. */
    @Test
    void shouldForwardRowsThatComeBackInPieces() throws IOException {
        int rows = 400;
        FragmentList.Builder whole = FragmentList.builder(SCHEMA).partition(KEYS.get(0));
        FragmentList.Builder deleted = FragmentList.builder(SCHEMA).partition(KEYS.get(0));
        for (int i = 0; i < rows; i++) {
            whole.row(HandMadeTable.row(i, 0)
                    .cell(0, 5, "")
                    .cell(1, 5, random(i, 450))
                    .build());
            deleted.row(
                    HandMadeTable.row(i, 0).deleted(4, 50).tombstone(0, 9, 50).build());
        }
        table(whole.end().build());
        table(deleted.end().build());
        table(FragmentList.builder(SCHEMA).build());

        repair();

        assertThat(pushedBytes).isNotEmpty().allMatch(bytes -> bytes <= SHARE_BYTES);
        assertThat(tables.get(2).stagedLines()).hasSize(rows + 2).anyMatch(line -> line.contains("tombstone/50"));
    }

    @Test
    void shouldMergeVersionsOfARowThatIsLargerThanTheBuffer() throws IOException {
        byte[] first = random(1, 3 * BUFFER_BYTES);
        byte[] second = random(2, 2 * BUFFER_BYTES);
        table(Sessions.one(
                KEYS.get(0), HandMadeTable.row(1, 1).cell(0, 5, first).build()));
        table(Sessions.one(
                KEYS.get(0), HandMadeTable.row(1, 1).cell(1, 6, second).build()));
        table(Sessions.one(KEYS.get(1), HandMadeTable.row(1, 1).cell(0, 5, "x").build()));
        List<String> merged = Sessions.one(
                        KEYS.get(0),
                        HandMadeTable.row(1, 1)
                                .cell(0, 5, first)
                                .cell(1, 6, second)
                                .build())
                .lines();

        RepairReport report = repair();

        assertThat(report.rowsDiffering()).isEqualTo(2);
        for (TestTable table : tables) {
            assertThat(table.stagedLines()).as(table.name()).containsAll(merged);
        }
        assertThat(tables.get(2).stagedLines()).isEqualTo(merged);
    }

    @Test
    void shouldDeleteARowThatIsLargerThanTheBuffer() throws IOException {
        FragmentList huge = Sessions.one(
                KEYS.get(0),
                HandMadeTable.row(1, 1).cell(0, 5, random(1, 3 * BUFFER_BYTES)).build());
        FragmentList deleted = FragmentList.builder(SCHEMA)
                .partition(KEYS.get(0), 10, 95)
                .end()
                .build();
        table(huge);
        table(deleted);
        table(huge);

        repair();

        assertThat(tables.get(0).stagedLines()).isEqualTo(deleted.lines());
        assertThat(tables.get(1).stagedFiles()).isEmpty();
        assertThat(tables.get(2).stagedLines()).isEqualTo(deleted.lines());
    }
}
