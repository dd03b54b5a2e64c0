package io.anneal.fragment;

import io.anneal.io.ByteWriter;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.util.List;

/**
 * Encodes mutations again that were made by another schema of their table: items name columns by their number. A column that
 * was added meanwhile changes the numbers of others, and earlier releases numbered some in another order. One thread.
 */
public final class MutationTranslator {
    private static final int GONE = -1;

    private final TableSchema from;
    private final TableSchema to;
    private final int[] staticPlaces;
    private final int[] regularPlaces;
    private final boolean identical;
    private final EncodedItem item;
    private final Row row = new Row();
    private final Row renumbered = new Row();
    private final Row translated = new Row();
    private final EntrySorter sorter;
    private final RangeDeletion deletion = new RangeDeletion();

    public MutationTranslator(TableSchema from, TableSchema to) {
        this.from = from;
        this.to = to;
        staticPlaces = places(from.staticColumns(), to);
        regularPlaces = places(from.regularColumns(), to);
        identical = isIdentical(staticPlaces) && isIdentical(regularPlaces);
        item = new EncodedItem(from);
        sorter = new EntrySorter(to);
    }

    private static int[] places(List<Column> columns, TableSchema to) {
        int[] places = new int[columns.size()];
        for (Column column : columns) {
            places[column.index()] = to.column(column.name())
                    .filter(now -> now.kind() == column.kind()
                            && now.isComplex() == column.isComplex()
                            && (column.dropped() || !now.dropped()))
                    .map(Column::index)
                    .orElse(GONE);
        }
        return places;
    }

    private static boolean isIdentical(int[] places) {
        for (int i = 0; i < places.length; i++) {
            if (places[i] != i) {
                return false;
            }
        }
        return true;
    }

    /** Whether it translates between these two. */
    public boolean isBetween(TableSchema older, TableSchema newer) {
        return from == older && to == newer;
    }

    /**
     * The mutation by the new schema; itself when all columns kept their numbers.
     *
     * @throws CorruptItemException when it cannot be decoded, or writes to a column that is gone
     */
    public Mutation translate(Mutation mutation) throws CorruptItemException {
        if (identical) {
            return mutation;
        }
        byte[] bytes = mutation.bytes();
        CanonicalEncoder encoder = new CanonicalEncoder(to, CanonicalEncoder.UNCLAMPED);
        KeyView key = new KeyView().wrap(mutation.key());
        ByteWriter out = new ByteWriter(bytes.length + 16);
        for (int offset = 0; offset < bytes.length; offset = item.endOffset()) {
            item.wrap(bytes, offset, bytes.length);
            switch (item.kind()) {
                case STATIC_ROW, CLUSTERING_ROW -> {
                    item.readRow(row);
                    encoder.row(key, translated(offset), out);
                }
                case PARTITION_DELETION -> {
                    item.readPartitionDeletion(deletion);
                    encoder.partitionDeletion(
                            key, deletion.timestampMicros(), deletion.localDeletionTimeSeconds(), out);
                }
                case RANGE_DELETION -> {
                    item.readRangeDeletion(deletion);
                    encoder.rangeDeletion(key, deletion, out);
                }
            }
        }
        return new Mutation(mutation.key(), out.toByteArray());
    }

    private Row translated(int offset) throws CorruptItemException {
        int[] places = row.isStatic() ? staticPlaces : regularPlaces;
        renumbered.clear(row.isStatic());
        translated.clear(row.isStatic());
        translated.clustering().wrap(row.clustering());
        translated.liveness(row.livenessTimestampMicros(), row.livenessTtlSeconds(), row.livenessExpirySeconds());
        translated.deletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds(), row.isDeletionShadowable());
        for (int i = 0; i < row.entryCount(); i++) {
            int place = places[row.columnIndex(i)];
            if (place == GONE) {
                List<Column> columns = row.isStatic() ? from.staticColumns() : from.regularColumns();
                throw new CorruptItemException(
                        "column is not in the table any more",
                        offset,
                        "column=" + columns.get(row.columnIndex(i)).name());
            }
            entry(i, place);
        }
        sorter.sort(renumbered, translated);
        return translated;
    }

    private void entry(int i, int place) {
        if (row.isComplexDeletion(i)) {
            renumbered.addComplexDeletion(place, row.timestampMicros(i), row.localDeletionTimeSeconds(i));
            return;
        }
        renumbered.addCell(place, row.timestampMicros(i), row.ttlSeconds(i), row.localDeletionTimeSeconds(i));
        if (row.pathLengthBytes(i) != Row.ABSENT) {
            renumbered.path(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i));
        }
        if (row.valueLengthBytes(i) != Row.ABSENT) {
            renumbered.value(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i));
        }
    }
}
