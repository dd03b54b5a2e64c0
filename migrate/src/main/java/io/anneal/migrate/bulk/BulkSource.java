package io.anneal.migrate.bulk;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What can be read as a whole, range by range. Any thread may call; several ranges are read at once. Expired and deleted data
 * does not come. What can't be read is an {@link IOException} or a driver's own exception; the range is then read again from its
 * begin.
 *
 * @param <E> what comes; two sources with the same kind of entries can be compared
 */
public interface BulkSource<E extends BulkEntry> extends AutoCloseable {
    /** Names the data and where it lies, in one line: a run goes on only where its checkpoint names the same. */
    String identity();

    /** What entries are made of, as the columns of a table with their types; a run refuses two sides where it is not the same. */
    String shape();

    /** Ranges that do not overlap, ascending, that together hold everything; about so many. */
    List<BulkRange> ranges(int count) throws IOException;

    BulkCursor<E> open(BulkRange range) throws IOException;

    /** The order in which entries come, by position first; what is equal by it is the same entry, on both sides. */
    Comparator<? super E> order();

    /** The same entry as it is now, empty if it is gone. */
    Optional<E> reread(E like) throws IOException;

    @Override
    void close() throws IOException;
}
