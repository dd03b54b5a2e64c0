package io.anneal.fragment;

import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;

/**
 * Refuses writes that could not be written to an SSTable later, at the moment when they are made. Of a mutation it decodes the
 * bytes as well: whole items that fit the schema, all of the mutation's own partition, whose key is one of the table's,
 * values of their types. Allocates nothing. One thread.
 */
public final class MutationValidator {
    /** What a clustering value, as a key, may take in an SSTable. */
    private static final int CLUSTERING_VALUE_MAX_BYTES = 0xFFFF;

    private final String table;
    private final KeyValidator keys;
    private final Column[] staticColumns;
    private final Column[] regularColumns;
    private final EncodedItem item;
    private final long localDeletionTimeMaxSeconds;
    private final long deletionLocalTimeMaxSeconds;
    private final long deletionTimestampMinMicros;
    private final Row row = new Row();
    private final RangeDeletion deletion = new RangeDeletion();

    /**
     * @param localDeletionTimeMaxSeconds what SSTables can hold, of expiries as well
     * @param deletionLocalTimeMaxSeconds what they can hold of all deletions but those of single cells
     * @param deletionTimestampMinMicros what they can hold of deletions of partitions and ranges
     */
    public MutationValidator(
            TableSchema schema,
            long localDeletionTimeMaxSeconds,
            long deletionLocalTimeMaxSeconds,
            long deletionTimestampMinMicros) {
        table = schema.qualifiedName();
        keys = new KeyValidator(schema);
        staticColumns = schema.staticColumns().toArray(Column[]::new);
        regularColumns = schema.regularColumns().toArray(Column[]::new);
        item = new EncodedItem(schema);
        this.localDeletionTimeMaxSeconds = localDeletionTimeMaxSeconds;
        this.deletionLocalTimeMaxSeconds = deletionLocalTimeMaxSeconds;
        this.deletionTimestampMinMicros = deletionTimestampMinMicros;
    }

    /** @throws CorruptItemException for the first thing that is wrong */
    public void validate(Mutation mutation) throws CorruptItemException {
        DecoratedKey key = mutation.key();
        keys.validate(key);
        byte[] bytes = mutation.bytes();
        for (int offset = 0; offset < bytes.length; offset = item.endOffset()) {
            item.wrap(bytes, offset, bytes.length);
            item.requireKey(key);
            switch (item.kind()) {
                case STATIC_ROW, CLUSTERING_ROW -> {
                    item.readRow(row);
                    validate(row, offset);
                }
                case PARTITION_DELETION -> {
                    item.readPartitionDeletion(deletion);
                    requireHeld(deletion.timestampMicros(), deletion.localDeletionTimeSeconds(), offset);
                }
                case RANGE_DELETION -> {
                    item.readRangeDeletion(deletion);
                    validate(deletion, offset);
                }
            }
        }
    }

    /**
     * Checks a row that is not encoded.
     *
     * @throws IllegalArgumentException when it is too large
     */
    public void validate(Row made) throws CorruptItemException {
        MutationLimit.FORMAT.require(table, Mutation.valueBytes(made), 0, 0);
        validate(made, 0);
    }

    /** Checks the deletion of a partition that is not encoded. */
    public void validate(DeletionTime made) throws CorruptItemException {
        requireHeld(made.timestampMicros(), made.localDeletionTimeSeconds(), 0);
    }

    /** Checks the deletion of a range that is not encoded. */
    public void validate(RangeDeletion made) throws CorruptItemException {
        validate(made, 0);
    }

    private void validate(Row read, int offset) throws CorruptItemException {
        requireHeld(read, offset);
        requireValues(read);
    }

    private void validate(RangeDeletion read, int offset) throws CorruptItemException {
        requireHeld(read.start(), offset);
        requireHeld(read.end(), offset);
        requireHeld(read.timestampMicros(), read.localDeletionTimeSeconds(), offset);
    }

    /** What is no value of its type nobody could read again. */
    private void requireValues(Row row) throws CorruptItemException {
        Column[] columns = columns(row);
        for (int i = 0; i < row.entryCount(); i++) {
            Column column = columns[row.columnIndex(i)];
            // A tombstone, a deletion and an empty value have none; counters were made of whole shards.
            if (row.valueLengthBytes(i) <= 0 || column.type().isCounter()) {
                continue;
            }
            try {
                column.type()
                        .cellType(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i))
                        .validate(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i));
            } catch (InvalidValueException e) {
                throw new CorruptItemException(
                        "value is not of its type, column=" + column.name() + ", type="
                                + column.type().cqlName(),
                        row.valueOffset(i),
                        e);
            }
        }
    }

    private Column[] columns(Row row) {
        return row.isStatic() ? staticColumns : regularColumns;
    }

    private void requireHeld(Row row, int offset) throws CorruptItemException {
        requireHeld(row.clustering(), offset);
        // By cells first, which have names.
        Column[] columns = columns(row);
        for (int i = 0; i < row.entryCount(); i++) {
            long maxSeconds = row.isComplexDeletion(i) ? deletionLocalTimeMaxSeconds : localDeletionTimeMaxSeconds;
            if (isTooLate(row.localDeletionTimeSeconds(i), maxSeconds)) {
                int ttlSeconds = row.isComplexDeletion(i) ? Row.NO_TTL : row.ttlSeconds(i);
                String facts = ", column=" + columns[row.columnIndex(i)].name() + ttl(ttlSeconds);
                throw tooLate(row.localDeletionTimeSeconds(i), maxSeconds, offset, facts);
            }
        }
        if (isTooLate(row.livenessExpirySeconds(), localDeletionTimeMaxSeconds)) {
            String facts = ttl(row.livenessTtlSeconds());
            throw tooLate(row.livenessExpirySeconds(), localDeletionTimeMaxSeconds, offset, facts);
        }
        requireInTime(row.deletionLocalTimeSeconds(), deletionLocalTimeMaxSeconds, offset);
    }

    private void requireHeld(Clustering clustering, int offset) throws CorruptItemException {
        for (int i = 0; i < clustering.size(); i++) {
            if (clustering.lengthBytes(i) > CLUSTERING_VALUE_MAX_BYTES) {
                throw new CorruptItemException(
                        "clustering value is too long for an SSTable",
                        offset,
                        "component=" + i + ", lengthBytes=" + clustering.lengthBytes(i) + ", max="
                                + CLUSTERING_VALUE_MAX_BYTES);
            }
        }
    }

    private void requireHeld(long timestampMicros, long localSeconds, int offset) throws CorruptItemException {
        if (timestampMicros < deletionTimestampMinMicros) {
            throw new CorruptItemException(
                    "timestamp of a deletion is too small for the version of SSTables that is written",
                    offset,
                    "timestampMicros=" + timestampMicros + ", min=" + deletionTimestampMinMicros);
        }
        requireInTime(localSeconds, deletionLocalTimeMaxSeconds, offset);
    }

    private static void requireInTime(long localSeconds, long maxSeconds, int offset) throws CorruptItemException {
        if (isTooLate(localSeconds, maxSeconds)) {
            throw tooLate(localSeconds, maxSeconds, offset, "");
        }
    }

    private static boolean isTooLate(long localSeconds, long maxSeconds) {
        return localSeconds > maxSeconds && localSeconds != DeletionTime.NO_DELETION_TIME;
    }

    private static String ttl(int ttlSeconds) {
        return ttlSeconds == Row.NO_TTL ? "" : ", ttlSeconds=" + ttlSeconds;
    }

    private static CorruptItemException tooLate(long localSeconds, long maxSeconds, int offset, String facts) {
        return new CorruptItemException(
                "expiry or deletion is too late for the version of SSTables that is written: nb ends in 2038, oa and da later",
                offset,
                "localDeletionTimeSeconds=" + localSeconds + ", max=" + maxSeconds + facts);
    }
}
