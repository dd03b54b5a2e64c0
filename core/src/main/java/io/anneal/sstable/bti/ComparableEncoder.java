package io.anneal.sstable.bti;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import io.anneal.schema.Column;
import io.anneal.schema.ComparableBytes;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.util.List;

/**
 * Keys, and places in a partition, as bytes whose unsigned order is theirs and of which none is the beginning of another:
 * what the tries are made of. A key is its token and its bytes, a place its components and its weight:
 *
 * <pre>
 *   key   := 40 token 40 escaped key 38
 *   place := (40 value | 3F empty | 41 empty, descending | 3E null)* weight
 *   weight := 20 before, 38 at, 60 after
 * </pre>
 *
 * Immutable; safe to share.
 */
final class ComparableEncoder {
    private final CqlType[] types;

    ComparableEncoder(List<CqlType> clusteringTypes) {
        types = clusteringTypes.toArray(CqlType[]::new);
    }

    /** For the clusterings of a table. */
    static ComparableEncoder of(TableSchema schema) {
        return new ComparableEncoder(
                schema.clustering().stream().map(Column::type).toList());
    }

    /** Appends a key of Murmur3 tokens. */
    static void writeKey(KeyView key, ByteWriter out) {
        writeKey(Partitioner.MURMUR3, key, out);
    }

    /** Appends a key; a token of another partitioner is a {@code varint}, the key itself, or its value. */
    static void writeKey(Partitioner partitioner, KeyView key, ByteWriter out) {
        partitioner.writeComparable(key, out);
    }

    /** Appends what tells a key from those with other tokens: with Murmur3 the token, else everything. */
    static void writeBegin(Partitioner partitioner, KeyView key, ByteWriter out) {
        if (partitioner == Partitioner.MURMUR3) {
            writeToken(key.token(), out);
        } else {
            writeKey(partitioner, key, out);
        }
    }

    /** Appends the beginning of every key with the Murmur3 token, before all of which it sorts. */
    static void writeToken(long token, ByteWriter out) {
        out.writeByte(ComparableBytes.NEXT_COMPONENT);
        out.writeLong(token ^ Long.MIN_VALUE);
    }

    /**
     * Appends a place: a prefix with a weight of {@link ClusteringComparator}, of a row or around what begins with it.
     *
     * @throws io.anneal.schema.InvalidValueException when a component is no value of its type
     */
    void writePlace(Clustering prefix, int weight, ByteWriter out) {
        for (int i = 0; i < prefix.size(); i++) {
            int start = out.lengthBytes();
            out.writeByte(ComparableBytes.NEXT_COMPONENT);
            if (prefix.isAbsent(i)) {
                out.truncate(start);
                out.writeByte(ComparableBytes.NEXT_COMPONENT_NULL);
            } else if (!types[i].writeComparable(prefix.buffer(), prefix.offset(i), prefix.lengthBytes(i), out)) {
                out.truncate(start);
                out.writeByte(
                        types[i].isReversed()
                                ? ComparableBytes.NEXT_COMPONENT_EMPTY_REVERSED
                                : ComparableBytes.NEXT_COMPONENT_EMPTY);
            }
        }
        out.writeByte(
                switch (weight) {
                    case ClusteringComparator.BEFORE -> ComparableBytes.LESS_THAN_NEXT;
                    case ClusteringComparator.AFTER -> ComparableBytes.GREATER_THAN_NEXT;
                    default -> ComparableBytes.TERMINATOR;
                });
    }
}
