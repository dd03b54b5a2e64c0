package io.anneal.sstable;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What chunks of data are compressed with, each named as Cassandra's class. */
public enum Compressor {
    LZ4("LZ4Compressor", "lz4_compressor_type", "lz4_high_compressor_level"),
    ZSTD("ZstdCompressor", "compression_level"),
    SNAPPY("SnappyCompressor"),
    DEFLATE("DeflateCompressor"),
    /** Chunks and their checksums as with any other, the bytes as they are. */
    NOOP("NoopCompressor");

    private final String className;
    private final Set<String> optionNames;

    Compressor(String className, String... optionNames) {
        this.className = className;
        this.optionNames = new TreeSet<>(List.of(optionNames));
    }

    /** Options of the table's compression map that are the compressor's own. */
    public Set<String> optionNames() {
        return Collections.unmodifiableSet(optionNames);
    }

    /** Simple name of Cassandra's class, which CompressionInfo holds. */
    public String className() {
        return className;
    }

    /** Lower case, as {@code lz4}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Finds one by the name of its class, with or without its package. */
    public static Optional<Compressor> ofClass(String className) {
        String simple = className.substring(className.lastIndexOf('.') + 1);
        return Arrays.stream(values()).filter(c -> c.className.equals(simple)).findFirst();
    }
}
