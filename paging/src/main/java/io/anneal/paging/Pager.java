package io.anneal.paging;

import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.Optional;

/** Reads a table page by page: from one replica or several. Holds nothing of a query but what replicas keep. Any thread. */
interface Pager {
    /**
     * A page, and where the next one goes on.
     *
     * @param next empty after the last page
     */
    record Step(Page page, Optional<PagingState> next) {}

    TableSchema schema();

    /**
     * Reads the page that a state asks for; waits for it.
     *
     * @param rowsWanted of this page and those that will be asked for right after it: what may be read ahead
     * @param nowSeconds what counts as expired, seconds since 1970
     * @param stateful whether queriers are kept for the next page, and looked for
     * @throws io.anneal.net.PeerException when replicas on other nodes are gone or refuse
     * @throws java.io.InterruptedIOException when the thread is interrupted
     * @throws IllegalStateException when the paging is closed that it is of
     */
    Step read(ReadQuery query, PagingState state, PageLimits limits, long rowsWanted, long nowSeconds, boolean stateful)
            throws IOException;

    /** Lets go of what is kept for a query that nobody goes on with. */
    void forget(PagingState state);
}
