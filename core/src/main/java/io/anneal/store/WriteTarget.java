package io.anneal.store;

import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.schema.Column;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Where the writes of builders go, and what these take from there that they were not told. One thread. */
interface WriteTarget {
    /**
     * Takes the writes of one builder call, all or none. May keep what they point at.
     *
     * @param partition of each of them
     * @param writes none when the call turned out to change nothing
     */
    void add(DecoratedKey partition, List<Write> writes) throws IOException;

    /**
     * When a write is made that was given no timestamp; asked once for each.
     *
     * @throws IllegalStateException when the caller has to give one
     */
    long timestampMicros();

    /** When deletions are made and TTLs begin, of a write that was not told. */
    long localTimeSeconds(long timestampMicros);

    /** Tells elements of lists apart, which are written with one timestamp: never twice the same, ascending. */
    long nextElementNumber();

    /** The partition of writes that name none. */
    Optional<DecoratedKey> usualPartition();

    /**
     * Refuses to set a counter where its shards cannot be known.
     *
     * @throws UnsupportedOperationException naming table and column
     */
    void requireSettable(Column column);

    /**
     * What a list consists of now, for writes that find elements by place or value.
     *
     * @param slices the row; of a static column none
     * @throws UnsupportedOperationException naming table and column, where nothing can be read
     */
    List<ListElement> listElements(DecoratedKey key, Slices slices, Column column) throws IOException;
}
