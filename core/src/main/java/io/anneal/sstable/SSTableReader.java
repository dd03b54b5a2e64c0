package io.anneal.sstable;

import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableMetadata.KeyRange;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** An open SSTable. Immutable and safe to share; each cursor belongs to one thread. Whoever opened it closes it. */
public interface SSTableReader extends Closeable {
    Descriptor descriptor();

    /** The schema that the file itself tells: no key names, gc_grace or drop times. */
    TableSchema headerSchema();

    SSTableStatistics statistics();

    /** All that Statistics tells. */
    SSTableMetadata metadata();

    /** Tells a listener what the Filter is worth from now on; one at a time. */
    void listenToFilter(FilterListener listener);

    /** What orders the partitions; only {@link Partitioner#MURMUR3} has token ranges. */
    Partitioner partitioner();

    /**
     * Refuses the SSTable of a secondary index: all of it can be read in its own order, but its keys are not looked for and
     * it is not merged with others.
     */
    default void requireTable() throws UnsupportedSSTableException {
        if (partitioner().isOfIndexes()) {
            throw new UnsupportedSSTableException(
                    descriptor().file(Component.DATA),
                    UnsupportedSSTableException.Feature.INDEX,
                    partitioner().className(),
                    Partitioner.ofTables().toString());
        }
    }

    /** The first and the last partition key; empty when no component tells. */
    Optional<KeyRange> keyRange() throws IOException;

    /**
     * False when the key is certainly not there, as far as Filter knows; true when there is no Filter. Reads Filter once and
     * no other file.
     */
    boolean mayContain(KeyView key) throws IOException;

    /** The simple name of Cassandra's class that compressed the data; empty when it is not compressed. */
    Optional<String> compressor();

    /** Length of the data as readers see it, uncompressed. */
    long dataLengthBytes();

    /**
     * All partitions with a token in {@code range}, as columns of {@code schema}.
     *
     * @param range {@link TokenRange.Linear#ALL} unless the partitioner is {@link Partitioner#MURMUR3}
     * @throws CorruptSSTableException when the file's header does not fit the schema: it names the column and both types
     */
    SSTableCursor scan(TableSchema schema, TokenRange.Linear range) throws IOException;

    /**
     * The same, but only partitions behind a key: what comes before is skipped by the index, however large.
     *
     * @param after need be neither in the SSTable nor in the range
     */
    SSTableCursor scan(TableSchema schema, TokenRange.Linear range, Optional<DecoratedKey> after) throws IOException;

    /**
     * All of it as the file has it, as columns of {@link #headerSchema()}: for what describes or checks the file. Weaker than
     * {@link io.anneal.fragment.FragmentCursor} in one point: Cassandra 3 wrote boundaries between range deletions that are
     * the same on both sides, which come as changes here and nowhere else.
     */
    SSTableCursor scanAsWritten() throws IOException;

    /**
     * Slices of one partition, without reading much else: Filter is asked first, then the index, and what both say is
     * checked against the data as far as that costs no more reading. A Filter or an index that is gone costs time only.
     *
     * @param slices which rows; a range deletion that begins before a slice or ends behind it is cut to the slice. Partition
     *     deletion and static row are there in any case
     * @param reversed whether rows come against clustering order, as {@link io.anneal.fragment.FragmentCursor} describes it
     * @return a cursor over that partition alone, or nothing when the SSTable does not have the key
     * @throws CorruptSSTableException when the header does not fit the schema, or the index points at the wrong place
     */
    Optional<SSTableCursor> read(TableSchema schema, DecoratedKey key, Slices slices, boolean reversed)
            throws IOException;

    /**
     * Everything that can be read, whatever is damaged: what cannot be read is passed over and reported. Partitions may be
     * out of order; one whose rows are out of order comes in several parts, each with the same key. Only
     * {@link SSTableCursor#advance()} moves it.
     */
    SSTableCursor salvage(TableSchema schema, Consumer<LostData> listener) throws IOException;

    /**
     * Where the partitions of some token ranges lie, so that they can be sent as they are stored. Empty when there are none,
     * or the SSTable cannot be sent so: it has another partitioner than Murmur3, no index or Summary, no checksums of its chunks, or
     * comes from Cassandra 3.
     *
     * @param ranges ascending, apart from each other
     */
    default Optional<SSTableSections> sections(List<TokenRange.Linear> ranges) throws IOException {
        return Optional.empty();
    }

    /**
     * Whether an earlier release wrote columns in an order that Cassandra does not use. They are read right here, but Cassandra
     * gives the values of one to another.
     *
     * @throws CorruptSSTableException when they stand in neither order
     */
    boolean isInFormerColumnOrder() throws IOException;

    /**
     * Refuses an SSTable that must not be handed on as it is.
     *
     * @throws FormerColumnOrderException when it is {@link #isInFormerColumnOrder}
     */
    default void requireColumnOrder() throws IOException {
        if (isInFormerColumnOrder()) {
            throw new FormerColumnOrderException(descriptor());
        }
    }

    /**
     * Checks every checksum, the order of columns, keys and clusterings, every index entry, filter membership and the digest.
     *
     * @return what could not be checked, each with the component that would tell and that TOC does not name
     * @throws CorruptSSTableException for the first thing that is wrong
     * @throws FormerColumnOrderException when nothing else is
     */
    List<String> verify() throws IOException;
}
