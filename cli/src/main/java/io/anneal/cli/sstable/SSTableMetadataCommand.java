package io.anneal.cli.sstable;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.TableSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code anneal sstable metadata}: what SSTables tell about themselves, in the words of Cassandra's sstablemetadata. */
@Command(
        name = "metadata",
        description = "Prints what SSTables tell about themselves, as Cassandra's sstablemetadata does; times are UTC.")
final class SSTableMetadataCommand extends Subcommand {
    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description = "Any component of an SSTable, or a directory that holds one table's SSTables.")
    private List<Path> files;

    @Option(
            names = "--scan",
            description = "Read the data too: partitions, rows, cells, tombstones, the largest of them.")
    private boolean scan;

    @Override
    protected int execute() throws IOException {
        if (!json()) {
            for (Path file : files) {
                for (Descriptor descriptor : TableSource.descriptors(file, files)) {
                    print(descriptor);
                }
            }
            return ExitCode.YES;
        }
        JsonGenerator json = resultFields();
        json.writeArrayFieldStart("sstables");
        for (Path file : files) {
            for (Descriptor descriptor : TableSource.descriptors(file, files)) {
                write(descriptor, json);
            }
        }
        json.writeEndArray();

        return ExitCode.YES;
    }

    private void print(Descriptor descriptor) throws IOException {
        try (SSTableReader reader = Formats.open(descriptor)) {
            new MetadataText(reader, nowSeconds(), out()).print(scan(reader));
        }
    }

    private void write(Descriptor descriptor, JsonGenerator json) throws IOException {
        try (SSTableReader reader = Formats.open(descriptor)) {
            new MetadataJson(reader, nowSeconds(), json).write(scan(reader));
        }
    }

    private Optional<MetadataScan> scan(SSTableReader reader) throws IOException {
        if (!scan) {
            return Optional.empty();
        }
        try (Progress progress = progress(reader.descriptor().baseName()).total(reader.dataLengthBytes())) {
            return Optional.of(MetadataScan.of(reader, progress));
        }
    }
}
