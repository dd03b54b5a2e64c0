package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static io.anneal.repair.Sessions.KEYS;
import static io.anneal.repair.Sessions.SCHEMA;
import static io.anneal.testkit.HandMadeTable.row;
import static io.anneal.testkit.HandMadeTable.staticRow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.ItemHash;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.Waiting;
import io.anneal.node.StagingArea;
import io.anneal.repair.message.PushAnswer;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.WindowSummary;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a replica makes of the rows that it is sent: bytes that nothing here changes are kept and written as they came. */
class ReceivedRowsTest {
    private static final DecoratedKey KEY = KEYS.get(1);
    /** Behind the purge time of 100 less gc_grace of 10, and before it. */
    private static final long LIVING = 95;

    private static final long PURGEABLE = 50;

    @TempDir
    private Path directory;

    private StagingArea staging;
    private TestTable table;
    private LocalParticipant replica;

    @BeforeEach
    void open() throws IOException {
        staging = Sessions.staging(directory);
    }

    @AfterEach
    void close() throws IOException {
        replica.close();
        staging.close();
    }

    /** The window's sums after what was pushed last. */
    private WindowSummary summary;

    /** Opens a window over all that the replica holds. */
    private void hold(FragmentList rows) throws IOException {
        table = new TestTable("one", rows, Optional.of(staging));
        replica = new LocalParticipant("one", table.opener(), Runnable::run);
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        Waiting.result(replica.start(List.of(TokenRange.FULL)));
        Waiting.result(replica.read());
        Waiting.result(replica.window(RingPosition.END, 0));
    }

    private byte[] push(byte[] items) throws IOException {
        PushAnswer answer = Waiting.result(replica.push(items));
        summary = answer.summary();
        return answer.ghosts();
    }

    private void shouldWrite(FragmentList expected) throws IOException {
        Waiting.result(replica.finish());
        assertThat(table.stagedLines()).isEqualTo(expected.lines());
    }

    private static byte[] together(byte[]... items) {
        ByteWriter all = new ByteWriter(64);
        for (byte[] item : items) {
            all.writeBytes(item);
        }
        return all.toByteArray();
    }

    private static byte[] encoded(Row row) {
        return Sessions.encoded(KEY, row);
    }

    /** As a peer sends it that knows no ceiling. */
    private static byte[] unclamped(Row row) {
        ByteWriter out = new ByteWriter(64);
        new CanonicalEncoder(SCHEMA, CanonicalEncoder.UNCLAMPED).row(new KeyView().wrap(KEY), row, out);
        return out.toByteArray();
    }

    private static FragmentList nothing() {
        return FragmentList.builder(SCHEMA).build();
    }

    @Test
    void shouldWriteRowsAsTheyCameWhenNothingIsHeld() throws IOException {
        Row[] rows = {
            row(1, 1).live(5).cell(0, 6, "v").cell(1, 7, "w").build(),
            row(1, 2).cell(0, 6, "").tombstone(1, 9, LIVING).build(),
            row(2, 1).deleted(4, LIVING).cell(1, 6, "newer").build(),
        };
        Row first = staticRow().cell(0, 5, "s").build();
        hold(Sessions.rows(KEYS.get(0), 2));

        assertThat(push(together(encoded(rows[1]), encoded(rows[0])))).isEmpty();
        assertThat(push(together(Sessions.encoded(KEYS.get(2), rows[0]), encoded(rows[2]), encoded(first))))
                .isEmpty();

        shouldWrite(FragmentList.builder(SCHEMA)
                .partition(KEY)
                .row(first)
                .row(rows[0])
                .row(rows[1])
                .row(rows[2])
                .end()
                .partition(KEYS.get(2))
                .row(rows[0])
                .end()
                .build());
    }

    @Test
    void shouldWriteReceivedAndMergedRowsInOrder() throws IOException {
        hold(Sessions.rows(KEY, 4));

        push(together(
                encoded(row(0, 5).live(5).build()),
                encoded(row(1, 0).live(7).build()),
                encoded(row(3, 0).live(9).build()),
                encoded(row(9, 0).live(9).build())));

        shouldWrite(FragmentList.builder(SCHEMA)
                .partition(KEY)
                .row(row(0, 5).live(5).build())
                .row(row(1, 0).live(7).build())
                .row(row(3, 0).live(9).build())
                .row(row(9, 0).live(9).build())
                .end()
                .build());
    }

    @Test
    void shouldWriteOnlyWhatItsOwnDeletionLeavesWhenRowIsNotNormal() throws IOException {
        hold(nothing());

        push(encoded(row(1, 1)
                .deleted(10, LIVING)
                .cell(0, 5, "dead")
                .cell(1, 11, "x")
                .build()));

        shouldWrite(
                Sessions.one(KEY, row(1, 1).deleted(10, LIVING).cell(1, 11, "x").build()));
    }

    @Test
    void shouldMergeWhatComesTwice() throws IOException {
        hold(nothing());

        push(encoded(row(1, 1).cell(0, 5, "old").cell(1, 5, "kept").build()));
        push(encoded(row(1, 1).cell(0, 6, "new").build()));

        shouldWrite(
                Sessions.one(KEY, row(1, 1).cell(0, 6, "new").cell(1, 5, "kept").build()));
    }

    @Test
    void shouldWriteWhatDeletionReceivedLaterLeaves() throws IOException {
        hold(nothing());
        push(together(
                encoded(row(1, 1).cell(0, 5, "dead").cell(1, 11, "x").build()),
                encoded(row(1, 2).cell(0, 5, "dead").build())));

        push(Sessions.encodedDeletion(KEY, HandMadeTable.clustering(1), 10, LIVING));

        shouldWrite(FragmentList.builder(SCHEMA)
                .partition(KEY)
                .change(HandMadeTable.clustering(1), ClusteringComparator.BEFORE, 10, LIVING)
                .row(row(1, 1).cell(1, 11, "x").build())
                .change(
                        HandMadeTable.clustering(1),
                        ClusteringComparator.AFTER,
                        DeletionTime.NO_TIMESTAMP,
                        DeletionTime.NO_DELETION_TIME)
                .end()
                .build());
    }

    @Test
    void shouldAnswerWithGhostWhenDeletionCoversRow() throws IOException {
        hold(FragmentList.builder(SCHEMA).partition(KEY, 10, PURGEABLE).end().build());

        byte[] ghosts = push(together(
                encoded(row(1, 1).cell(0, 5, "dead").build()),
                encoded(row(1, 2).cell(0, 11, "newer").build())));

        assertThat(ghosts).isNotEmpty();
        shouldWrite(Sessions.one(KEY, row(1, 2).cell(0, 11, "newer").build()));
    }

    @Test
    void shouldWriteNoGhostThatComesWhereNothingIsHeld() throws IOException {
        hold(nothing());

        push(encoded(row(1, 1).deleted(5, PURGEABLE).build()));

        Waiting.result(replica.finish());
        assertThat(table.stagedFiles()).isEmpty();
    }

    @Test
    void shouldClampTimesThatExceedTheCeiling() throws IOException {
        long ceiling = Sessions.TERMS.localDeletionTimeMaxSeconds();
        Row late = new Row();
        late.clear(false);
        late.clustering().wrap(HandMadeTable.clustering(1, 1));
        late.addCell(0, 5, 1_000, ceiling + 77);
        late.value(new byte[] {1}, 0, 1);
        Row clamped = new Row();
        clamped.clear(false);
        clamped.clustering().wrap(HandMadeTable.clustering(1, 1));
        clamped.addCell(0, 5, 1_000, ceiling);
        clamped.value(new byte[] {1}, 0, 1);
        hold(nothing());

        push(unclamped(late));

        byte[] expected = encoded(clamped);
        ItemHash hash = new ItemHash(1);
        hash.hash(expected, 0, expected.length);
        assertThat(summary.rows()).isEqualTo(new WindowSummary.Sum(1, hash.high(), hash.low()));
        shouldWrite(Sessions.one(KEY, clamped.toRow()));
    }

    @Test
    void shouldRefuseBytesThatAreNoRow() throws IOException {
        byte[] item = encoded(row(1, 1).live(5).build());
        for (int i = 5; i < item.length; i++) {
            byte[] cut = Arrays.copyOf(item, i);
            hold(nothing());
            assertThatThrownBy(() -> push(cut)).isInstanceOf(IOException.class);
            replica.close();
        }
        assertThat(table.stagedFiles()).isEmpty();
    }

    @Test
    void shouldNotCopyWhatItReceivesWhereNothingIsHeld() throws IOException {
        int count = 1_000;
        int valueBytes = 10_000;
        ByteWriter items = new ByteWriter(count * (valueBytes + 100));
        byte[] value = new byte[valueBytes];
        new Random(1).nextBytes(value);
        for (int i = 0; i < count; i++) {
            items.writeBytes(encoded(row(i, 0).cell(0, 5, value).build()));
        }
        byte[] sent = items.toByteArray();
        hold(nothing());
        push(encoded(row(-1, 0).cell(0, 5, value).build()));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

        long before = threads.getCurrentThreadAllocatedBytes();
        push(sent);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(allocated / count).as("bytes allocated for a row of 10 KB").isLessThan(2_000);
        assertThat(summary.rows().count()).isEqualTo(count + 1);
    }

    private Row filled(int at, int lengthBytes) {
        return row(at, 7).cell(0, 5, new byte[lengthBytes]).build();
    }

    @Test
    void shouldRefuseMoreThanTheBuffersOfAllReplicasHold() throws IOException {
        hold(nothing());
        long maxBytes = RepairConfig.receivedBytesMax(BUFFER_BYTES, Sessions.REPLICAS);
        int lengthBytes = BUFFER_BYTES / 2;
        int fitting = (int) (maxBytes / (lengthBytes + 2_000));
        for (int i = 0; i < fitting; i++) {
            assertThat(push(encoded(filled(i, lengthBytes)))).isEmpty();
        }

        assertThatThrownBy(() -> push(
                        together(encoded(filled(fitting, lengthBytes)), encoded(filled(fitting + 1, lengthBytes)))))
                .isInstanceOf(RepairException.class)
                .hasMessageContainingAll("more was received in one window", "maxBytes=" + maxBytes);
    }

    @Test
    void shouldCountVersionsOfARowOnceAndRowsInTheFileNotAtAll() throws IOException {
        hold(nothing());
        for (int i = 0; i < 40; i++) {
            // Each takes the place of the one before.
            push(encoded(row(1, 1).cell(0, 5 + i, new byte[BUFFER_BYTES / 2]).build()));
        }
        for (int i = 0; i < 10; i++) {
            push(encoded(filled(2 + i, 2 * BUFFER_BYTES)));
        }

        assertThat(Waiting.result(replica.finish()).counts().of(RepairCount.ROWS_WRITTEN))
                .isEqualTo(11);
    }
}
