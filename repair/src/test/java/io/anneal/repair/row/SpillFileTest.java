package io.anneal.repair.row;

import static io.anneal.testkit.HandMadeTable.row;
import static io.anneal.testkit.HandMadeTable.staticRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.merge.Purger;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SpillFileTest {
    private static final TableSchema SCHEMA = HandMadeTable.schema(10);
    private static final List<DecoratedKey> KEYS = HandMadeTable.keys(2);
    private static final int CAPACITY_BYTES = 16 << 10;
    private static final long PURGEABLE = 80;

    private final ItemCodec codec =
            new ItemCodec(SCHEMA, Integer.MAX_VALUE - 1L, new Purger(SCHEMA, new SessionPurgeRule(100, 10)), 7);
    private final RowBuffer buffer = new RowBuffer(SCHEMA, CAPACITY_BYTES);
    private final KeyView key = new KeyView().wrap(KEYS.get(0));

    @AfterEach
    void close() throws IOException {
        buffer.close();
    }

    private static byte[] random(int lengthBytes) {
        byte[] value = new byte[lengthBytes];
        new Random(lengthBytes).nextBytes(value);
        return value;
    }

    private byte[] encoded(Row row) {
        ByteWriter out = new ByteWriter(64);
        codec.row(key, row, out);
        return out.toByteArray();
    }

    private void spill(Row row) throws IOException {
        ByteWriter bytes = buffer.bytes(100);
        int offset = bytes.lengthBytes();
        SpillFile.Spilled content = codec.spill(key, row, buffer.spill());
        int length = codec.place(key, row, bytes);
        buffer.addSpilled(offset, length, content, codec.isHashed(), codec.high(), codec.low());
    }

    private byte[] content(int index) throws IOException {
        EncodedItem item = buffer.content(index);
        return Arrays.copyOfRange(item.buffer(), item.offset(), item.endOffset());
    }

    @Test
    void shouldHoldAndHashWhatMemoryWould() throws IOException {
        List<Row> rows = List.of(
                staticRow().cell(0, 1, random(1_000_000)).build(),
                row(1, 1)
                        .cell(0, 5, random(64 << 10))
                        .cell(1, 6, random(70_000))
                        .build(),
                row(1, 2).live(3).cell(0, 5, random(65_535)).build(),
                row(1, 3).cell(0, 5, random(200_000)).tombstone(1, 9, PURGEABLE).build(),
                row(1, 4).cell(0, 5, "short").build(),
                row(1, 5).deleted(5, PURGEABLE).build());
        for (int i = 0; i < rows.size(); i++) {
            byte[] whole = encoded(rows.get(i));
            boolean hashed = codec.isHashed();
            long high = codec.high();
            long low = codec.low();

            spill(rows.get(i));

            assertThat(buffer.lengthBytes(i)).isEqualTo(whole.length);
            assertThat(content(i)).isEqualTo(whole);
            assertThat(buffer.isHashed(i)).isEqualTo(hashed);
            assertThat(buffer.hashHigh(i)).isEqualTo(high);
            assertThat(buffer.hashLow(i)).isEqualTo(low);
        }
        buffer.window(RingPosition.END);
        assertThat(buffer.find(RingPosition.of(KEYS.get(0), PositionInPartition.at(HandMadeTable.clustering(1, 3)))))
                .isEqualTo(3);
    }

    @Test
    void shouldKeepRowsBehindTheWindowAndUseTheRoomOfTheOthersAgain() throws IOException {
        Row ahead = row(1, 2).cell(0, 5, random(300_000)).build();
        spill(row(1, 1).cell(0, 5, random(200_000)).build());
        spill(ahead);
        buffer.window(RingPosition.of(KEYS.get(0), PositionInPartition.after(HandMadeTable.clustering(1, 1))));

        buffer.dropWindow();

        assertThat(buffer.count()).isEqualTo(1);
        assertThat(content(0)).isEqualTo(encoded(ahead));
        assertThat(buffer.aheadBytes()).isGreaterThan(300_000);

        buffer.window(RingPosition.END);
        buffer.dropWindow();
        SpillFile.Spilled next = codec.spill(key, ahead, buffer.spill());
        assertThat(next.position()).isZero();
    }

    @Test
    void shouldLeaveMappedWhatWasForgotten() throws IOException {
        try (SpillFile file = new SpillFile()) {
            byte[] whole = encoded(row(1, 1).cell(0, 5, random(200_000)).build());
            SpillFile.Spilled row = file.append(whole, 0, whole.length);
            ByteBuffer mapped = file.map(row);

            file.forget(row);

            byte[] read = new byte[whole.length];
            mapped.get(read);
            assertThat(read).isEqualTo(whole);
        }
    }

    @Test
    void shouldTakeRowsFromTheFileAndPutThemIntoIt() throws IOException {
        byte[] huge = encoded(row(1, 1).cell(0, 6, random(200_000)).build());
        byte[] small = encoded(row(1, 1).cell(0, 7, "x").build());
        spill(row(1, 1).cell(0, 5, random(100_000)).build());
        buffer.window(RingPosition.END);

        buffer.replace(0, small, 0, small.length, true, 1, 2);
        assertThat(content(0)).isEqualTo(small);
        buffer.replace(0, huge, 0, huge.length, true, 3, 4);
        assertThat(content(0)).isEqualTo(huge);
        assertThat(buffer.lengthBytes(0)).isEqualTo(huge.length);
        assertThat(buffer.find(RingPosition.of(KEYS.get(0), PositionInPartition.at(HandMadeTable.clustering(1, 1)))))
                .isZero();
        buffer.replace(0, huge, 0, huge.length, true, 3, 4);
        assertThat(content(0)).isEqualTo(huge);
        buffer.dropWindow();
        assertThat(buffer.count()).isZero();
    }
}
