package io.anneal.repair.row;

import static io.anneal.testkit.HandMadeTable.clustering;
import static io.anneal.testkit.HandMadeTable.row;
import static io.anneal.testkit.HandMadeTable.staticRow;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.merge.Purger;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RowBufferTest {
    private static final TableSchema SCHEMA = HandMadeTable.schema(0);
    private static final List<DecoratedKey> KEYS = HandMadeTable.keys(3);
    private static final int CAPACITY_BYTES = 16 << 10;
    private static final int LARGE_BYTES = 4 << 20;

    private final ItemCodec codec =
            new ItemCodec(SCHEMA, Integer.MAX_VALUE - 1L, new Purger(SCHEMA, new SessionPurgeRule(0, 0)), 1);
    private final RowBuffer buffer = new RowBuffer(SCHEMA, CAPACITY_BYTES);
    private final ClusteringComparator comparator = ClusteringComparator.of(SCHEMA);

    private void add(DecoratedKey key, Row row) {
        KeyView view = new KeyView();
        view.wrap(key);
        ByteWriter bytes = buffer.bytes(64 + row.contentBytes());
        int offset = bytes.lengthBytes();
        int length = codec.row(view, row, bytes);
        buffer.add(offset, length, codec.isHashed(), codec.high(), codec.low());
    }

    private static RingPosition at(DecoratedKey key, int c1, int c2) {
        return RingPosition.of(key, PositionInPartition.at(clustering(c1, c2)));
    }

    private static RingPosition after(DecoratedKey key, int... prefix) {
        return RingPosition.of(key, PositionInPartition.after(clustering(prefix)));
    }

    private void fill() {
        add(KEYS.get(0), staticRow().cell(0, 1, "s").build());
        add(KEYS.get(0), row(1, 1).live(1).build());
        add(KEYS.get(0), row(1, 2).live(1).build());
        add(KEYS.get(2), row(0, 0).live(1).build());
    }

    @Test
    void shouldEndWindowAtBoundaryWhereverItStands() throws IOException {
        fill();
        Object[][] ends = {
            {RingPosition.of(KEYS.get(0), PositionInPartition.START), 0},
            {RingPosition.of(KEYS.get(0), PositionInPartition.STATIC), 1},
            {at(KEYS.get(0), 1, 1), 2},
            {after(KEYS.get(0), 1, 1), 2},
            {after(KEYS.get(0), 1), 3},
            {RingPosition.of(KEYS.get(0), PositionInPartition.END), 3},
            {RingPosition.of(KEYS.get(1), PositionInPartition.END), 3},
            {RingPosition.END, 4},
        };
        for (Object[] end : ends) {
            RowBuffer fresh = new RowBufferTest().filled();
            fresh.window((RingPosition) end[0]);
            assertThat(fresh.windowEnd()).as("%s", end[0]).isEqualTo(end[1]);
        }
    }

    private RowBuffer filled() {
        fill();
        return buffer;
    }

    @Test
    void shouldFindRowsOfWindowOnly() throws IOException {
        fill();
        buffer.window(after(KEYS.get(0), 1, 1));

        assertThat(buffer.find(RingPosition.of(KEYS.get(0), PositionInPartition.STATIC)))
                .isZero();
        assertThat(buffer.find(at(KEYS.get(0), 1, 1))).isEqualTo(1);
        assertThat(buffer.find(at(KEYS.get(0), 0, 0))).isEqualTo(-2);
        assertThat(buffer.find(at(KEYS.get(0), 1, 2))).isEqualTo(-3);
        assertThat(buffer.find(RingPosition.of(KEYS.get(1), PositionInPartition.STATIC)))
                .isEqualTo(-3);
    }

    @Test
    void shouldFindRowsInWhateverOrderTheyAreAskedFor() {
        int count = 300;
        for (int i = 0; i < count; i++) {
            add(KEYS.get(0), row(i, 0).live(1).build());
        }
        buffer.window(RingPosition.END);
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        Random random = new Random(seed);

        int next = 0;
        for (int i = 0; i < 5_000; i++) {
            // In order for a while, as rows come, then somewhere else.
            next = random.nextInt(10) == 0 ? random.nextInt(count) : Math.min(count, next + random.nextInt(4));
            assertThat(buffer.find(at(KEYS.get(0), next, 0)))
                    .as("seed=%d, row=%d", seed, next)
                    .isEqualTo(next < count ? next : -count - 1);
            assertThat(buffer.find(at(KEYS.get(0), next, -1)))
                    .as("seed=%d, before row=%d", seed, next)
                    .isEqualTo(-next - 1);
        }
    }

    @Test
    void shouldMoveRestToFrontWhenWindowIsDropped() throws IOException {
        fill();
        long allBytes = buffer.aheadBytes();
        buffer.window(after(KEYS.get(0), 1, 1));
        buffer.kill(0);
        long low = buffer.hashLow(2);
        add(KEYS.get(2), row(9, 9).live(1).build());

        buffer.dropWindow();

        assertThat(buffer.windowEnd()).isZero();
        assertThat(buffer.count()).isEqualTo(3);
        assertThat(buffer.hashLow(0)).isEqualTo(low);
        assertThat(buffer.position(0).compareTo(at(KEYS.get(0), 1, 2), comparator))
                .isZero();
        assertThat(buffer.position(2).compareTo(at(KEYS.get(2), 9, 9), comparator))
                .isZero();
        assertThat(buffer.isDead(0)).isFalse();
        assertThat(buffer.aheadBytes()).isLessThan(allBytes).isPositive();
    }

    @Test
    void shouldKeepMarkOfReceivedWhenRowIsReplacedOrKilled() throws IOException {
        fill();
        buffer.window(RingPosition.END);
        buffer.markReceived(1);

        buffer.kill(1);
        assertThat(buffer.isDead(1)).isTrue();
        assertThat(buffer.isHashed(1)).isFalse();
        assertThat(buffer.isReceived(1)).isTrue();

        EncodedItem other = buffer.item(2);
        byte[] encoded = Arrays.copyOfRange(other.buffer(), other.offset(), other.endOffset());
        buffer.replace(1, encoded, 0, encoded.length, true, 5, 6);
        assertThat(buffer.isDead(1)).isFalse();
        assertThat(buffer.isReceived(1)).isTrue();
        assertThat(buffer.hashLow(1)).isEqualTo(6);
    }

    @Test
    void shouldTakeNoRoomWhenWhatReplacesRowFits() throws IOException {
        fill();
        buffer.window(RingPosition.END);
        EncodedItem item = buffer.item(1);
        byte[] encoded = Arrays.copyOfRange(item.buffer(), item.offset(), item.endOffset());
        int offset = item.offset();

        buffer.replace(1, encoded, 0, encoded.length, true, 5, 6);
        assertThat(buffer.item(1).offset()).isEqualTo(offset);

        add(KEYS.get(2), row(9, 9).cell(0, 1, new byte[1000]).build());
        EncodedItem large = buffer.item(buffer.count() - 1);
        buffer.replace(1, large.buffer(), large.offset(), large.lengthBytes(), true, 5, 6);
        assertThat(buffer.lengthBytes(1)).isEqualTo(buffer.lengthBytes(buffer.count() - 1));
        assertThat(buffer.item(1).key().toDecoratedKey()).isEqualTo(KEYS.get(2));
    }

    @Test
    void shouldHoldManyRowsWhenThereIsMoreThanExpected() {
        for (int i = 0; i < 5_000; i++) {
            add(KEYS.get(0), row(i, 0).live(1).build());
        }
        buffer.window(RingPosition.END);

        assertThat(buffer.windowEnd()).isEqualTo(5_000);
        assertThat(buffer.find(at(KEYS.get(0), 4_321, 0))).isEqualTo(4_321);
    }

    @Test
    void shouldTakeNoMoreMemoryHoweverManyWindowsPass() throws IOException {
        long most = 0;
        int added = 0;
        for (int window = 0; window < 50; window++) {
            for (int i = 0; i < 100; i++) {
                add(KEYS.get(0), row(added++, 0).cell(0, 1, new byte[100]).build());
            }
            // Some are read ahead, and stand behind the window when it goes.
            buffer.window(at(KEYS.get(0), added - 11, 0));
            buffer.dropWindow();
            assertThat(buffer.count()).isEqualTo(10);
            assertThat(buffer.position(9).compareTo(at(KEYS.get(0), added - 1, 0), comparator))
                    .isZero();
            if (window == 1) {
                most = buffer.capacityBytes();
            }
        }
        assertThat(buffer.capacityBytes()).isEqualTo(most);
    }

    @Test
    void shouldGiveMemoryBackWhenHugeRowHasPassed() throws IOException {
        add(KEYS.get(0), row(1, 1).cell(0, 1, new byte[3 << 20]).build());
        add(KEYS.get(0), row(1, 2).live(1).build());
        buffer.window(after(KEYS.get(0), 1, 1));

        buffer.dropWindow();

        assertThat(buffer.capacityBytes()).isLessThan(1 << 20);
        assertThat(buffer.position(0).compareTo(at(KEYS.get(0), 1, 2), comparator))
                .isZero();
    }

    @Test
    void shouldTakeUpTheMemoryOfABufferThatIsClosed() throws IOException {
        List<RowBuffer> held = new ArrayList<>();
        long first = 0;
        // What other tests of this process have left is taken up before.
        for (int i = 0; i < 100 && first <= LARGE_BYTES / 2; i++) {
            held.add(new RowBuffer(SCHEMA, LARGE_BYTES));
            first = allocatedBytesWhenFilled(held.get(i));
        }
        assertThat(first).isGreaterThan(LARGE_BYTES / 2);
        held.get(held.size() - 1).close();

        RowBuffer next = new RowBuffer(SCHEMA, LARGE_BYTES);
        held.add(next);
        long second = allocatedBytesWhenFilled(next);

        for (RowBuffer buffer : held) {
            buffer.close();
        }
        assertThat(second).isLessThan(LARGE_BYTES / 4);
    }

    private long allocatedBytesWhenFilled(RowBuffer large) throws IOException {
        Row row = row(1, 1).cell(0, 1, "v".repeat(60_000)).build();
        KeyView key = new KeyView();
        key.wrap(KEYS.get(0));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        while (large.aheadBytes() < LARGE_BYTES) {
            ByteWriter bytes = large.bytes(64 + row.contentBytes());
            int offset = bytes.lengthBytes();
            int length = codec.row(key, row, bytes);
            large.add(offset, length, codec.isHashed(), codec.high(), codec.low());
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
