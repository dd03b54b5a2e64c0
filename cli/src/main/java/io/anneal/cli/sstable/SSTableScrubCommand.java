package io.anneal.cli.sstable;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.LostData;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.Scrub;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.StagingDirectory;
import io.anneal.store.directory.TableSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "scrub",
        description = {
            "Rescues every row that can be read into new SSTables and says what was lost; what is there stays as it is.",
            "Exits with 1 if anything was lost."
        })
final class SSTableScrubCommand extends Subcommand {
    /** What became of one SSTable; the failure when it could not even be opened. */
    private record Outcome(
            Descriptor source, Optional<Scrub.Result> result, List<LostData> lost, Optional<ErrorReport> failure) {
        boolean hasWritten() {
            return result.filter(saved -> !saved.written().isEmpty()).isPresent();
        }

        boolean isWhole() {
            return failure.isEmpty() && lost.isEmpty();
        }
    }

    @Mixin
    private SSTableFiles files;

    @Option(names = "--to", required = true, paramLabel = "DIR", description = "Where the new SSTables go.")
    private Path target;

    @Override
    protected int execute() throws IOException {
        TableSource source = files.source();
        files.refuseAmong(target, source);
        Optional<Instant> asOf = source.directories().asOf();
        List<Outcome> outcomes = new ArrayList<>();
        try (StagingDirectory staging = StagingDirectory.open(target)) {
            for (Descriptor descriptor : source.descriptors()) {
                Outcome outcome = scrub(descriptor, source.schemaText(), staging);
                if (outcome.result().isPresent()) {
                    SSTableFiles.keepDate(asOf, outcome.result().get().written());
                }
                outcomes.add(outcome);
                if (!json()) {
                    print(outcome);
                }
            }
        }
        if (outcomes.stream().anyMatch(Outcome::hasWritten)
                && source.schemaText().isPresent()) {
            SSTableFiles.keepSchema(source.schemaText().get(), target);
        }
        if (json()) {
            printJson(outcomes);
        }
        return outcomes.stream().allMatch(Outcome::isWhole) ? ExitCode.YES : ExitCode.NO;
    }

    private Outcome scrub(Descriptor descriptor, Optional<TableSchema> schemaText, StagingDirectory staging)
            throws IOException {
        List<LostData> lost = new ArrayList<>();
        SSTableReader opened;
        try {
            opened = Formats.open(descriptor);
        } catch (IOException e) {
            // The others may still be rescued.
            return new Outcome(descriptor, Optional.empty(), lost, Optional.of(ErrorReport.of(e)));
        }
        try (SSTableReader reader = opened;
                Progress progress = progress(descriptor.baseName()).total(reader.dataLengthBytes())) {
            TableSchema schema = schemaText.orElse(reader.headerSchema());
            SSTableWriterConfig config =
                    SSTableWriterConfig.like(reader).withCompression(Compression.of(schema.options()));
            long[] rows = {0};
            Scrub.Result result = new Scrub(staging, config)
                    .run(reader, schema, lost::add, position -> progress.update(position, rows[0]));
            return new Outcome(descriptor, Optional.of(result), lost, Optional.empty());
        }
    }

    private void print(Outcome outcome) {
        outcome.failure()
                .ifPresent(f -> out().println("lost   " + outcome.source() + ": " + f.code() + ": " + f.message()));
        for (LostData lost : outcome.lost()) {
            out().println((lost.lengthBytes() == 0 ? "mended " : "lost   ") + outcome.source() + ": " + text(lost));
        }
        outcome.result().ifPresent(result -> {
            out().println("saved  " + outcome.source() + ": " + result.rowCount() + " rows in "
                    + result.partitionCount() + " partitions, " + result.lostBytes() + " bytes lost");
            result.written().forEach(written -> out().println("wrote  " + written));
        });
    }

    private static String text(LostData lost) {
        return "bytes " + lost.fromPosition() + " to " + lost.toPosition()
                + lost.lastKey()
                        .map(key -> " behind the beginning of partition " + key)
                        .orElse("") + ": "
                + lost.reason();
    }

    private void printJson(List<Outcome> outcomes) throws IOException {
        JsonGenerator json = resultFields();
        json.writeArrayFieldStart("sstables");
        for (Outcome outcome : outcomes) {
            json.writeStartObject();
            json.writeStringField("sstable", outcome.source().toString());
            if (outcome.failure().isPresent()) {
                json.writeStringField("code", outcome.failure().get().code());
                json.writeStringField("reason", outcome.failure().get().message());
            }
            if (outcome.result().isPresent()) {
                Scrub.Result saved = outcome.result().get();
                json.writeNumberField("rows", saved.rowCount());
                json.writeNumberField("partitions", saved.partitionCount());
                json.writeNumberField("lostBytes", saved.lostBytes());
                json.writeArrayFieldStart("written");
                for (Descriptor written : saved.written()) {
                    json.writeString(written.toString());
                }
                json.writeEndArray();
            }
            json.writeArrayFieldStart("lost");
            for (LostData lost : outcome.lost()) {
                json.writeStartObject();
                json.writeNumberField("from", lost.fromPosition());
                json.writeNumberField("to", lost.toPosition());
                if (lost.lastKey().isPresent()) {
                    json.writeStringField("lastKey", lost.lastKey().get().toString());
                }
                json.writeStringField("reason", lost.reason());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
