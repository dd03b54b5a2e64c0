package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.HashSum;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.LinearRanges;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.repair.row.DeletionItem;
import io.anneal.repair.row.HashedDeletion;
import io.anneal.repair.row.ItemCodec;
import io.anneal.repair.row.KnownDeletions;
import io.anneal.repair.row.RowBuffer;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one replica holds of the window that is being reconciled, and what it received for it. Receiving an item merges it,
 * unpurged, with what is held at its place under all known deletions, ghosts included. If the purged view of the result
 * is what was held before, there is nothing to write; if it is not the purged view of what came, a ghost of ours killed
 * something and is the answer. See decision 2 in {@code docs/decisions}. Owned by the session's thread.
 */
final class Window {
    private final ItemCodec codec;
    private final WindowRows rows;
    private final RepairMeter meter;
    private final ReceivedRoom room;
    private final ClusteringComparator comparator;
    private final EncodedItem item;
    private final Row incoming = new Row();
    private final KeyView lastKeyView = new KeyView();

    /** What this replica had, ghosts and what was carried in included. */
    private final KnownDeletions own;
    /** What it had and what it received. */
    private final KnownDeletions known;

    private final KnownDeletions received;

    /** Outside of them nothing is accepted. */
    private LinearRanges ranges = LinearRanges.NONE;
    /** Where the window before this one ended; empty in the first. */
    private Optional<RingPosition> lastBoundary = Optional.empty();

    private RingPosition boundary = RingPosition.END;
    private boolean open;
    /** Of the row received last: many in a row are of one partition. */
    private Optional<DecoratedKey> lastKey = Optional.empty();

    /** Made when asked for, and anew after something was received. */
    private Optional<List<HashedDeletion>> deletions = Optional.empty();

    private Optional<DeletionItem> carried = Optional.empty();
    /** The interval of this replica's that the end of the window before may have cut. */
    private Optional<DeletionItem> cut = Optional.empty();

    private long receivedDeletionCount;

    Window(
            TableSchema schema,
            ItemCodec codec,
            RowBuffer buffer,
            long localDeletionTimeMaxSeconds,
            long receivedBytesMax,
            RepairMeter meter) {
        this.codec = codec;
        this.meter = meter;
        room = new ReceivedRoom(receivedBytesMax);
        rows = new WindowRows(schema, codec, buffer, localDeletionTimeMaxSeconds, room);
        comparator = ClusteringComparator.of(schema);
        item = new EncodedItem(schema);
        own = new KnownDeletions(schema);
        known = new KnownDeletions(schema);
        received = new KnownDeletions(schema);
    }

    /** Says which tokens the windows to come have, what lies between them left out. */
    void startIn(LinearRanges wanted) {
        ranges = wanted;
    }

    /** Whether a place lies behind the end of this window, if it is open, or of the one before. */
    boolean isBehindLast(RingPosition place) {
        Optional<RingPosition> last = open ? Optional.of(boundary) : lastBoundary;
        return last.isEmpty() || place.compareTo(last.get(), comparator) > 0;
    }

    /** The tokens up to the end of this window, or of the one before; nothing where that lies inside a partition, or there is none. */
    Optional<LinearRanges> covered() {
        Optional<RingPosition> last = open ? Optional.of(boundary) : lastBoundary;
        return last.filter(end -> end.isEnd() || end.isBetweenTokens()).map(end -> ranges.upTo(end.lastToken()));
    }

    /** Opens the window; the row buffer's window is fixed already. */
    void start(RingPosition windowEnd, List<DeletionItem> items) throws IOException {
        boundary = windowEnd;
        open = true;
        carried.ifPresent(this::addOwn);
        items.forEach(this::addOwn);
        if (carried.isPresent()) {
            applyToRows(carried.get());
        }
    }

    private void addOwn(DeletionItem deletion) {
        own.add(deletion);
        known.add(deletion);
    }

    /** Whether the range deletion reaches the window's end, where it may have been cut. */
    boolean endsWith(DeletionItem deletion) {
        if (deletion.isPartition() || boundary.isEnd()) {
            return false;
        }
        RangeDeletion range = deletion.range().orElseThrow();
        return bound(deletion.key(), range.end(), range.endWeight()).compareTo(boundary, comparator) == 0;
    }

    /** Forgets the window; a partition deletion goes on to the partition's next window. */
    void end() throws IOException {
        if (open) {
            carried = boundary.key()
                    .map(key -> DeletionItem.ofPartition(key, known.partitionDeletion(key)))
                    .filter(deletion -> !deletion.deletion().isLive());
            cut = boundary.key().flatMap(this::lastInterval).filter(this::endsWith);
            lastBoundary = Optional.of(boundary);
        }
        open = false;
        deletions = Optional.empty();
        own.clear();
        known.clear();
        received.clear();
        rows.end();
        room.clear();
        lastKey = Optional.empty();
        receivedDeletionCount = 0;
    }

    private Optional<DeletionItem> lastInterval(DecoratedKey key) {
        List<RangeDeletion> steps = own.steps(key);
        return steps.isEmpty() ? Optional.empty() : Optional.of(DeletionItem.ofRange(key, steps.get(steps.size() - 1)));
    }

    boolean isOpen() {
        return open;
    }

    /**
     * What is known here now, in ring order, partition deletions before ranges of their key: intervals are disjoint, and none
     * stands where the partition deletion wins. A partition deletion belongs to the window in which its partition starts.
     */
    List<HashedDeletion> deletions() {
        if (deletions.isEmpty()) {
            List<HashedDeletion> all = new ArrayList<>();
            for (DecoratedKey key : known.keys()) {
                DeletionTime whole = known.partitionDeletion(key);
                if (!whole.isLive() && startsHere(key)) {
                    all.add(codec.deletion(DeletionItem.ofPartition(key, whole)));
                }
                known.steps(key).forEach(step -> all.add(codec.deletion(DeletionItem.ofRange(key, step))));
            }
            deletions = Optional.of(List.copyOf(all));
        }
        return deletions.get();
    }

    private boolean startsHere(DecoratedKey key) {
        RingPosition start = RingPosition.of(key, PositionInPartition.START);
        return lastBoundary.isEmpty() || start.compareTo(lastBoundary.get(), comparator) > 0;
    }

    HashSum deletionSum() {
        HashSum sum = new HashSum();
        for (HashedDeletion deletion : deletions()) {
            if (deletion.hashed()) {
                sum.add(deletion.low(), deletion.high());
            }
        }
        return sum;
    }

    /** Deletions that the cut-off leaves out, and that begin here. */
    long recentDeletionCount() {
        return deletions().stream()
                .filter(deletion ->
                        !deletion.hashed() && codec.isRecent(deletion.item().deletion()))
                .filter(deletion -> cut.isEmpty() || !deletion.item().goesOnAfter(cut.get(), comparator))
                .count();
    }

    /** What the cut-off leaves out, as items: the deletions in force here, then the places of rows. */
    byte[] recent() throws IOException {
        ByteWriter out = new ByteWriter(1024);
        for (DecoratedKey key : known.keys()) {
            addRecent(DeletionItem.ofPartition(key, known.partitionDeletion(key)), out);
            known.steps(key).forEach(step -> addRecent(DeletionItem.ofRange(key, step), out));
        }
        RowBuffer buffer = rows.buffer();
        for (int i = 0; i < buffer.windowEnd(); i++) {
            if (buffer.isRecent(i)) {
                codec.place(buffer.item(i), out);
            }
        }
        return out.toByteArray();
    }

    private void addRecent(DeletionItem deletion, ByteWriter out) {
        if (codec.isRecent(deletion.deletion())) {
            out.writeBytes(codec.encode(deletion));
        }
    }

    /** Whether purging, or the cut-off, hides a deletion that is in force here. */
    boolean hasGhostDeletions() {
        return carried.filter(deletion -> codec.isGhost(deletion.deletion())).isPresent()
                || deletions().stream().anyMatch(deletion -> !deletion.hashed());
    }

    long[] deletionHashes() {
        return deletions().stream()
                .filter(HashedDeletion::hashed)
                .mapToLong(HashedDeletion::low)
                .toArray();
    }

    /** Where a row received from elsewhere stands; copies. */
    RingPosition position(EncodedItem row) throws IOException {
        require(!ItemCodec.isDeletion(row), row);
        return codec.position(row);
    }

    /** A deletion received from elsewhere. */
    HashedDeletion hash(EncodedItem deletion) throws IOException {
        require(ItemCodec.isDeletion(deletion), deletion);
        return codec.deletion(codec.readDeletion(deletion));
    }

    private static void require(boolean fits, EncodedItem received) throws RepairException {
        if (!fits) {
            throw new RepairException("peer sent another kind of item than was asked for, kind=" + received.kind());
        }
    }

    /** Whether something of the deletion is in force among all that is known here. */
    boolean isInForce(DeletionItem deletion) {
        return known.isInForce(deletion);
    }

    /** Is told of each row that is received, in the order in which they came. */
    interface Arrivals {
        Arrivals UNHEEDED = (position, hash, before, now) -> {};

        /**
         * @param hash of the purged view of what came; 0 of a ghost
         * @param before what was held at its place until then, of which only the hash is good
         * @param now what is held there, good until more is received for that place
         */
        void row(RingPosition position, long hash, HeldRow before, HeldRow now);
    }

    /**
     * Receives encoded items, deletions before rows whatever their order. Rows that nothing here changes are not copied: the
     * array is kept until the window ends, and must stay as it is.
     *
     * @param withRows whether rows that a ghost has shadowed in part are answered as they are held now
     * @return encoded ghosts that shadow part of them
     * @throws CorruptItemException when the bytes are no items of this table
     * @throws RepairException when an item stands outside the window, or more was received than there is room for
     */
    byte[] receive(byte[] items, boolean withRows) throws IOException {
        requireOpen();
        GhostAnswer ghosts = new GhostAnswer();
        List<DeletionItem> added = new ArrayList<>();
        int count = 0;
        for (int at = 0; at < items.length; at = item.endOffset(), count++) {
            if (ItemCodec.isDeletion(item.wrap(items, at, items.length))) {
                DeletionItem deletion = codec.readDeletion(item);
                requireInWindow(deletion);
                ghosts.addAbove(deletion);
                if (known.adds(deletion)) {
                    room.keepItem(item.lengthBytes());
                    added.add(deletion);
                }
            }
        }
        // All together: what is known is made disjoint once for all of them, not once for each.
        for (DeletionItem deletion : added) {
            known.add(deletion);
            received.add(deletion);
        }
        receivedDeletionCount += added.size();
        if (!added.isEmpty()) {
            deletions = Optional.empty();
        }
        for (DeletionItem deletion : added) {
            applyToRows(deletion);
        }
        for (int at = 0; at < items.length; at = item.endOffset()) {
            if (!ItemCodec.isDeletion(item.wrap(items, at, items.length))) {
                receiveRow(ghosts, Arrivals.UNHEEDED, withRows);
            }
        }
        received(items, count);
        if (withRows) {
            meter.sent(ghosts.count, ghosts.out.lengthBytes());
        }
        return ghosts.out.toByteArray();
    }

    /**
     * As {@link #receive}, of rows alone, each of which is looked at once; they are not answered.
     *
     * @throws CorruptItemException when the bytes are no items of this table
     * @throws RepairException when one is no row or stands outside the window, or more was received than there is room for
     */
    byte[] receiveRows(byte[] items, Arrivals arrivals) throws IOException {
        requireOpen();
        GhostAnswer ghosts = new GhostAnswer();
        int count = 0;
        for (int at = 0; at < items.length; at = item.endOffset(), count++) {
            require(!ItemCodec.isDeletion(item.wrap(items, at, items.length)), item);
            receiveRow(ghosts, arrivals, false);
        }
        received(items, count);
        return ghosts.out.toByteArray();
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException("items were received, and no window is open");
        }
    }

    private void received(byte[] items, int count) {
        if (rows.buffer().isTooLarge(items.length)) {
            item.release();
            incoming.release();
            rows.release();
        }
        meter.received(count, items.length);
    }

    /**
     * The ghosts that answer what was received, each as a whole and once, however much of what was received it shadows.
     * Whole within the window: a partition deletion is one where its partition starts, and behind that the interval that is
     * left of it.
     */
    private final class GhostAnswer {
        private final ByteWriter out = new ByteWriter(64);
        private final Set<DecoratedKey> partitions = new HashSet<>();
        private final Set<RangeDeletion> steps = Collections.newSetFromMap(new IdentityHashMap<>());
        private int count;

        /** Those that shadow a part of a deletion. */
        void addAbove(DeletionItem deletion) {
            DecoratedKey key = deletion.key();
            if (isAbove(own.partitionDeletion(key), deletion)) {
                add(key);
            }
            if (!deletion.isPartition()) {
                for (RangeDeletion step : own.overlapping(key, deletion.range().orElseThrow())) {
                    if (isAbove(KnownDeletions.deletionOf(step), deletion)) {
                        add(key, step);
                    }
                }
            }
        }

        private boolean isAbove(DeletionTime ours, DeletionItem deletion) {
            return codec.isGhost(ours) && ours.supersedes(deletion.deletion());
        }

        /** The one that shadows a part of a row, if there is one. */
        void addAbove(RingPosition position, Row row) {
            DecoratedKey key = position.key().orElseThrow();
            boolean isStatic = position.position().region() == PositionInPartition.Region.STATIC;
            Optional<RangeDeletion> step = isStatic
                    ? Optional.empty()
                    : own.step(key, position.position().prefix());
            DeletionTime ours = step.map(KnownDeletions::deletionOf).orElseGet(() -> own.partitionDeletion(key));
            if (!codec.isGhost(ours) || !WindowRows.isTouched(row, ours.timestampMicros())) {
                return;
            }
            if (step.isPresent()) {
                add(key, step.get());
            } else {
                add(key);
            }
        }

        void add(HeldRow row) {
            row.writeTo(out);
            count++;
        }

        private void add(DecoratedKey key, RangeDeletion step) {
            if (steps.add(step)) {
                out.writeBytes(codec.encode(DeletionItem.ofRange(key, step)));
                count++;
            }
        }

        private void add(DecoratedKey key) {
            if (partitions.add(key)) {
                DeletionTime ours = own.partitionDeletion(key);
                out.writeBytes(codec.encode(
                        startsHere(key)
                                ? DeletionItem.ofPartition(key, ours)
                                : DeletionItem.ofRange(key, restOfPartition(key, ours))));
                count++;
            }
        }
    }

    /** All of a partition that the window has, of one that started in a window before. */
    private RangeDeletion restOfPartition(DecoratedKey key, DeletionTime deletion) {
        RangeDeletion range = new RangeDeletion();
        int startWeight = ClusteringComparator.BEFORE;
        PositionInPartition start = lastBoundary.orElseThrow().position();
        if (start.region() == PositionInPartition.Region.CLUSTERED) {
            range.start().wrap(start.prefix());
            startWeight = start.weight();
        }
        int endWeight = ClusteringComparator.AFTER;
        PositionInPartition end = boundary.position();
        if (boundary.key().filter(key::equals).isPresent() && end.region() == PositionInPartition.Region.CLUSTERED) {
            range.end().wrap(end.prefix());
            endWeight = end.weight();
        }
        range.weights(startWeight, endWeight);
        range.deletion(deletion.timestampMicros(), deletion.localDeletionTimeSeconds());
        return range;
    }

    private void requireInWindow(DeletionItem deletion) throws RepairException {
        if (deletion.isPartition()) {
            RingPosition start = RingPosition.of(deletion.key(), PositionInPartition.START);
            requireInWindow(start, start, 1);
        } else {
            RangeDeletion range = deletion.range().orElseThrow();
            requireInWindow(
                    bound(deletion.key(), range.start(), range.startWeight()),
                    bound(deletion.key(), range.end(), range.endWeight()),
                    0);
        }
    }

    /**
     * A window's files are in order only if nothing is written before its start or behind its end.
     *
     * @param orderMin how {@code from} must at least compare to the last boundary: 1 behind it, 0 also at it
     */
    private void requireInWindow(RingPosition from, RingPosition to, int orderMin) throws RepairException {
        boolean inRanges = ranges.covers(from.key().orElseThrow().token());
        boolean behindLast =
                lastBoundary.isEmpty() || Integer.signum(from.compareTo(lastBoundary.get(), comparator)) >= orderMin;
        if (!inRanges || !behindLast || to.compareTo(boundary, comparator) > 0) {
            throw new RepairException("item stands outside the window, from=" + from + ", to=" + to + ", windowStart="
                    + lastBoundary + ", windowEnd=" + boundary + ", isInRanges=" + inRanges);
        }
    }

    /** Applies a deletion to the rows of the window that it covers. */
    private void applyToRows(DeletionItem deletion) throws IOException {
        RingPosition from;
        RingPosition to;
        if (deletion.isPartition()) {
            from = RingPosition.of(deletion.key(), PositionInPartition.START);
            to = RingPosition.of(deletion.key(), PositionInPartition.END);
        } else {
            RangeDeletion range = deletion.range().orElseThrow();
            from = bound(deletion.key(), range.start(), range.startWeight());
            to = bound(deletion.key(), range.end(), range.endWeight());
        }
        rows.apply(from, to, this::covering);
    }

    private void receiveRow(GhostAnswer ghosts, Arrivals arrivals, boolean withRows) throws IOException {
        item.readRow(incoming);
        RingPosition position = positionOfIncoming();
        requireInWindow(position, position, 1);
        boolean canonical = codec.received(item, incoming);
        HeldRow came = new HeldRow(
                item.buffer(), item.offset(), item.lengthBytes(), codec.isHashed(), codec.high(), codec.low());

        int index = rows.buffer().find(position);
        Optional<HeldRow> before = rows.heldAt(index, position);
        DeletionTime covering = covering(position);
        // Most rows meet nothing: then the bytes that came are what is held, and written.
        boolean asItCame = canonical && before.isEmpty() && rows.isItsOwnMerge(incoming, covering);
        HeldRow after = asItCame
                ? came
                : rows.merge(incoming, before, covering, position.key().orElseThrow());

        if (after.hashed() != came.hashed() || after.hashed() && after.low() != came.low()) {
            ghosts.addAbove(position, incoming);
            if (withRows && before.isPresent() && !after.isNothing()) {
                ghosts.add(rows.inMemory(after));
            }
        }
        boolean unchanged = before.isEmpty()
                ? !after.hashed()
                : before.get().hashed() == after.hashed() && before.get().low() == after.low();
        if (unchanged) {
            rows.forget(after);
        }
        HeldRow now = unchanged ? before.orElse(HeldRow.NOTHING) : rows.put(index, position, after);
        arrivals.row(position, came.low(), before.orElse(HeldRow.NOTHING), now);
    }

    /** Where the incoming row stands; copies. */
    private RingPosition positionOfIncoming() {
        DecoratedKey key = keyOfItem();
        return RingPosition.of(
                key,
                incoming.isStatic()
                        ? PositionInPartition.STATIC
                        : PositionInPartition.at(incoming.clustering().copy()));
    }

    private DecoratedKey keyOfItem() {
        if (lastKey.isEmpty() || !lastKeyView.sameAs(item.key())) {
            lastKey = Optional.of(item.key().toDecoratedKey());
            lastKeyView.wrap(lastKey.get());
        }
        return lastKey.get();
    }

    /** Partition and range deletions received in this window that this replica lacked. */
    long receivedDeletionCount() {
        return receivedDeletionCount;
    }

    KnownDeletions receivedDeletions() {
        return received;
    }

    WindowRows rows() {
        return rows;
    }

    private static RingPosition bound(DecoratedKey key, Clustering prefix, int weight) {
        return RingPosition.of(key, new PositionInPartition(PositionInPartition.Region.CLUSTERED, prefix, weight));
    }

    private DeletionTime covering(RingPosition position) {
        if (known.isEmpty()) {
            return DeletionTime.LIVE;
        }
        DecoratedKey key = position.key().orElseThrow();
        return position.position().region() == PositionInPartition.Region.STATIC
                ? known.partitionDeletion(key)
                : known.covering(key, position.position().prefix());
    }
}
