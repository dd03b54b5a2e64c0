package io.anneal.sstable.bti;

import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.data.ComponentFiles;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.IndexVerifier;
import io.anneal.sstable.data.NoLookup;
import io.anneal.sstable.data.PartitionIndex;
import io.anneal.sstable.data.PartitionLookup;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.EnumMap;
import java.util.Map;

/** Partitions and Rows of one open SSTable, opened when they are first asked for. */
final class BtiIndex implements PartitionIndex {
    private final DataReader reader;
    private final Map<Component, FileChannel> channels = new EnumMap<>(Component.class);
    private PartitionsFooter footer;

    BtiIndex(DataReader reader) {
        this.reader = reader;
    }

    @Override
    public PartitionLookup lookup() throws IOException {
        Descriptor descriptor = reader.descriptor();
        if (!descriptor.has(Component.PARTITIONS)) {
            return new NoLookup();
        }
        return new BtiPartitionLookup(reader, partitions(), this);
    }

    @Override
    public IndexVerifier verifier() throws IOException {
        return new BtiIndexVerifier(reader, partitions(), rows());
    }

    private synchronized PartitionCursor partitions() throws IOException {
        TriePages pages = pages(Component.PARTITIONS);
        if (footer == null) {
            footer = PartitionsFooter.read(pages);
        }
        return new PartitionCursor(pages, reader.partitioner(), footer);
    }

    /** The entries of Rows, for one thread. */
    RowsEntry rows() throws IOException {
        return new RowsEntry(pages(Component.ROWS), reader.partitioner(), reader.version());
    }

    private synchronized TriePages pages(Component component) throws IOException {
        FileChannel channel = channels.get(component);
        if (channel == null) {
            channel = ComponentFiles.open(reader.descriptor(), component);
            channels.put(component, channel);
        }
        return new TriePages(reader.descriptor().file(component), channel, channel.size());
    }

    @Override
    public synchronized void close() throws IOException {
        for (FileChannel channel : channels.values()) {
            channel.close();
        }
    }
}
