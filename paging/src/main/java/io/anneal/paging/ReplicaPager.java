package io.anneal.paging;

import io.anneal.paging.querier.Queriers;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Pages of one replica that has all of the table. */
final class ReplicaPager implements Pager {
    private final PageSource source;
    private final Queriers queriers;

    /** @param queriers nothing is read once they are closed */
    ReplicaPager(PageSource source, Queriers queriers) {
        this.source = source;
        this.queriers = queriers;
    }

    @Override
    public TableSchema schema() {
        return source.schema();
    }

    @Override
    public Step read(
            ReadQuery query, PagingState state, PageLimits limits, long rowsWanted, long nowSeconds, boolean stateful)
            throws IOException {
        queriers.requireOpen(schema().qualifiedName());
        Page page = source.read(
                new PageRequest(state.queryId(), query, state.after(), limits, rowsWanted, nowSeconds, stateful));
        Optional<PagingState> next = page.last()
                .map(place -> new PagingState(
                        state.queryId(),
                        Optional.of(place),
                        state.rowCount() + page.rowCount(),
                        List.of(),
                        state.concurrency()));
        return new Step(page, next);
    }

    @Override
    public void forget(PagingState state) {
        source.forget(state.queryId());
    }
}
