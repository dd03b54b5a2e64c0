package io.anneal.store.directory;

import io.anneal.io.UnsupportedVersionException;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableFormat;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.SectionManifest;
import io.anneal.sstable.SectionTarget;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.big.BigFormat;
import io.anneal.sstable.bti.BtiFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The on-disk formats that there are; the only place that names them. Stateless; safe to share. */
public final class Formats {
    private static final List<SSTableFormat> ALL = List.of(new BigFormat(), new BtiFormat());

    private static final Set<Component> NEEDED =
            EnumSet.of(Component.DATA, Component.STATISTICS, Component.COMPRESSION_INFO);

    private Formats() {}

    /**
     * Starts a new SSTable of {@link SSTableWriterConfig#version()}; see {@link FragmentWriter}.
     *
     * @throws IllegalArgumentException when the version is only read
     */
    public static FragmentWriter write(
            Path directory, String generation, TableSchema schema, SSTableWriterConfig config) throws IOException {
        SSTableVersion version = config.version();
        if (!writtenVersions().contains(version)) {
            throw new IllegalArgumentException("SSTables of this version are not written, version=" + text(version)
                    + ", table=" + schema.qualifiedName());
        }
        return named(version.format()).orElseThrow().write(directory, generation, schema, config);
    }

    /**
     * Starts an SSTable that gets sections of another one, whose version it has.
     *
     * @param schema of the table, for filter and index
     * @param ranges outside of which no partition may lie, ascending
     * @throws CorruptSSTableException when the manifest cannot be
     */
    public static SectionTarget receive(
            StagedSSTable staged, TableSchema schema, SectionManifest manifest, List<TokenRange.Linear> ranges)
            throws IOException {
        return named(staged.descriptor().format()).orElseThrow().receive(staged, schema, manifest, ranges);
    }

    /**
     * Refuses options of a table that SSTables of some format cannot be written with.
     *
     * @throws IllegalArgumentException naming option and value
     */
    public static void requireWritable(TableOptions options) {
        ALL.forEach(format -> format.requireWritable(options));
    }

    /** The versions that {@link #write} takes. */
    public static List<SSTableVersion> writtenVersions() {
        return Arrays.stream(SSTableVersion.values())
                .filter(v -> v.isWritten() && named(v.format()).isPresent())
                .toList();
    }

    private static Optional<SSTableFormat> named(String name) {
        return ALL.stream().filter(format -> format.name().equals(name)).findFirst();
    }

    /**
     * Opens an SSTable of any format. The caller closes it.
     *
     * @throws UnsupportedVersionException when no format has the version; names the file
     * @throws io.anneal.sstable.CorruptSSTableException when a component that is needed is missing or wrong; names it
     */
    public static SSTableReader open(Descriptor descriptor) throws IOException {
        SSTableFormat format = of(descriptor);
        checkListedComponents(descriptor);
        return format.open(descriptor);
    }

    /** @throws UnsupportedVersionException when no format has the version; names the file */
    public static void requireRead(Descriptor descriptor) throws UnsupportedVersionException {
        of(descriptor);
    }

    private static SSTableFormat of(Descriptor descriptor) throws UnsupportedVersionException {
        Optional<SSTableFormat> format = SSTableVersion.of(descriptor).flatMap(v -> named(v.format()));
        if (format.isPresent()) {
            return format.get();
        }
        List<SSTableVersion> known = Arrays.stream(SSTableVersion.values())
                .filter(v -> named(v.format()).isPresent())
                .toList();
        throw new UnsupportedVersionException(
                descriptor.file(Component.DATA).toString(),
                foundIn(descriptor),
                text(known.get(0)),
                text(known.get(known.size() - 1)));
    }

    private static String foundIn(Descriptor descriptor) {
        if (descriptor.hasKnownName()) {
            return descriptor.version() + "-" + descriptor.format();
        }
        return descriptor.version().isEmpty() ? "none in the name" : descriptor.version();
    }

    private static String text(SSTableVersion version) {
        return version.text() + "-" + version.format();
    }

    /**
     * A format that sees no CompressionInfo takes the data for uncompressed and would name the wrong file; TOC knows
     * better. Components that only speed reading up may be gone.
     */
    private static void checkListedComponents(Descriptor descriptor) throws IOException {
        for (Component missing : descriptor.missing()) {
            if (NEEDED.contains(missing)) {
                throw new CorruptSSTableException(
                        descriptor.file(missing),
                        CorruptSSTableException.NO_POSITION,
                        "component is missing though TOC lists it");
            }
        }
    }
}
