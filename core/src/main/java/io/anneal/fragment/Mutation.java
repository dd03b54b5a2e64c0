package io.anneal.fragment;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * The writes to one partition, which become visible and lasting together: items of the canonical encoding, one behind the
 * other, each with the partition's key. In any order; a place may be written several times. Immutable by agreement: nobody
 * writes to the bytes.
 */
public final class Mutation {
    /**
     * Nobody takes a longer one: Cassandra, too, takes no larger value by default, and reads an SSTable with one as corrupt. A
     * store's own {@link MutationLimit} is smaller where there is little memory.
     */
    public static final int LENGTH_MAX_BYTES = 256 << 20;

    private final DecoratedKey key;
    private final byte[] bytes;
    /** Null when nobody said. */
    private final TableSchema schema;

    /**
     * Takes items that were encoded elsewhere, by the schema that the table has when the mutation is applied.
     *
     * @param key of each item
     * @param bytes whole items and nothing else; not copied
     */
    public Mutation(DecoratedKey key, byte[] bytes) {
        this(Objects.requireNonNull(key, "key"), Objects.requireNonNull(bytes, "bytes"), null);
    }

    private Mutation(DecoratedKey key, byte[] bytes, TableSchema schema) {
        this.key = key;
        this.bytes = bytes;
        this.schema = schema;
    }

    /**
     * Takes the items of a mutation back from where its {@link #bytes} were kept, with the key that they have.
     *
     * @param bytes whole items of one partition and nothing else; not copied
     * @throws CorruptItemException when there is no head of an item at the begin; more is not looked at
     */
    public static Mutation of(byte[] bytes) throws CorruptItemException {
        Objects.requireNonNull(bytes, "bytes");
        if (bytes.length < ItemLayout.KEY_OFFSET) {
            throw new CorruptItemException("head is cut short", 0, "lengthBytes=" + bytes.length);
        }
        ByteReader head = new ByteReader(bytes);
        head.seek(ItemLayout.KEY_LENGTH_OFFSET);
        int keyLength = head.readUnsignedShort();
        if (keyLength > head.remainingBytes()) {
            throw new CorruptItemException("key is cut short", 0, "keyLengthBytes=" + keyLength);
        }
        int keyEnd = ItemLayout.KEY_OFFSET + keyLength;
        return new Mutation(DecoratedKey.of(Arrays.copyOfRange(bytes, ItemLayout.KEY_OFFSET, keyEnd)), bytes);
    }

    /** Collects the writes to one partition. */
    public static Builder builder(TableSchema schema, DecoratedKey key) {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(key, "key");
        return builder(schema, key, MutationLimit.FORMAT);
    }

    /** The same for who takes no larger ones: what is too large is refused before it is encoded. */
    public static Builder builder(TableSchema schema, DecoratedKey key, MutationLimit limit) {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(limit, "limit");
        return new Builder(schema, key, limit);
    }

    public DecoratedKey key() {
        return key;
    }

    /** The schema whose columns the items name by number, when it is known. */
    public Optional<TableSchema> schema() {
        return Optional.ofNullable(schema);
    }

    /** Whether the items' numbers of columns are meant by this schema, as far as is known. */
    public boolean isOf(TableSchema current) {
        Objects.requireNonNull(current, "current");
        return schema == null || schema == current;
    }

    /** The items. */
    public byte[] bytes() {
        return bytes;
    }

    public int lengthBytes() {
        return bytes.length;
    }

    /** What values and paths of a row take, which is all that can be long in it. */
    static long valueBytes(Row row) {
        long valueBytes = 0;
        for (int i = 0; i < row.entryCount(); i++) {
            valueBytes += Math.max(0, row.valueLengthBytes(i)) + Math.max(0, row.pathLengthBytes(i));
        }
        return valueBytes;
    }

    /**
     * Whether it writes nothing: applying it does nothing. Its bytes are none, so {@link #of} cannot tell its key, which
     * {@link #key()} has.
     */
    public boolean isEmpty() {
        return bytes.length == 0;
    }

    /** Encodes writes as they come. One thread. */
    public static final class Builder {
        private static final int USUAL_BYTES = 256;

        private final TableSchema schema;
        private final DecoratedKey key;
        private final MutationLimit limit;
        private final KeyView keyView;
        private final CanonicalEncoder encoder;
        private final ByteWriter encoded = new ByteWriter(USUAL_BYTES);

        private Builder(TableSchema schema, DecoratedKey key, MutationLimit limit) {
            this.schema = schema;
            this.key = key;
            this.limit = limit;
            keyView = new KeyView().wrap(key);
            encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
        }

        /**
         * Adds a static or clustering row, which is copied.
         *
         * @throws IllegalArgumentException when the mutation would be too large: it stays as it is
         */
        public Builder row(Row row) {
            long valueBytes = valueBytes(row);
            requireRoom(valueBytes, row.entryCount());
            // Values at once, and with them the little around them.
            encoded.ensure((int) valueBytes + USUAL_BYTES);
            encoder.row(keyView, row, encoded);
            return this;
        }

        private void requireRoom(long extraBytes, int cellCount) {
            limit.require(schema.qualifiedName(), encoded.lengthBytes() + extraBytes, 1, cellCount);
        }

        /** How long it is so far. */
        public int lengthBytes() {
            return encoded.lengthBytes();
        }

        /** Takes back what was added since it was so long. */
        public void truncate(int lengthBytes) {
            encoded.truncate(lengthBytes);
        }

        public Builder partitionDeletion(DeletionTime deletion) {
            requireRoom(0, 0);
            encoder.partitionDeletion(
                    keyView, deletion.timestampMicros(), deletion.localDeletionTimeSeconds(), encoded);
            return this;
        }

        /** Adds the deletion of a range of rows, which is copied. */
        public Builder rangeDeletion(RangeDeletion range) {
            requireRoom(0, 0);
            encoder.rangeDeletion(keyView, range, encoded);
            return this;
        }

        public Mutation build() {
            return new Mutation(key, encoded.toByteArray(), schema);
        }
    }
}
