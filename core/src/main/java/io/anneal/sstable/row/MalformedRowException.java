package io.anneal.sstable.row;

/**
 * Bytes that are no row or no deletion: thrown where neither file nor position is known; whoever reads the file, a cursor or
 * a format's index, turns it into a corrupt SSTable.
 */
public final class MalformedRowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MalformedRowException(String message) {
        super(message, null, false, false);
    }
}
