package io.anneal.key;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/**
 * How Cassandra orders partitions: by a token that it makes of the key, then by unsigned key bytes. What a token is differs;
 * here each is a {@code long} that orders keys as the partitioner does. Only {@link #MURMUR3} has token ranges.
 */
public enum Partitioner {
    MURMUR3("Murmur3Partitioner") {
        @Override
        public long token(byte[] key, int offset, int length) {
            return Murmur3.token(key, offset, length);
        }

        @Override
        public String tokenText(byte[] key) {
            return Long.toString(Murmur3.token(key, 0, key.length));
        }
    },
    /**
     * The absolute value of the key's MD5 as a signed number of 128 bits. The token holds its upper 64 bits, so keys that
     * agree in them are ordered by key bytes instead of the rest, and reading may stop at the second one as out of order: in
     * an SSTable of a million keys once in 2^24 SSTables, of a milliard keys in one of twenty.
     */
    RANDOM("RandomPartitioner") {
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
            return new BigInteger(md5(key, 0, key.length)).abs().toString();
        }
    },
    /** The key bytes themselves: every token here is 0, which leaves the order to them. */
    BYTE_ORDERED("ByteOrderedPartitioner") {
        @Override
        public long token(byte[] key, int offset, int length) {
            return 0;
        }

        @Override
        public String tokenText(byte[] key) {
            return HexFormat.of().formatHex(key);
        }
    };

    private static final String PACKAGE = "org.apache.cassandra.dht.";

    private final String simpleName;

    Partitioner(String simpleName) {
        this.simpleName = simpleName;
    }

    /** The name of Cassandra's class, as files have it. */
    public String className() {
        return PACKAGE + simpleName;
    }

    /** Empty for those that are not supported: OrderPreservingPartitioner, LocalPartitioner, anybody's own. */
    public static Optional<Partitioner> of(String className) {
        return Arrays.stream(values())
                .filter(p -> p.className().equals(className))
                .findFirst();
    }

    /** Orders keys, together with their bytes. */
    public abstract long token(byte[] key, int offset, int length);

    /** The token as Cassandra prints it. */
    public abstract String tokenText(byte[] key);

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
