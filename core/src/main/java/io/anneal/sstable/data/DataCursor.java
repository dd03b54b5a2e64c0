package io.anneal.sstable.data;

import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
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
    static final int HEAD_BYTES = 256;

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
    private final PartitionHead head;
    private final RowReader rows;

    private Place place = Place.BEFORE_PARTITION;
    private FragmentKind kind;
    private long rowsPosition;
    private long skipTokensBelow;
    private PartitionLookup skipper;
    private long skipBySizeBytes = SKIP_BY_SIZE_DEFAULT_BYTES;

    DataCursor(
            DataReader reader,
            Partitioner partitioner,
            TableSchema schema,
            TokenRange.Linear range,
            ChunkSource source,
            RowDecoder decoder,
            SerializationHeader header) {
        this.reader = reader;
        this.schema = schema;
        this.range = range;
        window = new DataWindow(source);
        head = new PartitionHead(window, partitioner, decoder.times());
        rows = new RowReader(window, decoder, header, HEAD_BYTES);
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
        return head.key();
    }

    @Override
    public long partitionDeletionTimestampMicros() {
        return head.deletionMicros();
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return head.deletionSeconds();
    }

    @Override
    public Row row() {
        return rows.row();
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        return rows.change();
    }

    @Override
    public long dataPosition() {
        return kind == FragmentKind.PARTITION_START ? head.position() : rows.position();
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
        return rows.boundKind();
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
                window.source().file(), rows.position(), "data cannot be decoded: " + cause.getMessage(), cause);
    }

    private FragmentKind next() throws IOException {
        return switch (place) {
            case BEFORE_PARTITION -> nextPartitionStart();
            case BEFORE_STATIC_ROW -> {
                place = Place.IN_ROWS;
                yield rows.readStaticRow() ? FragmentKind.STATIC_ROW : nextRow();
            }
            case IN_ROWS -> nextRow();
            case DONE -> null;
        };
    }

    private FragmentKind nextRow() throws IOException {
        FragmentKind next = rows.next();
        if (next == FragmentKind.PARTITION_END) {
            place = Place.BEFORE_PARTITION;
        }
        return next;
    }

    private FragmentKind nextPartitionStart() throws IOException {
        if (skipTokensBelow > Long.MIN_VALUE && (!head.isRead() || key().token() < skipTokensBelow)) {
            jumpBelow(skipTokensBelow);
        }
        while (window.remainingBytes() > 0) {
            readPartitionHead();
            if (key().token() > range.last()) {
                break;
            }
            if (key().token() >= skipTokensBelow) {
                return FragmentKind.PARTITION_START;
            }
            skipPartition();
        }
        place = Place.DONE;
        return null;
    }

    private void readPartitionHead() throws IOException {
        rows.begin();
        window.mark();
        window.want(HEAD_BYTES);
        head.read();
        rowsPosition = rows.beginPartition();
        place = rows.hasStaticRow() ? Place.BEFORE_STATIC_ROW : Place.IN_ROWS;
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
        do {
            rows.begin();
            if (!indexed && rows.position() - start > skipBySizeBytes) {
                indexed = true;
                if (skipper().seekAfter(key(), head.position()) && skipper.dataPosition() > rows.position()) {
                    seekToFound();
                    break;
                }
            }
        } while (rows.pass());
        place = Place.BEFORE_PARTITION;
    }

    @Override
    public void forwardTo(long token) throws IOException {
        if (token <= skipTokensBelow) {
            return;
        }
        skipTokensBelow = token;
        boolean inside = place == Place.BEFORE_STATIC_ROW || place == Place.IN_ROWS;
        if (inside && key().token() < token) {
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
        ByteReader in = window.in();
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
