package io.anneal.repair;

import io.anneal.io.ByteWriter;
import java.util.Arrays;

/**
 * A row where the window holds it: in the row buffer, or in the message that it came in. Valid until the row, or what lies
 * around it, is changed.
 *
 * @param array holds the unpurged item, and others
 * @param hashed false for a ghost
 */
record HeldRow(byte[] array, int offset, int lengthBytes, boolean hashed, long high, long low) {
    /** What is left of a row that a deletion killed whole. */
    static final HeldRow NOTHING = new HeldRow(new byte[0], 0, 0, false, 0, 0);

    boolean isNothing() {
        return lengthBytes == 0;
    }

    void writeTo(ByteWriter out) {
        out.writeBytes(array, offset, lengthBytes);
    }

    /** The same row in an array of its own. */
    HeldRow copy() {
        return new HeldRow(
                Arrays.copyOfRange(array, offset, offset + lengthBytes), 0, lengthBytes, hashed, high, low);
    }
}
