package io.anneal.fragment;

import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;

/** A cursor over partitions in memory that re-uses its views, so that tests notice who keeps them. */
public final class MemoryCursor implements FragmentCursor {
    private record Fragment(FragmentKind kind, MemoryPartition partition, Object content) {}

    private final TableSchema schema;
    private final List<Fragment> fragments = new ArrayList<>();
    private final KeyView key = new KeyView();
    private final RangeTombstoneChange change = new RangeTombstoneChange();
    private Row row = new Row();
    private Fragment current;
    private int next;
    private boolean closed;

    public MemoryCursor(TableSchema schema, List<MemoryPartition> partitions) {
        this.schema = schema;
        for (MemoryPartition partition : partitions) {
            fragments.add(new Fragment(FragmentKind.PARTITION_START, partition, null));
            if (partition.staticRow() != null) {
                fragments.add(new Fragment(FragmentKind.STATIC_ROW, partition, partition.staticRow()));
            }
            for (Object content : partition.clustered()) {
                FragmentKind kind =
                        content instanceof Row ? FragmentKind.CLUSTERING_ROW : FragmentKind.RANGE_TOMBSTONE_CHANGE;
                fragments.add(new Fragment(kind, partition, content));
            }
            fragments.add(new Fragment(FragmentKind.PARTITION_END, partition, null));
        }
    }

    /** Adds a fragment as it is, for streams that break the rules. */
    public MemoryCursor with(FragmentKind kind, MemoryPartition partition, Object content) {
        fragments.add(new Fragment(kind, partition, content));
        return this;
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public FragmentKind advance() {
        row = Row.recycle(row);
        change.prefix().reset(new byte[0]);
        if (next == fragments.size()) {
            current = null;
            return null;
        }
        current = fragments.get(next++);
        if (current.kind() == FragmentKind.PARTITION_START) {
            key.wrap(current.partition().key());
        } else if (current.content() instanceof Row stored) {
            show(stored);
        } else if (current.content() instanceof MemoryPartition.Change stored) {
            change.prefix().wrap(stored.prefix());
            change.weight(stored.weight());
            change.deletion(
                    stored.deletion().timestampMicros(), stored.deletion().localDeletionTimeSeconds());
        }
        return current.kind();
    }

    private void show(Row stored) {
        row.clear(stored.isStatic());
        row.clustering().wrap(stored.clustering());
        row.liveness(stored.livenessTimestampMicros(), stored.livenessTtlSeconds(), stored.livenessExpirySeconds());
        row.deletion(
                stored.deletionTimestampMicros(), stored.deletionLocalTimeSeconds(), stored.isDeletionShadowable());
        for (int i = 0; i < stored.entryCount(); i++) {
            row.addEntryOf(stored, i);
        }
    }

    @Override
    public FragmentKind kind() {
        return current == null ? null : current.kind();
    }

    @Override
    public KeyView key() {
        return key;
    }

    @Override
    public long partitionDeletionTimestampMicros() {
        return current.partition().deletion().timestampMicros();
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return current.partition().deletion().localDeletionTimeSeconds();
    }

    @Override
    public Row row() {
        return row;
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        return change;
    }

    @Override
    public void nextPartition() {
        while (current != null && current.kind() != FragmentKind.PARTITION_END) {
            advance();
        }
    }

    @Override
    public void forwardTo(long token) {
        while (next < fragments.size() && fragments.get(next).partition().key().token() < token) {
            next++;
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
