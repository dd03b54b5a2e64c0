package io.anneal.fragment;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;

/**
 * What a mutation consists of, by the heads of its items alone: no column is looked at, and no schema needed. Counts up to the
 * first item that is none; others refuse that.
 *
 * @param rowCount deletions too
 * @param cellCountMax of the row that has most
 */
record ItemCounts(long rowCount, long cellCountMax) {
    static ItemCounts of(byte[] items) {
        long rowCount = 0;
        long cellCountMax = 0;
        ByteReader reader = new ByteReader(items);
        try {
            int offset = 0;
            while (offset < items.length) {
                reader.seek(offset + ItemLayout.LENGTH_OFFSET);
                int lengthBytes = reader.readInt();
                if (lengthBytes < ItemLayout.KEY_OFFSET || lengthBytes > items.length - offset) {
                    break;
                }
                rowCount++;
                cellCountMax = Math.max(cellCountMax, cells(reader, ItemKind.ofCode(items[offset]), lengthBytes));
                offset += lengthBytes;
            }
        } catch (ByteUnderflowException e) {
            return new ItemCounts(rowCount, cellCountMax);
        }
        return new ItemCounts(rowCount, cellCountMax);
    }

    /** @param reader behind the item's length */
    private static long cells(ByteReader reader, ItemKind kind, int lengthBytes) {
        if (kind != ItemKind.STATIC_ROW && kind != ItemKind.CLUSTERING_ROW) {
            return 0;
        }
        reader.skip(reader.readUnsignedShort());
        if (kind == ItemKind.CLUSTERING_ROW) {
            for (long left = reader.readUnsignedVInt(); left > 0; left--) {
                long valueBytes = reader.readUnsignedVInt() - 1;
                reader.skip((int) Math.max(0, Math.min(Integer.MAX_VALUE, valueBytes)));
            }
        }
        int flags = reader.readUnsignedByte();
        if ((flags & ItemLayout.HAS_LIVENESS) != 0) {
            reader.skip(Long.BYTES);
        }
        if ((flags & ItemLayout.LIVENESS_EXPIRES) != 0) {
            reader.skip(Integer.BYTES + Long.BYTES);
        }
        if ((flags & ItemLayout.HAS_DELETION) != 0) {
            reader.skip(2 * Long.BYTES);
        }
        // No more than there is room for.
        return Math.max(0, Math.min(reader.readUnsignedVInt(), lengthBytes));
    }
}
