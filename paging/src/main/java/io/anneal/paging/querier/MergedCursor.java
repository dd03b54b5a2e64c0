package io.anneal.paging.querier;

import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.table.ReadCursor;

/** A merge of replicas that may be kept between two pages. Owned by one thread at a time. */
final class MergedCursor extends ForwardingCursor implements ReadCursor {
    MergedCursor(FragmentCursor merged) {
        super(merged);
    }

    /** Each replica's page tells whether the table is what it was. */
    @Override
    public boolean isCurrent() {
        return true;
    }

    /** What replicas keep is theirs. */
    @Override
    public long obsoleteBytes() {
        return 0;
    }
}
