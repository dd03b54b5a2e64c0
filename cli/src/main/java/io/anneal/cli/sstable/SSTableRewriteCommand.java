package io.anneal.cli.sstable;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.SSTables;
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

/** {@code anneal sstable rewrite}: the same content in new files. */
@Command(
        name = "rewrite",
        description = "Writes the content of SSTables to new ones, DIR/KEYSPACE/TABLE/, and verifies them.")
final class SSTableRewriteCommand extends Subcommand {
    @Mixin
    private SSTableFiles files;

    @Option(names = "--to", required = true, paramLabel = "DIR", description = "Where the new SSTables go.")
    private Path target;

    @Mixin
    private WriteOptions write;

    @Option(
            names = "--compact",
            description = "Merge all into one SSTable; else each becomes one, its content as it is.")
    private boolean compact;

    @Override
    protected int execute() throws IOException {
        List<SSTableRewrite.Result> results = new ArrayList<>();
        TableSource source = files.source();
        files.refuseAmong(target, source);
        Optional<Instant> asOf = source.directories().asOf();
        try (SSTables sstables = SSTables.open(source);
                StagingDirectory staging = StagingDirectory.open(target)) {
            SSTableRewrite rewrite =
                    new SSTableRewrite(sstables, staging, write.version(), write.compression(sstables.schema()));
            if (compact) {
                try (Progress progress = progress("compacting").total(sstables.dataLengthBytes())) {
                    results.addAll(rewrite.compact(progress));
                }
            } else {
                for (SSTableReader reader : sstables.readers()) {
                    try (Progress progress =
                            progress(reader.descriptor().baseName()).total(reader.dataLengthBytes())) {
                        results.addAll(rewrite.copy(reader, progress));
                    }
                }
            }
        }
        SSTableFiles.keepDate(
                asOf, results.stream().map(SSTableRewrite.Result::target).toList());
        if (!results.isEmpty() && source.schemaText().isPresent()) {
            SSTableFiles.keepSchema(source.schemaText().get(), target);
        }
        print(results);
        return ExitCode.YES;
    }

    private void print(List<SSTableRewrite.Result> results) throws IOException {
        if (!json()) {
            for (SSTableRewrite.Result result : results) {
                out().println(result.target() + " " + result.rowCount() + " rows, " + result.lengthBytes() + " bytes");
            }
            if (results.isEmpty()) {
                say("nothing to write");
            }
            return;
        }
        JsonGenerator json = resultFields();
        json.writeArrayFieldStart("sstables");
        for (SSTableRewrite.Result written : results) {
            json.writeStartObject();
            json.writeStringField("sstable", written.target().toString());
            json.writeNumberField("rows", written.rowCount());
            json.writeNumberField("dataBytes", written.lengthBytes());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
