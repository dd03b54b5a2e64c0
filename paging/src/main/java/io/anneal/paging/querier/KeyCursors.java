package io.anneal.paging.querier;

import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.Slices;
import io.anneal.paging.query.ReadQuery;
import io.anneal.store.ShardReads;
import io.anneal.table.ReadCursor;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Partitions by key, one after the other, after a place. */
final class KeyCursors implements CursorSource {
    private static final int NONE = -1;

    private final ShardReads reads;
    private final ReadQuery query;
    private final List<DecoratedKey> keys;
    private int next;
    private int restIndex = NONE;
    private final Optional<RingPosition> place;
    /** Of the next partition. */
    private Slices slices;

    KeyCursors(ShardReads reads, ReadQuery query, Optional<RingPosition> place) {
        this.reads = reads;
        this.query = query;
        this.place = place;
        keys = query.keys();
        slices = query.slices();
        if (place.isPresent()) {
            seek(place.get());
        }
    }

    private void seek(RingPosition place) {
        if (place.isEnd()) {
            next = keys.size();
            return;
        }
        DecoratedKey last = place.key().orElseThrow();
        while (next < keys.size() && keys.get(next).compareTo(last) < 0) {
            next++;
        }
        if (next < keys.size() && keys.get(next).equals(last)) {
            Optional<Slices> rest =
                    SlicesAfter.of(slices, place.position(), query.reversed(), ClusteringComparator.of(reads.schema()));
            next += rest.isPresent() ? 0 : 1;
            restIndex = rest.isPresent() ? next : NONE;
            slices = rest.orElse(slices);
        }
    }

    @Override
    public Optional<PositionInPartition> rest() {
        return next == restIndex + 1 ? place.map(RingPosition::position) : Optional.empty();
    }

    @Override
    public ReadCursor next() throws IOException {
        if (next == keys.size()) {
            return null;
        }
        Slices wanted = slices;
        slices = query.slices();
        return reads.read(keys.get(next++), wanted, query.reversed());
    }
}
