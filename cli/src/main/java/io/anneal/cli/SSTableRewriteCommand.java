package io.anneal.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.SSTables;
import io.anneal.store.StagingDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal sstable rewrite}: the same content in new files. */
@Command(
        name = "rewrite",
        description = "Writes the content of SSTables to new ones, DIR/KEYSPACE/TABLE/, and verifies them.")
final class SSTableRewriteCommand extends Subcommand {
    private static final String FORMAT = "nb";

    @Mixin
    private SSTableFiles files;

    @Option(names = "--to", required = true, paramLabel = "DIR", description = "Where the new SSTables go.")
    private Path target;

    @Option(names = "--format", description = "Version of the new SSTables: nb.", defaultValue = FORMAT)
    private String format;

    @Option(
            names = "--compression",
            description = "lz4, zstd, snappy, deflate, noop or none; what the schema says unless told, or lz4.")
    private String compression;

    @Option(
            names = "--compact",
            description = "Merge all into one SSTable; else each becomes one, its content as it is.")
    private boolean compact;

    @Override
    int execute() throws IOException {
        Optional<Compression> asked = askedCompression();
        if (!format.equals(FORMAT)) {
            throw List.of("oa", "da").contains(format)
                    ? new NotAvailableException(
                            "writing this format arrives with a later version, use --format nb, format=" + format)
                    : usage("unknown format, format=" + format);
        }
        List<SSTableRewrite.Result> results = new ArrayList<>();
        try (SSTables sstables = files.openTable();
                StagingDirectory staging = StagingDirectory.open(target)) {
            SSTableRewrite rewrite = new SSTableRewrite(
                    sstables,
                    staging,
                    asked.orElseGet(() -> Compression.of(sstables.schema().options())));
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
        print(results);
        return ExitCode.YES;
    }

    private Optional<Compression> askedCompression() {
        if (compression == null) {
            return Optional.empty();
        }
        String name = compression.toLowerCase(Locale.ROOT);
        if (name.equals("none")) {
            return Optional.of(Compression.NONE);
        }
        for (Compressor compressor : Compressor.values()) {
            if (compressor.text().equals(name)) {
                return Optional.of(Compression.of(compressor));
            }
        }
        throw usage("unknown compression, compression=" + name);
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
        try (JsonResult result = new JsonResult(out(), "sstable rewrite")) {
            JsonGenerator json = result.fields();
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
}
