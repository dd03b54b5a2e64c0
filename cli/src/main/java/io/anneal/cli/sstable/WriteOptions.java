package io.anneal.cli.sstable;

import io.anneal.schema.TableSchema;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.SSTableVersion;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How new SSTables are written. */
final class WriteOptions {
    private static final String NO_COMPRESSION = "none";

    @Option(
            names = "--format",
            paramLabel = "VERSION",
            converter = VersionConverter.class,
            defaultValue = "nb",
            description = "Version of the new SSTables: oa, da, or nb unless told, which every 4.x and 5.0 loads.")
    private SSTableVersion version;

    @Option(
            names = "--compression",
            paramLabel = "NAME",
            converter = CompressionConverter.class,
            description = "lz4, zstd, snappy, deflate, noop or none; what the schema says unless told, or lz4.")
    private Optional<Compression> compression = Optional.empty();

    SSTableVersion version() {
        return version;
    }

    Compression compression(TableSchema schema) {
        return compression.orElseGet(() -> Compression.of(schema.options()));
    }

    /** Reads a version by its two letters. */
    static final class VersionConverter implements ITypeConverter<SSTableVersion> {
        @Override
        public SSTableVersion convert(String text) {
            return Arrays.stream(SSTableVersion.values())
                    .filter(version -> version.isWritten() && version.text().equals(text.toLowerCase(Locale.ROOT)))
                    .findFirst()
                    .orElseThrow(() -> unknown(
                            text,
                            Arrays.stream(SSTableVersion.values())
                                    .filter(SSTableVersion::isWritten)
                                    .map(SSTableVersion::text)));
        }
    }

    /** Reads an algorithm by its name. */
    static final class CompressionConverter implements ITypeConverter<Compression> {
        @Override
        public Compression convert(String text) {
            String name = text.toLowerCase(Locale.ROOT);
            if (name.equals(NO_COMPRESSION)) {
                return Compression.NONE;
            }
            return Arrays.stream(Compressor.values())
                    .filter(compressor -> compressor.text().equals(name))
                    .findFirst()
                    .map(Compression::of)
                    .orElseThrow(() -> unknown(
                            text,
                            Stream.concat(
                                    Arrays.stream(Compressor.values()).map(Compressor::text),
                                    Stream.of(NO_COMPRESSION))));
        }
    }

    private static TypeConversionException unknown(String text, Stream<String> known) {
        return new TypeConversionException("'" + text + "' is none of " + known.collect(Collectors.joining(", ")));
    }
}
