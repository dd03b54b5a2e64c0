package io.anneal.fragment;

import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.OwnedClustering;
import java.io.IOException;

/**
 * A cursor that passes on another one's fragments and checks that it keeps the contract of {@link FragmentCursor}:
 * grammar, order, range deletions, what a row may hold. Stands behind readers in tests, and
 * behind the scan of a store wherever assertions are on, which is the switch in production. Throws {@link InvalidStreamException}. Owned by one thread.
 */
public final class FragmentStreamValidator extends ForwardingCursor {
    private final ClusteringComparator comparator;
    private final RowValidator rows;
    private final boolean reversed;
    private final OwnedClustering lastPrefix = new OwnedClustering();

    private DecoratedKey lastKey;
    private FragmentKind kind;
    private FragmentKind reported;
    private boolean hasLast;
    private int lastWeight;
    private long openTimestampMicros = DeletionTime.NO_TIMESTAMP;
    private long openLocalDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;

    private FragmentStreamValidator(FragmentCursor inner, boolean checksValues, boolean reversed) {
        super(inner);
        this.reversed = reversed;
        comparator = ClusteringComparator.of(inner.schema());
        rows = new RowValidator(inner.schema(), checksValues);
    }

    /** Checks structure and order. */
    public static FragmentStreamValidator of(FragmentCursor inner) {
        return new FragmentStreamValidator(inner, false, false);
    }

    /** Checks structure and order of a reversed cursor. */
    public static FragmentStreamValidator ofReversed(FragmentCursor inner) {
        return new FragmentStreamValidator(inner, false, true);
    }

    /** Checks structure and order, and each clustering component, path and value against its type. */
    public static FragmentStreamValidator withValues(FragmentCursor inner) {
        return new FragmentStreamValidator(inner, true, false);
    }

    @Override
    public FragmentKind advance() throws IOException {
        FragmentKind next = inner.advance();
        if (next != inner.kind()) {
            throw new InvalidStreamException("kind differs from advance", "advance=" + next + ", kind=" + inner.kind());
        }
        if (next == null) {
            requireBetweenPartitions(null);
        } else {
            check(next);
        }
        kind = next;
        reported = next;
        return next;
    }

    private void check(FragmentKind next) {
        switch (next) {
            case PARTITION_START -> {
                requireBetweenPartitions(next);
                checkKey();
                hasLast = false;
                openTimestampMicros = DeletionTime.NO_TIMESTAMP;
                openLocalDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;
            }
            case STATIC_ROW -> {
                requireGrammar(kind == FragmentKind.PARTITION_START, next);
                requireStatic(true);
                rows.check(inner.row());
            }
            case CLUSTERING_ROW -> {
                requireInPartition(next);
                requireStatic(false);
                rows.check(inner.row());
                checkOrder(inner.row().clustering(), ClusteringComparator.AT);
            }
            case RANGE_TOMBSTONE_CHANGE -> {
                requireInPartition(next);
                checkChange(inner.rangeTombstoneChange());
            }
            case PARTITION_END -> {
                requireInPartition(next);
                if (!DeletionTime.isLive(openTimestampMicros, openLocalDeletionTimeSeconds)) {
                    throw new InvalidStreamException(
                            "range deletion is open at the partition's end",
                            "timestampMicros=" + openTimestampMicros + where());
                }
            }
        }
    }

    private void requireBetweenPartitions(FragmentKind next) {
        requireGrammar(kind == null || kind == FragmentKind.PARTITION_END, next);
    }

    private void requireInPartition(FragmentKind next) {
        requireGrammar(kind != null && kind != FragmentKind.PARTITION_END, next);
    }

    private void requireGrammar(boolean allowed, FragmentKind next) {
        if (!allowed) {
            throw new InvalidStreamException(
                    "fragment is not allowed here", "previous=" + kind + ", current=" + next + where());
        }
    }

    private void requireStatic(boolean expected) {
        if (inner.row().isStatic() != expected) {
            throw new InvalidStreamException("row is not what its fragment says", "static=" + !expected + where());
        }
    }

    private void checkKey() {
        DecoratedKey key = inner.key().toDecoratedKey();
        if (lastKey != null && lastKey.compareTo(key) >= 0) {
            throw new InvalidStreamException("partitions out of order", "previous=" + lastKey + ", current=" + key);
        }
        lastKey = key;
    }

    private void checkChange(RangeTombstoneChange change) {
        if (change.prefix().size() > comparator.size()) {
            throw new InvalidStreamException(
                    "bound has too many components",
                    "componentCount=" + change.prefix().size() + where());
        }
        if (change.weight() == ClusteringComparator.AT) {
            throw new InvalidStreamException("range tombstone change stands at a row", "weight=0" + where());
        }
        checkOrder(change.prefix(), change.weight());
        if (change.timestampMicros() == openTimestampMicros
                && change.localDeletionTimeSeconds() == openLocalDeletionTimeSeconds) {
            throw new InvalidStreamException(
                    "change repeats the open deletion", "timestampMicros=" + openTimestampMicros + where());
        }
        openTimestampMicros = change.timestampMicros();
        openLocalDeletionTimeSeconds = change.localDeletionTimeSeconds();
    }

    private void checkOrder(Clustering prefix, int weight) {
        int order = hasLast ? comparator.compare(lastPrefix.clustering(), lastWeight, prefix, weight) : 0;
        if (hasLast && (reversed ? order <= 0 : order >= 0)) {
            throw new InvalidStreamException(
                    "clusterings out of order", "previousWeight=" + lastWeight + ", currentWeight=" + weight + where());
        }
        lastPrefix.set(prefix);
        lastWeight = weight;
        hasLast = true;
    }

    private String where() {
        return lastKey == null ? "" : ", partition=" + lastKey;
    }

    @Override
    public FragmentKind kind() {
        return reported;
    }

    @Override
    public void nextPartition() throws IOException {
        inner.nextPartition();
        skipped();
    }

    @Override
    public void forwardTo(long token) throws IOException {
        inner.forwardTo(token);
        if (lastKey != null && lastKey.token() < token) {
            skipped();
        }
    }

    private void skipped() {
        if (kind != null) {
            kind = FragmentKind.PARTITION_END;
        }
        reported = inner.kind();
    }
}
