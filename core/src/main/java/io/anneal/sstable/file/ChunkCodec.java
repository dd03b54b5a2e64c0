package io.anneal.sstable.file;

import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.UnsupportedSSTableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/** Compresses and uncompresses single chunks as one of Cassandra's compressors does. Stateless; safe to share. */
public abstract class ChunkCodec {
    /** The codec that CompressionInfo names. */
    public static ChunkCodec of(Path file, String className) throws IOException {
        Compressor compressor = Compressor.ofClass(className)
                .orElseThrow(() -> new UnsupportedSSTableException(
                        file,
                        UnsupportedSSTableException.Feature.COMPRESSOR,
                        className,
                        Arrays.stream(Compressor.values())
                                .map(Compressor::className)
                                .toList()
                                .toString()));
        return of(compressor, Map.of());
    }

    /** @throws IllegalArgumentException when the compressor does not know an option or its value */
    public static ChunkCodec of(Compression compression) {
        return of(compression.compressor().orElseThrow(), compression.options());
    }

    private static ChunkCodec of(Compressor compressor, Map<String, String> options) {
        return switch (compressor) {
            case LZ4 -> Lz4Codec.of(options);
            case ZSTD -> ZstdCodec.of(options);
            case SNAPPY -> new SnappyCodec();
            case DEFLATE -> new DeflateCodec();
            case NOOP -> new NoopCodec();
        };
    }

    /** A number among a compressor's options. */
    static int option(Map<String, String> options, String name, int otherwise, int min, int max) {
        String text = options.get(name);
        if (text == null) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "option of a compressor is no whole number, option=" + name + ", value=" + text, e);
        }
        throw new IllegalArgumentException("option of a compressor is out of range, option=" + name + ", value=" + text
                + ", min=" + min + ", max=" + max);
    }

    /** How many bytes one compressed byte can become at most. */
    public abstract int ratioMax();

    /** Stored length of a chunk that holds nothing. */
    public abstract int emptyLengthBytes();

    /** Room that {@link #compress} needs for a chunk of this length. */
    abstract int compressedLengthMaxBytes(int lengthBytes);

    /** For a new file; the caller closes it. */
    ChunkCompressor compressor() {
        return this::compress;
    }

    /** Returns how many bytes it wrote to {@code target}. */
    abstract int compress(byte[] source, int lengthBytes, byte[] target);

    /** Writes exactly {@code expectedBytes} to {@code target}; false when the chunk holds something else. */
    abstract boolean decompress(byte[] source, int offset, int lengthBytes, byte[] target, int to, int expectedBytes);
}
