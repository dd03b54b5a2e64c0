package io.anneal.commitlog;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.Mutation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The items of a record that holds several mutations, of several tables perhaps. Being one record with one checksum, it is
 * replayed whole or not at all. In the place of a table such a record names {@link #TABLE}.
 *
 * <pre>
 *   entry     0                               16        20
 *             +--------------------------------+---------+--------------
 *             |           table uuid           | length  | items           repeated to the end
 *             |                                |of items |
 *             +--------------------------------+---------+--------------
 * </pre>
 */
public final class BatchRecord {
    /** No table has this id, which is of no version that ids are made of. */
    static final UUID TABLE = new UUID(0x616E6E65616CF000L, 0x0000006261746368L);

    private static final int ENTRY_HEADER_BYTES = 20;

    private final List<CommitLog.Append> appends;
    private final byte[] items;

    private BatchRecord(List<CommitLog.Append> appends, byte[] items) {
        this.appends = appends;
        this.items = items;
    }

    /** A mutation and its table. */
    record Entry(UUID table, Mutation mutation) {}

    /**
     * Encodes mutations. Takes as much memory as they do, so it comes before anything is done that cannot be undone.
     *
     * @param appends none of them without content
     */
    public static BatchRecord of(List<CommitLog.Append> appends) {
        return new BatchRecord(List.copyOf(appends), encode(appends));
    }

    List<CommitLog.Append> appends() {
        return appends;
    }

    byte[] items() {
        return items;
    }

    private static byte[] encode(List<CommitLog.Append> appends) {
        int lengthBytes = 0;
        for (CommitLog.Append append : appends) {
            lengthBytes = Math.addExact(
                    lengthBytes, ENTRY_HEADER_BYTES + append.mutation().lengthBytes());
        }
        ByteBuffer items = ByteBuffer.allocate(lengthBytes);
        for (CommitLog.Append append : appends) {
            items.putLong(append.table().getMostSignificantBits());
            items.putLong(append.table().getLeastSignificantBits());
            items.putInt(append.mutation().lengthBytes());
            items.put(append.mutation().bytes());
        }
        return items.array();
    }

    /** @throws IllegalArgumentException when it was not encoded like this */
    static List<Entry> decode(byte[] bytes) throws CorruptItemException {
        ByteBuffer items = ByteBuffer.wrap(bytes);
        List<Entry> entries = new ArrayList<>();
        while (items.hasRemaining()) {
            if (items.remaining() < ENTRY_HEADER_BYTES) {
                throw new IllegalArgumentException("entry of a batch is cut short");
            }
            UUID table = new UUID(items.getLong(), items.getLong());
            int lengthBytes = items.getInt();
            if (lengthBytes < 0 || lengthBytes > items.remaining()) {
                throw new IllegalArgumentException("entry of a batch has a wrong length, lengthBytes=" + lengthBytes);
            }
            byte[] mutation = new byte[lengthBytes];
            items.get(mutation);
            entries.add(new Entry(table, Mutation.of(mutation)));
        }
        return entries;
    }
}
