package io.anneal.migrate.bulk;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.migrate.store.TimedItem;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The worked example's items as rows of its table, so that they can be copied to and compared with any store that has it. */
final class ItemRows {
    static final RowTable TABLE = RowTable.of(TableSchema.builder("dao", "items")
            .partitionKey("a", "bigint")
            .clustering("b", "text")
            .clustering("c", "text")
            .column("d", "text")
            .build());

    private ItemRows() {}

    static DecoratedKey key(long a) {
        return DecoratedKey.of(ByteBuffer.allocate(Long.BYTES).putLong(a).array());
    }

    static long key(DecoratedKey key) {
        return ByteBuffer.wrap(key.bytes()).getLong();
    }

    static RowEntry entry(DecoratedKey key, TimedItem item, long nowSeconds) {
        Row row = new Row();
        row.clear(false);
        row.clustering().wrap(Clustering.of(bytes(item.b()), bytes(item.c())));
        boolean expires = item.expiresAtSeconds() != TimedItem.NEVER;
        row.addCell(
                0,
                item.writeTimeMicros(),
                expires ? (int) Math.max(1, item.expiresAtSeconds() - nowSeconds) : Row.NO_TTL,
                expires ? item.expiresAtSeconds() : DeletionTime.NO_DELETION_TIME);
        byte[] value = bytes(item.d());
        row.value(value, 0, value.length);
        return new RowEntry(TABLE, key, row, false);
    }

    /** Empty for a row without a value, which no item is. */
    static Optional<TimedItem> item(RowEntry entry) {
        Row row = entry.row();
        if (row.entryCount() == 0) {
            return Optional.empty();
        }
        long expirySeconds = row.localDeletionTimeSeconds(0);
        return Optional.of(new TimedItem(
                text(
                        row.clustering().buffer(),
                        row.clustering().offset(0),
                        row.clustering().lengthBytes(0)),
                text(
                        row.clustering().buffer(),
                        row.clustering().offset(1),
                        row.clustering().lengthBytes(1)),
                text(row.valueBuffer(0), row.valueOffset(0), row.valueLengthBytes(0)),
                row.timestampMicros(0),
                expirySeconds == DeletionTime.NO_DELETION_TIME ? TimedItem.NEVER : expirySeconds));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] buffer, int offset, int length) {
        return new String(buffer, offset, Math.max(0, length), StandardCharsets.UTF_8);
    }
}
