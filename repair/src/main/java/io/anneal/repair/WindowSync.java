package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.io.ByteWriter;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.RingPosition;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.PushAnswer;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.WindowAnswer;
import io.anneal.repair.message.WindowSummary;
import io.anneal.repair.row.HashedDeletion;
import io.anneal.repair.row.ItemCodec;
import io.anneal.repair.row.RowBuffer;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/**
 * Reconciles one window: deletions first, then rows. Each phase is: find in what each follower differs ({@link Reconciler}),
 * fetch what the master lacks, receive it, push to each follower what it lacks, spread the ghosts that answer. Then the
 * sums are compared again, which come with the answers to what was pushed: nothing is called equal that was not found equal.
 * See decision 2 in {@code docs/decisions}.
 *
 * <p>What a follower says of its hashes must add up to its sum, and what it sends must have the hashes asked for, each once. In a dry
 * run rows stay where they are: places of differing rows are asked for and counted. Two different items of a window with
 * one 64-bit hash (n items: n^2 / 2^65, one in four billion for 100,000) end the repair by one of these checks; another
 * session has another seed. No more than a row buffer is asked for or pushed at once, as far as it can be known before, of
 * all followers together. Runs on the master's thread.
 */
final class WindowSync {
    /** Ghosts are held by all after one round; more mean a mistake. */
    private static final int GHOST_ROUNDS_MAX = 8;

    private static final int OWN = -1;

    /** Encoded ghosts and the follower, or {@link #OWN}, that they come from. */
    private record Ghosts(int origin, byte[] items) {}

    private final ReplicaSession own;
    private final List<Participant> followers;
    private final RepairListener listener;
    private final EncodedItem item;
    private final ClusteringComparator comparator;

    private final boolean dryRun;
    private final int bufferBytes;
    private final Reconciler deletionReconciler;
    private final SketchReconciler rowReconciler;
    /** The followers' sums as each said them last. */
    private final List<WindowSummary> theirs = new ArrayList<>();
    /** See {@link #rowsLacking(int)}. */
    private final long[] rowsLacking;

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
            int bufferBytes,
            boolean dryRun) {
        this.own = own;
        meter = own.meter();
        this.followers = followers;
        this.listener = listener;
        this.dryRun = dryRun;
        this.bufferBytes = bufferBytes;
        rowsLacking = new long[followers.size() + 1];
        deletionReconciler = new ListReconciler(Phase.DELETIONS, followers, meter);
        rowReconciler =
                new SketchReconciler(followers, new ListReconciler(Phase.ROWS, followers, meter), meter, dryRun);
        item = new EncodedItem(schema);
        comparator = ClusteringComparator.of(schema);
    }

    /**
     * In a dry run: places where a replica has no row that another has, or where several versions are, of which each replica
     * may lack a part.
     *
     * @param replica 0 for the master, then the followers
     */
    long rowsLacking(int replica) {
        return rowsLacking[replica];
    }

    /** How many symbols each follower is to send with the sums of the next window. */
    int symbolsAhead() {
        return rowReconciler.symbolsAhead();
    }

    /**
     * Waits for what {@link #reconcile} left under way: before the next window is reconciled, and behind the last.
     *
     * @throws RepairException when the sums differ
     */
    void settle() throws IOException {
        if (unsettled.isPresent()) {
            Unsettled last = unsettled.get();
            unsettled = Optional.empty();
            Deque<Ghosts> ghosts = last.pushes().await();
            if (!ghosts.isEmpty()) {
                throw new RepairException("replica answers with ghosts that it has not announced, replica="
                        + followers.get(ghosts.getFirst().origin()).name());
            }
            requireEqual(Phase.DELETIONS, last.mine());
            requireEqual(Phase.ROWS, last.mine());
        }
    }

    /**
     * Makes all replicas hold the same in the window, or counts in what they differ; whether they did. Where nobody has a ghost
     * nothing can come back that others need: then the last pushes are left under way, so that the next window can be asked for
     * behind them, until {@link #settle}.
     *
     * @throws RepairException when a follower answers what cannot be, or the sums differ afterwards
     */
    boolean reconcile(WindowSummary ownSummary, List<WindowAnswer> answers) throws IOException {
        WindowSummary mine = ownSummary;
        theirs.clear();
        for (WindowAnswer answer : answers) {
            theirs.add(answer.summary());
            meter.add(RepairCount.SYMBOLS, answer.sketch().end());
        }
        boolean deletionsDiffer = differs(Phase.DELETIONS, mine);
        if (deletionsDiffer) {
            meter.add(RepairCount.WINDOWS_DELETIONS, 1);
            reconcileDeletions(mine);
            mine = own.summary();
            requireEqual(Phase.DELETIONS, mine);
        }
        boolean rowsDiffer = differs(Phase.ROWS, mine);
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
                requireEqual(Phase.DELETIONS, mine);
                requireEqual(Phase.ROWS, mine);
            } else {
                unsettled = Optional.of(new Unsettled(pushes, mine));
            }
        }
        return deletionsDiffer || rowsDiffer;
    }

    private boolean differs(Phase phase, WindowSummary mine) {
        return theirs.stream().anyMatch(summary -> !summary.of(phase).equals(mine.of(phase)));
    }

    private void requireEqual(Phase phase, WindowSummary mine) throws RepairException {
        for (int i = 0; i < followers.size(); i++) {
            WindowSummary.Sum sum = theirs.get(i).of(phase);
            if (!sum.equals(mine.of(phase))) {
                throw new RepairException("replica differs after it was given what it lacked, replica="
                        + followers.get(i).name() + ", phase=" + phase + ", items=" + sum.count() + ", itemsOfMaster="
                        + mine.of(phase).count());
            }
        }
    }

    /** In what each follower differs. */
    private List<FollowerDifference> differences(
            Reconciler reconciler, Phase phase, long[] mine, WindowSummary summary, List<Sketch> ahead)
            throws IOException {
        List<WindowSummary.Sum> sums = new ArrayList<>();
        for (int i = 0; i < followers.size(); i++) {
            WindowSummary.Sum sum = theirs.get(i).of(phase);
            requireRoom(followers.get(i), phase, sum.count());
            sums.add(sum);
        }
        return reconciler.differences(mine, summary.of(phase), sums, ahead);
    }

    /** Before anything is asked for: a list is in memory whole. */
    private void requireRoom(Participant follower, Phase phase, long items) throws RepairException {
        long maxItems = RepairConfig.windowItemsMax(bufferBytes);
        if (items < 0 || items > maxItems) {
            throw new RepairException(
                    "replica says that it holds more in a window than its row buffer has room for, replica="
                            + follower.name() + ", phase=" + phase + ", items=" + items + ", maxItems=" + maxItems);
        }
    }

    /** Takes an answer in and tells what came. */
    private interface Fetched {
        void accept(byte[] items, ExpectedItems expected) throws IOException;
    }

    /**
     * Fetches each item that the master lacks once. All followers are asked at the same time, for what fits a row buffer
     * together, and again until nothing is left; an item that is larger than its share comes alone.
     */
    private void fetchMissing(Phase phase, List<FollowerDifference> differences, Fetched fetched) throws IOException {
        List<ExpectedItems> all = expected(phase, differences);
        List<ExpectedItems> open = new ArrayList<>(all);
        while (!open.isEmpty()) {
            int roomBytes = Math.max(1, bufferBytes / open.size());
            List<CompletableFuture<byte[]>> asked = open.stream()
                    .map(expected -> fetch(expected, phase, roomBytes))
                    .toList();
            for (int i = 0; i < asked.size(); i++) {
                byte[] answer = meter.await(asked.get(i));
                open.get(i).requireRoom(answer, roomBytes);
                accept(answer, phase, open.get(i), fetched);
            }
            open.removeIf(ExpectedItems::isComplete);
        }
        all.forEach(ExpectedItems::tell);
    }

    private static CompletableFuture<byte[]> fetch(ExpectedItems expected, Phase phase, int roomBytes) {
        return expected.follower().fetch(phase, expected.wanted(), expected.cameCount(), roomBytes);
    }

    /** What to ask each follower for, so that the master gets each item that it lacks once. */
    private List<ExpectedItems> expected(Phase phase, List<FollowerDifference> differences) {
        List<ExpectedItems> all = new ArrayList<>();
        Set<FollowerDifference> asked = new HashSet<>();
        HashList covered = HashList.EMPTY;
        for (int i = 0; i < followers.size(); i++) {
            FollowerDifference difference = differences.get(i);
            if (!asked.add(difference)) {
                continue;
            }
            if (difference.isKnown()) {
                HashList missing = difference.extra().without(covered);
                covered = covered.with(missing);
                if (!missing.isEmpty()) {
                    all.add(new ExpectedItems(followers.get(i), phase, difference, missing));
                }
            } else {
                all.add(new ExpectedItems(followers.get(i), phase, difference));
            }
        }
        all.forEach(expected -> meter.add(RepairCount.HASHES, expected.wanted().hashCount()));
        return all;
    }

    private void accept(byte[] answer, Phase phase, ExpectedItems expected, Fetched fetched) throws IOException {
        byte[] items = answer.length > 0 ? answer : meter.await(fetch(expected, phase, Participant.ONE_ITEM));
        expected.requireKinds(items, item);
        try {
            fetched.accept(items, expected);
        } catch (CorruptItemException e) {
            throw expected.noItem(e);
        } catch (RepairException e) {
            throw expected.refused(e);
        }
        expected.requireWanted();
        item.release();
    }

    private void reconcileDeletions(WindowSummary summary) throws IOException {
        long[] hashes = own.hashes(Phase.DELETIONS);
        HashList mine = HashList.of(hashes);
        List<FollowerDifference> differences =
                differences(deletionReconciler, Phase.DELETIONS, hashes, summary, List.of());
        List<HashedDeletion> union = new ArrayList<>(own.current().deletions());
        ByteWriter all = new ByteWriter(64);
        fetchMissing(Phase.DELETIONS, differences, (items, expected) -> {
            for (int at = 0; at < items.length; at = item.endOffset()) {
                item.wrap(items, at, items.length);
                HashedDeletion deletion = own.current().hash(item);
                expected.came(deletion.low());
                union.add(deletion);
            }
            all.writeBytes(items);
        });
        byte[] ghosts = own.receiveAsMaster(all.toByteArray(), Window.Arrivals.UNHEEDED);

        Pushes pushes = new Pushes();
        for (HashedDeletion deletion : union) {
            boolean isMine = mine.contains(deletion.low());
            boolean missed = false;
            for (int i = 0; i < followers.size(); i++) {
                if (deletion.hashed() && !differences.get(i).has(deletion.low(), isMine)) {
                    missed = true;
                    if (own.current().isInForce(deletion.item())) {
                        pushes.add(i, deletion.encoded(), 0, deletion.encoded().length);
                    }
                }
            }
            if (missed || deletion.hashed() && !isMine) {
                meter.add(RepairCount.DELETIONS_DIFFERING, 1);
                listener.deletionDiffers(deletion.item().key());
            }
        }
        spread(pushes.finish(), ghosts);
    }

    /** Pushes of which some may be under way, if there are no ghosts. */
    private Pushes reconcileRows(WindowSummary summary, List<Sketch> ahead, boolean anyGhost) throws IOException {
        List<FollowerDifference> differences =
                differences(rowReconciler, Phase.ROWS, own.hashes(Phase.ROWS), summary, ahead);
        NavigableMap<RingPosition, Versions> touched =
                new TreeMap<>((left, right) -> left.compareTo(right, comparator));
        ByteWriter ghosts = new ByteWriter(64);
        fetchMissing(
                Phase.ROWS, differences, (items, expected) -> ghosts.writeBytes(receiveRows(items, expected, touched)));

        Pushes pushes = new Pushes();
        long[] touchedHashes = new long[touched.size()];
        int touchedCount = 0;
        for (Map.Entry<RingPosition, Versions> place : touched.entrySet()) {
            RingPosition position = place.getKey();
            Optional<HeldRow> row = own.current().rows().heldAt(position);
            if (row.isPresent()) {
                pushTouched(row.get(), place.getValue(), differences, pushes);
                touchedHashes[touchedCount++] = row.get().low();
            }
            listener.rowDiffers(position);
        }
        meter.add(RepairCount.ROWS_DIFFERING, touched.size());
        pushOwn(HashList.of(Arrays.copyOf(touchedHashes, touchedCount)), differences, pushes);
        pushes.sendAll();
        if (anyGhost) {
            spread(pushes.await(), ghosts.toByteArray());
        }
        assert anyGhost || ghosts.lengthBytes() == 0 : "a ghost was not announced";
        return pushes;
    }

    /** The hashes of the rows that replicas held at one place, and which of them, if one, is the master's. */
    private record Versions(OptionalLong own, long[] came) {
        static Versions first(Optional<HeldRow> before, long hash) {
            OptionalLong own = before.filter(HeldRow::hashed)
                    .map(row -> OptionalLong.of(row.low()))
                    .orElseGet(OptionalLong::empty);
            return new Versions(own, new long[] {hash});
        }

        Versions with(long hash) {
            long[] all = Arrays.copyOf(came, came.length + 1);
            all[came.length] = hash;
            return new Versions(own, all);
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
        return own.receiveAsMaster(items, (position, hash, before) -> {
            expected.came(hash);
            touched.merge(position, Versions.first(before, hash), (known, more) -> known.with(hash));
        });
    }

    /** The places at which rows differ, told by hashes: no row is moved. */
    private void countRows(WindowSummary summary, List<Sketch> ahead) throws IOException {
        List<FollowerDifference> differences =
                differences(rowReconciler, Phase.ROWS, own.hashes(Phase.ROWS), summary, ahead);
        PacedAnswers<byte[]> asked = new PacedAnswers<>(bufferBytes, meter);
        List<ExpectedItems> all = expected(Phase.ROWS, differences);
        for (ExpectedItems expected : all) {
            asked.add(
                    bufferBytes * expected.wantedCount() / expected.holderCount(),
                    () -> expected.follower().places(expected.wanted()));
        }
        DifferingPlaces places = new DifferingPlaces(own.current(), differences, comparator);
        places.addOwn();
        for (ExpectedItems expected : all) {
            places.add(expected.follower().name(), asked.next(), expected.wantedHashes(), item);
        }
        places.addLacking(rowsLacking);
        int differing = 0;
        for (RingPosition position : places.positions()) {
            differing++;
            listener.rowDiffers(position);
        }
        meter.add(RepairCount.ROWS_DIFFERING, differing);
    }

    private void pushTouched(HeldRow held, Versions versions, List<FollowerDifference> differences, Pushes pushes)
            throws IOException {
        HeldRow row = held;
        for (int i = 0; i < followers.size(); i++) {
            FollowerDifference difference = differences.get(i);
            boolean lacks = row.hashed()
                    ? !difference.has(row.low(), versions.isOwn(row.low()))
                    : versions.anyIsHeldBy(difference);
            if (lacks) {
                row = own.current().rows().inMemory(row);
                pushes.add(i, row.array(), row.offset(), row.lengthBytes());
            }
        }
    }

    /** What only the master holds at its place, or followers equal to it. */
    private void pushOwn(HashList touched, List<FollowerDifference> differences, Pushes pushes) throws IOException {
        HashList missing = FollowerDifference.lackingAnywhere(differences);
        RowBuffer rows = own.current().rows().buffer();
        int differing = 0;
        for (int index = 0; !missing.isEmpty() && index < rows.windowEnd(); index++) {
            long hash = rows.hashLow(index);
            if (!missing.contains(hash) || !rows.isHashed(index) || touched.contains(hash)) {
                continue;
            }
            // Once for all who lack it: it may lie in a file.
            EncodedItem row = rows.content(index);
            for (int i = 0; i < followers.size(); i++) {
                if (!differences.get(i).has(hash, true)) {
                    pushes.add(i, row.buffer(), row.offset(), row.lengthBytes());
                }
            }
            rows.releaseContent();
            differing++;
            listener.rowDiffers(rows.position(index));
        }
        meter.add(RepairCount.ROWS_DIFFERING, differing);
    }

    /** What each follower is to get: in pieces, which take a row buffer together. */
    private final class Pushes {
        private final int pieceBytes = Math.max(1, bufferBytes / followers.size());
        private final List<ByteWriter> pieces =
                followers.stream().map(follower -> new ByteWriter(64)).toList();
        /** By follower, one each. */
        private final Map<Integer, CompletableFuture<PushAnswer>> underWay = new HashMap<>();

        private final Deque<Ghosts> ghosts = new ArrayDeque<>();
        /** In what is sent next. */
        private final int[] items = new int[followers.size()];

        /** Items come in any order; what fills a piece is sent before more is gathered. */
        void add(int follower, byte[] array, int offset, int lengthBytes) throws IOException {
            ByteWriter piece = pieces.get(follower);
            if ((long) piece.lengthBytes() + lengthBytes > pieceBytes) {
                send(follower);
            }
            items[follower]++;
            if (lengthBytes > pieceBytes) {
                sendAlone(follower, array, offset, lengthBytes);
            } else {
                piece.writeBytes(array, offset, lengthBytes);
            }
        }

        void addForAllBut(int origin, byte[] array, int offset, int lengthBytes) throws IOException {
            for (int i = 0; i < followers.size(); i++) {
                if (i != origin) {
                    add(i, array, offset, lengthBytes);
                }
            }
        }

        /** Sends what is left; the ghosts that all has been answered with. */
        Deque<Ghosts> finish() throws IOException {
            sendAll();
            return await();
        }

        void sendAll() throws IOException {
            for (int i = 0; i < followers.size(); i++) {
                send(i);
            }
        }

        /** The ghosts that all that was sent has been answered with. */
        Deque<Ghosts> await() throws IOException {
            for (int i = 0; i < followers.size(); i++) {
                answered(i);
            }
            return ghosts;
        }

        private void send(int follower) throws IOException {
            ByteWriter piece = pieces.get(follower);
            if (piece.lengthBytes() > 0) {
                answered(follower);
                push(follower, piece.toByteArray());
                piece.clear();
            }
        }

        /** No other is under way in the meantime. */
        private void sendAlone(int follower, byte[] array, int offset, int lengthBytes) throws IOException {
            answered(follower);
            boolean isAlone = lengthBytes == array.length;
            push(follower, isAlone ? array : Arrays.copyOfRange(array, offset, offset + lengthBytes));
            answered(follower);
        }

        private void push(int follower, byte[] sent) {
            meter.sent(items[follower], sent.length);
            items[follower] = 0;
            underWay.put(follower, followers.get(follower).push(sent));
        }

        private void answered(int follower) throws IOException {
            CompletableFuture<PushAnswer> asked = underWay.remove(follower);
            if (asked != null) {
                PushAnswer answer = meter.await(asked);
                theirs.set(follower, answer.summary());
                if (answer.ghosts().length > 0) {
                    ghosts.add(new Ghosts(follower, answer.ghosts()));
                }
            }
        }
    }

    /** Takes ghosts in and forwards them to all but their origin, until no more come. */
    private void spread(Deque<Ghosts> answers, byte[] ownGhosts) throws IOException {
        Deque<Ghosts> waiting = new ArrayDeque<>(answers);
        if (ownGhosts.length > 0) {
            waiting.add(new Ghosts(OWN, ownGhosts));
        }
        for (int round = 0; !waiting.isEmpty(); round++) {
            if (round == GHOST_ROUNDS_MAX) {
                throw new RepairException("ghosts do not settle, rounds=" + round + ", waiting=" + waiting.size());
            }
            Deque<Ghosts> next = new ArrayDeque<>();
            for (Ghosts ghosts : waiting) {
                if (ghosts.origin() != OWN) {
                    byte[] stronger = receiveGhosts(ghosts.items(), followers.get(ghosts.origin()));
                    if (stronger.length > 0) {
                        next.add(new Ghosts(OWN, stronger));
                    }
                }
                next.addAll(forward(ghosts));
            }
            waiting = next;
        }
    }

    private byte[] receiveGhosts(byte[] items, Participant origin) throws IOException {
        try {
            return own.receiveAsMaster(items, Window.Arrivals.UNHEEDED);
        } catch (CorruptItemException e) {
            throw ExpectedItems.noItem(origin, e);
        } catch (RepairException e) {
            throw new RepairException(
                    "replica sent ghosts that cannot be received, replica=" + origin.name() + ", cause="
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * Pushes ghosts to all but their origin: deletions as they are, rows as the master holds them now, so that receivers find
     * nothing missing in them. Returns the ghosts that it is answered with.
     */
    private Deque<Ghosts> forward(Ghosts ghosts) throws IOException {
        Pushes pushes = new Pushes();
        byte[] items = ghosts.items();
        int end;
        for (int at = 0; at < items.length; at = end) {
            item.wrap(items, at, items.length);
            end = item.endOffset();
            if (ItemCodec.isDeletion(item)) {
                pushes.addForAllBut(ghosts.origin(), items, item.offset(), item.lengthBytes());
            } else {
                Optional<HeldRow> row =
                        own.current().rows().heldAt(own.current().position(item));
                if (row.isPresent()) {
                    HeldRow whole = own.current().rows().inMemory(row.get());
                    pushes.addForAllBut(ghosts.origin(), whole.array(), whole.offset(), whole.lengthBytes());
                }
            }
        }
        return pushes.finish();
    }
}
