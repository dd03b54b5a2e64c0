package io.anneal.sstable.data;

import io.anneal.key.Clustering;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Checks an index against the data while that is read in order. Every method fails at the first disagreement. */
public interface IndexVerifier extends Closeable {
    void beginPartition(DataCursor data) throws IOException;

    /** @param place of the row or range tombstone change at which {@code data} stands */
    void fragment(DataCursor data, Clustering place) throws IOException;

    void endPartition(DataCursor data) throws IOException;

    /** The data is at its end; so must be the index. */
    void end() throws IOException;

    /** What could not be checked, since the index has no component that tells. */
    default List<String> notes() {
        return List.of();
    }
}
