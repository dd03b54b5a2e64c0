package io.anneal.testkit;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.fragment.SourceCursor;
import io.anneal.testkit.FragmentList.Fragment;
import java.util.List;

/** A cursor over recorded fragments. Reuses its row and change like a reader of files, so that a kept view fails in tests. */
final class FragmentListCursor extends SourceCursor {
    private final List<Fragment> fragments;

    private int next;

    FragmentListCursor(FragmentList list) {
        super(list.schema());
        fragments = list.fragments();
    }

    @Override
    public FragmentKind advance() {
        row = Row.recycle(row);
        if (next == fragments.size()) {
            kind = null;
            return null;
        }
        Fragment current = fragments.get(next++);
        kind = current.kind();
        switch (kind) {
            case PARTITION_START -> {
                key.wrap(current.key());
                partitionDeletion = new DeletionTime(current.timestampMicros(), current.localDeletionTimeSeconds());
            }
            case STATIC_ROW, CLUSTERING_ROW -> show(current.row());
            case RANGE_TOMBSTONE_CHANGE -> {
                change.prefix().wrap(current.prefix());
                change.weight(current.weight());
                change.deletion(current.timestampMicros(), current.localDeletionTimeSeconds());
            }
            case PARTITION_END -> {}
        }
        return kind;
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
    public Row row() {
        assert kind == FragmentKind.STATIC_ROW || kind == FragmentKind.CLUSTERING_ROW;
        return row;
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        assert kind == FragmentKind.RANGE_TOMBSTONE_CHANGE;
        return change;
    }

    @Override
    public void nextPartition() {
        if (kind == null) {
            return;
        }
        row = Row.recycle(row);
        while (kind != FragmentKind.PARTITION_END) {
            kind = fragments.get(next++).kind();
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
