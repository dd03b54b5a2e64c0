package io.anneal.paging.query;

import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.UUID;

/** A replica of a table as pages are read from it: in this process or on another node. Any thread. */
public interface PageSource {
    /** For reports. */
    String name();

    TableSchema schema();

    /**
     * Reads the next page; waits for it.
     *
     * @throws io.anneal.net.PeerException when the replica is on another node, which is gone or refuses
     * @throws java.io.InterruptedIOException when the thread is interrupted
     */
    Page read(PageRequest request) throws IOException;

    /** Lets go of what is kept for a query that nobody goes on with. */
    void forget(UUID queryId);
}
