package io.anneal.io;

/** Fewer bytes were there than a length promised. Says where; the reader of the file or frame adds what it was reading. */
public final class ByteUnderflowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ByteUnderflowException(int offset, long wantedBytes, int limit) {
        super("not enough bytes, offset=" + offset + ", wantedBytes=" + wantedBytes + ", limit=" + limit);
    }
}
