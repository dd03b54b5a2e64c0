package io.anneal.store;

import io.anneal.io.Directories;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableTarget;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.Formats;
import io.anneal.table.Engine;
import io.anneal.table.LiveTable;
import io.anneal.table.TableDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows on their way into a table of an open store: written as SSTables to a directory of their own, and taken in together by
 * {@link #complete()}. What was not completed is removed by {@link #close()}, or by the next start of the store. One thread.
 */
public final class TableIntake implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TableIntake.class);

    private final Engine engine;
    private final LiveTable table;
    private final TableSchema schema;
    private final long truncations;
    /** Nobody else's, of whatever process: it may outlive the store, and must harm no later one then. */
    private final Path directory;

    private long lastGeneration;
    private boolean ended;

    TableIntake(Engine engine, LiveTable table) {
        table.requireOpen();
        this.engine = engine;
        this.table = table;
        schema = table.schema();
        truncations = table.truncations();
        directory = table.directory().receiving(engine.environment().newId().toString());
    }

    /** For partitions in ring order; another one may follow it. Opens no file yet. */
    public StagedWriter newWriter() {
        SSTableWriterConfig config =
                SSTableWriterConfig.received(table.estimatedPartitionCount(), table.version(), schema.options());
        SSTableTarget target = this::start;
        return new StagedWriter(target, config, StagedWriter.SIZE_LIMIT_DEFAULT_BYTES);
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
            ended = true;
            Directories.deleteTree(directory);
        }
    }
}
