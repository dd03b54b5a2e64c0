package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.KeyView;
import io.anneal.key.Murmur3;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SSTableCursor;
import java.io.IOException;

/**
 * Reads Data.db in order; the package has the grammar. Every fragment is contiguous in the {@link DataWindow}, and
 * moves only inside {@link #advance()}. Index and Summary are used to skip, never to find out what there is: whatever
 * they say is checked against the keys in the data.
 *
 * <p>Order of partitions is checked here; order of rows is trusted, since the chunks' checksums prove that the writer
 * wrote them so, and checked by {@link DataReader#verify()}.
 */
public final class DataCursor implements SSTableCursor {
    /** What is asked for before a row's head is parsed, so that few are cut by the end of a chunk. */
    private static final int HEAD_BYTES = 256;

    private static final int KEY_MAX_BYTES = 0xFFFF;
    private static final int PARTITION_DELETION_BYTES = Integer.BYTES + Long.BYTES;
    private static final int VINT_MAX_BYTES = 9;
    /** Rows are passed over by their sizes up to here, then Index is asked where the next partition is. */
    private static final long SKIP_BY_SIZE_DEFAULT_BYTES = 256 * 1024;

    private enum Place {
        BEFORE_PARTITION,
        BEFORE_STATIC_ROW,
        IN_ROWS,
        DONE
    }

    private final DataReader reader;
    private final TableSchema schema;
    private final TokenRange.Linear range;
    private final DataWindow window;
    private final ByteReader in;
    private final PrefixDecoder prefixes;
    private final RowDecoder rows;
    private final MarkerDecoder markers;
    private final boolean hasStaticRow;

    private Place place = Place.BEFORE_PARTITION;
    private FragmentKind kind;
    private long skipTokensBelow;
    private PartitionLookup skipper;
    private long skipBySizeBytes = SKIP_BY_SIZE_DEFAULT_BYTES;

    private final KeyView key = new KeyView();
    private final KeyView previousKey = new KeyView();
    private byte[] keyBytes = new byte[64];
    private byte[] previousKeyBytes = new byte[64];
    private boolean anyKey;
    private long partitionPosition;
    private long rowsPosition;
    private long partitionDeletionMicros;
    private long partitionDeletionSeconds;

    private Row row = new Row();
    private long fragmentPosition;
    private int boundKind;
    private int bodyBytes;

    DataCursor(
            DataReader reader,
            TableSchema schema,
            TokenRange.Linear range,
            ChunkSource source,
            RowDecoder rows,
            SerializationHeader header) {
        this.reader = reader;
        this.schema = schema;
        this.range = range;
        this.rows = rows;
        markers = new MarkerDecoder(rows);
        window = new DataWindow(source);
        in = window.in();
        prefixes = new PrefixDecoder(header.clusteringTypes());
        hasStaticRow = !header.staticColumns().isEmpty();
        skipTokensBelow = range.first();
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public FragmentKind kind() {
        return kind;
    }

    @Override
    public KeyView key() {
        return key;
    }

    @Override
    public long partitionDeletionTimestampMicros() {
        return partitionDeletionMicros;
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return partitionDeletionSeconds;
    }

    @Override
    public Row row() {
        return row;
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        return markers.change();
    }

    @Override
    public long dataPosition() {
        return kind == FragmentKind.PARTITION_START ? partitionPosition : fragmentPosition;
    }

    @Override
    public long rowsPosition() {
        return rowsPosition;
    }

    /** How much of a partition is skipped row by row before Index is asked. */
    public void skipBySizeBytes(long bytes) {
        skipBySizeBytes = bytes;
    }

    /** Kind of the current fragment as the file has it: a bound's kind, or that of a row. */
    public int boundKind() {
        return boundKind;
    }

    @Override
    public FragmentKind advance() throws IOException {
        try {
            kind = next();
            return kind;
        } catch (ByteUnderflowException | MalformedRowException e) {
            throw corrupt(e);
        }
    }

    private CorruptSSTableException corrupt(RuntimeException cause) {
        return new CorruptSSTableException(
                window.source().file(), fragmentPosition, "data cannot be decoded: " + cause.getMessage(), cause);
    }

    private FragmentKind next() throws IOException {
        return switch (place) {
            case BEFORE_PARTITION -> nextPartitionStart();
            case BEFORE_STATIC_ROW -> {
                place = Place.IN_ROWS;
                yield readStaticRow() ? FragmentKind.STATIC_ROW : nextUnfiltered();
            }
            case IN_ROWS -> nextUnfiltered();
            case DONE -> null;
        };
    }

    private FragmentKind nextPartitionStart() throws IOException {
        if (skipTokensBelow > Long.MIN_VALUE && (!anyKey || key.token() < skipTokensBelow)) {
            jumpBelow(skipTokensBelow);
        }
        while (window.remainingBytes() > 0) {
            readPartitionHead();
            if (key.token() > range.last()) {
                break;
            }
            if (key.token() >= skipTokensBelow) {
                return FragmentKind.PARTITION_START;
            }
            skipPartition();
        }
        place = Place.DONE;
        return null;
    }

    private void readPartitionHead() throws IOException {
        partitionPosition = window.position();
        fragmentPosition = partitionPosition;
        window.mark();
        window.want(HEAD_BYTES);
        int keyLengthBytes = in.readUnsignedShort();
        window.want(keyLengthBytes + PARTITION_DELETION_BYTES + HEAD_BYTES);
        takeKey(in.skip(keyLengthBytes), keyLengthBytes);
        long localSeconds = in.readInt();
        partitionDeletionMicros = in.readLong();
        if (partitionDeletionMicros == DeletionTime.NO_TIMESTAMP && localSeconds == Integer.MAX_VALUE) {
            partitionDeletionSeconds = DeletionTime.NO_DELETION_TIME;
        } else {
            partitionDeletionSeconds = RowDecoder.deletionLocalTime(localSeconds);
        }
        markers.beginPartition();
        fragmentPosition = window.position();
        rowsPosition = fragmentPosition;
        place = Place.IN_ROWS;
        if (hasStaticRow) {
            place = Place.BEFORE_STATIC_ROW;
            readStaticFlags();
            rowsPosition = endOfBody();
            in.seek(in.offset() - (int) (window.position() - fragmentPosition));
        }
    }

    private void takeKey(int offset, int lengthBytes) throws CorruptSSTableException {
        byte[] free = previousKeyBytes.length < lengthBytes ? new byte[KEY_MAX_BYTES] : previousKeyBytes;
        System.arraycopy(in.array(), offset, free, 0, lengthBytes);
        previousKeyBytes = keyBytes;
        keyBytes = free;
        previousKey.wrap(key.token(), previousKeyBytes, 0, key.lengthBytes());
        key.wrap(Murmur3.token(free, 0, lengthBytes), free, 0, lengthBytes);
        if (anyKey && previousKey.compareTo(key) >= 0) {
            throw window.source()
                    .corrupt(
                            partitionPosition,
                            "partition out of order, previous=" + previousKey.toDecoratedKey() + ", current="
                                    + key.toDecoratedKey());
        }
        anyKey = true;
    }

    /** Reads the flags of the static row and returns them; the extended ones above the first eight bits. */
    private int readStaticFlags() throws IOException {
        window.want(2 + VINT_MAX_BYTES);
        int flags = in.readUnsignedByte();
        int forbidden = UnfilteredFlags.END_OF_PARTITION | UnfilteredFlags.IS_MARKER;
        int extended = (flags & UnfilteredFlags.HAS_EXTENDED_FLAGS) == 0 ? 0 : in.readUnsignedByte();
        if ((flags & forbidden) != 0 || (extended & UnfilteredFlags.EXTENDED_IS_STATIC) == 0) {
            throw new MalformedRowException("static row is missing, flags=" + flags);
        }
        return extended << 8 | flags;
    }

    /** Reads a size and returns where what it measures ends in the data. */
    private long endOfBody() throws IOException {
        window.want(VINT_MAX_BYTES);
        int lengthBytes = window.checkedLength(in.readUnsignedVInt(), "row");
        return window.position() + lengthBytes;
    }

    private boolean readStaticRow() throws IOException {
        row = Row.recycle(row);
        row.clear(true);
        boundKind = UnfilteredFlags.CLUSTERING;
        fragmentPosition = window.position();
        window.mark();
        int epoch;
        int flags;
        do {
            window.backToMark();
            epoch = window.epoch();
            flags = readStaticFlags();
            wantBody();
        } while (epoch != window.epoch());
        decodeRow(flags & 0xFF, flags >>> 8);
        return !row.isEmpty();
    }

    /** Reads the size of a body and makes the body available; {@link #bodyBytes} is the size. */
    private void wantBody() throws IOException {
        window.want(VINT_MAX_BYTES);
        bodyBytes = window.checkedLength(in.readUnsignedVInt(), "row");
        window.want(bodyBytes);
    }

    private void decodeRow(int flags, int extendedFlags) {
        window.limit(bodyBytes);
        in.readUnsignedVInt(); // size of the previous row
        rows.decode(in, flags, extendedFlags, row);
        endBody();
    }

    private void endBody() {
        if (in.hasRemaining()) {
            throw new MalformedRowException("row is longer than what it holds, restBytes=" + in.remainingBytes());
        }
        window.unlimit();
    }

    private FragmentKind nextUnfiltered() throws IOException {
        row = Row.recycle(row);
        while (true) {
            fragmentPosition = window.position();
            window.mark();
            window.want(HEAD_BYTES);
            int flags = in.readUnsignedByte();
            if (flags == UnfilteredFlags.END_OF_PARTITION) {
                return endOfPartition();
            }
            if ((flags & UnfilteredFlags.END_OF_PARTITION) != 0) {
                throw new MalformedRowException("flags of the end of a partition are mixed, flags=" + flags);
            }
            if ((flags & UnfilteredFlags.IS_MARKER) != 0) {
                if (readMarker()) {
                    return FragmentKind.RANGE_TOMBSTONE_CHANGE;
                }
            } else if (readRow(flags)) {
                return FragmentKind.CLUSTERING_ROW;
            }
        }
    }

    private FragmentKind endOfPartition() {
        if (markers.isOpen()) {
            throw new MalformedRowException("partition ends inside a range deletion");
        }
        place = Place.BEFORE_PARTITION;
        return FragmentKind.PARTITION_END;
    }

    /** Decodes the row behind the flags; false when nothing is in it, which makes it no row. */
    private boolean readRow(int flags) throws IOException {
        row.clear(false);
        boundKind = UnfilteredFlags.CLUSTERING;
        int epoch;
        int extendedFlags;
        do {
            window.backToMark();
            in.skip(1);
            epoch = window.epoch();
            extendedFlags = (flags & UnfilteredFlags.HAS_EXTENDED_FLAGS) == 0 ? 0 : in.readUnsignedByte();
            prefixes.read(window, prefixes.componentCount(), row.clustering());
            wantBody();
        } while (epoch != window.epoch());
        if ((extendedFlags & UnfilteredFlags.EXTENDED_IS_STATIC) != 0) {
            throw new MalformedRowException("static row among clustering rows");
        }
        decodeRow(flags, extendedFlags);
        return !row.isEmpty();
    }

    /** Decodes a marker into a change; false when the deletion stays the same, which makes it none. */
    private boolean readMarker() throws IOException {
        int epoch;
        do {
            window.backToMark();
            in.skip(1);
            epoch = window.epoch();
            boundKind = in.readUnsignedByte();
            prefixes.read(window, in.readUnsignedShort(), markers.change().prefix());
            wantBody();
        } while (epoch != window.epoch());
        window.limit(bodyBytes);
        in.readUnsignedVInt(); // size of the previous row
        boolean changes = markers.decode(in, boundKind);
        endBody();
        return changes;
    }

    @Override
    public void nextPartition() throws IOException {
        if (place != Place.BEFORE_STATIC_ROW && place != Place.IN_ROWS) {
            return;
        }
        try {
            skipPartition();
        } catch (ByteUnderflowException | MalformedRowException e) {
            throw corrupt(e);
        }
    }

    /** Passes over the rest of the current partition by the sizes of its rows, and by Index when it is long. */
    private void skipPartition() throws IOException {
        if (place == Place.BEFORE_STATIC_ROW) {
            window.seek(rowsPosition);
        }
        boolean indexed = false;
        long start = window.position();
        while (true) {
            fragmentPosition = window.position();
            if (!indexed && fragmentPosition - start > skipBySizeBytes) {
                indexed = true;
                if (skipper().seekAfter(key, partitionPosition) && skipper.dataPosition() > fragmentPosition) {
                    seekToFound();
                    break;
                }
            }
            window.mark();
            window.want(HEAD_BYTES);
            int flags = in.readUnsignedByte();
            if (flags == UnfilteredFlags.END_OF_PARTITION) {
                break;
            }
            boolean marker = (flags & UnfilteredFlags.IS_MARKER) != 0;
            if (!marker && (flags & UnfilteredFlags.HAS_EXTENDED_FLAGS) != 0) {
                in.skip(1);
            }
            if (marker) {
                in.skip(1);
            }
            int size = marker ? in.readUnsignedShort() : prefixes.componentCount();
            prefixes.read(window, size, markers.change().prefix());
            window.seek(endOfBody());
        }
        place = Place.BEFORE_PARTITION;
    }

    @Override
    public void forwardTo(long token) throws IOException {
        if (token <= skipTokensBelow) {
            return;
        }
        skipTokensBelow = token;
        boolean inside = place == Place.BEFORE_STATIC_ROW || place == Place.IN_ROWS;
        if (inside && key.token() < token) {
            nextPartition();
        }
    }

    /**
     * Moves near the first partition whose token is not below {@code token}: to the last one that is, as far as Index
     * knows, and checks that it really is there. Never goes back.
     */
    private void jumpBelow(long token) throws IOException {
        if (!skipper().seekLastBelow(token) || skipper.dataPosition() <= window.position()) {
            return;
        }
        seekToFound();
    }

    /** Moves to where the skipper claims a partition, and checks that it is there. */
    private void seekToFound() throws IOException {
        window.seek(skipper.dataPosition());
        window.want(Short.BYTES);
        int keyLengthBytes = in.readUnsignedShort();
        window.want(keyLengthBytes);
        skipper.requireSame(in.array(), in.skip(keyLengthBytes), keyLengthBytes);
        window.backToMark();
    }

    private PartitionLookup skipper() throws IOException {
        if (skipper == null) {
            skipper = reader.index().lookup();
        }
        return skipper;
    }

    @Override
    public void close() throws IOException {
        place = Place.DONE;
        kind = null;
        if (skipper != null) {
            skipper.close();
        }
    }
}
