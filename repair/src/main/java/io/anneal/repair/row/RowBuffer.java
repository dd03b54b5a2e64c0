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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Encoded rows of one replica in ring order, each read once from disk and encoded once. The first {@link #windowEnd()}
 * rows are the window that is being reconciled; those behind it were read ahead. A row is hashed, or a ghost: what
 * purging hides of it whole is held but not hashed. A row larger than the buffer lies in a {@link SpillFile}; its place is
 * here. Owned by one thread; a row costs no object.
 */
public final class RowBuffer implements Closeable {
    private static final byte HASHED = 1;
    private static final byte RECEIVED = 2;
    private static final byte DEAD = 4;
    private static final byte RECENT = 8;

    /** What a row takes in the arrays, which double. */
    public static final int ARRAYS_BYTES = 2 * (3 * Integer.BYTES + 1 + 2 * Long.BYTES);

    /**
     * What a row weighs besides its bytes: more than it takes here, less than it takes on a replica that lacks it until the
     * window ends (see {@code ReceivedRoom}). All windows of a session together, those that others fill too, then fit what
     * the session may take, of up to five replicas of which each holds other rows.
     */
    public static final int ROW_OVERHEAD_BYTES = 200;

    /** Smaller rows are cheaper in memory than in a file, however small the buffer. */
    private static final int SPILLED_MIN_BYTES = 64 << 10;

    private final int spilledMinBytes;
    private final SpillFile spill = new SpillFile();
    /** Of the rows that are in the file, by index. */
    private NavigableMap<Integer, SpillFile.Spilled> spilled = new TreeMap<>();

    private final RowChunks chunks;
    /** What took the place of shorter rows of the window. */
    private final List<byte[]> replacements = new ArrayList<>();

    private final EncodedItem item;
    private final Clustering clustering = new Clustering();
    private final KeyView wanted = new KeyView();
    private final ClusteringComparator comparator;

    private int count;
    private int windowEnd;
    /** Where {@link #find} ended. */
    private int lastFound;

    private long aheadBytes;
    /** Number of the chunk; of a replacement, minus its index, minus one. */
    private int[] chunkOf = new int[1024];

    private int[] offsets = new int[1024];
    private int[] lengths = new int[1024];
    private byte[] flags = new byte[1024];
    private long[] hashesLow = new long[1024];
    private long[] hashesHigh = new long[1024];

    /** @param capacityBytes of a window, and of what is read ahead; a row larger than that still passes */
    public RowBuffer(TableSchema schema, int capacityBytes) {
        spilledMinBytes = Math.max(SPILLED_MIN_BYTES, capacityBytes);
        chunks = new RowChunks(2L * capacityBytes);
        item = new EncodedItem(schema).trusting();
        comparator = ClusteringComparator.of(schema);
    }

    /** Where the next row is encoded to, with room for about so many bytes; {@link #add} then takes it in. */
    public ByteWriter bytes(long expectedBytes) {
        return chunks.next(expectedBytes);
    }

    /** Where rows go that are too large. */
    public SpillFile spill() {
        return spill;
    }

    /** Longer rows belong into the file. */
    public int inMemoryMaxBytes() {
        return spilledMinBytes;
    }

    /** Whether a row of so many bytes belongs into the file. */
    public boolean isTooLarge(long lengthBytes) {
        return lengthBytes > spilledMinBytes;
    }

    /** Takes in what was written from {@code offset} of {@link #bytes} as the next row; a ghost is not hashed. */
    public void add(int offset, int length, boolean hashed, long high, long low) {
        if (count == offsets.length) {
            int capacity = count * 2;
            chunkOf = Arrays.copyOf(chunkOf, capacity);
            offsets = Arrays.copyOf(offsets, capacity);
            lengths = Arrays.copyOf(lengths, capacity);
            flags = Arrays.copyOf(flags, capacity);
            hashesLow = Arrays.copyOf(hashesLow, capacity);
            hashesHigh = Arrays.copyOf(hashesHigh, capacity);
        }
        int index = count++;
        flags[index] = 0;
        chunkOf[index] = chunks.lastNumber();
        put(index, offset, length, hashed, high, low);
        aheadBytes += takenBytes(index);
    }

    /** As {@link #add}, of a row that lies in the file; from {@code offset} is an item that only says its place. */
    public void addSpilled(int offset, int length, SpillFile.Spilled content, boolean hashed, long high, long low) {
        spilled.put(count, content);
        add(offset, length, hashed, high, low);
    }

    private long takenBytes(int index) {
        return lengthBytes(index) + (long) ROW_OVERHEAD_BYTES;
    }

    private void put(int index, int offset, int length, boolean hashed, long high, long low) {
        offsets[index] = offset;
        lengths[index] = length;
        hash(index, hashed, high, low);
    }

    private void hash(int index, boolean hashed, long high, long low) {
        flags[index] = (byte) (flags[index] & (RECEIVED | RECENT) | (hashed ? HASHED : 0));
        hashesHigh[index] = hashed ? high : 0;
        hashesLow[index] = hashed ? low : 0;
    }

    /** Puts other content in a row's place: where the old stood if it fits, so that overwriting a window takes no room. */
    public void replace(int index, byte[] source, int sourceOffset, int length, boolean hashed, long high, long low)
            throws IOException {
        if (isTooLarge(length)) {
            replace(index, spill.append(source, sourceOffset, length), hashed, high, low);
            return;
        }
        forgetSpilled(index);
        int offset = offsets[index];
        if (length <= lengths[index]) {
            System.arraycopy(source, sourceOffset, array(index), offset, length);
        } else {
            replacements.add(Arrays.copyOfRange(source, sourceOffset, sourceOffset + length));
            chunkOf[index] = -replacements.size();
            offset = 0;
        }
        put(index, offset, length, hashed, high, low);
    }

    /** Puts content that lies in the file in a row's place; what stands in memory goes on saying the place. */
    public void replace(int index, SpillFile.Spilled content, boolean hashed, long high, long low) {
        forgetSpilled(index);
        spilled.put(index, content);
        hash(index, hashed, high, low);
    }

    private void forgetSpilled(int index) {
        SpillFile.Spilled before = spilled.remove(index);
        if (before != null) {
            spill.forget(before);
        }
    }

    /** Notes that the last row is not hashed since the cut-off leaves it out; so is what takes its place, which is no older. */
    public void markRecent() {
        flags[count - 1] |= RECENT;
    }

    public boolean isRecent(int index) {
        return (flags[index] & RECENT) != 0;
    }

    /** How many of some rows the cut-off leaves out. */
    public int recentCount(int start, int end) {
        int recent = 0;
        for (int index = start; index < end; index++) {
            recent += isRecent(index) ? 1 : 0;
        }
        return recent;
    }

    /** How many of some rows are hashed. */
    public int hashedCount(int start, int end) {
        int hashed = 0;
        for (int index = start; index < end; index++) {
            hashed += isHashed(index) ? 1 : 0;
        }
        return hashed;
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

    private byte[] array(int index) {
        int chunk = chunkOf[index];
        return chunk < 0 ? replacements.get(-chunk - 1) : chunks.array(chunk);
    }

    /** Whether a row of the buffer, or one that was received, lies in the file. */
    public boolean hasSpilled() {
        return spill.holdsAny();
    }

    /** Where the row lies if it is in the file. */
    public Optional<SpillFile.Spilled> spilledAt(int index) {
        return spilled.isEmpty() ? Optional.empty() : Optional.ofNullable(spilled.get(index));
    }

    /** Lets go of a large row that {@link #content} has read. */
    public void releaseContent() {
        if (!spilled.isEmpty()) {
            item.release();
        }
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
            return item.wrap(array(index), offsets[index], offsets[index] + lengths[index]);
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
        windowEnd = boundary.isEnd() ? count : lowerBound(boundary, 0, count, true);
        for (int i = 0; i < windowEnd; i++) {
            aheadBytes -= takenBytes(i);
        }
    }

    /** Index of the window's row at {@code position}; if there is none, minus the index where it would stand, minus one. */
    public int find(RingPosition position) {
        int index = firstFromLastFound(position);
        lastFound = index;
        return index < windowEnd && compare(index, position) == 0 ? index : -index - 1;
    }

    /** Places are mostly asked for in order: looks behind the last one, in steps that double. */
    private int firstFromLastFound(RingPosition position) {
        int low = lastFound;
        if (low >= windowEnd || compare(low, position) >= 0) {
            return lowerBound(position, 0, Math.min(low + 1, windowEnd), false);
        }
        for (int step = 1; low + step < windowEnd; step *= 2) {
            if (compare(low + step, position) >= 0) {
                return lowerBound(position, low + 1, low + step, false);
            }
            low += step;
        }
        return lowerBound(position, low + 1, windowEnd, false);
    }

    /** Index of the window's first row at or behind {@code position}. */
    public int firstFrom(RingPosition position) {
        return lowerBound(position, 0, windowEnd, false);
    }

    /** First row that is not before {@code position}, or with {@code inclusive} not up to it. */
    private int lowerBound(RingPosition position, int start, int end, boolean inclusive) {
        int low = start;
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

    /** Forgets the window; the rows behind it stay where they lie. */
    public void dropWindow() throws IOException {
        dropSpilled();
        int kept = count - windowEnd;
        System.arraycopy(chunkOf, windowEnd, chunkOf, 0, kept);
        System.arraycopy(offsets, windowEnd, offsets, 0, kept);
        System.arraycopy(lengths, windowEnd, lengths, 0, kept);
        System.arraycopy(flags, windowEnd, flags, 0, kept);
        System.arraycopy(hashesLow, windowEnd, hashesLow, 0, kept);
        System.arraycopy(hashesHigh, windowEnd, hashesHigh, 0, kept);
        count = kept;
        windowEnd = 0;
        lastFound = 0;
        item.release();
        replacements.clear();
        if (kept == 0) {
            chunks.clear();
        } else {
            chunks.dropBefore(chunkOf[0]);
        }
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

    /** Its memory is another buffer's then: nothing may look at its rows any more. */
    @Override
    public void close() throws IOException {
        count = 0;
        windowEnd = 0;
        try (spill) {
            chunks.close();
        }
    }

    /** Memory that encoded rows take, and what is kept for more. */
    public long capacityBytes() {
        return chunks.capacityBytes();
    }
}
