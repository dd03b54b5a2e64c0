package io.anneal.paging;

import io.anneal.fragment.EncodedItem;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.node.DistinctReplicas;
import io.anneal.node.ReplicaException;
import io.anneal.node.Ring;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.querier.ReadAhead;
import io.anneal.paging.querier.ReadTimeoutException;
import io.anneal.paging.querier.ReplicaFailure;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pages of a table whose ranges several replicas own: each range is read from one of its owners, or merged from as many of them as the
 * consistency asks for; from those that served the page before if it can be, and from others at the same place when one fails. What
 * the owners that are read lack is not seen: a repair gives them that.
 *
 * <p>Parts of the ring that follow one another and are read from the same owners are a run, which is read as one. A page that takes
 * many runs asks for several at once, each time for twice as many, and the next page begins with as many as this one took. Those that are
 * asked beside the first are asked for no more together than the page takes; what it does not take is thrown away.
 *
 * <pre>
 *   runs     | 0 | 1   2 | 3   4   5   6 | ...     asked at once: 1, 2, 4
 *   page 0   |------------------|                  took 5, so that page 1 begins with 5 at once
 * </pre>
 */
final class RingPager implements Pager {
    private static final Logger LOG = LoggerFactory.getLogger(RingPager.class);
    /** Runs that are asked for at once. */
    private static final int CONCURRENCY_MAX = 16;

    private final Ring ring;
    private final Map<String, PageSource> replicas;
    private final Consistency consistency;
    private final Queriers queriers;
    private final TableSchema schema;
    /** Of several replicas, by their names. */
    private final Map<List<String>, PageSource> merged = new ConcurrentHashMap<>();

    /** A part of a query, and who owns it. */
    private record Piece(ReadQuery query, List<String> owners) {}

    /**
     * Pieces that follow one another in the query's order and are read from the same replicas.
     *
     * @param end index of the piece behind it
     */
    private record Run(int end, List<String> replicas, ReadQuery query) {}

    /** A run that is asked for beside those before it. One thread, but for the asking. */
    private static final class Ahead {
        private final Run run;
        private final Optional<ReadAhead.Task> task;
        private Page page;

        Ahead(Run run, PageSource source, PageRequest request, ReadAhead asking) {
            this.run = run;
            task = asking.start(() -> page = source.read(request));
        }

        /** Empty when no thread has begun it. */
        Optional<Page> page() throws IOException {
            return task.isPresent() && task.get().await() ? Optional.of(page) : Optional.empty();
        }

        void drop() {
            task.ifPresent(ReadAhead.Task::takeBack);
        }
    }

    /**
     * Pages of a ring.
     *
     * @param replicas by the names that the ring has for them
     * @param queriers keep what is merged between two pages; no replica reads by them
     */
    RingPager(Ring ring, Map<String, PageSource> replicas, Consistency consistency, Queriers queriers) {
        this.ring = ring;
        this.replicas = Map.copyOf(replicas);
        this.consistency = consistency;
        this.queriers = queriers;
        if (replicas.isEmpty()) {
            throw new IllegalArgumentException("a table is read from one replica at least");
        }
        requireDistinct(replicas.values());
        schema = replicas.values().iterator().next().schema();
        for (PageSource replica : replicas.values()) {
            Optional<String> difference = schema.differenceFrom(replica.schema());
            if (difference.isPresent()) {
                throw new IllegalArgumentException("replicas have different schemas, replica=" + replica.name()
                        + ", difference=" + difference.get());
            }
        }
    }

    /** One that is read as two would be a quorum of itself. */
    private static void requireDistinct(Collection<PageSource> replicas) {
        DistinctReplicas distinct = new DistinctReplicas();
        try {
            for (PageSource replica : replicas) {
                if (replica instanceof RemotePages remote) {
                    distinct.add(remote.replica(), remote.name());
                }
            }
        } catch (ReplicaException twice) {
            throw new IllegalArgumentException(twice.getMessage(), twice);
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
        queriers.requireOpen(schema.qualifiedName());
        Reading reading = new Reading(pieces(query), state, limits, nowSeconds, stateful);
        try {
            return reading.read();
        } finally {
            reading.dropAheads();
        }
    }

    @Override
    public void forget(PagingState state) {
        merged.values().forEach(together -> together.forget(state.queryId()));
        replicas.values().forEach(replica -> replica.forget(state.queryId()));
    }

    private PageSource source(List<String> names) {
        return names.size() == 1 ? replicas.get(names.get(0)) : merged.computeIfAbsent(names, this::merge);
    }

    private PageSource merge(List<String> names) {
        Map<String, PageSource> sources = new LinkedHashMap<>();
        names.forEach(name -> sources.put(name, replicas.get(name)));
        return queriers.merged(String.join(" ", names), schema, sources);
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
                    parts.add(new Owned(
                            new TokenRange.Linear(
                                    Math.max(range.first(), linear.first()), Math.min(range.last(), linear.last())),
                            part.owners()));
                }
            }
        }
        parts.sort((left, right) -> Long.compare(left.range.first(), right.range.first()));
        return parts;
    }

    /** One page that is put together. */
    private final class Reading {
        private final List<Piece> pieces;
        private final PagingState state;
        private final PageLimits limits;
        private final long nowSeconds;
        private final boolean stateful;
        private final Map<String, IOException> failures = new LinkedHashMap<>();
        private final Deque<Ahead> aheads = new ArrayDeque<>();
        private final List<ByteBuffer> items = new ArrayList<>();
        private int rowCount;
        private int tombstoneCount;
        private long lengthBytes;
        private int runCount;
        private int concurrency;
        private List<String> served;

        Reading(List<Piece> pieces, PagingState state, PageLimits limits, long nowSeconds, boolean stateful) {
            this.pieces = pieces;
            this.state = state;
            this.limits = limits;
            this.nowSeconds = nowSeconds;
            this.stateful = stateful;
            concurrency = Math.min(state.concurrency(), CONCURRENCY_MAX);
            served = state.served();
        }

        Step read() throws IOException {
            int first = state.after().map(this::indexOf).orElse(0);
            Optional<RingPosition> after = state.after()
                    .filter(place ->
                            first < pieces.size() && contains(pieces.get(first).query(), place));
            int i = first;
            while (i < pieces.size()) {
                Optional<Ahead> ahead = Optional.ofNullable(aheads.poll());
                Run run = ahead.isPresent() ? ahead.get().run : runFrom(i);
                if (ahead.isEmpty()) {
                    askBeside(run.end());
                }
                Optional<RingPosition> last = after;
                try {
                    Page page = ahead.isPresent() ? take(ahead.get()) : ask(run, after);
                    while (goesOn(page)) {
                        last = page.last();
                        page = ask(run, last);
                    }
                    runCount++;
                    if (page.last().isPresent()) {
                        return stopped(page.stopReason(), page.last().get());
                    }
                } catch (IOException failed) {
                    failed(run, failed);
                    dropAheads();
                    after = last;
                    i = last.map(this::indexOf).orElse(i);
                    continue;
                }
                Optional<StopReason> full = full();
                if (full.isPresent() && run.end() < pieces.size() && !items.isEmpty()) {
                    return stopped(full.get(), endOf(run.query()));
                }
                after = Optional.empty();
                i = run.end();
            }
            return new Step(Page.exhausted(schema, items, rowCount, tombstoneCount, nowSeconds), Optional.empty());
        }

        /** Whether a run is not at its end, and ended only for the share of the page that it was asked for. */
        private boolean goesOn(Page page) {
            boolean isOfShare = page.stopReason() == StopReason.ROW_LIMIT || page.stopReason() == StopReason.BYTE_LIMIT;
            return isOfShare && full().isEmpty();
        }

        /** Asks for the runs from a piece on that the page may want, too. */
        private void askBeside(int piece) {
            int count = Math.min(concurrency - 1, limits.rows() - rowCount);
            concurrency = Math.min(2 * concurrency, CONCURRENCY_MAX);
            if (count == 0) {
                return;
            }
            PageLimits whole = rest();
            PageLimits share =
                    whole.withRows(Math.max(1, whole.rows() / count)).withBytes(Math.max(1, whole.bytes() / count));
            int next = piece;
            while (next < pieces.size() && aheads.size() < count) {
                Optional<List<String>> chosen = choose(pieces.get(next));
                if (chosen.isEmpty()) {
                    return;
                }
                Run run = run(next, chosen.get());
                // Nothing is kept of it: a query has one reader of a replica's shard that waits for its next page.
                PageRequest request = request(run, Optional.empty(), share, false);
                aheads.add(new Ahead(run, source(run.replicas()), request, queriers.asking()));
                next = run.end();
            }
        }

        void dropAheads() {
            aheads.forEach(Ahead::drop);
            aheads.clear();
        }

        /** What was read ahead, or the run anew if that is more than the page has room for: the next page goes on in it then. */
        private Page take(Ahead ahead) throws IOException {
            Optional<Page> page = Optional.empty();
            try {
                page = ahead.page().filter(this::hasRoomFor);
            } catch (ReadTimeoutException busy) {
                LOG.debug("part of a ring was not read ahead", busy);
            }
            return page.isPresent() ? added(ahead.run, page.get()) : ask(ahead.run, Optional.empty());
        }

        private boolean hasRoomFor(Page page) {
            return rowCount + page.rowCount() <= limits.rows() && lengthBytes + page.lengthBytes() <= limits.bytes();
        }

        private Page ask(Run run, Optional<RingPosition> after) throws IOException {
            return added(run, source(run.replicas()).read(request(run, after, rest(), stateful)));
        }

        private Page added(Run run, Page page) {
            served = run.replicas();
            add(page);
            return page;
        }

        private PageRequest request(Run run, Optional<RingPosition> after, PageLimits room, boolean keeps) {
            return new PageRequest(state.queryId(), run.query(), after, room, nowSeconds, keeps);
        }

        private PageLimits rest() {
            return limits.withRows(limits.rows() - rowCount)
                    .withBytes(Math.max(1, limits.bytes() - lengthBytes))
                    .withTombstones(Math.max(1, limits.tombstones() - tombstoneCount));
        }

        private Run runFrom(int piece) throws IOException {
            List<String> chosen = choose(pieces.get(piece)).orElse(List.of());
            if (chosen.isEmpty()) {
                throw tooFew(pieces.get(piece));
            }
            return run(piece, chosen);
        }

        /** From a piece on, as far as the same replicas can be read. */
        private Run run(int first, List<String> chosen) {
            int end = first + 1;
            while (end < pieces.size()
                    && pieces.get(end).owners().containsAll(chosen)
                    && consistency.of(pieces.get(end).owners().size()) == chosen.size()
                    && ascends(pieces.get(end - 1).query(), pieces.get(end).query())) {
                end++;
            }
            return new Run(end, chosen, joined(pieces.subList(first, end)));
        }

        /** As many owners as are to be read that have not failed, those first that served last; empty when there are too few. */
        private Optional<List<String>> choose(Piece piece) {
            List<String> left = piece.owners().stream()
                    .filter(owner -> replicas.containsKey(owner) && !failures.containsKey(owner))
                    .toList();
            Predicate<String> hasServed = served::contains;
            List<String> chosen = Stream.concat(
                            left.stream().filter(hasServed), left.stream().filter(hasServed.negate()))
                    .limit(consistency.of(piece.owners().size()))
                    .sorted()
                    .toList();
            return chosen.size() == consistency.of(piece.owners().size()) ? Optional.of(chosen) : Optional.empty();
        }

        private ReplicasUnavailableException tooFew(Piece piece) {
            List<String> absent = piece.owners().stream()
                    .filter(owner -> !replicas.containsKey(owner))
                    .toList();
            Map<String, String> reasons = new LinkedHashMap<>();
            piece.owners().stream()
                    .filter(failures::containsKey)
                    .forEach(owner -> reasons.put(owner, failures.get(owner).getMessage()));
            return new ReplicasUnavailableException(
                    "too few owners of a part of the ring can be read, consistency=" + consistency + ", needed="
                            + consistency.of(piece.owners().size()) + ", owners=" + piece.owners() + ", notGiven="
                            + absent + ", failed=" + reasons + ", part="
                            + piece.query().ranges() + piece.query().keys(),
                    List.copyOf(failures.values()));
        }

        /** Others are asked, unless it is no replica that failed. */
        private void failed(Run run, IOException failure) throws IOException {
            boolean isMerged = failure instanceof ReplicaFailure;
            if (failure instanceof InterruptedIOException
                    || !isMerged && run.replicas().size() > 1) {
                throw failure;
            }
            String replica = isMerged
                    ? ((ReplicaFailure) failure).replica()
                    : run.replicas().get(0);
            IOException reason = isMerged ? ((ReplicaFailure) failure).reason() : failure;
            LOG.warn(
                    "replica did not give a page, others are asked, replica={}, reason={}", replica, reason.toString());
            failures.put(replica, reason);
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

        /** The piece in which what lies behind a place begins. */
        private int indexOf(RingPosition place) {
            int behind = 0;
            for (int i = 0; i < pieces.size(); i++) {
                ReadQuery query = pieces.get(i).query();
                boolean isBehindPlace = contains(query, place);
                if (containsToken(query, place.lastToken())) {
                    if (isBehindPlace || place.isBetweenTokens()) {
                        return isBehindPlace ? i : i + 1;
                    }
                    behind = i + 1;
                } else if (isBehindPlace) {
                    // The end of another part of the ring, unless a piece ends there that comes later in the query.
                    behind = i;
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

        private static boolean ascends(ReadQuery left, ReadQuery right) {
            return !left.keys().isEmpty()
                    || left.ranges().get(0).last() < right.ranges().get(0).first();
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
                            Math.min(Math.max(1, runCount), CONCURRENCY_MAX))));
        }
    }
}
