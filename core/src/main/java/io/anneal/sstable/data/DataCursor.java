package io.anneal.sstable.data;

import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.LargeRows;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import io.anneal.key.TokenRange;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.file.ChunkSource;
import io.anneal.sstable.file.DataWindow;
import io.anneal.sstable.row.MalformedRowException;
import io.anneal.sstable.row.PartitionHead;
import io.anneal.sstable.row.RowDecoder;
import io.anneal.sstable.row.RowReader;
import io.anneal.sstable.row.SerializationHeader;
import java.io.IOException;

/**
 * Reads Data.db in order; the package {@code sstable.row} has the grammar. Every fragment is contiguous in the {@link DataWindow}, and
 * moves only inside {@link #advance()}. Index and Summary are used to skip, never to find out what there is: whatever
 * they say is checked against the keys in the data.
 *
 * <p>Order of partitions is checked here; order of rows is trusted, since the chunks' checksums prove that the writer
 * wrote them so, and checked by {@link DataReader#verify()}.
 */
public final class DataCursor extends WindowCursor {
    /** What is asked for before a row's head is parsed, so that few are cut by the end of a chunk. */
    static final int HEAD_BYTES = 256;

    /** Rows are passed over by their sizes up to here, then Index is asked where the next partition is. */
    private static final long SKIP_BY_SIZE_DEFAULT_BYTES = 256 * 1024;

    private final DataReader owner;
    private final TokenRange.Linear range;

    private long skipTokensBelow;
    /** Partitions up to this key are passed over; null where none are, or all of them are behind. */
    private KeyView after;
    /** Whether Index is to be asked where to go on. */
    private boolean jumps;

    private PartitionLookup skipper;
    private long skipBySizeBytes = SKIP_BY_SIZE_DEFAULT_BYTES;

    DataCursor(
            DataReader owner,
            Partitioner partitioner,
            TableSchema schema,
            TokenRange.Linear range,
            ChunkSource source,
            RowDecoder decoder,
            SerializationHeader header) {
        this(owner, partitioner, schema, range, new DataWindow(source), decoder, header);
    }

    private DataCursor(
            DataReader owner,
            Partitioner partitioner,
            TableSchema schema,
            TokenRange.Linear range,
            DataWindow window,
            RowDecoder decoder,
            SerializationHeader header) {
        super(
                schema,
                window,
                new PartitionHead(window, partitioner, decoder.times()),
                new RowReader(window, decoder, header, HEAD_BYTES));
        this.owner = owner;
        this.range = range;
        skipTokensBelow = range.first();
        jumps = skipTokensBelow > Long.MIN_VALUE;
    }

    /** Partitions up to a key are none of the range; before anything is read. */
    void beginBehind(KeyView key) {
        after = key;
        jumps = true;
        if (owner.partitioner() == Partitioner.MURMUR3) {
            skipTokensBelow = Math.max(skipTokensBelow, key.token());
        }
    }

    /** How much of a partition is skipped row by row before Index is asked. */
    public void skipBySizeBytes(long bytes) {
        skipBySizeBytes = bytes;
    }

    /** Boundaries between range deletions that are the same come as changes from now on. */
    void keepEqualBoundaries() {
        reader.keepEqualBoundaries();
    }

    /** Kind of the current fragment as the file has it: a bound's kind, or that of a row. */
    public int boundKind() {
        return reader.boundKind();
    }

    @Override
    public void askBefore(LargeRows rows) {
        reader.askBefore(rows, key());
    }

    @Override
    public void releaseRow() {
        reader.releaseRow();
    }

    @Override
    public FragmentKind advance() throws IOException {
        try {
            return at(next());
        } catch (ByteUnderflowException | MalformedRowException | InvalidValueException e) {
            throw corrupt(e);
        }
    }

    private FragmentKind next() throws IOException {
        return switch (place) {
            case BEFORE_PARTITION -> nextPartitionStart();
            case BEFORE_STATIC_ROW -> {
                place = Place.IN_ROWS;
                yield reader.readStaticRow() ? FragmentKind.STATIC_ROW : nextRow();
            }
            case IN_ROWS -> nextRow();
            case DONE -> null;
        };
    }

    private FragmentKind nextRow() throws IOException {
        FragmentKind next = reader.next();
        if (next == FragmentKind.PARTITION_END) {
            place = Place.BEFORE_PARTITION;
        }
        return next;
    }

    private FragmentKind nextPartitionStart() throws IOException {
        if (jumps) {
            jump();
        }
        while (window.remainingBytes() > 0) {
            readPartitionHead();
            if (key().token() > range.last()) {
                break;
            }
            if (key().token() >= skipTokensBelow && !isBeforeBegin()) {
                return FragmentKind.PARTITION_START;
            }
            skipPartition();
        }
        place = Place.DONE;
        return null;
    }

    private boolean isBeforeBegin() {
        if (after == null) {
            return false;
        }
        boolean isBefore = key().compareTo(after) <= 0;
        if (!isBefore) {
            after = null;
        }
        return isBefore;
    }

    private void readPartitionHead() throws IOException {
        reader.begin();
        window.mark();
        window.want(HEAD_BYTES);
        head.read();
        rowsPosition = reader.beginPartition();
        place = reader.hasStaticRow() ? Place.BEFORE_STATIC_ROW : Place.IN_ROWS;
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
        // A partition that was read before may be of any size, and is only passed on the way.
        long bySizeBytes = after == null ? skipBySizeBytes : 0;
        do {
            reader.begin();
            if (!indexed && reader.position() - start > bySizeBytes) {
                indexed = true;
                long next = skipper().seekAfter(key(), head.position());
                if (next > reader.position()) {
                    if (next == window.source().dataLengthBytes()) {
                        window.seek(next);
                    } else {
                        seekToFound();
                    }
                    break;
                }
            }
        } while (reader.pass());
        place = Place.BEFORE_PARTITION;
    }

    @Override
    public void forwardTo(long token) throws IOException {
        if (token <= skipTokensBelow) {
            return;
        }
        skipTokensBelow = token;
        if (after != null && after.token() < token) {
            after = null;
        }
        if (head.isRead() && key().token() >= token) {
            return;
        }
        if (place != Place.BEFORE_STATIC_ROW && place != Place.IN_ROWS) {
            jumps = true;
            return;
        }
        try {
            if (!jump()) {
                skipPartition();
            }
        } catch (ByteUnderflowException | MalformedRowException e) {
            throw corrupt(e);
        }
        place = Place.BEFORE_PARTITION;
    }

    /**
     * Moves near the first partition that is not to be skipped: to the last one that is, as far as Index knows, and checks
     * that it really is there. Never goes back.
     *
     * @return whether it moved
     */
    private boolean jump() throws IOException {
        jumps = false;
        // Where an index has only the beginnings of keys the one that it finds may be behind.
        boolean found = after != null && skipper().seek(after) && skipper.key().isPresent()
                || skipTokensBelow > Long.MIN_VALUE && skipper().seekLastBelow(skipTokensBelow);
        if (!found || skipper.dataPosition() <= window.position()) {
            return false;
        }
        seekToFound();
        return true;
    }

    /** Moves to where the skipper claims a partition, and checks that it is there. */
    private void seekToFound() throws IOException {
        window.seek(skipper.dataPosition());
        ByteReader in = window.in();
        window.want(Short.BYTES);
        int keyLengthBytes = in.readUnsignedShort();
        window.want(keyLengthBytes);
        skipper.requireSame(in.array(), in.skip(keyLengthBytes), keyLengthBytes);
        window.backToMark();
    }

    private PartitionLookup skipper() throws IOException {
        if (skipper == null) {
            skipper = owner.index().lookup();
        }
        return skipper;
    }

    @Override
    public long heldBytes() {
        return super.heldBytes() + (skipper == null ? 0 : skipper.heldBytes());
    }

    @Override
    public void close() throws IOException {
        place = Place.DONE;
        at(null);
        if (skipper != null) {
            skipper.close();
        }
    }
}
