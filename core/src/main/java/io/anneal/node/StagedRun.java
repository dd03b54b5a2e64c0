package io.anneal.node;

import io.anneal.compaction.CompactionStrategy;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableCuts;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.StagedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What one session writes to a {@link StagingArea}: kept as a whole when {@link #complete()} was reached, else removed
 * by {@link #close()}, or by the next opening of the directory. Owned by the session's thread.
 */
final class StagedRun implements Receiving {
    private final StagingArea staging;
    private final StagingFile.Run run;
    private final TableSchema schema;
    private final SSTableWriterConfig config;
    private final List<Long> diskBoundaries;
    private final List<Descriptor> written = new ArrayList<>();
    private boolean recorded;
    private boolean complete;

    StagedRun(
            StagingArea staging,
            StagingFile.Run run,
            TableSchema schema,
            SSTableWriterConfig config,
            List<Long> diskBoundaries) {
        this.diskBoundaries = diskBoundaries;
        this.staging = staging;
        this.run = run;
        this.schema = schema;
        this.config = config;
    }

    @Override
    public StagedWriter newWriter() {
        SSTableCuts cuts = new SSTableCuts(
                StagedWriter.SIZE_LIMIT_DEFAULT_BYTES, CompactionStrategy.windowOf(schema), diskBoundaries);
        return new StagedWriter(staging.target(schema, this::record), config, cuts);
    }

    @Override
    public StagedSSTable newSSTable(SSTableVersion version) throws IOException {
        return staging.stage(schema, version, this::record);
    }

    private void record(Descriptor sstable) throws IOException {
        if (!recorded) {
            staging.add(run);
            recorded = true;
        }
        staging.record(run.id(), sstable);
        written.add(sstable);
    }

    @Override
    public void remove(Descriptor sstable) throws IOException {
        sstable.delete();
    }

    /** What it began and gave up is not among them. */
    @Override
    public List<Descriptor> staged() {
        return written.stream().filter(sstable -> sstable.has(Component.DATA)).toList();
    }

    @Override
    public Optional<Path> stagedIn() {
        return Optional.of(staging.tableDirectory(schema));
    }

    /** Keeps all that was written; a run that wrote nothing is known by its id, too. */
    @Override
    public long complete() throws IOException {
        if (recorded) {
            staging.complete(run.id());
        } else {
            staging.addEmpty(run.completed(Map.of()));
        }
        complete = true;
        return staging.importDeadlineSeconds(schema);
    }

    @Override
    public void close() throws IOException {
        if (recorded && !complete) {
            staging.discard(run.id());
            recorded = false;
        }
    }
}
