package io.anneal.repair;

/**
 * A row as the window holds it.
 *
 * @param encoded the unpurged item
 * @param hashed false for a ghost
 */
record HeldRow(byte[] encoded, boolean hashed, long high, long low) {
    /** What is left of a row that a deletion killed whole. */
    static final HeldRow NOTHING = new HeldRow(new byte[0], false, 0, 0);

    boolean isNothing() {
        return encoded.length == 0;
    }
}
