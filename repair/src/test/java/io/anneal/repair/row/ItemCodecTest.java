package io.anneal.repair.row;

import static io.anneal.testkit.HandMadeTable.row;
import static io.anneal.testkit.HandMadeTable.staticRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
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
import org.junit.jupiter.api.Test;

class ItemCodecTest {
    private static final TableSchema SCHEMA = HandMadeTable.schema(10);
    private static final DecoratedKey KEY = HandMadeTable.keys(1).get(0);
    private static final long PURGEABLE = 80;
    private static final long NOT_PURGEABLE = 90;

    private final ItemCodec codec =
            new ItemCodec(SCHEMA, Integer.MAX_VALUE - 1L, new Purger(SCHEMA, new SessionPurgeRule(100, 10)), 7);
    private final ByteWriter out = new ByteWriter(16);

    private record Hash(boolean hashed, long high, long low) {}

    private Hash encode(Row row) {
        out.clear();
        KeyView key = new KeyView();
        key.wrap(KEY);
        assertThat(codec.row(key, row, out)).isEqualTo(out.lengthBytes());
        return new Hash(codec.isHashed(), codec.high(), codec.low());
    }

    @Test
    void shouldHashPurgedViewAndShipTheRestWhenCellIsPurgeable() throws IOException {
        Hash plain = encode(row(1, 1).cell(0, 5, "x").build());
        int plainLength = out.lengthBytes();

        Hash withGhost =
                encode(row(1, 1).cell(0, 5, "x").tombstone(1, 9, PURGEABLE).build());

        assertThat(withGhost).isEqualTo(plain);
        assertThat(out.lengthBytes()).isGreaterThan(plainLength);
        Row read = new Row();
        new EncodedItem(SCHEMA).wrap(out.array(), 0, out.lengthBytes()).readRow(read);
        assertThat(read.entryCount()).isEqualTo(2);
    }

    @Test
    void shouldNotHashWhenPurgingLeavesNothing() {
        Hash ghost = encode(row(1, 1).deleted(5, PURGEABLE).build());

        assertThat(ghost).isEqualTo(new Hash(false, 0, 0));
        assertThat(out.lengthBytes()).isPositive();
    }

    @Test
    void shouldHashTombstoneWhenItIsYoungerThanGcGrace() {
        assertThat(encode(row(1, 1).deleted(5, NOT_PURGEABLE).build()).hashed()).isTrue();
    }

    @Test
    void shouldForgetGhostWhenNextRowIsNone() {
        encode(row(1, 1).deleted(5, PURGEABLE).build());

        assertThat(encode(row(1, 1).live(5).build()).hashed()).isTrue();
    }

    @Test
    void shouldHashOtherwiseWhenSeedDiffers() {
        ItemCodec other =
                new ItemCodec(SCHEMA, Integer.MAX_VALUE - 1L, new Purger(SCHEMA, new SessionPurgeRule(100, 10)), 8);
        DeletionItem item = DeletionItem.ofPartition(KEY, new DeletionTime(5, NOT_PURGEABLE));

        assertThat(codec.deletion(item).low()).isNotEqualTo(other.deletion(item).low());
        assertThat(codec.deletion(item).encoded())
                .isEqualTo(other.deletion(item).encoded());
    }

    @Test
    void shouldReadDeletionBackAndSayWhetherItIsAGhost() throws IOException {
        DeletionItem ghost = DeletionItem.ofPartition(KEY, new DeletionTime(5, PURGEABLE));

        HashedDeletion hashed = codec.deletion(ghost);

        assertThat(hashed.hashed()).isFalse();
        EncodedItem item = new EncodedItem(SCHEMA).wrap(hashed.encoded(), 0, hashed.encoded().length);
        assertThat(codec.readDeletion(item)).isEqualTo(ghost);
        assertThat(codec.isGhost(DeletionTime.LIVE)).isFalse();
        assertThat(codec.isGhost(new DeletionTime(5, NOT_PURGEABLE))).isFalse();
    }

    private Hash received(byte[] bytes, boolean asEncodedHere) throws IOException {
        // Not at the array's start: the bytes around an item are none of its business.
        byte[] around = new byte[bytes.length + 9];
        System.arraycopy(bytes, 0, around, 4, bytes.length);
        Row read = new Row();
        EncodedItem item = new EncodedItem(SCHEMA).wrap(around, 4, around.length);
        item.readRow(read);
        assertThat(codec.received(item, read)).isEqualTo(asEncodedHere);
        return new Hash(codec.isHashed(), codec.high(), codec.low());
    }

    @Test
    void shouldHashWhatCameAsWhatIsEncodedHere() throws IOException {
        Row[] rows = {
            row(1, 1).live(5).cell(0, 5, "x").build(),
            row(1, 1).cell(0, 5, "x").tombstone(1, 9, PURGEABLE).build(),
            row(1, 1).deleted(5, NOT_PURGEABLE).build(),
            row(1, 1).deleted(5, PURGEABLE).build(),
            staticRow().cell(0, 5, "s").build(),
        };
        for (Row row : rows) {
            Hash here = encode(row);

            assertThat(received(out.toByteArray(), true)).isEqualTo(here);
        }
    }

    @Test
    void shouldHashWhatCameClampedWhenTimeExceedsTheCeiling() throws IOException {
        Row late = row(1, 1).cell(0, 5, "x").tombstone(1, 9, Integer.MAX_VALUE).build();
        Hash clamped = encode(late);
        ByteWriter unclamped = new ByteWriter(16);
        new CanonicalEncoder(SCHEMA, CanonicalEncoder.UNCLAMPED).row(new KeyView().wrap(KEY), late, unclamped);
        assertThat(unclamped.toByteArray()).isNotEqualTo(out.toByteArray());

        assertThat(received(unclamped.toByteArray(), false)).isEqualTo(clamped);
    }

    @Test
    void shouldFindPlaceOfRows() throws IOException {
        encode(staticRow().cell(0, 5, "s").build());
        assertThat(codec.position(new EncodedItem(SCHEMA).wrap(out.array(), 0, out.lengthBytes())))
                .isEqualTo(RingPosition.of(KEY, PositionInPartition.STATIC));

        encode(row(1, 2).live(5).build());
        assertThat(codec.position(new EncodedItem(SCHEMA).wrap(out.array(), 0, out.lengthBytes()))
                        .position()
                        .prefix()
                        .compareBytes(HandMadeTable.clustering(1, 2)))
                .isZero();
    }
}
