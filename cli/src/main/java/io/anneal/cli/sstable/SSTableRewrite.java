package io.anneal.cli.sstable;

import io.anneal.cli.command.Progress;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.SSTables;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.StagingDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Writes the content of SSTables anew, raw or merged, and verifies what it wrote before it counts. Nothing remains of what
 * failed. Owned by one thread.
 */
final class SSTableRewrite {
    /** What was written: rows (static ones too) and uncompressed data. */
    record Result(Descriptor target, long rowCount, long lengthBytes) {}

    private static final int FRAGMENTS_PER_UPDATE = 1024;

    private final SSTables sstables;
    private final StagingDirectory staging;
    private final SSTableVersion version;
    private final Compression compression;

    SSTableRewrite(SSTables sstables, StagingDirectory staging, SSTableVersion version, Compression compression) {
        this.sstables = sstables;
        this.staging = staging;
        this.version = version;
        this.compression = compression;
    }

    /** One SSTable's fragments just as they are; level and repair time are kept. */
    List<Result> copy(SSTableReader reader, Progress progress) throws IOException {
        try (SSTableCursor cursor = reader.scan(sstables.schema(), TokenRange.Linear.ALL)) {
            return write(
                    cursor,
                    SSTableWriterConfig.like(reader).withVersion(version).withCompression(compression),
                    progress,
                    cursor::dataPosition);
        }
    }

    /** All SSTables merged into one. It counts as repaired only if each of them was. */
    List<Result> compact(Progress progress) throws IOException {
        long repairedAtMillis = sstables.readers().stream()
                .mapToLong(r -> r.statistics().repairedAtMillis())
                .min()
                .orElse(0);
        try (FragmentCursor cursor = sstables.scan(TokenRange.Linear.ALL)) {
            SSTableWriterConfig config = SSTableWriterConfig.defaults(Math.max(1, sstables.estimatedPartitionCount()))
                    .withVersion(version)
                    .withPartitioner(sstables.partitioner())
                    .withCompression(compression)
                    .withRepairedAtMillis(repairedAtMillis);
            return write(cursor, config, progress, null);
        }
    }

    /** @param position how far the source is; null when only what is written tells */
    private List<Result> write(
            FragmentCursor cursor, SSTableWriterConfig config, Progress progress, LongSupplier position)
            throws IOException {
        try (StagedWriter writer = new StagedWriter(staging.target(sstables.schema()), config, Long.MAX_VALUE)) {
            long fragmentCount = 0;
            long rowCount = 0;
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                writer.appendCurrent(cursor);
                if (kind == FragmentKind.CLUSTERING_ROW || kind == FragmentKind.STATIC_ROW) {
                    rowCount++;
                }
                if (++fragmentCount % FRAGMENTS_PER_UPDATE == 0) {
                    progress.update(position == null ? writer.dataLengthBytes() : position.getAsLong(), rowCount);
                }
            }
            List<Result> results = new ArrayList<>();
            for (Descriptor descriptor : writer.finish()) {
                results.add(verified(descriptor, rowCount));
            }
            return results;
        }
    }

    private static Result verified(Descriptor descriptor, long rowCount) throws IOException {
        boolean right = false;
        try (SSTableReader written = Formats.open(descriptor)) {
            written.verify();
            right = true;
            return new Result(descriptor, rowCount, written.dataLengthBytes());
        } finally {
            if (!right) {
                descriptor.delete();
            }
        }
    }
}
