package io.anneal.paging;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.ItemKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.paging.message.PageEnd;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Takes a page of a peer apart, which may lie: each item is whole, is of what was asked for, stands behind the one before, and there are
 * no more than were asked for. What the rows say is the peer's. One thread.
 */
final class PageCheck {
    /** What a page may be longer than its limit: the row that fills it is not cut, nor are those that a peer sends with it. */
    private static final long BYTES_SPARE = 1 << 20;

    private final PageRequest request;
    private final ReadQuery query;
    private final TableSchema schema;
    private final ClusteringComparator comparator;
    private final EncodedItem item;
    private final Row row = new Row();
    private final RangeDeletion deletion = new RangeDeletion();
    private final List<ByteBuffer> items = new ArrayList<>();
    private long lengthBytes;
    private int rowCount;

    private final KeyView view = new KeyView();
    private DecoratedKey key;
    /** Which range, or key, of the query it lies in. */
    private int keyIndex;

    private boolean hasRow;
    private boolean hasDeletion;
    private boolean hasStatic;
    private boolean hasPlace;
    /** Whether the page goes on within this partition, and no row has shown yet that it is behind that place. */
    private boolean mayBeBefore;

    private Clustering place = new Clustering();
    private Clustering lastPlace = new Clustering();
    private int lastWeight;
    /** Where the last range deletion ends, in the direction of reading. */
    private Optional<PositionInPartition> deletedTo = Optional.empty();

    PageCheck(PageRequest request, TableSchema schema) {
        this.request = request;
        this.schema = schema;
        query = request.query();
        comparator = ClusteringComparator.of(schema);
        item = new EncodedItem(schema);
    }

    /**
     * Takes items from an offset on, which nobody changes from here on.
     *
     * @throws IllegalArgumentException when they are no answer to the question
     */
    void add(byte[] bytes, int offset) throws CorruptItemException {
        if (lengthBytes - BYTES_SPARE > request.limits().bytes()) {
            throw new IllegalArgumentException("page is longer than it may be, lengthBytes=" + lengthBytes
                    + ", limitBytes=" + request.limits().bytes());
        }
        for (int at = offset; at < bytes.length; at = item.endOffset()) {
            item.wrap(bytes, at, bytes.length);
            if (key == null || !item.isOf(view)) {
                endPartition();
                begin(item.key().toDecoratedKey());
            }
            take();
        }
        lengthBytes += bytes.length - offset;
        if (offset < bytes.length) {
            items.add(ByteBuffer.wrap(bytes, offset, bytes.length - offset));
        }
    }

    /** Whether nothing of the page has come. */
    boolean isEmpty() {
        return lengthBytes == 0;
    }

    private void begin(DecoratedKey next) {
        int index = indexOf(next);
        if (key != null && (index < keyIndex || index == keyIndex && next.compareTo(key) <= 0)) {
            throw outOfPlace("partition does not come behind the one before, key=" + next + ", before=" + key);
        }
        if (request.after().isPresent()
                && compare(next, request.after().get().key().orElseThrow()) < 0) {
            throw outOfPlace("partition lies before the place where the page begins, key=" + next + ", place="
                    + request.after().get());
        }
        key = next;
        keyIndex = index;
        view.wrap(next);
        mayBeBefore = request.after().isPresent()
                && request.after().get().key().orElseThrow().equals(next);
        hasRow = false;
        hasDeletion = false;
        deletedTo = Optional.empty();
        hasStatic = false;
        hasPlace = false;
    }

    /** By the order in which a query reads; refuses what it does not read. */
    private int compare(DecoratedKey left, DecoratedKey right) {
        int byRange = Integer.compare(indexOf(left), indexOf(right));
        return byRange != 0 ? byRange : left.compareTo(right);
    }

    private int indexOf(DecoratedKey wanted) {
        if (query.ranges().isEmpty()) {
            int index = Collections.binarySearch(query.keys(), wanted);
            if (index < 0) {
                throw outOfPlace("partition was not asked for, key=" + wanted);
            }
            return index;
        }
        for (int i = 0; i < query.ranges().size(); i++) {
            TokenRange.Linear range = query.ranges().get(i);
            if (range.contains(wanted.token())) {
                return i;
            }
        }
        throw outOfPlace("partition lies in none of the ranges, key=" + wanted);
    }

    private void take() throws CorruptItemException {
        ItemKind kind = item.kind();
        if (!query.withDeletions() && (kind == ItemKind.PARTITION_DELETION || kind == ItemKind.RANGE_DELETION)) {
            throw outOfPlace("deletions were not asked for, key=" + key);
        }
        switch (kind) {
            case PARTITION_DELETION -> {
                requireFirst(hasDeletion || hasStatic || hasPlace);
                hasDeletion = true;
                item.readPartitionDeletion(deletion);
            }
            case STATIC_ROW -> {
                requireFirst(hasStatic || hasPlace);
                hasStatic = true;
                item.readRow(row);
            }
            case CLUSTERING_ROW -> {
                item.readRow(row);
                place.wrap(row.clustering());
                passTo(ClusteringComparator.AT);
                hasRow = true;
                addRow();
            }
            case RANGE_DELETION -> {
                item.readRangeDeletion(deletion);
                place.wrap(query.reversed() ? deletion.end() : deletion.start());
                passTo(query.reversed() ? deletion.endWeight() : deletion.startWeight());
                requireApart();
            }
        }
    }

    private void requireFirst(boolean isLate) {
        if (isLate) {
            throw outOfPlace("items of a partition are out of order, key=" + key + ", kind=" + item.kind());
        }
    }

    /** Rows come each behind the other; a deletion may begin where another one ends. */
    private void passTo(int weight) {
        if (hasPlace) {
            int order = comparator.compare(place, weight, lastPlace, lastWeight) * (query.reversed() ? -1 : 1);
            if (order < 0 || order == 0 && weight == ClusteringComparator.AT) {
                throw outOfPlace("rows are out of order, key=" + key);
            }
        }
        if (mayBeBefore && weight == ClusteringComparator.AT) {
            requireBehindPlace();
            mayBeBefore = false;
        }
        hasPlace = true;
        Clustering passed = lastPlace;
        lastPlace = place;
        place = passed;
        lastWeight = weight;
    }

    /** A deletion ends before the next one begins: readers take the next one for the end of it. */
    private void requireApart() {
        if (deletedTo.isPresent() && compare(position(lastPlace, lastWeight), deletedTo.get()) < 0) {
            throw outOfPlace("range deletions overlap, key=" + key);
        }
        deletedTo = Optional.of(
                query.reversed()
                        ? position(deletion.start().copy(), deletion.startWeight())
                        : position(deletion.end().copy(), deletion.endWeight()));
    }

    private static PositionInPartition position(Clustering prefix, int weight) {
        return new PositionInPartition(PositionInPartition.Region.CLUSTERED, prefix, weight);
    }

    private void requireBehindPlace() {
        if (compare(PositionInPartition.at(place), request.after().get().position()) <= 0) {
            throw outOfPlace("row does not lie behind the place where the page begins, key=" + key + ", place="
                    + request.after().get());
        }
    }

    private int compare(PositionInPartition left, PositionInPartition right) {
        boolean isClustered = left.region() == PositionInPartition.Region.CLUSTERED
                && right.region() == PositionInPartition.Region.CLUSTERED;
        int order = left.compareTo(right, comparator);
        return isClustered && query.reversed() ? -order : order;
    }

    private void endPartition() {
        // Without rows it is a row of its own.
        if (key != null && hasStatic && !hasRow && !query.withDeletions()) {
            addRow();
        }
    }

    private void addRow() {
        rowCount++;
        if (rowCount > request.limits().rows()) {
            throw new IllegalArgumentException("page has more rows than were asked for, limit="
                    + request.limits().rows());
        }
    }

    /**
     * The page, once its end is there.
     *
     * @throws IllegalArgumentException when the end is not that of these items
     */
    Page conclude(PageEnd end) {
        endPartition();
        if (end.rowCount() != rowCount) {
            throw new IllegalArgumentException(
                    "page counts its rows wrong, told=" + end.rowCount() + ", rows=" + rowCount);
        }
        if (end.last().isEmpty()) {
            return Page.exhausted(schema, items, rowCount, end.tombstoneCount(), end.nowSeconds());
        }
        RingPosition last = end.last().get();
        if (last.isEnd()) {
            throw outOfPlace("page that is not the last ends behind everything");
        }
        requireProgress(last);
        return Page.stopped(schema, end.reason(), last, items, rowCount, end.tombstoneCount(), end.nowSeconds());
    }

    private void requireProgress(RingPosition last) {
        DecoratedKey lastKey = last.key().orElseThrow();
        if (key != null) {
            int order = compare(lastKey, key);
            boolean isBeforeRow =
                    order == 0 && hasPlace && compare(last.position(), position(lastPlace, lastWeight)) < 0;
            boolean isBeforeEnd =
                    order == 0 && deletedTo.isPresent() && compare(behindRow(last.position()), deletedTo.get()) < 0;
            if (order < 0 || isBeforeRow || isBeforeEnd) {
                throw outOfPlace("page ends before its last item, place=" + last + ", key=" + key);
            }
        }
        Optional<RingPosition> after = request.after();
        if (after.isPresent()) {
            int order = compare(lastKey, after.get().key().orElseThrow());
            if (order < 0 || order == 0 && compare(last.position(), after.get().position()) <= 0) {
                throw outOfPlace("page ends where it began or before, place=" + last + ", began=" + after.get());
            }
        }
    }

    /** The place behind a row, in the direction of reading; of what is no row's the same place. */
    private PositionInPartition behindRow(PositionInPartition position) {
        boolean isAtRow = position.region() == PositionInPartition.Region.CLUSTERED
                && position.weight() == ClusteringComparator.AT;
        int behind = query.reversed() ? ClusteringComparator.BEFORE : ClusteringComparator.AFTER;
        return isAtRow ? position(position.prefix(), behind) : position;
    }

    private static IllegalArgumentException outOfPlace(String what) {
        return new IllegalArgumentException(what);
    }
}
