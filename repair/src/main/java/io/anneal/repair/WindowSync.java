package io.anneal.repair;

import io.anneal.fragment.EncodedItem;
import io.anneal.io.ByteWriter;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.RingPosition;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.PlacesFound;
import io.anneal.repair.message.PlacesWanted;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.WindowAnswer;
import io.anneal.repair.message.WindowSummary;
import io.anneal.repair.row.DeletionItem;
import io.anneal.repair.row.HashedDeletion;
import io.anneal.repair.row.RowBuffer;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.LongStream;

/**
 * Reconciles one window: deletions first, then rows. Each phase is: find in what each follower differs ({@link Reconciler}),
 * fetch what the master lacks ({@link MissingItems}), receive it, push to each follower what it lacks ({@link Pushes}),
 * spread the ghosts that answer ({@link GhostSpread}). Then the sums are compared again ({@link FollowerSums}), which come
 * with the answers to what was pushed: nothing is called equal that was not found equal. See decision 2 in
 * {@code docs/decisions}.
 *
 * <p>What a follower says of its hashes must add up to its sum, and what it sends must have the hashes asked for, each once. In a dry
 * run rows stay where they are: places of differing rows are asked for and counted. Two different items of a window with
 * one 64-bit hash (n items: n^2 / 2^65, one in four billion for 100,000) end the repair by one of these checks; another
 * session has another seed, unless its master keeps sums. No more than a row buffer is asked for or pushed at once, as far as it can be known before, of
 * all followers together. Runs on the master's thread.
 */
final class WindowSync {
    private final ReplicaSession own;
    private final List<Participant> followers;
    private final RepairListener listener;
    private final TableSchema schema;
    private final EncodedItem item;
    private final ClusteringComparator comparator;

    private final boolean dryRun;
    private final int bufferBytes;
    private final Reconciler deletionReconciler;
    private final SketchReconciler rowReconciler;
    private final FollowerSums theirs;
    private final MissingItems missingItems;
    private final GhostSpread ghostSpread;
    private final LargeRowMove largeRows = new LargeRowMove();
    private final RangeTally tally;

    /** By follower. */
    private final long[] itemsGiven;

    /** Range deletions that differ and go on behind the window's end: counted already. */
    private final List<DeletionItem> goingOn = new ArrayList<>();

    /** What is left out of the window, once it was asked for. */
    private Optional<RecentItems> recent = Optional.empty();

    /** What the last window still owes. */
    private Optional<Unsettled> unsettled = Optional.empty();

    private final RepairMeter meter;

    /** Pushes that are under way, and the sums that followers must have after them. */
    private record Unsettled(Pushes pushes, WindowSummary mine) {}

    WindowSync(
            TableSchema schema,
            ReplicaSession own,
            List<Participant> followers,
            RepairListener listener,
            RangeTally tally,
            int bufferBytes,
            boolean dryRun) {
        this.own = own;
        meter = own.meter();
        this.followers = followers;
        this.listener = listener;
        this.dryRun = dryRun;
        this.bufferBytes = bufferBytes;
        itemsGiven = new long[followers.size()];
        this.tally = tally;
        deletionReconciler = new ListReconciler(Phase.DELETIONS, followers, meter);
        rowReconciler =
                new SketchReconciler(followers, new ListReconciler(Phase.ROWS, followers, meter), meter, dryRun);
        this.schema = schema;
        item = new EncodedItem(schema);
        comparator = ClusteringComparator.of(schema);
        theirs = new FollowerSums(followers, bufferBytes);
        missingItems = new MissingItems(followers, bufferBytes, largeRows, meter);
        ghostSpread = new GhostSpread(schema, own, followers, largeRows, this::newPushes);
    }

    private Pushes newPushes() {
        return new Pushes(followers, bufferBytes, theirs, itemsGiven, meter);
    }

    /** What was compared, and what each replica lacked, by range. */
    RangeTally tally() {
        return tally;
    }

    /** Rows and deletions that a follower was sent. */
    long itemsGiven(int follower) {
        return itemsGiven[follower];
    }

    /** How many symbols each follower is to send with the sums of the next window. */
    int symbolsAhead() {
        return rowReconciler.symbolsAhead();
    }

    /**
     * Waits for what {@link #reconcile} left under way: before the next window is reconciled, and after the last.
     *
     * @throws RepairException when the sums differ
     */
    void settle() throws IOException {
        if (unsettled.isPresent()) {
            Unsettled last = unsettled.get();
            unsettled = Optional.empty();
            Deque<Pushes.Ghosts> ghosts = last.pushes().await();
            if (!ghosts.isEmpty()) {
                throw new RepairException("replica answers with ghosts that it has not announced, replica="
                        + followers.get(ghosts.getFirst().origin()).name());
            }
            theirs.requireEqual(Phase.DELETIONS, last.mine());
            theirs.requireEqual(Phase.ROWS, last.mine());
        }
    }

    /**
     * Makes all replicas hold the same in the window, or counts in what they differ; whether they did. Where nobody has a ghost
     * nothing can come back that others need: then the last pushes are left under way, so that the next window can be asked for
     * after them, until {@link #settle}.
     *
     * @param boundary the window's end
     * @throws RepairException when a follower answers what cannot be, or the sums differ afterwards
     */
    boolean reconcile(RingPosition boundary, WindowSummary ownSummary, List<WindowAnswer> answers) throws IOException {
        try {
            return reconcileWindow(boundary, ownSummary, answers);
        } finally {
            largeRows.leave();
        }
    }

    private boolean reconcileWindow(RingPosition boundary, WindowSummary ownSummary, List<WindowAnswer> answers)
            throws IOException {
        WindowSummary mine = ownSummary;
        theirs.set(answers);
        recent = Optional.empty();
        for (WindowAnswer answer : answers) {
            meter.add(RepairCount.SYMBOLS, answer.sketch().end());
        }
        boolean deletionsDiffer = theirs.differ(Phase.DELETIONS, mine);
        if (deletionsDiffer) {
            meter.add(RepairCount.WINDOWS_DELETIONS, 1);
            reconcileDeletions(mine);
            mine = own.summary();
            theirs.requireEqual(Phase.DELETIONS, mine);
        }
        tally.compared(own.current().rows().buffer(), boundary);
        boolean rowsDiffer = theirs.differ(Phase.ROWS, mine);
        // What was sketched before deletions came is not what there is now.
        List<Sketch> ahead = deletionsDiffer
                ? List.of()
                : answers.stream().map(WindowAnswer::sketch).toList();
        if (!rowsDiffer) {
            rowReconciler.wereEqual();
        }
        if (rowsDiffer && dryRun) {
            countRows(mine, ahead);
        } else if (rowsDiffer) {
            boolean anyGhost = ownSummary.hasGhosts()
                    || answers.stream().anyMatch(answer -> answer.summary().hasGhosts());
            Pushes pushes = reconcileRows(mine, ahead, anyGhost);
            mine = own.summary();
            if (anyGhost) {
                theirs.requireEqual(Phase.DELETIONS, mine);
                theirs.requireEqual(Phase.ROWS, mine);
            } else {
                unsettled = Optional.of(new Unsettled(pushes, mine));
            }
        }
        return deletionsDiffer || rowsDiffer;
    }

    /** A deletion, and the replicas that have it not. */
    private record Lacked(HashedDeletion deletion, List<Integer> lacking) {
        Lacked without(IntPredicate replicas) {
            return new Lacked(
                    deletion,
                    lacking.stream().filter(replica -> !replicas.test(replica)).toList());
        }
    }

    /** In what each follower differs. */
    private List<FollowerDifference> differences(
            Reconciler reconciler, Phase phase, long[] mine, WindowSummary summary, List<Sketch> ahead)
            throws IOException {
        return reconciler.differences(mine, summary.of(phase), theirs.of(phase), ahead);
    }

    private void reconcileDeletions(WindowSummary summary) throws IOException {
        RecentItems leftOut = recent();
        long[] hashes = own.hashes(Phase.DELETIONS);
        HashList mine = HashList.of(hashes);
        List<FollowerDifference> differences =
                differences(deletionReconciler, Phase.DELETIONS, hashes, summary, List.of());
        List<HashedDeletion> union = new ArrayList<>(own.current().deletions());
        ByteWriter all = new ByteWriter(64);
        missingItems.fetch(Phase.DELETIONS, differences, (items, expected) -> {
            for (int at = 0; at < items.length; at = item.endOffset()) {
                item.wrap(items, at, items.length);
                HashedDeletion deletion = own.current().hash(item);
                expected.came(deletion.low());
                union.add(deletion);
            }
            item.release();
            all.writeBytes(items);
        });
        byte[] ghosts = own.receiveAsMaster(all.toByteArray());

        Pushes pushes = newPushes();
        List<Lacked> differing = new ArrayList<>();
        List<List<DeletionItem>> held = new ArrayList<>();
        for (int replica = 0; replica <= followers.size(); replica++) {
            held.add(new ArrayList<>());
        }
        for (HashedDeletion deletion : union) {
            boolean isMine = mine.contains(deletion.low());
            for (int replica = 0; !leftOut.isEmpty() && deletion.hashed() && replica <= followers.size(); replica++) {
                if (replica == 0 ? isMine : differences.get(replica - 1).has(deletion.low(), isMine)) {
                    held.get(replica).add(deletion.item());
                }
            }
            List<Integer> lacking = new ArrayList<>(deletion.hashed() && !isMine ? List.of(0) : List.of());
            for (int i = 0; i < followers.size(); i++) {
                if (deletion.hashed() && !differences.get(i).has(deletion.low(), isMine)) {
                    lacking.add(i + 1);
                    if (own.current().isInForce(deletion.item())) {
                        pushes.add(i, deletion.encoded(), 0, deletion.encoded().length);
                    }
                }
            }
            if (!lacking.isEmpty()) {
                differing.add(new Lacked(deletion, lacking));
            }
        }
        if (!leftOut.isEmpty()) {
            differing.replaceAll(lacked ->
                    lacked.without(replica -> leftOut.hide(lacked.deletion().item(), held.get(replica))));
            differing.removeIf(lacked -> lacked.lacking().isEmpty());
        }
        count(differing);
        ghostSpread.spread(pushes.finish(), ghosts);
    }

    /** What the cut-off leaves out of the window on any replica: in a dry run there is no difference yet where such a thing stands. */
    private RecentItems recent() throws IOException {
        if (recent.isEmpty()) {
            RecentItems items = new RecentItems(schema);
            if (dryRun && own.leavesOutRecent()) {
                items.add("master", own.recent(), own.current());
                PacedAnswers<byte[]> asked = new PacedAnswers<>(bufferBytes, meter);
                followers.forEach(follower -> asked.add(bufferBytes, follower::recent));
                for (Participant follower : followers) {
                    items.add(follower.name(), asked.next(), own.current());
                }
            }
            recent = Optional.of(items);
        }
        return recent.get();
    }

    /** Counts each deletion once, in however many windows it lies: they are as large as the memory lets them. */
    private void count(List<Lacked> differing) throws IOException {
        for (Lacked lacked : differing) {
            DeletionItem deletion = lacked.deletion().item();
            int range = tally.ranges().of(deletion.key().token());
            if (goingOn.stream().noneMatch(before -> deletion.goesOnAfter(before, comparator))) {
                meter.add(RepairCount.DELETIONS_DIFFERING, 1);
                tally.deletionDiffers(range, lacked.lacking());
                listener.deletionDiffers(new DeletionDifference(
                        deletion.key(), deletion.range(), deletion.deletion(), lacked.lacking()));
            }
            lacked.lacking()
                    .forEach(replica ->
                            tally.lacks(range, replica, lacked.deletion().encoded().length));
        }
        goingOn.clear();
        differing.stream()
                .map(lacked -> lacked.deletion().item())
                .filter(deletion -> own.current().endsWith(deletion))
                .forEach(goingOn::add);
    }

    /** Pushes of which some may be under way, if there are no ghosts. */
    private Pushes reconcileRows(WindowSummary summary, List<Sketch> ahead, boolean anyGhost) throws IOException {
        List<FollowerDifference> differences =
                differences(rowReconciler, Phase.ROWS, own.hashes(Phase.ROWS), summary, ahead);
        NavigableMap<RingPosition, Versions> touched =
                new TreeMap<>((left, right) -> left.compareTo(right, comparator));
        ByteWriter ghosts = new ByteWriter(64);
        missingItems.fetch(
                Phase.ROWS, differences, (items, expected) -> ghosts.writeBytes(receiveRows(items, expected, touched)));

        Pushes pushes = newPushes();
        long[] touchedHashes = new long[touched.size()];
        int touchedCount = 0;
        for (Map.Entry<RingPosition, Versions> place : touched.entrySet()) {
            Versions versions = place.getValue();
            List<Integer> lacking = List.of();
            if (!versions.now().isNothing()) {
                lacking = pushTouched(versions, differences, pushes);
                touchedHashes[touchedCount++] = versions.now().low();
            }
            int range = tally.ranges().of(place.getKey().key().orElseThrow().token());
            lack(range, lacking, versions.now().lengthBytes());
            tally.comparedElsewhere(range, versions.own().isPresent() ? 0 : 1);
            listener.rowDiffers(new RowDifference(place.getKey(), lacking));
        }
        meter.add(RepairCount.ROWS_DIFFERING, touched.size());
        HashList missing = FollowerDifference.lackingAnywhere(differences);
        if (!missing.isEmpty()) {
            pushOwn(missing, HashList.of(Arrays.copyOf(touchedHashes, touchedCount)), differences, pushes);
        }
        pushes.sendAll();
        if (anyGhost) {
            ghostSpread.spread(pushes.await(), ghosts.toByteArray());
        }
        assert anyGhost || ghosts.lengthBytes() == 0 : "a ghost was not announced";
        return pushes;
    }

    /**
     * The hashes of the rows that replicas held at one place, which of them, if one, is the master's, and what the master holds
     * there now.
     */
    private record Versions(OptionalLong own, long[] came, HeldRow now) {
        static Versions first(HeldRow before, long hash, HeldRow now) {
            OptionalLong own = before.hashed() ? OptionalLong.of(before.low()) : OptionalLong.empty();
            return new Versions(own, new long[] {hash}, now);
        }

        Versions with(Versions later) {
            long[] all = Arrays.copyOf(came, came.length + 1);
            all[came.length] = later.came[0];
            return new Versions(own, all, later.now);
        }

        boolean isOwn(long hash) {
            return own.isPresent() && own.getAsLong() == hash;
        }

        boolean anyIsHeldBy(FollowerDifference follower) {
            return own.isPresent() && follower.has(own.getAsLong(), true)
                    || LongStream.of(came).anyMatch(hash -> follower.has(hash, false));
        }
    }

    /**
     * Receives what a follower sent; whether it is what was asked for shows on the way, and ends the session if not.
     *
     * @param touched takes the places, with the hashes of the versions that replicas hold there
     */
    private byte[] receiveRows(byte[] items, ExpectedItems expected, NavigableMap<RingPosition, Versions> touched)
            throws IOException {
        return own.receiveRowsAsMaster(items, (position, hash, before, now) -> {
            expected.came(hash);
            touched.merge(position, Versions.first(before, hash, now), Versions::with);
        });
    }

    /** Counts the places at which rows differ by their hashes: no row is moved. */
    private void countRows(WindowSummary summary, List<Sketch> ahead) throws IOException {
        List<FollowerDifference> differences =
                differences(rowReconciler, Phase.ROWS, own.hashes(Phase.ROWS), summary, ahead);
        List<ExpectedItems> all = missingItems.expected(Phase.ROWS, differences);
        // What lies under it must be known by its place.
        RecentItems leftOut = recent();
        boolean named = listener.namesRows() || !leftOut.isEmpty();
        long wanted = all.stream().mapToLong(ExpectedItems::wantedCount).sum();
        DifferingPlaces places =
                new DifferingPlaces(own.current(), own.codec(), differences, tally, comparator, wanted, named);
        List<List<DifferingPlaces.Group>> groups = all.stream()
                .map(expected -> places.groups(expected.wantedHashes()))
                .toList();
        PacedAnswers<PlacesFound> asked = new PacedAnswers<>(bufferBytes, meter);
        for (int i = 0; i < all.size(); i++) {
            ExpectedItems expected = all.get(i);
            PlacesWanted question = places.wanted(groups.get(i), expected.holderCount());
            asked.add(
                    bufferBytes * expected.wantedCount() / expected.holderCount(),
                    () -> expected.follower().places(question));
        }
        places.addOwn();
        for (int i = 0; i < all.size(); i++) {
            Participant follower = all.get(i).follower();
            PlacesFound found = asked.next();
            if (found.groups().isEmpty()) {
                found = meter.await(follower.places(places.wantedByWholeHashes(groups.get(i))));
            }
            places.add(follower.name(), groups.get(i), found, item);
        }
        if (!leftOut.isEmpty()) {
            places.leaveOut(leftOut);
        }
        meter.add(RepairCount.ROWS_DIFFERING, places.tell(listener));
    }

    /** Returns the replicas that lacked what is held now. */
    private List<Integer> pushTouched(Versions versions, List<FollowerDifference> differences, Pushes pushes)
            throws IOException {
        HeldRow row = versions.now();
        List<Integer> lacking = new ArrayList<>(versions.isOwn(row.low()) ? List.of() : List.of(0));
        for (int i = 0; i < followers.size(); i++) {
            FollowerDifference difference = differences.get(i);
            boolean lacks = row.hashed()
                    ? !difference.has(row.low(), versions.isOwn(row.low()))
                    : versions.anyIsHeldBy(difference);
            if (lacks) {
                if (row.file().isPresent()) {
                    largeRows.enter();
                }
                row = own.current().rows().inMemory(row);
                pushes.add(i, row.array(), row.offset(), row.lengthBytes());
                lacking.add(i + 1);
            }
        }
        return lacking;
    }

    /** Counts a place at which replicas lack a row of so many bytes. */
    private void lack(int range, List<Integer> lacking, long bytes) {
        tally.rowDiffers(range, lacking);
        lacking.forEach(replica -> tally.lacks(range, replica, bytes));
    }

    /** What only the master holds at its place, or followers equal to it. */
    private void pushOwn(HashList missing, HashList touched, List<FollowerDifference> differences, Pushes pushes)
            throws IOException {
        RowBuffer rows = own.current().rows().buffer();
        int differing = 0;
        for (int index = 0; index < rows.windowEnd(); index++) {
            long hash = rows.hashLow(index);
            if (!missing.contains(hash) || !rows.isHashed(index) || touched.contains(hash)) {
                continue;
            }
            // Once for all followers that lack it: it may lie in a file.
            if (rows.spilledAt(index).isPresent()) {
                largeRows.enter();
            }
            EncodedItem row = rows.content(index);
            List<Integer> lacking = new ArrayList<>();
            for (int i = 0; i < followers.size(); i++) {
                if (!differences.get(i).has(hash, true)) {
                    pushes.add(i, row.buffer(), row.offset(), row.lengthBytes());
                    lacking.add(i + 1);
                }
            }
            rows.releaseContent();
            differing++;
            RingPosition position = rows.position(index);
            lack(tally.ranges().of(position.key().orElseThrow().token()), lacking, rows.lengthBytes(index));
            listener.rowDiffers(new RowDifference(position, lacking));
        }
        meter.add(RepairCount.ROWS_DIFFERING, differing);
    }
}
