package io.anneal.paging.querier;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.fragment.SourceCursor;
import io.anneal.key.Clustering;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageCursor;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;

/**
 * The pages of one replica, put together: a partition, or a range deletion, that a page ends within goes on in the next one. The first
 * page is as large as the one that is wanted of all replicas, each further one twice as large as the one before up to the usual limits:
 * what is read ahead is never more than what was consumed. It asks when it is out of items, and has the others ask that are so too. Owned by one
 * thread at a time.
 */
final class ReplicaCursor extends SourceCursor {
    private final String name;
    private final PageSource replica;
    private final List<ReplicaCursor> all;
    private final ReadAhead asking;

    /** What is asked for next; null when nothing is left. */
    private PageRequest next;
    /** Begun before it was wanted. */
    private Optional<ReadAhead.Task> begun = Optional.empty();

    private Page asked;
    /** The last page's, which differs from that of the merge in nothing that counts. */
    private TableSchema known;
    /** Null before the first page. */
    private PageCursor page;

    private long pageBytes;
    /** Whether the page stands at a partition's start that is not shown yet. */
    private boolean isHeld;
    /** What the page stands at while the change before it is shown; null as a rule. */
    private FragmentKind ahead;
    /** Of the range deletion that is open. */
    private long openTimestampMicros;

    private long openLocalDeletionTimeSeconds;

    /**
     * A cursor that has asked for nothing yet.
     *
     * @param all that are merged, with this one, once all are made
     */
    ReplicaCursor(
            String name,
            PageSource replica,
            TableSchema schema,
            PageRequest first,
            List<ReplicaCursor> all,
            ReadAhead asking) {
        super(schema);
        this.name = name;
        this.replica = replica;
        this.all = all;
        this.asking = asking;
        PageLimits limits = first.limits();
        next = request(
                first,
                first.after(),
                Math.min(limits.rows(), PageLimits.ROWS_DEFAULT),
                Math.min(limits.bytes(), PageLimits.BYTES_DEFAULT));
    }

    private static PageRequest request(PageRequest like, Optional<RingPosition> after, int rows, long bytes) {
        PageLimits limits = PageLimits.DEFAULT.withRows(rows).withBytes(bytes);
        return new PageRequest(like.queryId(), like.query(), after, limits, like.nowSeconds(), like.stateful());
    }

    @Override
    public FragmentKind advance() throws IOException {
        try {
            kind = kind == null || kind == FragmentKind.PARTITION_END ? start() : nextOfPartition();
            return kind;
        } catch (InterruptedIOException interrupted) {
            throw interrupted;
        } catch (IOException failed) {
            throw new ReplicaFailure(name, failed);
        }
    }

    private FragmentKind start() throws IOException {
        while (!isHeld) {
            if (page != null && page.advance() != null) {
                break;
            }
            if (next == null) {
                return null;
            }
            turnPage();
        }
        isHeld = false;
        key.wrap(page.key());
        partitionDeletion =
                new DeletionTime(page.partitionDeletionTimestampMicros(), page.partitionDeletionLocalTimeSeconds());
        return FragmentKind.PARTITION_START;
    }

    private FragmentKind nextOfPartition() throws IOException {
        while (true) {
            FragmentKind found = ahead == null ? read() : ahead;
            ahead = null;
            if (found != FragmentKind.RANGE_TOMBSTONE_CHANGE) {
                return found;
            }
            wrapChange();
            if (!isCutByPage()) {
                openTimestampMicros = change.timestampMicros();
                openLocalDeletionTimeSeconds = change.localDeletionTimeSeconds();
                return FragmentKind.RANGE_TOMBSTONE_CHANGE;
            }
        }
    }

    /** Whether the change is there for the page's end alone: the same deletion goes on in the next page. */
    private boolean isCutByPage() throws IOException {
        while (change.isLive() && isAtEndOfPage()) {
            ahead = read();
            if (ahead != FragmentKind.RANGE_TOMBSTONE_CHANGE || !isAtSamePlace(page.rangeTombstoneChange())) {
                return false;
            }
            // What the next page opens at the same place takes its stead.
            ahead = null;
            wrapChange();
            if (change.timestampMicros() == openTimestampMicros
                    && change.localDeletionTimeSeconds() == openLocalDeletionTimeSeconds) {
                return true;
            }
        }
        return false;
    }

    private void wrapChange() {
        RangeTombstoneChange read = page.rangeTombstoneChange();
        change.prefix().wrap(read.prefix());
        change.weight(read.weight());
        change.deletion(read.timestampMicros(), read.localDeletionTimeSeconds());
    }

    private boolean isAtSamePlace(RangeTombstoneChange other) {
        Clustering prefix = other.prefix();
        return other.weight() == change.weight() && prefix.compareBytes(change.prefix()) == 0;
    }

    /** The next of the partition, from the next page if it goes on there. */
    private FragmentKind read() throws IOException {
        FragmentKind found = page.advance();
        while (found == FragmentKind.PARTITION_END && isAtEndOfPage()) {
            turnPage();
            if (page.advance() == null) {
                continue;
            }
            isHeld = !page.key().sameAs(key);
            if (isHeld) {
                return FragmentKind.PARTITION_END;
            }
            // Its deletion and its static row were shown when it began.
            found = page.advance();
            found = found == FragmentKind.STATIC_ROW ? page.advance() : found;
        }
        return found;
    }

    /** Whether the page has nothing more, and ended within the partition. */
    private boolean isAtEndOfPage() {
        if (isHeld || next == null || page.hasMore()) {
            return false;
        }
        RingPosition last = next.after().orElseThrow();
        return last.position().region() != PositionInPartition.Region.END
                && last.key().orElseThrow().equals(key.toDecoratedKey());
    }

    private void turnPage() throws IOException {
        for (ReplicaCursor cursor : all) {
            if (cursor != this) {
                cursor.begin();
            }
        }
        Page turned = ask();
        PageLimits limits = next.limits();
        PageRequest last = next;
        next = turned.last()
                .map(place -> request(
                        last,
                        Optional.of(place),
                        Math.min(2 * limits.rows(), PageLimits.ROWS_DEFAULT),
                        Math.min(2 * limits.bytes(), PageLimits.BYTES_DEFAULT)))
                .orElse(null);
        page = PageCursor.of(turned, last.query().reversed());
        pageBytes = turned.lengthBytes();
    }

    /** Asks beside, if it will have to ask anyway. */
    private void begin() {
        if (next != null && begun.isEmpty() && (page == null || !page.hasMore())) {
            begun = asking.start(() -> asked = readPage());
        }
    }

    private Page ask() throws IOException {
        if (begun.isPresent()) {
            ReadAhead.Task task = begun.get();
            begun = Optional.empty();
            if (task.await()) {
                return asked;
            }
        }
        return readPage();
    }

    private Page readPage() throws IOException {
        Page read = replica.read(next);
        if (read.schema() != known) {
            Optional<String> difference = schema().differenceFrom(read.schema());
            if (difference.isPresent()) {
                throw new IOException("page is of another schema than the other replicas have, table="
                        + schema().qualifiedName() + ", difference=" + difference.get());
            }
            known = read.schema();
        }
        return read;
    }

    @Override
    public Row row() {
        return page.row();
    }

    @Override
    public void nextPartition() throws IOException {
        while (kind != null && kind != FragmentKind.PARTITION_END) {
            advance();
        }
    }

    @Override
    public void forwardTo(long token) throws IOException {
        if (kind != null && kind != FragmentKind.PARTITION_END) {
            if (key.token() >= token) {
                return;
            }
            nextPartition();
        }
        while (start() != null) {
            if (key.token() >= token) {
                isHeld = true;
                return;
            }
            kind = FragmentKind.PARTITION_START;
            nextPartition();
        }
    }

    @Override
    public long heldBytes() {
        return pageBytes;
    }

    /** What is being asked comes to nobody. */
    @Override
    public void close() {
        begun.ifPresent(ReadAhead.Task::takeBack);
        begun = Optional.empty();
    }
}
