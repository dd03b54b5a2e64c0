package io.anneal.paging.querier;

import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.store.ShardReads;
import io.anneal.table.ReadCursor;
import java.io.IOException;
import java.util.Optional;

/** A shard's part of a range after a place: what is left of the place's partition, then the partitions after it. */
final class RangeCursors implements CursorSource {
    private final ShardReads reads;
    private final int shard;
    private final TokenRange.Linear range;
    private final Optional<DecoratedKey> after;
    /** Of the partition in which it begins; empty when it begins between two, and once it is read. */
    private Optional<Slices> rest = Optional.empty();

    private final Optional<RingPosition> place;
    private boolean scans = true;

    RangeCursors(ShardReads reads, int shard, TokenRange.Linear range, Optional<RingPosition> place) {
        this.reads = reads;
        this.shard = shard;
        this.range = range;
        this.place = place;
        after = place.flatMap(RingPosition::key);
        if (place.isPresent() && reads.shards().shardOf(after.orElseThrow().token()) == shard) {
            rest = SlicesAfter.of(Slices.ALL, place.get().position(), false, ClusteringComparator.of(reads.schema()));
        }
    }

    @Override
    public Optional<PositionInPartition> rest() {
        return scans ? place.map(RingPosition::position) : Optional.empty();
    }

    @Override
    public ReadCursor next() throws IOException {
        if (rest.isPresent()) {
            Slices slices = rest.get();
            rest = Optional.empty();
            return reads.read(after.orElseThrow(), slices, false);
        }
        if (!scans) {
            return null;
        }
        scans = false;
        return reads.scan(shard, range, after);
    }
}
