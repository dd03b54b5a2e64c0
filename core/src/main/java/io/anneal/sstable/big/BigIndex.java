package io.anneal.sstable.big;

import io.anneal.key.ClusteringComparator;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableMetadata.KeyRange;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.IndexVerifier;
import io.anneal.sstable.data.NoLookup;
import io.anneal.sstable.data.PartitionIndex;
import io.anneal.sstable.data.PartitionLookup;
import io.anneal.sstable.file.ComponentFiles;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.PrefixDecoder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Index and Summary of one open SSTable. Index is opened and Summary read when they are first asked for; what lookups have in
 * common is made once, since it would take longer than a lookup.
 */
final class BigIndex implements PartitionIndex {
    private final DataReader reader;
    private final Path indexFile;
    private final Path summaryFile;
    private Summary summary;
    private FileChannel channel;
    private long lengthBytes;
    private PrefixDecoder prefixes;
    private ClusteringComparator comparator;

    BigIndex(DataReader reader) {
        this.reader = reader;
        indexFile = reader.descriptor().file(Component.INDEX);
        summaryFile = reader.descriptor().file(Component.SUMMARY);
    }

    @Override
    public synchronized Optional<KeyRange> keyRange() throws IOException {
        Summary read = summary();
        return read == null ? Optional.empty() : Optional.of(new KeyRange(read.firstKey(), read.lastKey()));
    }

    /** Null when there is none. */
    private Summary summary() throws IOException {
        if (summary == null && reader.descriptor().has(Component.SUMMARY)) {
            summary = Summary.read(reader.descriptor(), reader.partitioner());
        }
        return summary;
    }

    @Override
    public synchronized PartitionLookup lookup() throws IOException {
        Descriptor descriptor = reader.descriptor();
        if (channel == null) {
            if (!descriptor.has(Component.INDEX)) {
                return new NoLookup();
            }
            channel = ComponentFiles.open(descriptor, Component.INDEX);
            lengthBytes = channel.size();
            prefixes = reader.prefixes();
            comparator = ClusteringComparator.of(reader.headerSchema());
        }
        return new BigPartitionLookup(
                IndexCursor.over(indexFile, reader.partitioner(), channel, lengthBytes),
                DeletionTimes.of(reader.version()),
                prefixes,
                comparator,
                summary(),
                summaryFile,
                reader.dataLengthBytes());
    }

    @Override
    public IndexVerifier verifier() throws IOException {
        return BigIndexVerifier.open(reader);
    }

    @Override
    public synchronized void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }
}
