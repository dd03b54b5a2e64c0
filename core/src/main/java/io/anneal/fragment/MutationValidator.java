package io.anneal.fragment;

import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;

/**
 * Decodes a mutation, to see that its bytes are what they should be before they reach a disk: whole items that fit the schema,
 * all of the mutation's own partition. Allocates nothing. One thread.
 */
public final class MutationValidator {
    private final EncodedItem item;
    private final Row row = new Row();
    private final RangeDeletion deletion = new RangeDeletion();

    public MutationValidator(TableSchema schema) {
        item = new EncodedItem(schema);
    }

    /** @throws CorruptItemException for the first thing that is wrong */
    public void validate(Mutation mutation) throws CorruptItemException {
        DecoratedKey key = mutation.key();
        byte[] bytes = mutation.bytes();
        for (int offset = 0; offset < bytes.length; offset = item.endOffset()) {
            item.wrap(bytes, offset, bytes.length);
            item.requireKey(key);
            switch (item.kind()) {
                case STATIC_ROW, CLUSTERING_ROW -> item.readRow(row);
                case PARTITION_DELETION -> item.readPartitionDeletion(deletion);
                case RANGE_DELETION -> item.readRangeDeletion(deletion);
            }
        }
    }
}
