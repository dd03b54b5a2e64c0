package io.anneal.cli.sstable;

import io.anneal.cli.command.OutputDirectory;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.store.directory.TableSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The files of a command about SSTables, and the schema that describes them. */
final class SSTableFiles {
    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description = "Any component of an SSTable, or a directory that holds one table's SSTables.")
    private List<Path> files;

    @Option(
            names = "--schema",
            paramLabel = "FILE.cql",
            description =
                    "The table's schema; by default what lies beside the SSTables, else what they tell themselves.")
    private Path schemaFile;

    List<Path> files() {
        return files;
    }

    /** The schema that was given, as it describes the table of FILE; empty when none was. */
    Optional<TableSchema> givenSchema(Path file) throws IOException {
        return schemaFile == null
                ? Optional.empty()
                : TableSource.of(List.of(file), Optional.of(schemaFile)).schemaText();
    }

    /** All together, as one table of which nothing is open yet. */
    TableSource source() throws IOException {
        return TableSource.of(files, Optional.ofNullable(schemaFile));
    }

    /** Refuses a target where new SSTables would lie among those of the source, by whatever path it is named. */
    void refuseAmong(Path target, TableSource source) throws IOException {
        Path table = source.schemaText()
                .map(schema -> target.resolve(schema.keyspace()).resolve(schema.name()))
                .orElse(target.resolve(source.directories().keyspace())
                        .resolve(source.directories().table()));
        OutputDirectory.refuseAmong(table, source.directories().directories());
        OutputDirectory.refuseWithin(target, files);
    }

    /** Leaves the text that describes a table beside what was written of it, where none is: commands know the names of keys by it. */
    static void keepSchema(TableSchema schema, Path target) throws IOException {
        Path text = target.resolve(schema.keyspace()).resolve(schema.name()).resolve("schema.cql");
        if (Files.notExists(text)) {
            Files.writeString(text, SchemaText.print(schema));
        }
    }

    /**
     * Gives what was written of a source the moment that the source dates from as its files' time: a repair takes data without a
     * snapshot's manifest for as old as that.
     */
    static void keepDate(Optional<Instant> asOf, List<Descriptor> written) throws IOException {
        for (Descriptor descriptor : written) {
            if (asOf.isPresent()) {
                Files.setLastModifiedTime(descriptor.file(Component.DATA), FileTime.from(asOf.get()));
            }
        }
    }
}
