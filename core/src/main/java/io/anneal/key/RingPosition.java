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
    /** Behind every partition. */
    public static final RingPosition END = new RingPosition(Optional.empty(), PositionInPartition.END);

    public static RingPosition of(DecoratedKey key, PositionInPartition position) {
        return new RingPosition(Optional.of(key), position);
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

    /** Appends: present, key, region, weight, then each component of the prefix with its length plus one, 0 for absent. */
    public void encode(ByteWriter out) {
        out.writeByte(isEnd() ? 0 : 1);
        if (isEnd()) {
            return;
        }
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
        if (in.readByte() == 0) {
            return END;
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
        return isEnd() ? "END" : key.orElseThrow() + "/" + position.region();
    }
}
