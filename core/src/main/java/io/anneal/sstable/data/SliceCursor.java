package io.anneal.sstable.data;

import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.Partitioner;
import io.anneal.key.Slices;
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
import java.util.Optional;

/**
 * Reads slices of one partition, in clustering order or against it: the head, where the key is proven, the static row,
 * and of the rows little more than was asked for.
 */
final class SliceCursor extends WindowCursor {
    /** Enough for flags and sizes; every byte more may cost a chunk. */
    private static final int HEAD_BYTES = 16;

    /** A block of the default size fits in with its last row. */
    static final long HELD_DEFAULT_BYTES = 128 * 1024;

    private final PartitionLookup lookup;

    private SlicedRows rows;

    private SliceCursor(
            TableSchema schema, DataWindow window, PartitionHead head, RowReader reader, PartitionLookup lookup) {
        super(schema, window, head, reader);
        this.lookup = lookup;
    }

    /**
     * Stands at the partition that begins at {@code position}; its key is still to be checked.
     *
     * @param lookup closed with the cursor
     */
    static SliceCursor at(
            long position,
            Partitioner partitioner,
            TableSchema schema,
            ChunkSource source,
            RowDecoder decoder,
            SerializationHeader header,
            PartitionLookup lookup)
            throws IOException {
        DataWindow window = DataWindow.ofOneChunk(source);
        SliceCursor cursor = new SliceCursor(
                schema,
                window,
                new PartitionHead(window, partitioner, decoder.times()),
                new RowReader(window, decoder, header, HEAD_BYTES),
                lookup);
        window.seek(position);
        try {
            cursor.reader.begin();
            cursor.head.read();
            cursor.rowsPosition = cursor.reader.beginPartition();
        } catch (ByteUnderflowException | MalformedRowException e) {
            throw cursor.corrupt(e);
        }
        return cursor;
    }

    /** @param blocks the block index of the partition, if it has one */
    SliceCursor select(Slices slices, boolean reversed, Optional<RowLookup> blocks, DataReader owner, long heldBytes) {
        SlicedRows.Partition partition = new SlicedRows.Partition(
                head.position(),
                rowsPosition,
                blocks.orElse(null),
                owner.statistics().minTimestampMicros(),
                owner.statistics().maxTimestampMicros());
        ClusteringComparator comparator = ClusteringComparator.of(schema);
        rows = reversed
                ? new ReversedRows(partition, slices, window, reader, comparator, heldBytes)
                : new ForwardRows(partition, slices, window, reader, comparator);
        return this;
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        return rows.change();
    }

    /** Number of chunks of the data that were read so far. */
    long chunksRead() {
        return window.chunksRead();
    }

    @Override
    public FragmentKind advance() throws IOException {
        try {
            return at(next());
        } catch (ByteUnderflowException | MalformedRowException | InvalidValueException | IndexOutOfBoundsException e) {
            throw corrupt(e);
        }
    }

    private FragmentKind next() throws IOException {
        return switch (place) {
            case BEFORE_PARTITION -> {
                place = reader.hasStaticRow() ? Place.BEFORE_STATIC_ROW : Place.IN_ROWS;
                yield FragmentKind.PARTITION_START;
            }
            case BEFORE_STATIC_ROW -> {
                place = Place.IN_ROWS;
                yield reader.readStaticRow() ? FragmentKind.STATIC_ROW : nextRow();
            }
            case IN_ROWS -> nextRow();
            case DONE -> null;
        };
    }

    private FragmentKind nextRow() throws IOException {
        FragmentKind next = rows.next();
        if (next == FragmentKind.PARTITION_END) {
            place = Place.DONE;
        }
        return next;
    }

    @Override
    public void nextPartition() {
        if (kind() != null) {
            place = Place.DONE;
        }
    }

    @Override
    public void forwardTo(long token) {
        if (key().token() < token) {
            place = Place.DONE;
        }
    }

    @Override
    public long heldBytes() {
        return super.heldBytes() + lookup.heldBytes();
    }

    @Override
    public void close() throws IOException {
        place = Place.DONE;
        at(null);
        lookup.close();
    }
}
