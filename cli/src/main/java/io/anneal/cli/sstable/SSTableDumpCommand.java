package io.anneal.cli.sstable;

import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.NotAvailableException;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.TableSource;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal sstable dump}: sstabledump's flags and JSON. */
@Command(
        name = "dump",
        description = {
            "Prints SSTables as JSON, as sstabledump does: one array of partitions, however many SSTables are given.",
            "With --json they are the field 'partitions', with -e 'keys', of an object with a schema number."
        })
final class SSTableDumpCommand extends Subcommand {
    private static final int BUFFER_BYTES = 64 * 1024;

    @Mixin
    private SSTableFiles files;

    @Option(names = "-e", description = "Only the partition keys.")
    private boolean keysOnly;

    @Option(names = "-k", paramLabel = "KEY", description = "Only this partition; may repeat.")
    private List<String> keys = List.of();

    @Option(names = "-x", paramLabel = "KEY", description = "Not this partition; may repeat.")
    private List<String> excludedKeys = List.of();

    @Option(names = "-l", description = "A partition a line.")
    private boolean partitionPerLine;

    @Option(names = "-t", description = "Times as numbers.")
    private boolean rawTimes;

    @Option(names = "-d", description = "sstabledump's internal row text; not available, use -l.")
    private boolean internalText;

    @Option(names = "--now", paramLabel = "SECONDS", description = "The time that decides what has expired.")
    private Long nowSeconds;

    /** Of the SSTable that is dumped. */
    private Progress shown;

    private long lengthBytes;

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add("-d", () -> {
                    throw new NotAvailableException("the internal row text of sstabledump -d is not available, use -l");
                })
                .add(
                        List.of("-l", "--json"),
                        () -> require(
                                !json() || !partitionPerLine || keysOnly,
                                "--json prints one object, -l a line for each partition: choose one"));
    }

    @Override
    protected int execute() throws IOException {
        DumpOptions options = new DumpOptions(keysOnly, partitionPerLine, rawTimes, keys, excludedKeys);
        long atSeconds = nowSeconds == null ? nowSeconds() : nowSeconds;
        if (json()) {
            resultFields().writeFieldName(keysOnly ? "keys" : "partitions");
            resultFields().writeRawValue("");
            resultFields().flush();
        }
        DumpJson dumped = SSTableDump.begin(options, new BufferedOutputStream(checked(), BUFFER_BYTES));
        boolean isWhole = false;
        try {
            dumpAll(options, atSeconds, dumped);
            SSTableDump.end(options, dumped);
            isWhole = true;
        } finally {
            // What was right before an error is still printed.
            if (json() && !isWhole) {
                dumped.cut();
            } else if (!json() && (!dumped.isEmpty() || isWhole && SSTableDump.isArray(options))) {
                dumped.finish();
                out().println();
            }
        }
        checkOutput();
        return ExitCode.YES;
    }

    private void dumpAll(DumpOptions options, long atSeconds, DumpJson dumped) throws IOException {
        for (Path file : files.files()) {
            Optional<TableSchema> schema = files.givenSchema(file);
            for (Descriptor descriptor : TableSource.descriptors(file, files.files())) {
                try (SSTableReader reader = Formats.open(descriptor);
                        Progress progress = progress(descriptor.baseName())) {
                    checkSchema(schema, reader);
                    shown = progress;
                    lengthBytes = 0;
                    SSTableDump.append(reader, options, atSeconds, dumped);
                }
            }
        }
    }

    /** sstabledump prints what the file's header tells; a schema text can only contradict it. */
    private static void checkSchema(Optional<TableSchema> schema, SSTableReader reader) throws IOException {
        if (schema.isPresent()) {
            reader.scan(schema.get(), TokenRange.Linear.ALL).close();
        }
    }

    /** What is printed, with an end where nobody reads it. */
    private OutputStream checked() {
        return new OutputStream() {
            @Override
            public void write(int oneByte) {
                out().write(oneByte);
            }

            @Override
            public void write(byte[] source, int offset, int length) throws IOException {
                out().write(source, offset, length);
                checkOutput();
                lengthBytes += length;
                if (shown != null) {
                    shown.update(lengthBytes, 0);
                }
            }
        };
    }
}
