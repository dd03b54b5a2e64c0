package io.anneal.bench.oldrepair;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.HashSum;
import io.anneal.fragment.ItemHash;
import io.anneal.schema.TableSchema;
import io.anneal.streaming.FragmentEncoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** How all that is in a range becomes a few bytes. */
enum ChecksumKind {
    /** 256 bits. */
    SHA256 {
        @Override
        Checksum start() {
            try {
                return new Sha256(MessageDigest.getInstance("SHA-256"));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }
    },
    /** XXH3-128 of each block, summed; the blocks of equal content are equal. */
    XXH3 {
        @Override
        Checksum start() {
            return new Xxh3();
        }
    };

    abstract Checksum start();

    /** Takes bytes block by block. */
    interface Checksum {
        /** @param block in an array, from its first byte */
        void update(ByteBuffer block);

        /** Of all blocks since the last call. */
        byte[] end();
    }

    private record Sha256(MessageDigest digest) implements Checksum {
        @Override
        public void update(ByteBuffer block) {
            digest.update(block);
        }

        @Override
        public byte[] end() {
            return digest.digest();
        }
    }

    private static final class Xxh3 implements Checksum {
        private final ItemHash hash = new ItemHash(0);
        private final HashSum sum = new HashSum();

        @Override
        public void update(ByteBuffer block) {
            hash.hash(block.array(), block.position(), block.remaining());
            sum.add(hash);
        }

        @Override
        public byte[] end() {
            byte[] result = bytes(sum);
            sum.clear();
            return result;
        }
    }

    /** The 128 bits of a sum. */
    static byte[] bytes(HashSum sum) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(sum.high())
                .putLong(sum.low())
                .array();
    }

    /** Reads ranges and sums them up. One thread. */
    static final class RangeChecksums {
        private final FragmentEncoder encoder;
        private final Checksum checksum;

        RangeChecksums(TableSchema schema, ChecksumKind kind) {
            encoder = new FragmentEncoder(schema, 2 * RowSender.MESSAGE_BYTES);
            checksum = kind.start();
        }

        byte[] of(FragmentCursor range) throws IOException {
            while (range.advance() != null) {
                encoder.add(range);
                if (encoder.lengthBytes() >= RowSender.MESSAGE_BYTES) {
                    update();
                }
            }
            update();
            return checksum.end();
        }

        private void update() {
            if (encoder.lengthBytes() > 0) {
                checksum.update(encoder.bytes());
                encoder.clear();
            }
        }
    }
}
