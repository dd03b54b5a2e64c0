package io.anneal.key;

import java.util.Arrays;

/**
 * A clustering, or the first components of one: serialized values where they lie in a buffer. A flyweight that its
 * owner re-points; whoever keeps one past the next {@code advance()} calls {@link #copy()}. A component is absent
 * ({@link #ABSENT}), empty (length 0) or a value.
 */
public final class Clustering {
    /** Length of a component that is null. */
    public static final int ABSENT = -1;

    private static final byte[] NOTHING = new byte[0];
    private static final int[] NO_INTS = new int[0];

    private byte[] buffer = NOTHING;
    private int size;
    private int[] offsets = NO_INTS;
    private int[] lengths = NO_INTS;

    /** Forgets all components and points at {@code source} for those to come. */
    public Clustering reset(byte[] source) {
        // The buffer is nearly always the same, and a comparison is cheaper than the collector's barrier at a store.
        if (buffer != source) {
            buffer = source;
        }
        size = 0;
        return this;
    }

    /** Forgets all components. */
    public void clear() {
        size = 0;
    }

    /** Appends a component of the buffer; {@code length} may be {@link #ABSENT}. */
    public void add(int offset, int length) {
        if (size == offsets.length) {
            int capacity = Math.max(4, size * 2);
            offsets = Arrays.copyOf(offsets, capacity);
            lengths = Arrays.copyOf(lengths, capacity);
        }
        offsets[size] = offset;
        lengths[size] = length;
        size++;
    }

    /** Points at the same bytes as {@code other}. */
    public Clustering wrap(Clustering other) {
        reset(other.buffer);
        for (int i = 0; i < other.size; i++) {
            add(other.offsets[i], other.lengths[i]);
        }
        return this;
    }

    /** A clustering of its own over copied values; a null value is an absent component. */
    public static Clustering of(byte[]... values) {
        int total = 0;
        for (byte[] value : values) {
            total += value == null ? 0 : value.length;
        }
        byte[] bytes = new byte[total];
        Clustering clustering = new Clustering().reset(bytes);
        int at = 0;
        for (byte[] value : values) {
            if (value == null) {
                clustering.add(at, ABSENT);
            } else {
                System.arraycopy(value, 0, bytes, at, value.length);
                clustering.add(at, value.length);
                at += value.length;
            }
        }
        return clustering;
    }

    /** A copy that owns its bytes. */
    public Clustering copy() {
        byte[][] values = new byte[size][];
        for (int i = 0; i < size; i++) {
            values[i] = lengths[i] == ABSENT ? null : Arrays.copyOfRange(buffer, offsets[i], offsets[i] + lengths[i]);
        }
        return of(values);
    }

    /**
     * Order of the bytes themselves, component by component: not the clustering order. Types like decimal hold values
     * that are equal and differ in bytes (1.0 and 1.00); this decides between them.
     */
    public int compareBytes(Clustering other) {
        int common = Math.min(size, other.size);
        for (int i = 0; i < common; i++) {
            int order = Integer.compare(lengths[i], other.lengths[i]);
            if (order == 0 && lengths[i] > 0) {
                order = Arrays.compareUnsigned(
                        buffer,
                        offsets[i],
                        offsets[i] + lengths[i],
                        other.buffer,
                        other.offsets[i],
                        other.offsets[i] + other.lengths[i]);
            }
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(size, other.size);
    }

    public byte[] buffer() {
        return buffer;
    }

    /** Number of components. */
    public int size() {
        return size;
    }

    public int offset(int component) {
        assert component < size : component;
        return offsets[component];
    }

    /** Length in bytes, 0 when empty, {@link #ABSENT} when null. */
    public int lengthBytes(int component) {
        assert component < size : component;
        return lengths[component];
    }

    public boolean isAbsent(int component) {
        return lengthBytes(component) == ABSENT;
    }
}
