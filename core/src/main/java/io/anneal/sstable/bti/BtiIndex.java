package io.anneal.sstable.bti;

import io.anneal.sstable.Component;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.IndexVerifier;
import io.anneal.sstable.data.NoLookup;
import io.anneal.sstable.data.PartitionIndex;
import io.anneal.sstable.data.PartitionLookup;
import io.anneal.sstable.file.ComponentFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.EnumMap;
import java.util.Map;

/** Partitions and Rows of one open SSTable, opened when they are first asked for. */
final class BtiIndex implements PartitionIndex {
    private final DataReader reader;
    private final Map<Component, FileChannel> channels = new EnumMap<>(Component.class);
    private final Map<Component, TriePages> idle = new EnumMap<>(Component.class);
    private PartitionsFooter footer;

    BtiIndex(DataReader reader) {
        this.reader = reader;
    }

    @Override
    public PartitionLookup lookup() throws IOException {
        return isOpen() || reader.descriptor().has(Component.PARTITIONS)
                ? new BtiPartitionLookup(reader, this)
                : new NoLookup();
    }

    private synchronized boolean isOpen() {
        return channels.containsKey(Component.PARTITIONS);
    }

    @Override
    public IndexVerifier verifier() throws IOException {
        PartitionCursor partitions = partitions(pages(Component.PARTITIONS));
        return new BtiIndexVerifier(reader, partitions, rows(pages(Component.ROWS)));
    }

    /** The entries of Partitions. */
    synchronized PartitionCursor partitions(TriePages pages) throws IOException {
        if (footer == null) {
            footer = PartitionsFooter.read(pages);
        }
        return new PartitionCursor(pages, reader.partitioner(), footer);
    }

    /** The entries of Rows. */
    RowsEntry rows(TriePages pages) {
        return new RowsEntry(pages, reader.partitioner(), reader.version());
    }

    /** Pages of a component for one thread, which may give them back: a point read finds those of the one before it. */
    synchronized TriePages pages(Component component) throws IOException {
        TriePages pages = idle.remove(component);
        if (pages != null) {
            return pages;
        }
        FileChannel channel = channels.get(component);
        if (channel == null) {
            channel = ComponentFiles.open(reader.descriptor(), component);
            channels.put(component, channel);
        }
        return new TriePages(reader.descriptor().file(component), channel, channel.size());
    }

    /** Takes back pages that nobody uses any more. */
    synchronized void giveBack(Component component, TriePages pages) {
        idle.put(component, pages);
    }

    @Override
    public synchronized void close() throws IOException {
        for (FileChannel channel : channels.values()) {
            channel.close();
        }
    }
}
