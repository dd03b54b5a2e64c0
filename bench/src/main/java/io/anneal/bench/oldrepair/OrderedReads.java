package io.anneal.bench.oldrepair;

import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.node.Replica;
import java.io.Closeable;
import java.io.IOException;

/** Ranges of a replica, each after the one before, with one cursor: no file is opened or searched anew for the next one. One thread. */
final class OrderedReads implements Closeable {
    private final FragmentCursor cursor;
    /** Whether the cursor is at a partition's start that nobody was given. */
    private boolean standing;

    private boolean ended;

    OrderedReads(Replica replica, long localDeletionTimeMaxSeconds) throws IOException {
        cursor = replica.scan(TokenRange.Linear.ALL, localDeletionTimeMaxSeconds);
    }

    /** What is in a range: to be read to its end before the next one is asked for. Closing it does nothing. */
    FragmentCursor read(TokenRange.Linear range) {
        return new Part(range);
    }

    @Override
    public void close() throws IOException {
        cursor.close();
    }

    private final class Part extends ForwardingCursor {
        private final TokenRange.Linear range;
        private FragmentKind kind;

        Part(TokenRange.Linear range) {
            super(OrderedReads.this.cursor);
            this.range = range;
        }

        @Override
        public FragmentKind advance() throws IOException {
            if (kind == null || kind == FragmentKind.PARTITION_END) {
                kind = startPartition();
            } else {
                kind = inner.advance();
            }
            return kind;
        }

        private FragmentKind startPartition() throws IOException {
            if (!ended && (!standing || inner.key().token() < range.first())) {
                inner.forwardTo(range.first());
                ended = inner.advance() == null;
                standing = !ended;
            }
            if (ended || inner.key().token() > range.last()) {
                return null;
            }
            standing = false;
            return FragmentKind.PARTITION_START;
        }

        @Override
        public FragmentKind kind() {
            return kind;
        }

        @Override
        public void close() {
            // The cursor goes on with the next range.
        }
    }
}
