package io.anneal.key;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.Optional;

/**
 * A place on the ring: a partition and a place in it, or {@link #END} behind everything. Immutable.
 *
 * @param key empty for {@link #END}
 */
public record RingPosition(Optional<DecoratedKey> key, PositionInPartition position) {
    private static final long EMPTY_KEYS_TOKEN = Long.MIN_VALUE;

    private static final int AT_END = 0;
    private static final int IN_PARTITION = 1;
    private static final int BETWEEN_TOKENS = 2;

    /** Behind every partition. */
    public static final RingPosition END = new RingPosition(Optional.empty(), PositionInPartition.END);

    public static RingPosition of(DecoratedKey key, PositionInPartition position) {
        return new RingPosition(Optional.of(key), position);
    }

    /** Behind every partition of a token and before every one of the next. */
    public static RingPosition behind(long token) {
        return token == Long.MAX_VALUE ? END : before(token + 1);
    }

    /** The empty key is the first of its token; no partition but those of the smallest token has it. */
    private static RingPosition before(long token) {
        return of(new DecoratedKey(token, new byte[0]), PositionInPartition.START);
    }

    /** Whether it is the end of a token's partitions, as {@link #behind} makes it; not so {@link #END}. */
    public boolean isBetweenTokens() {
        return key.isPresent() && key.get().bytes().length == 0 && key.get().token() != EMPTY_KEYS_TOKEN;
    }

    /** The largest token of which a partition lies before this place, or around it. */
    public long lastToken() {
        if (isEnd()) {
            return Long.MAX_VALUE;
        }
        long token = key.orElseThrow().token();
        return isBetweenTokens() ? token - 1 : token;
    }

    public boolean isEnd() {
        return key.isEmpty();
    }

    public int compareTo(RingPosition other, ClusteringComparator comparator) {
        if (isEnd() || other.isEnd()) {
            return Boolean.compare(isEnd(), other.isEnd());
        }
        int byKey = key.orElseThrow().compareTo(other.key.orElseThrow());
        return byKey != 0 ? byKey : position.compareTo(other.position, comparator);
    }

    /**
     * Appends: 0 for the end; or 2 and the token after a place between two tokens; or 1, key, region, weight, then each component
     * of the prefix with its length plus one, 0 for absent.
     */
    public void encode(ByteWriter out) {
        if (isEnd()) {
            out.writeByte(AT_END);
            return;
        }
        if (isBetweenTokens()) {
            out.writeByte(BETWEEN_TOKENS);
            out.writeLong(key.orElseThrow().token());
            return;
        }
        out.writeByte(IN_PARTITION);
        byte[] keyBytes = key.orElseThrow().bytes();
        out.writeUnsignedVInt(keyBytes.length);
        out.writeBytes(keyBytes);
        out.writeByte(position.region().ordinal());
        out.writeByte(position.weight());
        Clustering prefix = position.prefix();
        out.writeUnsignedVInt(prefix.size());
        for (int i = 0; i < prefix.size(); i++) {
            out.writeUnsignedVInt(prefix.lengthBytes(i) + 1L);
            if (!prefix.isAbsent(i)) {
                out.writeBytes(prefix.buffer(), prefix.offset(i), prefix.lengthBytes(i));
            }
        }
    }

    /**
     * The reverse of {@link #encode}.
     *
     * @throws io.anneal.io.ByteUnderflowException when a length runs over the end
     * @throws IllegalArgumentException when a code is unknown or the prefix longer than {@code componentsMax}
     */
    public static RingPosition decode(ByteReader in, int componentsMax) {
        int kind = in.readUnsignedByte();
        if (kind == AT_END) {
            return END;
        }
        if (kind == BETWEEN_TOKENS) {
            return before(in.readLong());
        }
        if (kind != IN_PARTITION) {
            throw new IllegalArgumentException("ring position is of no known kind, kind=" + kind);
        }
        DecoratedKey key = DecoratedKey.of(in.readBytes(in.readUnsignedVInt32()));
        int region = in.readUnsignedByte();
        int weight = in.readByte();
        int size = in.readUnsignedVInt32();
        if (region >= PositionInPartition.Region.values().length
                || weight < ClusteringComparator.BEFORE
                || weight > ClusteringComparator.AFTER
                || size > componentsMax) {
            throw new IllegalArgumentException("ring position is malformed, region=" + region + ", weight=" + weight
                    + ", components=" + size + ", componentsMax=" + componentsMax);
        }
        byte[][] values = new byte[size][];
        for (int i = 0; i < size; i++) {
            int length = in.readUnsignedVInt32();
            values[i] = length == 0 ? null : in.readBytes(length - 1);
        }
        return of(
                key,
                new PositionInPartition(PositionInPartition.Region.values()[region], Clustering.of(values), weight));
    }

    @Override
    public String toString() {
        if (isBetweenTokens()) {
            return "behind " + lastToken();
        }
        return isEnd() ? "END" : key.orElseThrow() + "/" + position.region();
    }
}
