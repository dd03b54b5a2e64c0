package io.anneal.repair;

import io.anneal.io.ByteWriter;
import io.anneal.repair.row.SpillFile;
import java.util.Arrays;
import java.util.Optional;

/**
 * A row where the window holds it: in the row buffer, in the message that it came in, or in the file for large ones. Valid
 * until the row, or what lies around it, is changed.
 *
 * @param array holds the unpurged item, and others; nothing when it lies in the file
 * @param hashed false for a ghost
 * @param file where the row lies if it is too large for memory
 */
record HeldRow(
        byte[] array,
        int offset,
        int lengthBytes,
        boolean hashed,
        long high,
        long low,
        Optional<SpillFile.Spilled> file) {
    /** What is left of a row that a deletion killed whole. */
    static final HeldRow NOTHING = new HeldRow(new byte[0], 0, 0, false, 0, 0);

    HeldRow(byte[] array, int offset, int lengthBytes, boolean hashed, long high, long low) {
        this(array, offset, lengthBytes, hashed, high, low, Optional.empty());
    }

    boolean isNothing() {
        return lengthBytes == 0;
    }

    /** Whether the array holds nothing else. */
    boolean isAlone() {
        return file.isEmpty() && lengthBytes == array.length;
    }

    void writeTo(ByteWriter out) {
        assert file.isEmpty() : file;
        out.writeBytes(array, offset, lengthBytes);
    }

    /** The same row in an array of its own. */
    HeldRow copy() {
        return inMemory(Arrays.copyOfRange(array, offset, offset + lengthBytes));
    }

    /** The same row, which fills the array. */
    HeldRow inMemory(byte[] alone) {
        return new HeldRow(alone, 0, lengthBytes, hashed, high, low);
    }

    HeldRow spilled(SpillFile.Spilled where) {
        return inFile(where, hashed, high, low);
    }

    static HeldRow inFile(SpillFile.Spilled where, boolean hashed, long high, long low) {
        return new HeldRow(NOTHING.array, 0, where.lengthBytes(), hashed, high, low, Optional.of(where));
    }
}
