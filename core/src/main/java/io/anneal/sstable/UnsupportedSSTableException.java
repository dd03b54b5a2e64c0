package io.anneal.sstable;

import java.io.IOException;
import java.nio.file.Path;

/** An SSTable that is whole but uses something that is not supported: a compressor, a partitioner. */
public final class UnsupportedSSTableException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param what what is not supported, as {@code compressor} */
    public UnsupportedSSTableException(Path file, String what, String found, String supported) {
        super(what + " is not supported, found=" + found + ", supported=" + supported + ", file=" + file);
    }
}
