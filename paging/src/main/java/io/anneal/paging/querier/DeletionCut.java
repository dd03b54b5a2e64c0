package io.anneal.paging.querier;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.RangeDeletion;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.schema.TableSchema;
import java.io.IOException;

/** Cuts a range deletion in two where a page ends: what lies up to a row, and what lies after it in the direction of reading. */
final class DeletionCut {
    private final CanonicalEncoder encoder;
    private final ClusteringComparator comparator;
    private final boolean reversed;
    private final EncodedItem item;
    private final RangeDeletion whole = new RangeDeletion();

    DeletionCut(TableSchema schema, boolean reversed) {
        encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
        comparator = ClusteringComparator.of(schema);
        this.reversed = reversed;
        item = new EncodedItem(schema).trusting();
    }

    /** Points at a deletion's item. */
    void wrap(byte[] array, int offset, int limit) throws IOException {
        item.wrap(array, offset, limit).readRangeDeletion(whole);
    }

    int endOffset() {
        return item.endOffset();
    }

    /** Whether it goes on after a row. */
    boolean goesOnAfter(Clustering row) {
        return reversed
                ? comparator.compare(whole.start(), whole.startWeight(), row, ClusteringComparator.BEFORE) < 0
                : comparator.compare(whole.end(), whole.endWeight(), row, ClusteringComparator.AFTER) > 0;
    }

    /** What of it is read up to a row, and with it. */
    byte[] upTo(Clustering row) {
        return part(row, reversed);
    }

    /** What of it is read after a row. */
    byte[] after(Clustering row) {
        return part(row, !reversed);
    }

    private byte[] part(Clustering row, boolean isUpper) {
        int weight = reversed ? ClusteringComparator.BEFORE : ClusteringComparator.AFTER;
        RangeDeletion part = new RangeDeletion().wrap(whole);
        (isUpper ? part.start() : part.end()).wrap(row);
        part.weights(isUpper ? weight : whole.startWeight(), isUpper ? whole.endWeight() : weight);
        ByteWriter out = new ByteWriter(item.lengthBytes());
        encoder.rangeDeletion(item.key(), part, out);
        return out.toByteArray();
    }
}
