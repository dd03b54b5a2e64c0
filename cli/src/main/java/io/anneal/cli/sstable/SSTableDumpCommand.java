package io.anneal.cli.sstable;

import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.NotAvailableException;
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
@Command(name = "dump", description = "Prints SSTables as JSON, as sstabledump does.")
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

    @Override
    protected int execute() throws IOException {
        if (internalText) {
            throw new NotAvailableException("the internal row text of sstabledump -d is not available, use -l");
        }
        DumpOptions options = new DumpOptions(keysOnly, partitionPerLine, rawTimes, keys, excludedKeys);
        long atSeconds = nowSeconds == null ? nowSeconds() : nowSeconds;
        for (Path file : files.files()) {
            Optional<TableSchema> schema = files.givenSchema(file);
            for (Descriptor descriptor : TableSource.descriptors(file, files.files())) {
                try (SSTableReader reader = Formats.open(descriptor);
                        Progress progress = progress(descriptor.baseName())) {
                    checkSchema(schema, reader);
                    dump(reader, options, atSeconds, progress);
                }
            }
        }
        return ExitCode.YES;
    }

    /** sstabledump prints what the file's header tells; a schema text can only contradict it. */
    private static void checkSchema(Optional<TableSchema> schema, SSTableReader reader) throws IOException {
        if (schema.isPresent()) {
            reader.scan(schema.get(), TokenRange.Linear.ALL).close();
        }
    }

    private void dump(SSTableReader reader, DumpOptions options, long atSeconds, Progress progress) throws IOException {
        OutputStream counted = new OutputStream() {
            private long lengthBytes;

            @Override
            public void write(int oneByte) {
                out().write(oneByte);
            }

            @Override
            public void write(byte[] source, int offset, int length) throws IOException {
                out().write(source, offset, length);
                // A PrintStream hides errors, as a closed pipe or a full disk: without this the dump would go on.
                if (out().checkError()) {
                    throw new IOException("standard output is closed or full");
                }
                lengthBytes += length;
                progress.update(lengthBytes, 0);
            }
        };
        OutputStream buffered = new BufferedOutputStream(counted, BUFFER_BYTES);
        try {
            SSTableDump.dump(reader, options, atSeconds, buffered);
        } finally {
            // What was right before an error is still printed.
            buffered.flush();
        }
    }
}
