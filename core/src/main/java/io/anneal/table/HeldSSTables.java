package io.anneal.table;

import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableReader;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The SSTables of a live table at one moment. Neither compaction nor truncation deletes their files until this is closed. Any
 * thread.
 */
public final class HeldSSTables implements Closeable {
    private final TableSchema schema;
    private final List<LiveSSTable> sstables;
    private final AtomicBoolean closed = new AtomicBoolean();

    private HeldSSTables(TableSchema schema, List<LiveSSTable> sstables) {
        this.schema = schema;
        this.sstables = sstables;
    }

    /** Without memtables, which would keep their memory. */
    static HeldSSTables of(LiveSet set) {
        List<LiveSSTable> held = new ArrayList<>(set.sstables());
        held.forEach(Counted::retainHeld);
        return new HeldSSTables(set.schema(), held);
    }

    public TableSchema schema() {
        return schema;
    }

    public List<SSTableReader> readers() {
        return sstables.stream().map(LiveSSTable::reader).toList();
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            sstables.forEach(Counted::release);
        }
    }
}
