package io.anneal.sstable;

import io.anneal.schema.TableOptions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * How the data of an SSTable is cut into chunks and compressed.
 *
 * @param compressor empty when data is not compressed
 * @param chunkLengthBytes a power of two, at most {@link #CHUNK_LENGTH_MAX_BYTES}
 * @param maxCompressedLengthBytes a chunk that would take so much or more is stored as it is; {@link Integer#MAX_VALUE}
 *     when every chunk is compressed
 * @param options those of the compressor, as a schema names them: {@code compression_level} of zstd,
 *     {@code lz4_compressor_type} and {@code lz4_high_compressor_level} of LZ4
 */
public record Compression(
        Optional<Compressor> compressor,
        int chunkLengthBytes,
        int maxCompressedLengthBytes,
        Map<String, String> options) {
    public static final int CHUNK_LENGTH_DEFAULT_BYTES = 16 * 1024;
    /** Far above what anybody uses, and small enough that a wrong length cannot exhaust memory. */
    public static final int CHUNK_LENGTH_MAX_BYTES = 16 * 1024 * 1024;

    /** Not compressed: checksums in CRC. */
    public static final Compression NONE =
            new Compression(Optional.empty(), CHUNK_LENGTH_DEFAULT_BYTES, Integer.MAX_VALUE, Map.of());
    /** Cassandra's default since 4.0: LZ4 in chunks of 16 KiB. */
    public static final Compression LZ4 = of(Compressor.LZ4);

    private static final int KIB = 1024;
    private static final String PACKAGE = "org.apache.cassandra.io.compress.";

    public Compression {
        if (Integer.bitCount(chunkLengthBytes) != 1
                || chunkLengthBytes < 0
                || chunkLengthBytes > CHUNK_LENGTH_MAX_BYTES) {
            throw new IllegalArgumentException("chunk length is no power of two up to " + CHUNK_LENGTH_MAX_BYTES
                    + ", chunkLengthBytes=" + chunkLengthBytes);
        }
        if (maxCompressedLengthBytes != Integer.MAX_VALUE
                && (maxCompressedLengthBytes < 0 || maxCompressedLengthBytes > chunkLengthBytes)) {
            throw new IllegalArgumentException("maximal compressed length is no length within a chunk, "
                    + "maxCompressedLengthBytes=" + maxCompressedLengthBytes + ", chunkLengthBytes="
                    + chunkLengthBytes);
        }
        options = Map.copyOf(options);
        Set<String> known = compressor.map(Compressor::optionNames).orElse(Set.of());
        for (Map.Entry<String, String> option : options.entrySet()) {
            if (!known.contains(option.getKey())) {
                throw new IllegalArgumentException("option of compression is not known, option=" + option.getKey()
                        + ", value=" + option.getValue() + ", class="
                        + compressor.map(Compressor::className).orElse("none") + ", known=" + known);
            }
        }
    }

    /** Chunks of 16 KiB, all of them compressed, the compressor's defaults. */
    public static Compression of(Compressor compressor) {
        return new Compression(Optional.of(compressor), CHUNK_LENGTH_DEFAULT_BYTES, Integer.MAX_VALUE, Map.of());
    }

    /**
     * What a table's schema asks for.
     *
     * @throws IllegalArgumentException when it names an unknown compressor or a length that cannot be
     */
    public static Compression of(TableOptions table) {
        Map<String, String> given = new HashMap<>(table.compression());
        String enabledText = given.getOrDefault("enabled", "true");
        boolean enabled = enabledText.equalsIgnoreCase("true");
        if (!enabled && !enabledText.equalsIgnoreCase("false")) {
            throw bad("enabled", enabledText, "is neither true nor false", null);
        }
        given.remove("enabled");
        String className = given.remove("class");
        String olderName = given.remove("sstable_compression");
        className = className == null ? olderName : className;
        if (!enabled || className != null && className.isEmpty()) {
            return NONE;
        }
        Optional<Compressor> named = className == null ? Optional.of(Compressor.LZ4) : Compressor.ofClass(className);
        if (named.isEmpty() || className != null && className.contains(".") && !className.startsWith(PACKAGE)) {
            throw new IllegalArgumentException("compressor is not known, class=" + className + ", known="
                    + Arrays.stream(Compressor.values())
                            .map(Compressor::className)
                            .toList());
        }
        int chunkLengthBytes = chunkLengthBytes(given);
        double minRatio = minRatio(given.remove("min_compress_ratio"));
        given.remove("crc_check_chance");
        int maxCompressedLengthBytes = minRatio == 0
                ? Integer.MAX_VALUE
                : (int) Math.ceil(Math.min(chunkLengthBytes / minRatio, Integer.MAX_VALUE));
        return new Compression(named, chunkLengthBytes, maxCompressedLengthBytes, given);
    }

    private static int chunkLengthBytes(Map<String, String> options) {
        String kib = options.remove("chunk_length_in_kb");
        String olderName = options.remove("chunk_length_kb");
        kib = kib == null ? olderName : kib;
        String wanted = "is no power of two from 1 to " + CHUNK_LENGTH_MAX_BYTES / KIB;
        try {
            int length = kib == null ? CHUNK_LENGTH_DEFAULT_BYTES / KIB : Integer.parseInt(kib);
            if (length > 0 && Integer.bitCount(length) == 1 && length <= CHUNK_LENGTH_MAX_BYTES / KIB) {
                return length * KIB;
            }
        } catch (NumberFormatException e) {
            throw bad("chunk_length_in_kb", kib, wanted, e);
        }
        throw bad("chunk_length_in_kb", kib, wanted, null);
    }

    private static double minRatio(String text) {
        String wanted = "is neither 0 nor a number from 1";
        try {
            double ratio = text == null ? 0 : Double.parseDouble(text);
            if (ratio == 0 || ratio >= 1) {
                return ratio;
            }
        } catch (NumberFormatException e) {
            throw bad("min_compress_ratio", text, wanted, e);
        }
        throw bad("min_compress_ratio", text, wanted, null);
    }

    private static IllegalArgumentException bad(String option, String value, String what, Exception cause) {
        return new IllegalArgumentException(
                "option of compression " + what + ", option=" + option + ", value=" + value, cause);
    }

    public Compression withChunkLengthBytes(int otherBytes) {
        return new Compression(compressor, otherBytes, maxCompressedLengthBytes, options);
    }

    public Compression withMaxCompressedLengthBytes(int otherBytes) {
        return new Compression(compressor, chunkLengthBytes, otherBytes, options);
    }

    public Compression withOption(String name, String value) {
        Map<String, String> others = new TreeMap<>(options);
        others.put(name, value);
        return new Compression(compressor, chunkLengthBytes, maxCompressedLengthBytes, others);
    }
}
