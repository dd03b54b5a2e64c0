package io.anneal.migrate.bulk;

import java.io.IOException;

/** Entries of a range, one by one, in the order of their source. Holds no more than a page of them. One thread. */
public interface BulkCursor<E> extends AutoCloseable {
    /** The next entry, null at the end. After an exception only {@link #close()} is allowed. */
    E next() throws IOException;

    @Override
    void close() throws IOException;
}
