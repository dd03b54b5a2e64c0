package io.anneal.cli;

import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.SSTableWriterConfig.Compression;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How new SSTables are written. */
final class WriteOptions {
    @Option(
            names = "--format",
            paramLabel = "VERSION",
            converter = VersionConverter.class,
            defaultValue = "nb",
            description = "Version of the new SSTables: nb, which every 4.x and 5.0 loads, unless told.")
    private SSTableVersion version;

    @Option(
            names = "--compression",
            paramLabel = "NAME",
            converter = CompressionConverter.class,
            defaultValue = "lz4",
            description = "lz4 unless told, or none.")
    private Compression compression;

    SSTableWriterConfig config(long expectedPartitions) {
        return SSTableWriterConfig.defaults(expectedPartitions)
                .withVersion(version)
                .withCompression(compression, SSTableWriterConfig.CHUNK_LENGTH_DEFAULT_BYTES);
    }

    /** Reads a version by its two letters. */
    static final class VersionConverter implements ITypeConverter<SSTableVersion> {
        @Override
        public SSTableVersion convert(String text) {
            return named(SSTableVersion.values(), text);
        }
    }

    /** Reads an algorithm by its name. */
    static final class CompressionConverter implements ITypeConverter<Compression> {
        @Override
        public Compression convert(String text) {
            return named(Compression.values(), text);
        }
    }

    private static <E extends Enum<E>> E named(E[] values, String text) {
        return Arrays.stream(values)
                .filter(value -> value.name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is none of "
                        + Arrays.stream(values)
                                .map(value -> value.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))));
    }
}
