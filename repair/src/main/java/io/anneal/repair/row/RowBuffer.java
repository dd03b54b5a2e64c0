package io.anneal.repair.row;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.ItemKind;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Encoded rows of one replica in ring order, each read once from disk and encoded once. The first {@link #windowEnd()}
 * rows are the window that is being reconciled; those behind it were read ahead. A row is hashed, or a ghost: what
 * purging hides of it whole is held but not hashed.
 *
 * <p>Rows lie in blocks, which are never copied to grow: a block whose rows are gone takes others. A row larger than the
 * buffer lies in a {@link SpillFile}; its place is here. Owned by one thread; a row costs no object.
 */
public final class RowBuffer implements Closeable {
    private static final byte HASHED = 1;
    private static final byte RECEIVED = 2;
    private static final byte DEAD = 4;
    private static final int BLOCK_MAX_BYTES = 1 << 20;
    /** Smaller rows are cheaper in memory than in a file, however small the buffer. */
    private static final int SPILLED_MIN_BYTES = 64 << 10;

    /**
     * What a row takes besides its bytes: its place in the arrays, and on a replica that lacks it, until the window ends,
     * a position and a map entry.
     */
    private static final int ROW_OVERHEAD_BYTES = 400;

    /** Some rows behind one another; those replaced leave holes. */
    private static final class Block {
        private final ByteWriter bytes;
        private int rows;

        Block(int capacityBytes) {
            bytes = new ByteWriter(capacityBytes);
        }
    }

    private final int blockBytes;
    private final int spilledMinBytes;
    private final SpillFile spill = new SpillFile();

    /** Where the next row goes. */
    private Block block;
    /** Blocks without rows. */
    private final Deque<Block> spares = new ArrayDeque<>();

    private final EncodedItem item;
    private final Clustering clustering = new Clustering();
    private final KeyView wanted = new KeyView();
    private final ClusteringComparator comparator;

    private int count;
    private int windowEnd;
    private long aheadBytes;
    private Block[] blocks = new Block[1024];
    private int[] offsets = new int[1024];
    private int[] lengths = new int[1024];
    private byte[] flags = new byte[1024];
    private long[] hashesLow = new long[1024];
    private long[] hashesHigh = new long[1024];
    /** Of the rows that are in the file, by index. */
    private NavigableMap<Integer, SpillFile.Spilled> spilled = new TreeMap<>();

    /** @param capacityBytes of a window, and of what is read ahead; a row larger than that still passes */
    public RowBuffer(TableSchema schema, int capacityBytes) {
        blockBytes = (int) Math.min(BLOCK_MAX_BYTES, capacityBytes * 2L);
        spilledMinBytes = Math.max(SPILLED_MIN_BYTES, capacityBytes);
        block = new Block(blockBytes);
        item = new EncodedItem(schema).trusting();
        comparator = ClusteringComparator.of(schema);
    }

    /** Where the next row is encoded to, with room for about so many bytes; {@link #add} then takes it in. */
    public ByteWriter bytes(long expectedBytes) {
        ByteWriter bytes = block.bytes;
        boolean isFull = bytes.capacityBytes() - bytes.lengthBytes() < expectedBytes;
        // A small row would keep the block of a large one.
        boolean isLarge = bytes.capacityBytes() > blockBytes && bytes.lengthBytes() > 0;
        if (isFull || isLarge) {
            Block full = block;
            block = expectedBytes <= blockBytes && !spares.isEmpty()
                    ? spares.pop()
                    : new Block((int) Math.max(blockBytes, expectedBytes));
            spareIfEmpty(full);
        }
        return block.bytes;
    }

    private void spareIfEmpty(Block left) {
        if (left.rows == 0 && left != block && left.bytes.capacityBytes() == blockBytes) {
            left.bytes.clear();
            spares.push(left);
        }
    }

    /** Where rows go that are too large. */
    public SpillFile spill() {
        return spill;
    }

    /** Whether a row of so many bytes belongs into the file. */
    public boolean isTooLarge(long lengthBytes) {
        return lengthBytes > spilledMinBytes;
    }

    /** Takes in the bytes from {@code offset} of the block handed out last as the next row; a ghost is not hashed. */
    public void add(int offset, int length, boolean hashed, long high, long low) {
        if (count == offsets.length) {
            int capacity = count * 2;
            blocks = Arrays.copyOf(blocks, capacity);
            offsets = Arrays.copyOf(offsets, capacity);
            lengths = Arrays.copyOf(lengths, capacity);
            flags = Arrays.copyOf(flags, capacity);
            hashesLow = Arrays.copyOf(hashesLow, capacity);
            hashesHigh = Arrays.copyOf(hashesHigh, capacity);
        }
        int index = count++;
        flags[index] = 0;
        put(index, offset, length, hashed, high, low);
        aheadBytes += takenBytes(index);
    }

    /** As {@link #add}, of a row that lies in the file; from {@code offset} is an item that only says its place. */
    public void addSpilled(int offset, int length, SpillFile.Spilled content, boolean hashed, long high, long low) {
        spilled.put(count, content);
        add(offset, length, hashed, high, low);
    }

    private void put(int index, int offset, int length, boolean hashed, long high, long low) {
        blocks[index] = block;
        block.rows++;
        offsets[index] = offset;
        lengths[index] = length;
        hash(index, hashed, high, low);
    }

    private void hash(int index, boolean hashed, long high, long low) {
        flags[index] = (byte) (flags[index] & RECEIVED | (hashed ? HASHED : 0));
        hashesHigh[index] = hashed ? high : 0;
        hashesLow[index] = hashed ? low : 0;
    }

    private long takenBytes(int index) {
        return lengthBytes(index) + (long) ROW_OVERHEAD_BYTES;
    }

    /** Puts other content in a row's place: where the old stood if it fits, so that overwriting a window takes no room. */
    public void replace(int index, byte[] source, int sourceOffset, int length, boolean hashed, long high, long low)
            throws IOException {
        SpillFile.Spilled before = spilled.remove(index);
        if (before != null) {
            spill.forget(before);
        }
        if (isTooLarge(length)) {
            // What stands there says the place.
            spilled.put(index, spill.append(source, sourceOffset, length));
            hash(index, hashed, high, low);
        } else if (length <= lengths[index]) {
            System.arraycopy(source, sourceOffset, blocks[index].bytes.array(), offsets[index], length);
            lengths[index] = length;
            hash(index, hashed, high, low);
        } else {
            ByteWriter to = bytes(length);
            int offset = to.lengthBytes();
            to.writeBytes(source, sourceOffset, length);
            blocks[index].rows--;
            put(index, offset, length, hashed, high, low);
        }
    }

    /** Notes that a deletion left nothing of the row; it keeps its place. */
    public void kill(int index) {
        flags[index] = (byte) (flags[index] & RECEIVED | DEAD);
        hashesHigh[index] = 0;
        hashesLow[index] = 0;
    }

    public boolean isDead(int index) {
        return (flags[index] & DEAD) != 0;
    }

    /** Notes that the row holds what was received and must be written. */
    public void markReceived(int index) {
        flags[index] |= RECEIVED;
    }

    public boolean isReceived(int index) {
        return (flags[index] & RECEIVED) != 0;
    }

    public boolean isHashed(int index) {
        return (flags[index] & HASHED) != 0;
    }

    public long hashHigh(int index) {
        return hashesHigh[index];
    }

    /** The item in hash lists. */
    public long hashLow(int index) {
        return hashesLow[index];
    }

    /** Length in bytes of the whole row. */
    public int lengthBytes(int index) {
        SpillFile.Spilled content = spilled.isEmpty() ? null : spilled.get(index);
        return content == null ? lengths[index] : content.lengthBytes();
    }

    public int count() {
        return count;
    }

    /** Number of rows in the window. */
    public int windowEnd() {
        return windowEnd;
    }

    /** Memory that the rows behind the window take, here and on a replica that lacks them. */
    public long aheadBytes() {
        return aheadBytes;
    }

    /** Points at a row with all that is in it, which is read from the file if it lies there; valid until the next call. */
    public EncodedItem content(int index) throws IOException {
        SpillFile.Spilled content = spilled.isEmpty() ? null : spilled.get(index);
        if (content == null) {
            return item(index);
        }
        byte[] bytes = spill.read(content);
        try {
            return item.wrap(bytes, 0, bytes.length);
        } catch (CorruptItemException e) {
            throw new IllegalStateException("file of large rows does not hold what was written, index=" + index, e);
        }
    }

    /** Points at a row, or at an item with the place of one that lies in the file; valid until the next call. */
    public EncodedItem item(int index) {
        try {
            return item.wrap(blocks[index].bytes.array(), offsets[index], offsets[index] + lengths[index]);
        } catch (CorruptItemException e) {
            throw new IllegalStateException("row buffer does not hold what it encoded, index=" + index, e);
        }
    }

    /** The place of a row; copies. */
    public RingPosition position(int index) {
        EncodedItem at = item(index);
        DecoratedKey key = at.key().toDecoratedKey();
        return RingPosition.of(
                key,
                at.kind() == ItemKind.STATIC_ROW
                        ? PositionInPartition.STATIC
                        : PositionInPartition.at(readClustering(at).copy()));
    }

    private Clustering readClustering(EncodedItem at) {
        try {
            at.readPosition(clustering);
            return clustering;
        } catch (CorruptItemException e) {
            throw new IllegalStateException("row buffer does not hold what it encoded", e);
        }
    }

    /** Makes everything up to {@code boundary} the window. */
    public void window(RingPosition boundary) {
        assert windowEnd == 0 : windowEnd;
        windowEnd = boundary.isEnd() ? count : lowerBound(boundary, count, true);
        for (int i = 0; i < windowEnd; i++) {
            aheadBytes -= takenBytes(i);
        }
    }

    /** Index of the window's row at {@code position}; if there is none, minus the index where it would stand, minus one. */
    public int find(RingPosition position) {
        int index = lowerBound(position, windowEnd, false);
        return index < windowEnd && compare(index, position) == 0 ? index : -index - 1;
    }

    /** Index of the window's first row at or behind {@code position}. */
    public int firstFrom(RingPosition position) {
        return lowerBound(position, windowEnd, false);
    }

    /** First row that is not before {@code position}, or with {@code inclusive} not up to it. */
    private int lowerBound(RingPosition position, int end, boolean inclusive) {
        int low = 0;
        int high = end;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = compare(middle, position);
            if (order < 0 || inclusive && order == 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** How a row stands to a place. */
    public int compare(int index, RingPosition position) {
        if (position.isEnd()) {
            return -1;
        }
        EncodedItem at = item(index);
        int byKey = at.key().compareTo(wanted.wrap(position.key().orElseThrow()));
        if (byKey != 0) {
            return byKey;
        }
        PositionInPartition place = position.position();
        PositionInPartition.Region region = at.kind() == ItemKind.STATIC_ROW
                ? PositionInPartition.Region.STATIC
                : PositionInPartition.Region.CLUSTERED;
        if (region != place.region() || region != PositionInPartition.Region.CLUSTERED) {
            return region.compareTo(place.region());
        }
        return comparator.compare(readClustering(at), ClusteringComparator.AT, place.prefix(), place.weight());
    }

    /** Forgets the window; what is behind it comes to the front. */
    public void dropWindow() throws IOException {
        if (windowEnd == 0) {
            return;
        }
        dropSpilled();
        int kept = count - windowEnd;
        for (int i = 0; i < windowEnd; i++) {
            blocks[i].rows--;
            if (blocks[i].rows == 0) {
                spareIfEmpty(blocks[i]);
            }
        }
        System.arraycopy(blocks, windowEnd, blocks, 0, kept);
        System.arraycopy(offsets, windowEnd, offsets, 0, kept);
        System.arraycopy(lengths, windowEnd, lengths, 0, kept);
        System.arraycopy(flags, windowEnd, flags, 0, kept);
        System.arraycopy(hashesLow, windowEnd, hashesLow, 0, kept);
        System.arraycopy(hashesHigh, windowEnd, hashesHigh, 0, kept);
        Arrays.fill(blocks, kept, count, null);
        if (block.rows == 0) {
            block.bytes.clear();
        }
        count = kept;
        windowEnd = 0;
    }

    private void dropSpilled() throws IOException {
        if (spilled.isEmpty()) {
            return;
        }
        for (SpillFile.Spilled dropped : spilled.headMap(windowEnd).values()) {
            spill.forget(dropped);
        }
        NavigableMap<Integer, SpillFile.Spilled> left = new TreeMap<>();
        spilled.tailMap(windowEnd).forEach((index, content) -> left.put(index - windowEnd, content));
        spilled = left;
    }

    @Override
    public void close() throws IOException {
        spill.close();
    }
}
