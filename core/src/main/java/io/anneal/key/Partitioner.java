package io.anneal.key;

import io.anneal.io.ByteWriter;
import io.anneal.schema.ComparableBytes;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * How Cassandra orders partitions: by a token that it makes of the key, then by unsigned key bytes. What a token is differs;
 * here each is a {@code long} that orders keys as the partitioner does. Only {@link #MURMUR3} has token ranges. Immutable.
 */
public abstract class Partitioner {
    public static final Partitioner MURMUR3 = new Partitioner("Murmur3Partitioner") {
        @Override
        public long token(byte[] key, int offset, int length) {
            return Murmur3.token(key, offset, length);
        }

        @Override
        public String tokenText(byte[] key) {
            return Long.toString(Murmur3.token(key, 0, key.length));
        }

        @Override
        void writeToken(KeyView key, ByteWriter out) {
            out.writeByte(ComparableBytes.NEXT_COMPONENT);
            out.writeLong(key.token() ^ Long.MIN_VALUE);
        }
    };
    /**
     * The absolute value of the key's MD5 as a signed number of 128 bits. The token holds its upper 64 bits, so keys that
     * agree in them are ordered by key bytes instead of the rest, and reading may stop at the second one as out of order: in
     * an SSTable of a million keys once in 2^24 SSTables, of a milliard keys in one of twenty.
     */
    public static final Partitioner RANDOM = new Partitioner("RandomPartitioner") {
        @Override
        public long token(byte[] key, int offset, int length) {
            ByteBuffer hash = ByteBuffer.wrap(md5(key, offset, length));
            long upper = hash.getLong();
            if (upper < 0) {
                // The negation of both halves: the upper one is carried into only if the lower one is zero.
                upper = hash.getLong() == 0 ? -upper : ~upper;
            }
            // From 0 to 2^63, both inside.
            return upper + Long.MIN_VALUE;
        }

        @Override
        public String tokenText(byte[] key) {
            return number(key, 0, key.length).toString();
        }

        @Override
        void writeToken(KeyView key, ByteWriter out) {
            byte[] token = number(key.buffer(), key.offset(), key.lengthBytes()).toByteArray();
            out.writeByte(ComparableBytes.NEXT_COMPONENT);
            CqlTypes.VARINT.writeComparable(token, 0, token.length, out);
        }

        private BigInteger number(byte[] key, int offset, int length) {
            return new BigInteger(md5(key, offset, length)).abs();
        }
    };
    /** The key bytes themselves: every token here is 0, which leaves the order to them. */
    public static final Partitioner BYTE_ORDERED = new Partitioner("ByteOrderedPartitioner") {
        @Override
        public long token(byte[] key, int offset, int length) {
            return 0;
        }

        @Override
        public String tokenText(byte[] key) {
            return HexFormat.of().formatHex(key);
        }

        @Override
        void writeToken(KeyView key, ByteWriter out) {
            out.writeByte(ComparableBytes.NEXT_COMPONENT);
            ComparableBytes.writeEscaped(key.buffer(), key.offset(), key.lengthBytes(), out);
        }
    };

    static final String PACKAGE = "org.apache.cassandra.dht.";

    private static final List<Partitioner> OF_TABLES = List.of(MURMUR3, RANDOM, BYTE_ORDERED);

    private final String simpleName;

    Partitioner(String simpleName) {
        this.simpleName = simpleName;
    }

    /** The name of Cassandra's class, as files have it. */
    public final String className() {
        return PACKAGE + simpleName;
    }

    /** Those that a cluster may have; what orders the partitions of a node's indexes is none of them. */
    public static List<Partitioner> ofTables() {
        return OF_TABLES;
    }

    /** Empty for those that are not supported: OrderPreservingPartitioner, anybody's own. */
    public static Optional<Partitioner> of(String className) {
        return OF_TABLES.stream().filter(p -> p.className().equals(className)).findFirst();
    }

    /**
     * What orders the partitions of an SSTable, secondary indexes included: a node has them for itself, ordered by the values
     * of their keys.
     *
     * @param keyTypes of the components of the partition key; none when those of an index are not known
     */
    public static Optional<Partitioner> of(String className, List<CqlType> keyTypes) {
        return className.equals(LocalPartitioner.CLASS_NAME)
                ? Optional.of(new LocalPartitioner(keyTypes))
                : of(className);
    }

    /** Whether partitions are those of a node's secondary index, ordered by values: {@link #token} orders none of them. */
    public boolean isOfIndexes() {
        return false;
    }

    /** Whether {@link #compare} orders partitions; of an index it does where the types of its keys are known. */
    public boolean isOrderKnown() {
        return true;
    }

    /** Orders keys, together with their bytes. */
    public abstract long token(byte[] key, int offset, int length);

    /** The token as Cassandra prints it. */
    public abstract String tokenText(byte[] key);

    /** The order of two partitions, whose keys have their tokens; where no order is known, others are behind {@code left}. */
    public int compare(KeyView left, KeyView right) {
        return left.compareTo(right);
    }

    /** Appends a key as bytes whose unsigned order is that of partitions, and of which none is the beginning of another. */
    public final void writeComparable(KeyView key, ByteWriter out) {
        writeToken(key, out);
        out.writeByte(ComparableBytes.NEXT_COMPONENT);
        ComparableBytes.writeEscaped(key.buffer(), key.offset(), key.lengthBytes(), out);
        out.writeByte(ComparableBytes.TERMINATOR);
    }

    /** Appends the token as a component. */
    abstract void writeToken(KeyView key, ByteWriter out);

    @Override
    public final String toString() {
        return className();
    }

    private static byte[] md5(byte[] key, int offset, int length) {
        try {
            MessageDigest md5 = MessageDigest.getInstance("MD5");
            md5.update(key, offset, length);
            return md5.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
    }
}
