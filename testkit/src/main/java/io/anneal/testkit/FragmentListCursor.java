package io.anneal.testkit;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList.Fragment;
import java.util.List;

/** A cursor over recorded fragments. Reuses its row and change like a reader of files, so that a kept view fails in tests. */
final class FragmentListCursor implements FragmentCursor {
    private final TableSchema schema;
    private final List<Fragment> fragments;
    private final KeyView key = new KeyView();
    private final RangeTombstoneChange change = new RangeTombstoneChange();

    private Row row = new Row();
    private Fragment current;
    private Fragment start;
    private int next;

    FragmentListCursor(FragmentList list) {
        schema = list.schema();
        fragments = list.fragments();
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public FragmentKind advance() {
        row = Row.recycle(row);
        if (next == fragments.size()) {
            current = null;
            return null;
        }
        current = fragments.get(next++);
        switch (current.kind()) {
            case PARTITION_START -> {
                start = current;
                key.wrap(current.key());
            }
            case STATIC_ROW, CLUSTERING_ROW -> show(current.row());
            case RANGE_TOMBSTONE_CHANGE -> {
                change.prefix().wrap(current.prefix());
                change.weight(current.weight());
                change.deletion(current.timestampMicros(), current.localDeletionTimeSeconds());
            }
            case PARTITION_END -> {}
        }
        return current.kind();
    }

    private void show(Row recorded) {
        row.clear(recorded.isStatic());
        row.clustering().wrap(recorded.clustering());
        row.liveness(
                recorded.livenessTimestampMicros(), recorded.livenessTtlSeconds(), recorded.livenessExpirySeconds());
        row.deletion(
                recorded.deletionTimestampMicros(),
                recorded.deletionLocalTimeSeconds(),
                recorded.isDeletionShadowable());
        for (int i = 0; i < recorded.entryCount(); i++) {
            row.addEntryOf(recorded, i);
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
        return start.timestampMicros();
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return start.localDeletionTimeSeconds();
    }

    @Override
    public Row row() {
        assert current.kind() == FragmentKind.STATIC_ROW || current.kind() == FragmentKind.CLUSTERING_ROW;
        return row;
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        assert current.kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE;
        return change;
    }

    @Override
    public void nextPartition() {
        if (current == null) {
            return;
        }
        row = Row.recycle(row);
        while (current.kind() != FragmentKind.PARTITION_END) {
            current = fragments.get(next++);
        }
    }

    @Override
    public void forwardTo(long token) {
        while (next < fragments.size() && fragments.get(next).key().token() < token) {
            next++;
        }
    }

    @Override
    public void close() {
        next = fragments.size();
    }
}
