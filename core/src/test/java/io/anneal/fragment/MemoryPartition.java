package io.anneal.fragment;

import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import java.util.List;

/** A partition in memory for tests: {@code clustered} holds rows and {@link Change}s in order. */
public record MemoryPartition(DecoratedKey key, DeletionTime deletion, Row staticRow, List<Object> clustered) {
    /** A range tombstone change. */
    public record Change(Clustering prefix, int weight, DeletionTime deletion) {}
}
