package io.anneal.node;

import io.anneal.compaction.CompactionStrategy;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableCuts;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.Formats;
import io.anneal.table.ReceivingPlace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one session receives for a {@link StagingArea} and may go on with later: it lies apart until all of it is there, and
 * only then where it is imported from. Owned by the session's thread.
 */
final class KeptRun implements Receiving {
    private final StagingArea staging;
    private final StagingFile.Run run;
    private final TableSchema schema;
    private final SSTableWriterConfig config;
    private final SSTableCuts cuts;
    private final ReceivingPlace place;
    private List<Descriptor> staged = List.of();

    KeptRun(
            StagingArea staging,
            StagingFile.Run run,
            TableSchema schema,
            SSTableWriterConfig config,
            List<Long> diskBoundaries,
            ReceivingPlace place) {
        this.staging = staging;
        this.run = run;
        this.schema = schema;
        this.config = config;
        this.place = place;
        cuts = new SSTableCuts(
                StagedWriter.SIZE_LIMIT_DEFAULT_BYTES, CompactionStrategy.windowOf(schema), diskBoundaries);
    }

    @Override
    public StagedWriter newWriter() {
        return new StagedWriter(
                started -> {
                    place.make();
                    return Formats.write(place.directory(), place.nextGeneration(), schema, started);
                },
                config,
                cuts);
    }

    @Override
    public StagedSSTable newSSTable(SSTableVersion version) throws IOException {
        place.make();
        return StagedSSTable.of(
                new Descriptor(place.directory(), version.text(), place.nextGeneration(), version.format()));
    }

    @Override
    public void remove(Descriptor sstable) throws IOException {
        sstable.delete();
    }

    @Override
    public Optional<String> kept() throws IOException {
        return place.kept();
    }

    @Override
    public void keep(String how) throws IOException {
        place.keep(how);
    }

    @Override
    public void retain(Set<String> baseNames) throws IOException {
        place.retain(baseNames);
    }

    @Override
    public StagedSSTable reopen(String baseName) {
        return place.reopen(baseName);
    }

    @Override
    public void suspend() {
        place.leave();
    }

    @Override
    public List<Descriptor> whole() throws IOException {
        return place.whole();
    }

    @Override
    public List<Descriptor> staged() {
        return staged;
    }

    @Override
    public Optional<Path> stagedIn() {
        return Optional.of(staging.tableDirectory(schema));
    }

    @Override
    public long complete() throws IOException {
        staged = staging.link(run, schema, place.whole());
        place.remove();
        return staging.importDeadlineSeconds(schema);
    }

    @Override
    public void close() throws IOException {
        place.remove();
    }
}
