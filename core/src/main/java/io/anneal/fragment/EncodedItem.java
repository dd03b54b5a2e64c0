package io.anneal.fragment;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.VInt;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.Murmur3;
import io.anneal.schema.Column;
import io.anneal.schema.CounterShards;
import io.anneal.schema.CqlType;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * One item of the canonical encoding where it lies: a flyweight that is re-pointed at a buffer. The bytes may come from
 * a peer, so {@link #wrap} checks the head and each {@code read} method everything it passes: lengths against the item,
 * columns and component counts against the schema, the order of entries, the one allowed form of every number. What it
 * hands out points into the buffer. Allocates nothing but exceptions. Owned by one thread.
 */
public final class EncodedItem {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final byte[] NOTHING = new byte[0];

    /**
     * What each cell of a column asks for, found once.
     *
     * @param isPlain whether it has one cell, which is no counter
     * @param fixedLengthBytes of the values of a plain one
     */
    private record Known(Column column, boolean isPlain, int fixedLengthBytes) {
        static Known of(Column column) {
            boolean isPlain = !column.isComplex() && !column.type().isCounter();
            return new Known(
                    column, isPlain, isPlain ? column.type().cellType().fixedLengthBytes() : CqlType.VARIABLE_LENGTH);
        }

        /** Whether it is plain, and values may be so long; a length beyond a byte is below {@link Clustering#ABSENT}. */
        boolean isShort(int lengthBytes) {
            return isPlain
                    && (lengthBytes == fixedLengthBytes
                            || lengthBytes >= Clustering.ABSENT
                                    && (lengthBytes <= 0 || fixedLengthBytes == CqlType.VARIABLE_LENGTH));
        }
    }

    private final ClusteringComparator comparator;
    private final Known[] staticColumns;
    private final Known[] regularColumns;
    private final ByteReader reader = new ByteReader();
    private final KeyView key = new KeyView();
    private final boolean trusting;

    private byte[] buffer;
    private int offset;
    private int length;
    private ItemKind kind;
    private int keyLength;
    private boolean tokenKnown;

    public EncodedItem(TableSchema schema) {
        comparator = ClusteringComparator.of(schema);
        staticColumns = columns(schema.staticColumns());
        regularColumns = columns(schema.regularColumns());
        trusting = false;
    }

    private EncodedItem(EncodedItem checking) {
        comparator = checking.comparator;
        staticColumns = checking.staticColumns;
        regularColumns = checking.regularColumns;
        trusting = true;
    }

    /**
     * Another flyweight for items of the same table that were checked before or that this process encoded itself: values and
     * the order of entries are taken as they are. Lengths are checked all the same. Cheap to make.
     */
    public EncodedItem trusting() {
        return new EncodedItem(this);
    }

    private static Known[] columns(List<Column> columns) {
        return columns.stream().map(Known::of).toArray(Known[]::new);
    }

    /**
     * Points at the item that begins at {@code itemOffset} and ends at or before {@code limit}.
     *
     * @throws CorruptItemException when there is no whole item with a known kind
     */
    public EncodedItem wrap(byte[] source, int itemOffset, int limit) throws CorruptItemException {
        buffer = source;
        offset = itemOffset;
        tokenKnown = false;
        if (limit - itemOffset < ItemLayout.KEY_OFFSET) {
            throw new CorruptItemException("head is cut short", itemOffset, "lengthBytes=" + (limit - itemOffset));
        }
        reader.wrap(source, itemOffset, limit - itemOffset);
        int code = reader.readUnsignedByte();
        kind = ItemKind.ofCode(code);
        length = reader.readInt();
        keyLength = reader.readUnsignedShort();
        if (kind == null) {
            throw new CorruptItemException("kind is unknown", itemOffset, "code=" + code);
        }
        if (length < ItemLayout.KEY_OFFSET + keyLength || length > limit - itemOffset) {
            throw new CorruptItemException(
                    "length does not fit",
                    itemOffset,
                    "lengthBytes=" + length + ", keyLengthBytes=" + keyLength + ", remainingBytes="
                            + (limit - itemOffset));
        }
        return this;
    }

    /** Lets go of the buffer; nothing may be asked before the next {@link #wrap}. */
    public void release() {
        buffer = NOTHING;
        reader.wrap(NOTHING, 0, 0);
        key.wrap(0, NOTHING, 0, 0);
    }

    public ItemKind kind() {
        return kind;
    }

    public byte[] buffer() {
        return buffer;
    }

    /** Where the item begins in {@link #buffer()}. */
    public int offset() {
        return offset;
    }

    public int lengthBytes() {
        return length;
    }

    /** Where the next item of the same buffer begins. */
    public int endOffset() {
        return offset + length;
    }

    /** @throws CorruptItemException when the item is not of the partition with this key */
    public void requireKey(DecoratedKey expected) throws CorruptItemException {
        int keyOffset = offset + ItemLayout.KEY_OFFSET;
        byte[] bytes = expected.bytes();
        if (!Arrays.equals(buffer, keyOffset, keyOffset + keyLength, bytes, 0, bytes.length)) {
            throw new CorruptItemException("item is of another partition", offset, "expected=" + expected);
        }
    }

    /** The partition key with its token, valid until the next {@link #wrap}; the token is computed when first asked for. */
    public KeyView key() {
        if (!tokenKnown) {
            int keyOffset = offset + ItemLayout.KEY_OFFSET;
            key.wrap(Murmur3.token(buffer, keyOffset, keyLength), buffer, keyOffset, keyLength);
            tokenKnown = true;
        }
        return key;
    }

    /** Whether the item is of the partition with this key; computes no token. */
    public boolean isOf(KeyView other) {
        int keyOffset = offset + ItemLayout.KEY_OFFSET;
        int otherOffset = other.offset();
        return Arrays.equals(
                buffer,
                keyOffset,
                keyOffset + keyLength,
                other.buffer(),
                otherOffset,
                otherOffset + other.lengthBytes());
    }

    /** Decodes a partition deletion or the deletion of a range into {@code out}, whose place is left alone. */
    public void readPartitionDeletion(RangeDeletion out) throws CorruptItemException {
        assert kind == ItemKind.PARTITION_DELETION : kind;
        try {
            body();
            deletion(out);
            end();
        } catch (ByteUnderflowException e) {
            throw new CorruptItemException("content is cut short", reader.offset(), e);
        }
    }

    /** Decodes a range deletion. */
    public void readRangeDeletion(RangeDeletion out) throws CorruptItemException {
        assert kind == ItemKind.RANGE_DELETION : kind;
        try {
            body();
            prefix(out.start());
            int startWeight = weight();
            prefix(out.end());
            out.weights(startWeight, weight());
            deletion(out);
            if (!trusting && comparator.compare(out.start(), startWeight, out.end(), out.endWeight()) >= 0) {
                throw new CorruptItemException("range ends before it starts", offset, "");
            }
            end();
        } catch (ByteUnderflowException e) {
            throw new CorruptItemException("content is cut short", reader.offset(), e);
        }
    }

    /**
     * Reads only where the item stands: points {@code out} at the clustering of a row or the start of a range and
     * returns its weight. A partition deletion and a static row stand before every clustering; they read as the empty
     * prefix, {@link ClusteringComparator#BEFORE}.
     */
    public int readPosition(Clustering out) throws CorruptItemException {
        try {
            body();
            switch (kind) {
                case PARTITION_DELETION, STATIC_ROW -> {
                    out.reset(buffer);
                    return ClusteringComparator.BEFORE;
                }
                case CLUSTERING_ROW -> {
                    clustering(out);
                    return ClusteringComparator.AT;
                }
                case RANGE_DELETION -> {
                    prefix(out);
                    return weight();
                }
            }
            throw new AssertionError(kind);
        } catch (ByteUnderflowException e) {
            throw new CorruptItemException("content is cut short", reader.offset(), e);
        }
    }

    /** Decodes a static or clustering row; its values point into the buffer. */
    public void readRow(Row out) throws CorruptItemException {
        assert kind == ItemKind.STATIC_ROW || kind == ItemKind.CLUSTERING_ROW : kind;
        boolean isStatic = kind == ItemKind.STATIC_ROW;
        try {
            body();
            out.clear(isStatic);
            if (!isStatic) {
                clustering(out.clustering());
            }
            rowHead(out);
            entries(out, isStatic ? staticColumns : regularColumns);
            end();
        } catch (ByteUnderflowException e) {
            throw new CorruptItemException("content is cut short", reader.offset(), e);
        }
    }

    private void body() {
        int start = ItemLayout.KEY_OFFSET + keyLength;
        reader.wrap(buffer, offset + start, length - start);
    }

    private void end() throws CorruptItemException {
        if (reader.hasRemaining()) {
            throw new CorruptItemException(
                    "bytes are left over", reader.offset(), "remainingBytes=" + reader.remainingBytes());
        }
    }

    /** A vint in its shortest form: equal content must have equal bytes. */
    private int vint() throws CorruptItemException {
        int start = reader.offset();
        long value = reader.readUnsignedVInt();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new CorruptItemException("number is too large", start, "value=" + Long.toUnsignedString(value));
        }
        int lengthBytes = reader.offset() - start;
        if (lengthBytes > 1 && lengthBytes != VInt.lengthBytes(value)) {
            throw new CorruptItemException("number is not in its shortest form", start, "value=" + value);
        }
        return (int) value;
    }

    private int weight() throws CorruptItemException {
        int start = reader.offset();
        int code = reader.readUnsignedByte();
        if (code != ItemLayout.WEIGHT_BEFORE && code != ItemLayout.WEIGHT_AFTER) {
            throw new CorruptItemException("weight of a bound is unknown", start, "code=" + code);
        }
        return code == ItemLayout.WEIGHT_BEFORE ? ClusteringComparator.BEFORE : ClusteringComparator.AFTER;
    }

    private void clustering(Clustering out) throws CorruptItemException {
        int start = reader.offset();
        prefix(out);
        if (out.size() != comparator.size()) {
            throw new CorruptItemException(
                    "clustering has a wrong number of components",
                    start,
                    "componentCount=" + out.size() + ", clusteringColumnCount=" + comparator.size());
        }
    }

    private void prefix(Clustering out) throws CorruptItemException {
        int start = reader.offset();
        int count = vint();
        if (count > comparator.size()) {
            throw new CorruptItemException(
                    "prefix has too many components",
                    start,
                    "componentCount=" + count + ", clusteringColumnCount=" + comparator.size());
        }
        out.reset(buffer);
        for (int i = 0; i < count; i++) {
            int valueLength = vint() - 1;
            int valueOffset = reader.skip(Math.max(0, valueLength));
            if (valueLength > 0) {
                validate(comparator.type(i), valueOffset, valueLength);
            }
            out.add(valueOffset, valueLength);
        }
    }

    private void validate(CqlType type, int valueOffset, int valueLength) throws CorruptItemException {
        if (trusting) {
            return;
        }
        try {
            type.validate(buffer, valueOffset, valueLength);
        } catch (InvalidValueException e) {
            throw new CorruptItemException("value is not of its type " + type.cqlName(), valueOffset, e);
        }
    }

    private void deletion(RangeDeletion out) throws CorruptItemException {
        long timestampMicros = reader.readLong();
        out.deletion(timestampMicros, localDeletionTime());
    }

    private long localDeletionTime() throws CorruptItemException {
        int start = reader.offset();
        long seconds = reader.readLong();
        if (seconds < 0 || seconds > ItemLayout.LOCAL_DELETION_TIME_MAX_SECONDS) {
            throw new CorruptItemException(
                    "local deletion time is out of bounds", start, "localDeletionTimeSeconds=" + seconds);
        }
        return seconds;
    }

    private int ttl() throws CorruptItemException {
        int start = reader.offset();
        int ttl = reader.readInt();
        if (ttl <= 0) {
            throw new CorruptItemException("TTL is not positive", start, "ttlSeconds=" + ttl);
        }
        return ttl;
    }

    private void rowHead(Row out) throws CorruptItemException {
        int start = reader.offset();
        int flags = reader.readUnsignedByte();
        boolean liveness = (flags & ItemLayout.HAS_LIVENESS) != 0;
        boolean expires = (flags & ItemLayout.LIVENESS_EXPIRES) != 0;
        boolean deletion = (flags & ItemLayout.HAS_DELETION) != 0;
        boolean shadowable = (flags & ItemLayout.DELETION_SHADOWABLE) != 0;
        if ((flags & ~ItemLayout.ROW_FLAGS) != 0 || expires && !liveness || shadowable && !deletion) {
            throw new CorruptItemException("row flags contradict each other", start, "flags=" + flags);
        }
        if (liveness) {
            long timestampMicros = reader.readLong();
            if (timestampMicros == DeletionTime.NO_TIMESTAMP) {
                throw new CorruptItemException("liveness has no timestamp", start, "");
            }
            int ttlSeconds = expires ? ttl() : Row.NO_TTL;
            out.liveness(timestampMicros, ttlSeconds, expires ? localDeletionTime() : DeletionTime.NO_DELETION_TIME);
        }
        if (deletion) {
            long timestampMicros = reader.readLong();
            out.deletion(timestampMicros, localDeletionTime(), shadowable);
        }
    }

    private void entries(Row out, Known[] columns) throws CorruptItemException {
        int count = vint();
        for (int i = plainCells(out, columns, 0, count); i < count; i = plainCells(out, columns, i + 1, count)) {
            int start = reader.offset();
            int code = reader.readUnsignedByte();
            int columnIndex = vint();
            if (columnIndex >= columns.length) {
                throw new CorruptItemException(
                        "column is not in the schema",
                        start,
                        "columnIndex=" + columnIndex + ", columnCount=" + columns.length);
            }
            Known known = columns[columnIndex];
            Column column = known.column;
            if (code == ItemLayout.LIVE_CELL && known.isPlain) {
                plainCell(out, known);
            } else if (code == ItemLayout.COMPLEX_DELETION && column.isComplex()) {
                long timestampMicros = reader.readLong();
                out.addComplexDeletion(columnIndex, timestampMicros, localDeletionTime());
            } else {
                cell(out, known, code, start);
            }
            if (i > 0 && !trusting && !RowOrder.ascends(out, i, column)) {
                throw new CorruptItemException("entries are out of order", start, "column=" + column.name());
            }
        }
    }

    /**
     * Decodes cells from the one of that number on, up to the first that is not as most are: plain, of a low column, in
     * order, its value short and of the right length. Returns its number; what it is, or what is wrong with it, is for
     * others to tell. On locals, apart from the rest: this is where the time of small rows goes.
     */
    private int plainCells(Row out, Known[] columns, int from, int count) {
        byte[] bytes = buffer;
        int limit = reader.limit() - ItemLayout.SHORT_CELL_BYTES;
        int at = reader.offset();
        int before = from == 0 ? -1 : out.columnIndex(from - 1);
        int i = from;
        while (i < count && at <= limit) {
            int column = bytes[at + ItemLayout.SHORT_CELL_COLUMN_OFFSET];
            int valueLength = bytes[at + ItemLayout.SHORT_CELL_LENGTH_OFFSET] - 1;
            if (bytes[at] != ItemLayout.LIVE_CELL
                    || column <= before
                    || column >= columns.length
                    || !columns[column].isShort(valueLength)
                    || valueLength > limit - at) {
                break;
            }
            int valueOffset = at + ItemLayout.SHORT_CELL_BYTES;
            long timestampMicros = (long) LONG.get(bytes, at + ItemLayout.SHORT_CELL_TIMESTAMP_OFFSET);
            out.addCell(column, timestampMicros, bytes, valueOffset, valueLength);
            at = valueOffset + Math.max(0, valueLength);
            before = column;
            i++;
        }
        reader.seek(at);
        return i;
    }

    /** What most cells are, of whatever column and length. */
    private void plainCell(Row out, Known known) throws CorruptItemException {
        long timestampMicros = reader.readLong();
        int valueLength = vint() - 1;
        int valueOffset = reader.skip(Math.max(0, valueLength));
        requireLength(known.column, valueOffset, valueLength, known.fixedLengthBytes);
        out.addCell(known.column.index(), timestampMicros, buffer, valueOffset, valueLength);
    }

    private void requireLength(Column column, int valueOffset, int valueLength, int fixedLength)
            throws CorruptItemException {
        if (!trusting && valueLength > 0 && fixedLength != CqlType.VARIABLE_LENGTH && valueLength != fixedLength) {
            throw new CorruptItemException(
                    "value has a wrong length",
                    valueOffset,
                    "column=" + column.name() + ", lengthBytes=" + valueLength + ", fixedLengthBytes=" + fixedLength);
        }
    }

    private void cell(Row out, Known known, int code, int start) throws CorruptItemException {
        Column column = known.column;
        int cellCode = code & ~ItemLayout.HAS_PATH;
        boolean hasPath = (code & ItemLayout.HAS_PATH) != 0;
        boolean expiring = cellCode == ItemLayout.EXPIRING_CELL;
        boolean tombstone = cellCode == ItemLayout.TOMBSTONE;
        boolean isKnown = expiring || tombstone || cellCode == ItemLayout.LIVE_CELL;
        if (!isKnown
                || hasPath != column.isComplex()
                || expiring && column.type().isCounter()) {
            throw new CorruptItemException(
                    "entry code does not fit the column", start, "code=" + code + ", column=" + column.name());
        }
        long timestampMicros = reader.readLong();
        int ttlSeconds = expiring ? ttl() : Row.NO_TTL;
        long ldt = expiring || tombstone ? localDeletionTime() : DeletionTime.NO_DELETION_TIME;
        out.addCell(column.index(), timestampMicros, ttlSeconds, ldt);
        if (hasPath) {
            int pathLength = vint();
            int pathOffset = reader.skip(pathLength);
            validate(column.type().pathType(), pathOffset, pathLength);
            out.path(buffer, pathOffset, pathLength);
        }
        if (!tombstone) {
            int valueLength = vint() - 1;
            int valueOffset = reader.skip(Math.max(0, valueLength));
            if (column.type().isCounter()) {
                counter(out, column, valueOffset, valueLength);
                return;
            }
            boolean isFixed = known.isPlain || trusting;
            requireLength(
                    column, valueOffset, valueLength, isFixed ? known.fixedLengthBytes : fixedLengthBytes(out, column));
            out.value(buffer, valueOffset, valueLength);
        }
    }

    /** Puts the header back before a counter's shards, all of which are global. */
    private void counter(Row out, Column column, int shardsOffset, int shardsLength) throws CorruptItemException {
        int count = shardsLength / CounterShards.SHARD_BYTES;
        if (shardsLength % CounterShards.SHARD_BYTES != 0 || shardsLength < 0 || count > CounterShards.SHARDS_MAX) {
            throw new CorruptItemException(
                    "counter has no whole shards",
                    shardsOffset,
                    "column=" + column.name() + ", lengthBytes=" + shardsLength);
        }
        for (int i = 1; i < count && !trusting; i++) {
            int shard = shardsOffset + i * CounterShards.SHARD_BYTES;
            if (CounterShards.compareIds(buffer, shard - CounterShards.SHARD_BYTES, buffer, shard) >= 0) {
                throw new CorruptItemException("counter shards are out of order", shard, "column=" + column.name());
            }
        }
        out.ownValue(CounterShards.lengthBytes(count, count));
        int last = out.entryCount() - 1;
        int start = CounterShards.writeGlobalHeader(count, out.valueBuffer(last), out.valueOffset(last));
        System.arraycopy(buffer, shardsOffset, out.valueBuffer(last), start, shardsLength);
    }

    /** Length of the last cell's value when its type fixes one: SSTables store such values without a length. */
    private static int fixedLengthBytes(Row row, Column column) throws CorruptItemException {
        int last = row.entryCount() - 1;
        try {
            return column.type()
                    .cellType(row.pathBuffer(last), row.pathOffset(last), row.pathLengthBytes(last))
                    .fixedLengthBytes();
        } catch (InvalidValueException e) {
            throw new CorruptItemException(
                    "path names no field of " + column.type().cqlName(), row.pathOffset(last), e);
        }
    }
}
