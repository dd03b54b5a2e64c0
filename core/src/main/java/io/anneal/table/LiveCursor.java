package io.anneal.table;

import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import java.io.IOException;
import java.util.function.BooleanSupplier;

/** A cursor over a live set, which it holds until it is closed. Fails once its table is closed. One thread. */
final class LiveCursor extends ForwardingCursor {
    private final LiveSet liveSet;
    private final BooleanSupplier closed;
    private final String table;
    private boolean released;

    LiveCursor(FragmentCursor inner, LiveSet liveSet, BooleanSupplier closed, String table) {
        super(inner);
        this.liveSet = liveSet;
        this.closed = closed;
        this.table = table;
    }

    @Override
    public FragmentKind advance() throws IOException {
        requireOpen();
        return inner.advance();
    }

    @Override
    public void nextPartition() throws IOException {
        requireOpen();
        inner.nextPartition();
    }

    @Override
    public void forwardTo(long token) throws IOException {
        requireOpen();
        inner.forwardTo(token);
    }

    private void requireOpen() {
        if (released || closed.getAsBoolean()) {
            throw new IllegalStateException("cursor or its table is closed, table=" + table);
        }
    }

    @Override
    public void close() throws IOException {
        if (released) {
            return;
        }
        released = true;
        try {
            inner.close();
        } finally {
            liveSet.release();
        }
    }
}
