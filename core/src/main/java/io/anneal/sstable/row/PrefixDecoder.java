package io.anneal.sstable.row;

import io.anneal.io.ByteReader;
import io.anneal.key.Clustering;
import io.anneal.schema.CqlType;
import io.anneal.sstable.file.DataWindow;
import java.io.IOException;
import java.util.List;

/**
 * Reads the values of clusterings and bounds: per 32 components a vint with two bits each (1 empty, 2 null), then the
 * values that are neither. Allocates nothing. Immutable.
 */
public final class PrefixDecoder {
    private static final int COMPONENTS_PER_HEADER = 32;
    private static final int VINT_MAX_BYTES = 9;

    private final int[] fixedLengthsBytes;

    public PrefixDecoder(List<CqlType> clusteringTypes) {
        fixedLengthsBytes = new int[clusteringTypes.size()];
        for (int i = 0; i < fixedLengthsBytes.length; i++) {
            fixedLengthsBytes[i] = clusteringTypes.get(i).fixedLengthBytes();
        }
    }

    /** Number of components of a row's clustering. */
    public int componentCount() {
        return fixedLengthsBytes.length;
    }

    /**
     * Points {@code target} at the next {@code size} components. When the window's epoch changes meanwhile, what it
     * points at is void.
     */
    public void read(DataWindow window, int size, Clustering target) throws IOException {
        ByteReader in = window.in();
        if (size > fixedLengthsBytes.length) {
            throw window.source().corrupt(window.position(), "clustering has too many components, size=" + size);
        }
        target.reset(in.array());
        long header = 0;
        for (int i = 0; i < size; i++) {
            if (i % COMPONENTS_PER_HEADER == 0) {
                window.want(VINT_MAX_BYTES);
                header = in.readUnsignedVInt();
                int components = Math.min(size - i, COMPONENTS_PER_HEADER);
                if (components < COMPONENTS_PER_HEADER && header >>> 2 * components != 0) {
                    throw window.source().corrupt(window.position(), "clustering has bits of components that it lacks");
                }
            }
            int bits = (int) (header >>> (2 * (i % COMPONENTS_PER_HEADER))) & 3;
            if (bits >= 2) {
                target.add(0, Clustering.ABSENT);
            } else if (bits == 1) {
                target.add(in.offset(), 0);
            } else {
                int lengthBytes = fixedLengthsBytes[i];
                if (lengthBytes == CqlType.VARIABLE_LENGTH) {
                    window.want(VINT_MAX_BYTES);
                    lengthBytes = window.checkedLength(in.readUnsignedVInt(), "clustering component");
                }
                window.want(lengthBytes);
                target.add(in.skip(lengthBytes), lengthBytes);
            }
        }
    }
}
