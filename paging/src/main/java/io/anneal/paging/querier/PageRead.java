package io.anneal.paging.querier;

import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** One page that is being read: takes up the queriers of the page before, and leaves those for the next. One thread. */
final class PageRead {
    private final QuerierPages pages;
    private final Cursors cursors;
    private final Queriers queriers;
    private final PageRequest request;
    private final ReadSemaphore.Permit permit;
    private final PageItems page;

    PageRead(QuerierPages pages, Cursors cursors, Queriers queriers, PageRequest request, ReadSemaphore.Permit permit) {
        this.pages = pages;
        this.cursors = cursors;
        this.queriers = queriers;
        this.request = request;
        this.permit = permit;
        page = new PageItems(cursors.schema(), request.limits(), request.nowSeconds());
    }

    Page read() throws IOException {
        List<Stretch> stretches = Stretch.of(request);
        Iterator<Stretch> parts = request.stateful() ? stretches.iterator() : new Rounds(stretches, cursors.shards());
        boolean goesOn = request.stateful() && request.after().isPresent();
        while (parts.hasNext()) {
            Optional<Page> stopped = read(parts.next(), goesOn, !parts.hasNext());
            if (stopped.isPresent()) {
                return stopped.get();
            }
            goesOn = false;
        }
        return page.exhausted();
    }

    private Optional<Page> read(Stretch part, boolean goesOn, boolean isLast) throws IOException {
        MultishardReader reader =
                new MultishardReader(cursors, request, part, page.schema(), this::holds, queriers.readAhead());
        Optional<Page> stopped = Optional.empty();
        try {
            if (goesOn) {
                resume(part, reader);
            }
            if (!request.stateful() && !part.ranges().isEmpty()) {
                reader.readAhead(page);
            }
            reader.read(page);
            boolean isEnd = isLast && reader.isExhausted();
            stopped = reader.place().filter(place -> !isEnd).map(page::stopped);
            return stopped;
        } finally {
            release(part, reader, stopped);
        }
    }

    private void holds(long bytes) {
        permit.holds(bytes);
        queriers.makeRoom();
    }

    private void resume(Stretch part, MultishardReader reader) {
        for (int shard = 0; shard < reader.shardCount(); shard++) {
            Optional<ShardReader> kept = queriers.take(key(shard), part, page.schema(), request.nowSeconds());
            if (kept.isPresent()) {
                reader.resume(shard, kept.get());
            }
        }
    }

    private void release(Stretch part, MultishardReader reader, Optional<Page> stopped) {
        for (int shard = 0; shard < reader.shardCount(); shard++) {
            Optional<ShardReader> released = reader.release(shard);
            if (released.isEmpty()) {
                continue;
            }
            boolean isWhole = queriers.finish(released.get(), pages.name());
            if (isWhole && stopped.isPresent() && request.stateful()) {
                queriers.keep(
                        key(shard), released.get(), part, stopped.get().last().orElseThrow());
            } else {
                queriers.stop(released.get(), pages.name());
            }
        }
        queriers.makeRoom();
    }

    private Querier.Key key(int shard) {
        return new Querier.Key(pages, request.queryId(), shard);
    }
}
