package io.anneal.sstable.data;

import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.file.DataWindow;
import io.anneal.sstable.row.PartitionHead;
import io.anneal.sstable.row.RowReader;

/**
 * What the cursors over intact data have in common: a window over it, the head of the current partition and its rows, and
 * where in the grammar they stand. Owned by one thread.
 */
abstract class WindowCursor implements SSTableCursor {
    /** Of a cursor without what it has read ahead: rows, keys and decoders, counted in heap histograms. */
    private static final int OBJECTS_BYTES = 4 << 10;

    /** What comes next. */
    enum Place {
        BEFORE_PARTITION,
        BEFORE_STATIC_ROW,
        IN_ROWS,
        DONE
    }

    final TableSchema schema;
    final DataWindow window;
    final PartitionHead head;
    final RowReader reader;

    Place place = Place.BEFORE_PARTITION;
    private int kind = FragmentKind.NONE;
    long rowsPosition;

    WindowCursor(TableSchema schema, DataWindow window, PartitionHead head, RowReader reader) {
        this.schema = schema;
        this.window = window;
        this.head = head;
        this.reader = reader;
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public FragmentKind kind() {
        return FragmentKind.ofCode(kind);
    }

    /** Takes note of the current fragment, or that there is none. */
    final FragmentKind at(FragmentKind current) {
        kind = FragmentKind.code(current);
        return current;
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
        return reader.row();
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        return reader.change();
    }

    /** {@inheritDoc} What was read ahead is most of it. */
    @Override
    public long heldBytes() {
        return window.heldBytes() + OBJECTS_BYTES;
    }

    @Override
    public long dataPosition() {
        return kind() == FragmentKind.PARTITION_START ? head.position() : reader.position();
    }

    @Override
    public long rowsPosition() {
        return rowsPosition;
    }

    /** What is thrown when bytes make no sense where the reader stands. */
    final CorruptSSTableException corrupt(RuntimeException cause) {
        return new CorruptSSTableException(
                window.source().file(), reader.position(), "data cannot be decoded: " + cause.getMessage(), cause);
    }
}
