package io.anneal.paging;

import io.anneal.fragment.EncodedItem;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.node.ReplicaException;
import io.anneal.node.Ring;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.paging.query.ReadQuery;
import io.anneal.paging.query.StopReason;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pages of a table whose ranges several replicas own: each range is read from one of its owners, the one that served the page before if
 * it is one, and from another when that one fails, at the same place. What an owner lacks is not seen: a repair gives it that.
 */
final class RingPager implements Pager {
    private static final Logger LOG = LoggerFactory.getLogger(RingPager.class);

    private final Ring ring;
    private final Map<String, PageSource> replicas;
    private final TableSchema schema;

    /** Parts of a query that follow one another in its order, of which one replica owns each. */
    private record Piece(ReadQuery query, List<String> owners) {}

    /** @param replicas by the names that the ring has for them */
    RingPager(Ring ring, Map<String, PageSource> replicas) {
        this.ring = ring;
        this.replicas = Map.copyOf(replicas);
        if (replicas.isEmpty()) {
            throw new IllegalArgumentException("a table is read from one replica at least");
        }
        schema = replicas.values().iterator().next().schema();
        for (PageSource replica : replicas.values()) {
            Optional<String> difference = schema.differenceFrom(replica.schema());
            if (difference.isPresent()) {
                throw new IllegalArgumentException("replicas have different schemas, replica=" + replica.name()
                        + ", difference=" + difference.get());
            }
        }
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public Step read(
            ReadQuery query, PagingState state, PageLimits limits, long rowsWanted, long nowSeconds, boolean stateful)
            throws IOException {
        Reading reading = new Reading(state, limits, nowSeconds, stateful);
        return reading.read(pieces(query));
    }

    @Override
    public void forget(PagingState state) {
        replicas.values().forEach(replica -> replica.forget(state.queryId()));
    }

    private List<Piece> pieces(ReadQuery query) {
        List<Piece> pieces = new ArrayList<>();
        for (TokenRange.Linear range : query.ranges()) {
            for (Owned part : owned(range)) {
                pieces.add(new Piece(
                        new ReadQuery(
                                List.of(part.range),
                                List.of(),
                                query.slices(),
                                query.reversed(),
                                query.filter(),
                                query.withDeletions()),
                        part.owners));
            }
        }
        for (DecoratedKey key : query.keys()) {
            List<String> owners =
                    owned(new TokenRange.Linear(key.token(), key.token())).get(0).owners;
            pieces.add(new Piece(
                    new ReadQuery(
                            List.of(),
                            List.of(key),
                            query.slices(),
                            query.reversed(),
                            query.filter(),
                            query.withDeletions()),
                    owners));
        }
        return pieces;
    }

    private record Owned(TokenRange.Linear range, List<String> owners) {}

    /** A range in parts by their owners, ascending. */
    private List<Owned> owned(TokenRange.Linear range) {
        List<Owned> parts = new ArrayList<>();
        for (Ring.Part part : ring.parts()) {
            for (TokenRange.Linear linear : part.range().unwrap()) {
                if (linear.overlaps(range)) {
                    List<String> owners =
                            part.owners().stream().filter(replicas::containsKey).toList();
                    parts.add(new Owned(
                            new TokenRange.Linear(
                                    Math.max(range.first(), linear.first()), Math.min(range.last(), linear.last())),
                            owners));
                }
            }
        }
        parts.sort((left, right) -> Long.compare(left.range.first(), right.range.first()));
        return parts;
    }

    /** One page that is put together. */
    private final class Reading {
        private final PagingState state;
        private final PageLimits limits;
        private final long nowSeconds;
        private final boolean stateful;
        private final Set<String> failed = new HashSet<>();
        private IOException failure;
        private final List<ByteBuffer> items = new ArrayList<>();
        private int rowCount;
        private int tombstoneCount;
        private long lengthBytes;
        private List<String> served;

        Reading(PagingState state, PageLimits limits, long nowSeconds, boolean stateful) {
            this.state = state;
            this.limits = limits;
            this.nowSeconds = nowSeconds;
            this.stateful = stateful;
            served = state.served();
        }

        Step read(List<Piece> pieces) throws IOException {
            int next = state.after().map(after -> indexOf(pieces, after)).orElse(0);
            Optional<RingPosition> after = state.after()
                    .filter(place ->
                            next < pieces.size() && contains(pieces.get(next).query(), place));
            int i = next;
            while (i < pieces.size()) {
                String replica = choose(pieces.get(i));
                int end = endOfRun(pieces, i, replica);
                ReadQuery query = joined(pieces.subList(i, end));
                Optional<Page> read = readFrom(replica, query, after);
                if (read.isEmpty()) {
                    continue;
                }
                add(read.get());
                if (read.get().last().isPresent()) {
                    return stopped(read.get().stopReason(), read.get().last().get());
                }
                Optional<StopReason> full = full();
                if (full.isPresent() && end < pieces.size() && !items.isEmpty()) {
                    return stopped(full.get(), endOf(query));
                }
                after = Optional.empty();
                i = end;
            }
            return new Step(Page.exhausted(schema, items, rowCount, tombstoneCount, nowSeconds), Optional.empty());
        }

        /** Behind all of a run, of which the page has items if another one follows. */
        private RingPosition endOf(ReadQuery query) throws IOException {
            if (!query.keys().isEmpty()) {
                return RingPosition.of(query.keys().get(query.keys().size() - 1), PositionInPartition.END);
            }
            RingPosition end = RingPosition.behind(
                    query.ranges().get(query.ranges().size() - 1).last());
            // What has the least token comes last on the ring: no place between two tokens lies before it.
            return end.isEnd() ? RingPosition.of(lastKey(), PositionInPartition.END) : end;
        }

        private DecoratedKey lastKey() throws IOException {
            ByteBuffer last = items.get(items.size() - 1);
            EncodedItem item = new EncodedItem(schema);
            int end = last.arrayOffset() + last.limit();
            for (int at = last.arrayOffset() + last.position(); at < end; at = item.endOffset()) {
                item.wrap(last.array(), at, end);
            }
            return item.key().toDecoratedKey();
        }

        /** The piece in which a place lies, or that comes behind it. */
        private int indexOf(List<Piece> pieces, RingPosition place) {
            int behind = 0;
            for (int i = 0; i < pieces.size(); i++) {
                if (contains(pieces.get(i).query(), place)) {
                    return i;
                }
                if (containsToken(pieces.get(i).query(), place.lastToken())) {
                    behind = i + 1;
                }
            }
            return behind;
        }

        private static boolean contains(ReadQuery query, RingPosition place) {
            DecoratedKey key = place.key().orElseThrow();
            return query.keys().isEmpty()
                    ? containsToken(query, key.token())
                    : query.keys().contains(key);
        }

        private static boolean containsToken(ReadQuery query, long token) {
            return query.ranges().stream().anyMatch(range -> range.contains(token))
                    || query.keys().stream().anyMatch(key -> key.token() == token);
        }

        /** Behind the last piece in a row that the replica owns, too; ranges of a run ascend. */
        private int endOfRun(List<Piece> pieces, int first, String replica) {
            int end = first + 1;
            while (end < pieces.size()
                    && pieces.get(end).owners().contains(replica)
                    && ascends(pieces.get(end - 1).query(), pieces.get(end).query())) {
                end++;
            }
            return end;
        }

        private static boolean ascends(ReadQuery left, ReadQuery right) {
            return !left.keys().isEmpty()
                    || left.ranges().get(0).last() < right.ranges().get(0).first();
        }

        /** An owner that has not failed, if it can be the one that served last. */
        private String choose(Piece piece) throws IOException {
            List<String> left = piece.owners().stream()
                    .filter(owner -> !failed.contains(owner))
                    .toList();
            if (left.isEmpty() && failure != null) {
                throw failure;
            }
            if (left.isEmpty()) {
                throw new ReplicaException("no replica that is read from owns a part of what was asked for, part="
                        + piece.query() + ", replicas=" + replicas.keySet());
            }
            return left.stream().filter(served::contains).findFirst().orElse(left.get(0));
        }

        private static ReadQuery joined(List<Piece> run) {
            ReadQuery first = run.get(0).query();
            return new ReadQuery(
                    run.stream()
                            .flatMap(piece -> piece.query().ranges().stream())
                            .toList(),
                    run.stream().flatMap(piece -> piece.query().keys().stream()).toList(),
                    first.slices(),
                    first.reversed(),
                    first.filter(),
                    first.withDeletions());
        }

        /** Empty when the replica failed: another one is to be asked. */
        private Optional<Page> readFrom(String replica, ReadQuery query, Optional<RingPosition> after)
                throws IOException {
            PageLimits rest = limits.withRows(limits.rows() - rowCount)
                    .withBytes(Math.max(1, limits.bytes() - lengthBytes))
                    .withTombstones(Math.max(1, limits.tombstones() - tombstoneCount));
            try {
                Page page = replicas.get(replica)
                        .read(new PageRequest(state.queryId(), query, after, rest, nowSeconds, stateful));
                served = List.of(replica);
                return Optional.of(page);
            } catch (InterruptedIOException interrupted) {
                throw interrupted;
            } catch (IOException failedThere) {
                LOG.warn(
                        "replica did not give a page, others are asked, replica={}, reason={}",
                        replica,
                        failedThere.toString());
                failed.add(replica);
                failure = failedThere;
                return Optional.empty();
            }
        }

        private void add(Page page) {
            items.addAll(page.items());
            rowCount += page.rowCount();
            tombstoneCount += page.tombstoneCount();
            lengthBytes += page.lengthBytes();
        }

        private Optional<StopReason> full() {
            if (rowCount >= limits.rows()) {
                return Optional.of(StopReason.ROW_LIMIT);
            }
            if (lengthBytes >= limits.bytes()) {
                return Optional.of(StopReason.BYTE_LIMIT);
            }
            return tombstoneCount >= limits.tombstones() ? Optional.of(StopReason.TOMBSTONE_LIMIT) : Optional.empty();
        }

        private Step stopped(StopReason reason, RingPosition last) {
            Page page = Page.stopped(schema, reason, last, items, rowCount, tombstoneCount, nowSeconds);
            return new Step(
                    page,
                    Optional.of(new PagingState(
                            state.queryId(),
                            Optional.of(last),
                            state.rowCount() + rowCount,
                            served,
                            state.concurrency())));
        }
    }
}
