package io.anneal.sstable.data;

/** Bytes that are no row: inside the package only, the cursor turns it into a corrupt SSTable with file and position. */
final class MalformedRowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MalformedRowException(String message) {
        super(message, null, false, false);
    }
}
