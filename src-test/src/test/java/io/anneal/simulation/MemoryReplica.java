package io.anneal.simulation;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.node.StagingArea;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.TableSource;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** A replica whose old data is in memory; what it receives is written to real SSTables and read back from them. */
final class MemoryReplica implements Replica {
    private final String name;
    private final TableSchema schema;
    private final List<FragmentList> sources;
    private final StagingArea staging;
    private final List<SSTableReader> received = new ArrayList<>();

    MemoryReplica(String name, TableSchema schema, List<FragmentList> sources, Path directory) throws IOException {
        this.name = name;
        this.schema = schema;
        this.sources = sources;
        staging = StagingArea.open(directory, name, () -> Instant.EPOCH);
    }

    /** Opens what was received by now. */
    void reopen() throws IOException {
        Path directory = staging.tableDirectory(schema);
        List<Descriptor> imported =
                isEmpty(directory) ? List.of() : TableSource.descriptors(directory, List.of(directory));
        for (Descriptor descriptor : imported) {
            if (received.stream().noneMatch(reader -> reader.descriptor().equals(descriptor))) {
                SSTableReader reader = Formats.open(descriptor);
                reader.verify();
                received.add(reader);
            }
        }
    }

    /** As it is too after a repair that failed: that removes its files, not the directory. */
    private static boolean isEmpty(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return true;
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        }
    }

    /** What the replica shows at a purge time. */
    FragmentList view(SessionPurgeRule rule) throws IOException {
        try (FragmentCursor cursor =
                new PurgeCursor(scan(TokenRange.Linear.ALL, localDeletionTimeMaxSeconds()), rule)) {
            return FragmentList.copyOf(cursor);
        }
    }

    int receivedCount() {
        return received.size();
    }

    List<FragmentList> sources() {
        return sources;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public void checkReceiving() throws IOException {
        staging.checkReceiving(schema, schema.id());
    }

    @Override
    public long localDeletionTimeMaxSeconds() {
        return SSTableVersion.NB.localDeletionTimeMaxSeconds();
    }

    @Override
    public FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException {
        List<FragmentCursor> cursors = new ArrayList<>();
        sources.forEach(source -> cursors.add(source.cursor()));
        for (SSTableReader reader : received) {
            cursors.add(reader.scan(schema, TokenRange.Linear.ALL));
        }
        return new RangeCursor(MergeCursor.of(schema, cursors, localDeletionTimeMaxSeconds), range);
    }

    @Override
    public Receiving receive(UUID sessionId, long importDeadlineSeconds) {
        return staging.start(sessionId, schema, schema.id(), importDeadlineSeconds, SSTableWriterConfig.defaults(100));
    }

    /** Ends one repair; the replica itself lives on. */
    @Override
    public void close() {}

    void closeForGood() throws IOException {
        for (SSTableReader reader : received) {
            reader.close();
        }
        staging.close();
    }
}
