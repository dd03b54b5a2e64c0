package io.anneal.sstable;

import java.io.IOException;
import java.nio.file.Path;

/** An SSTable that is whole but uses something that is not supported: a compressor, a partitioner. */
public final class UnsupportedSSTableException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What is not supported. */
    public enum Feature {
        COMPRESSOR("compressor"),
        TYPE("type"),
        PARTITIONER("partitioner"),
        TOKEN_RANGE("token range of a partitioner"),
        /** Anything but all of it in its own order. */
        INDEX("reading of a node's own index as a table"),
        SECTIONS("version of sections");

        private final String text;

        Feature(String text) {
            this.text = text;
        }
    }

    private final Feature feature;

    public UnsupportedSSTableException(Path file, Feature feature, String found, String supported) {
        super(feature.text + " is not supported, found=" + found + ", supported=" + supported + ", file=" + file);
        this.feature = feature;
    }

    public Feature feature() {
        return feature;
    }
}
