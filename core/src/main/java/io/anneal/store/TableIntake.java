package io.anneal.store;

import io.anneal.compaction.CompactionStrategy;
import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableCuts;
import io.anneal.sstable.SSTableTarget;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.Formats;
import io.anneal.table.Engine;
import io.anneal.table.LiveTable;
import io.anneal.table.TableDirectory;
import io.anneal.table.TableTruncatedException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows on their way into a table of an open store: written as SSTables to a directory of their own, and taken in together by
 * {@link #complete()}. What was not completed is removed by {@link #close()}, or by the next start of the store. One thread.
 */
public final class TableIntake implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TableIntake.class);

    private static final String KEPT_FILE = "KEPT";

    private final Engine engine;
    private final LiveTable table;
    private final TableSchema schema;
    private final long truncations;
    /** Nobody else's, of whatever process: it may outlive the store, and must harm no later one then. */
    private final Path directory;
    /** Of one that is kept. */
    private final Optional<String> name;

    private long lastGeneration;
    private boolean ended;

    private TableIntake(Engine engine, LiveTable table, Path directory, Optional<String> name) {
        this.name = name;
        this.engine = engine;
        this.table = table;
        this.directory = directory;
        schema = table.schema();
        truncations = table.truncations();
    }

    static TableIntake of(Engine engine, LiveTable table) {
        table.requireOpen();
        return new TableIntake(
                engine,
                table,
                table.directory().receiving(engine.environment().newId().toString()),
                Optional.empty());
    }

    /** Goes on with what one of this name has kept, or starts one that will be kept; not while another one does. */
    static TableIntake kept(Engine engine, LiveTable table, String name, long untilSeconds) throws IOException {
        table.requireOpen();
        Optional<Path> claimed = table.directory().claimKept(name, untilSeconds);
        if (claimed.isEmpty()) {
            return of(engine, table);
        }
        TableIntake intake = new TableIntake(engine, table, claimed.get(), Optional.of(name));
        if (Files.isDirectory(intake.directory)) {
            for (Path file : Directories.list(intake.directory)) {
                String generation = StagedSSTable.descriptor(file)
                        .map(Descriptor::generation)
                        .orElse("0");
                intake.lastGeneration = Math.max(intake.lastGeneration, Long.parseLong(generation));
            }
        }
        return intake;
    }

    /** What {@link #keep} was told last, if anything is kept. */
    public Optional<String> kept() throws IOException {
        Path file = directory.resolve(KEPT_FILE);
        return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    }

    /**
     * Takes note on the disk of how far the intake is; what is noted must be synced already.
     *
     * @throws io.anneal.table.TableTruncatedException when the table was truncated since: nothing of it may be kept
     */
    public void keep(String how) throws IOException {
        if (name.isEmpty()) {
            return;
        }
        if (table.truncations() != truncations) {
            throw new TableTruncatedException(
                    "table was truncated while it received rows, table=" + schema.qualifiedName());
        }
        table.requireOpen();
        TableDirectory.makeReceiving(directory);
        AtomicFile.replace(directory.resolve(KEPT_FILE), how.getBytes(StandardCharsets.UTF_8), OutputFile.CREATE_NEW);
    }

    /** Removes all but these, by base name: what is not noted is not gone on with. */
    public void retain(Set<String> baseNames) throws IOException {
        if (Files.isDirectory(directory)) {
            for (Path file : Directories.list(directory)) {
                if (StagedSSTable.descriptor(file)
                        .filter(sstable -> !baseNames.contains(sstable.baseName()))
                        .isPresent()) {
                    Directories.deleteFile(file);
                }
            }
        }
    }

    /** An SSTable that was kept. */
    public StagedSSTable reopen(String baseName) {
        return StagedSSTable.reopen(Descriptor.of(directory.toAbsolutePath().resolve(baseName + "-Data.db"))
                .orElseThrow(() -> new IllegalArgumentException("no name of an SSTable, name=" + baseName)));
    }

    /** Ends it, and leaves what is kept. */
    public void suspend() throws IOException {
        if (name.isEmpty()) {
            close();
        } else {
            end();
        }
    }

    private void end() {
        if (!ended) {
            ended = true;
            name.ifPresent(table.directory()::releaseKept);
        }
    }

    /** For partitions in ring order; another one may follow it. Opens no file yet. */
    public StagedWriter newWriter() {
        SSTableWriterConfig config =
                SSTableWriterConfig.received(table.estimatedPartitionCount(), table.version(), schema.options());
        SSTableTarget target = this::start;
        return new StagedWriter(
                target,
                config,
                new SSTableCuts(StagedWriter.SIZE_LIMIT_DEFAULT_BYTES, CompactionStrategy.windowOf(schema), List.of()));
    }

    /** For an SSTable that comes as it is: the caller writes its files there, and publishes them. */
    public StagedSSTable newSSTable(SSTableVersion version) throws IOException {
        return start(generation -> StagedSSTable.of(
                new Descriptor(directory.toAbsolutePath(), version.text(), generation, version.format())));
    }

    private FragmentWriter start(SSTableWriterConfig config) throws IOException {
        return start(generation -> Formats.write(directory, generation, schema, config));
    }

    /** Begins an SSTable of a generation. */
    private interface Beginning<T> {
        T of(String generation) throws IOException;
    }

    private <T> T start(Beginning<T> beginning) throws IOException {
        if (ended) {
            throw new IllegalStateException("intake is completed or closed, table=" + schema.qualifiedName());
        }
        table.requireOpen();
        try {
            TableDirectory.makeReceiving(directory);
            // One that was made in the meantime in the dropped one's place has a directory of the same name.
            table.requireOpen();
            return beginning.of(Long.toString(++lastGeneration));
        } catch (IOException e) {
            // Where the table was dropped that is the reason.
            table.requireOpen();
            throw e;
        }
    }

    /**
     * Takes in all that the writers have finished.
     *
     * @throws IllegalStateException when the store is closed or the table dropped
     * @throws io.anneal.table.TableTruncatedException when the table was truncated since the intake was made
     * @throws io.anneal.schema.SchemaException when the table was altered since, so that the rows do not fit it
     */
    public void complete() throws IOException {
        if (ended) {
            throw new IllegalStateException("intake is completed or closed, table=" + schema.qualifiedName());
        }
        List<Descriptor> written = new ArrayList<>();
        table.requireOpen();
        if (lastGeneration > 0) {
            for (Path file : Directories.list(directory)) {
                // Its TOC comes last.
                Descriptor.of(file)
                        .filter(sstable ->
                                sstable.file(Component.TOC).getFileName().equals(file.getFileName()))
                        .ifPresent(written::add);
            }
        }
        engine.takeReceived(table, written, truncations);
        try {
            close();
        } catch (IOException left) {
            LOG.warn(
                    "rows were taken in, but what they were received to is left until the store is opened again,"
                            + " table={}, directory={}, cause={}",
                    schema.qualifiedName(),
                    directory,
                    left.toString());
        }
    }

    @Override
    public void close() throws IOException {
        if (!ended) {
            try {
                Directories.deleteTree(directory);
            } finally {
                end();
            }
        }
    }
}
