package io.anneal.store;

import io.anneal.fragment.FragmentKind;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.LostData;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.StagingDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Rescues every row of a damaged SSTable that can be read into new SSTables: one, or another one more wherever partitions
 * or rows are out of order. The damaged one stays as it is. Owned by one thread.
 */
public final class Scrub {
    private static final int ROWS_PER_UPDATE = 1024;

    private final StagingDirectory staging;
    private final SSTableWriterConfig config;

    /** @param config of the new SSTables */
    public Scrub(StagingDirectory staging, SSTableWriterConfig config) {
        this.staging = staging;
        this.config = config;
    }

    /**
     * What became of one SSTable.
     *
     * @param written the new ones; none when nothing could be read
     */
    public record Result(List<Descriptor> written, long partitionCount, long rowCount, long lostBytes) {}

    /**
     * @param lost told of every stretch that could not be read, in order
     * @param progress told now and then how many bytes of the data were passed
     */
    public Result run(SSTableReader reader, TableSchema schema, Consumer<LostData> lost, LongConsumer progress)
            throws IOException {
        long[] lostBytes = {0};
        try (SSTableCursor cursor = reader.salvage(schema, stretch -> {
            lostBytes[0] += stretch.lengthBytes();
            lost.accept(stretch);
        })) {
            return copy(cursor, schema, lostBytes, progress);
        }
    }

    private Result copy(SSTableCursor cursor, TableSchema schema, long[] lostBytes, LongConsumer progress)
            throws IOException {
        List<Descriptor> written = new ArrayList<>();
        long partitionCount = 0;
        long rowCount = 0;
        StagedWriter writer = newWriter(schema);
        try {
            KeyView previous = null;
            while (cursor.advance() != null) {
                if (cursor.kind() == FragmentKind.PARTITION_START) {
                    if (previous != null && previous.compareTo(cursor.key()) >= 0) {
                        written.addAll(writer.finish());
                        writer.close();
                        writer = newWriter(schema);
                    }
                    previous = new KeyView().wrap(cursor.key().toDecoratedKey());
                    partitionCount++;
                } else if (cursor.kind() == FragmentKind.CLUSTERING_ROW && ++rowCount % ROWS_PER_UPDATE == 0) {
                    progress.accept(cursor.dataPosition());
                }
                writer.appendCurrent(cursor);
            }
            written.addAll(writer.finish());
        } finally {
            writer.close();
        }
        return new Result(written, partitionCount, rowCount, lostBytes[0]);
    }

    private StagedWriter newWriter(TableSchema schema) {
        return new StagedWriter(staging.target(schema), config, Long.MAX_VALUE);
    }
}
