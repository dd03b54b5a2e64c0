package io.anneal.node;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.SSTables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges the small SSTables that the sessions of one run have staged for a table, since each session writes its own. Nothing is purged.
 *
 * <pre>
 *   session 1  complete  a       session 1  complete  a       session 1  complete  d
 *   session 2  complete  b   ->  session 2  complete  b   ->                            ->  session 1  complete  d
 *                                merge      writing   d       merge      writing   a b
 * </pre>
 *
 * The step in the middle is one change of the area's record: before it {@code a} and {@code b} count, after it {@code d} does. What the
 * record calls unfinished is removed in either case, here or at the next opening. One thread.
 */
final class StagedCompaction {
    /** Length of a data file: larger ones are so few that to write them again costs more than they do. */
    static final long SMALL_BYTES_MAX = 64L << 20;

    /** So many are open at once, and have room beside them on the disk. */
    static final int SOURCES_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(StagedCompaction.class);

    private final StagingArea staging;
    private final TableSchema schema;
    private final List<Long> diskBoundaries;

    private record Source(StagingFile.Run session, Descriptor sstable) {}

    /** What all have that are merged: an SSTable of the same version holds what they hold. */
    private record Kind(long run, Optional<String> tableId, SSTableVersion version) {}

    StagedCompaction(StagingArea staging, TableSchema schema, List<Long> diskBoundaries) {
        this.staging = staging;
        this.schema = schema;
        this.diskBoundaries = diskBoundaries;
    }

    void run() throws IOException {
        Map<Kind, List<Source>> small = new LinkedHashMap<>();
        for (StagingFile.Run session : staging.whole(schema)) {
            for (Descriptor sstable : staging.small(session, SMALL_BYTES_MAX)) {
                SSTableVersion.of(sstable)
                        .filter(SSTableVersion::isWritten)
                        .map(version -> new Kind(session.id().getMostSignificantBits(), session.tableId(), version))
                        .ifPresent(kind -> small.computeIfAbsent(kind, first -> new ArrayList<>())
                                .add(new Source(session, sstable)));
            }
        }
        for (Map.Entry<Kind, List<Source>> of : small.entrySet()) {
            List<Source> all = of.getValue();
            for (int i = 0; i < all.size(); i += SOURCES_MAX) {
                merge(of.getKey(), all.subList(i, Math.min(all.size(), i + SOURCES_MAX)));
            }
        }
    }

    /** What one session wrote is as few as it can be. */
    private void merge(Kind kind, List<Source> sources) throws IOException {
        StagingFile.Run keeper = sources.get(0).session();
        if (sources.stream().allMatch(source -> source.session().equals(keeper))) {
            return;
        }
        long deadlineSeconds = sources.stream()
                .mapToLong(source -> source.session().importDeadlineSeconds())
                .min()
                .orElseThrow();
        // No session has this id: theirs differ at random.
        UUID id = new UUID(keeper.id().getMostSignificantBits(), ~keeper.id().getLeastSignificantBits());
        StagingFile.Run merge =
                new StagingFile.Run(id, keeper.keyspace(), keeper.table(), kind.tableId(), deadlineSeconds);
        List<Descriptor> descriptors = sources.stream().map(Source::sstable).toList();
        try (SSTables read = SSTables.open(schema, descriptors);
                StagedRun run = new StagedRun(staging, merge, schema, config(read, kind.version()), diskBoundaries)) {
            List<Descriptor> written = copy(read, run);
            if (!written.isEmpty()) {
                staging.exchange(merge, keeper, lengths(sources));
                LOG.info(
                        "small SSTables of several sessions are merged, table={}, sources={}, written={}",
                        schema.qualifiedName(),
                        descriptors.size(),
                        written);
            }
        } catch (IOException e) {
            if (staging.isReceiving()) {
                // What it began is there yet, beside what counts.
                throw e;
            }
            LOG.warn("small SSTables are left as they are, they could not be merged, sstables={}", descriptors, e);
        }
    }

    private static Map<String, Long> lengths(List<Source> sources) {
        Map<String, Long> lengths = new LinkedHashMap<>();
        for (Source source : sources) {
            String name = source.sstable().baseName();
            lengths.put(name, source.session().dataBytes().get(name));
        }
        return lengths;
    }

    private List<Descriptor> copy(SSTables read, StagedRun run) throws IOException {
        try (StagedWriter writer = run.newWriter();
                FragmentCursor merged = read.scan(TokenRange.Linear.ALL)) {
            writer.append(merged);
            return writer.finish();
        }
    }

    private SSTableWriterConfig config(SSTables read, SSTableVersion version) {
        return SSTableWriterConfig.defaults(Math.max(1, read.estimatedPartitionCount()))
                .withVersion(version)
                .withCompression(Compression.of(schema.options()))
                .withBase(EncodingBase.of(
                        read.readers().stream().map(SSTableReader::statistics).toList()));
    }
}
