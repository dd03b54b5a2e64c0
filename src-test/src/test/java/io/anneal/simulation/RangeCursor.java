package io.anneal.simulation;

import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import java.io.IOException;

/** The partitions of another cursor in a range of tokens. */
final class RangeCursor extends ForwardingCursor {
    private final TokenRange.Linear range;
    private FragmentKind kind;

    RangeCursor(FragmentCursor inner, TokenRange.Linear range) {
        super(inner);
        this.range = range;
    }

    @Override
    public FragmentKind advance() throws IOException {
        kind = inner.advance();
        while (kind == FragmentKind.PARTITION_START
                && !range.contains(inner.key().token())) {
            inner.nextPartition();
            kind = inner.advance();
        }
        return kind;
    }

    @Override
    public FragmentKind kind() {
        return kind;
    }
}
