package io.anneal.store;

import io.anneal.compaction.CompactionStrategy;
import io.anneal.schema.TableSchema;
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
import io.anneal.table.ReceivingPlace;
import io.anneal.table.TableTruncatedException;
import java.io.Closeable;
import java.io.IOException;
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

    private final Engine engine;
    private final LiveTable table;
    private final TableSchema schema;
    private final long truncations;
    /** Nobody else's, of whatever process: it may outlive the store, and must harm no later one then. */
    private final ReceivingPlace place;

    private TableIntake(Engine engine, LiveTable table, ReceivingPlace place) {
        this.engine = engine;
        this.table = table;
        this.place = place;
        schema = table.schema();
        truncations = table.truncations();
    }

    static TableIntake of(Engine engine, LiveTable table) {
        table.requireOpen();
        return new TableIntake(
                engine,
                table,
                table.directory().receiving().fresh(engine.environment().newId().toString()));
    }

    /** Goes on with what one of this name has kept, or starts one that will be kept; not while another one does. */
    static TableIntake kept(Engine engine, LiveTable table, String name, long untilSeconds) throws IOException {
        table.requireOpen();
        Optional<ReceivingPlace> claimed = table.directory().receiving().kept(name, untilSeconds);
        return claimed.isEmpty() ? of(engine, table) : new TableIntake(engine, table, claimed.get());
    }

    /** What {@link #keep} was told last, if anything is kept. */
    public Optional<String> kept() throws IOException {
        return place.kept();
    }

    /**
     * Takes note on the disk of how far the intake is; what is noted must be synced already.
     *
     * @throws io.anneal.table.TableTruncatedException when the table was truncated since: nothing of it may be kept
     */
    public void keep(String how) throws IOException {
        if (!place.isKept()) {
            return;
        }
        requireNotTruncated();
        table.requireOpen();
        place.keep(how);
    }

    /** @throws io.anneal.table.TableTruncatedException when the table was truncated since */
    public void requireNotTruncated() {
        if (table.truncations() != truncations) {
            throw new TableTruncatedException(
                    "table was truncated while it was repaired or received rows, table=" + schema.qualifiedName());
        }
    }

    /** Removes all but these, by base name: what is not noted is not gone on with. */
    public void retain(Set<String> baseNames) throws IOException {
        place.retain(baseNames);
    }

    /** An SSTable that was kept. */
    public StagedSSTable reopen(String baseName) {
        return place.reopen(baseName);
    }

    /** Ends it, and leaves what is kept. */
    public void suspend() throws IOException {
        if (place.isKept()) {
            place.leave();
        } else {
            close();
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
        return start(generation ->
                StagedSSTable.of(new Descriptor(place.directory(), version.text(), generation, version.format())));
    }

    private FragmentWriter start(SSTableWriterConfig config) throws IOException {
        return start(generation -> Formats.write(place.directory(), generation, schema, config));
    }

    /** Begins an SSTable of a generation. */
    private interface Beginning<T> {
        T of(String generation) throws IOException;
    }

    private <T> T start(Beginning<T> beginning) throws IOException {
        if (place.isLeft()) {
            throw new IllegalStateException("intake is completed or closed, table=" + schema.qualifiedName());
        }
        table.requireOpen();
        try {
            place.make();
            // One that was made in the meantime in the dropped one's place has a directory of the same name.
            table.requireOpen();
            return beginning.of(place.nextGeneration());
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
        if (place.isLeft()) {
            throw new IllegalStateException("intake is completed or closed, table=" + schema.qualifiedName());
        }
        table.requireOpen();
        engine.takeReceived(table, place.whole(), truncations);
        try {
            close();
        } catch (IOException left) {
            LOG.warn(
                    "rows were taken in, but what they were received to is left until the store is opened again,"
                            + " table={}, directory={}, cause={}",
                    schema.qualifiedName(),
                    place.directory(),
                    left.toString());
        }
    }

    @Override
    public void close() throws IOException {
        place.remove();
    }
}
