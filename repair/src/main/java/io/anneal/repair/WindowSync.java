package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.io.ByteWriter;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.RingPosition;
import io.anneal.net.Waiting;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.WindowSummary;
import io.anneal.repair.row.HashList;
import io.anneal.repair.row.HashedDeletion;
import io.anneal.repair.row.ItemCodec;
import io.anneal.repair.row.RowBuffer;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/**
 * Reconciles one window: deletions first, then rows. Each phase is: lists of hashes from the followers whose sum differs,
 * fetch what the master lacks, receive it, push to each follower what it lacks, spread the ghosts that answer. Then the
 * sums are compared again: nothing is called equal that was not found equal. See decision 2 in {@code docs/decisions}.
 *
 * <p>What a follower lists must add up to its sum, and what it sends must have the hashes asked for, each once. In a dry
 * run rows stay where they are: places of differing rows are asked for and counted. Two different items of a window with
 * one 64-bit hash (n items: n^2 / 2^65, one in four billion for 100,000) end the repair by one of these checks; another
 * session has another seed. Runs on the master's thread.
 */
final class WindowSync {
    /** Ghosts are held by all after one round; more mean a mistake. */
    private static final int GHOST_ROUNDS_MAX = 8;

    private static final int OWN = -1;
    private static final byte[] NOTHING = new byte[0];

    /** Encoded ghosts and the follower, or {@link #OWN}, that they come from. */
    private record Ghosts(int origin, byte[] items) {}

    private final ReplicaSession own;
    private final List<Replica> followers;
    private final RepairListener listener;
    private final EncodedItem item;
    private final ClusteringComparator comparator;

    private final boolean dryRun;
    /** See {@link #rowsLacking(int)}. */
    private final long[] rowsLacking;

    private long rowsDiffering;
    private long deletionsDiffering;
    private long itemsFetched;
    private long itemsPushed;
    private long itemBytes;

    WindowSync(
            TableSchema schema, ReplicaSession own, List<Replica> followers, RepairListener listener, boolean dryRun) {
        this.own = own;
        this.followers = followers;
        this.listener = listener;
        this.dryRun = dryRun;
        rowsLacking = new long[followers.size() + 1];
        item = new EncodedItem(schema);
        comparator = ClusteringComparator.of(schema);
    }

    long rowsDiffering() {
        return rowsDiffering;
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

    long deletionsDiffering() {
        return deletionsDiffering;
    }

    long itemsFetched() {
        return itemsFetched;
    }

    long itemsPushed() {
        return itemsPushed;
    }

    long itemBytes() {
        return itemBytes;
    }

    /**
     * Makes all replicas hold the same in the window, or counts in what they differ; whether they did.
     *
     * @throws RepairException when a follower answers what cannot be, or the sums differ afterwards
     */
    boolean reconcile(WindowSummary ownSummary, List<WindowSummary> summaries) throws IOException {
        WindowSummary mine = ownSummary;
        List<WindowSummary> theirs = summaries;
        boolean deletionsDiffer = differs(Phase.DELETIONS, mine, theirs);
        if (deletionsDiffer) {
            reconcileDeletions(mine, theirs);
            theirs = sumsAgain();
            mine = own.summary();
            requireEqual(Phase.DELETIONS, mine, theirs);
        }
        boolean rowsDiffer = differs(Phase.ROWS, mine, theirs);
        if (rowsDiffer && dryRun) {
            countRows(mine, theirs);
        } else if (rowsDiffer) {
            reconcileRows(mine, theirs);
            theirs = sumsAgain();
            mine = own.summary();
            requireEqual(Phase.DELETIONS, mine, theirs);
            requireEqual(Phase.ROWS, mine, theirs);
        }
        return deletionsDiffer || rowsDiffer;
    }

    private static boolean differs(Phase phase, WindowSummary mine, List<WindowSummary> theirs) {
        return theirs.stream().anyMatch(summary -> !summary.of(phase).equals(mine.of(phase)));
    }

    private List<WindowSummary> sumsAgain() throws IOException {
        List<CompletableFuture<WindowSummary>> asked =
                followers.stream().map(Replica::summary).toList();
        return Waiting.results(asked);
    }

    private void requireEqual(Phase phase, WindowSummary mine, List<WindowSummary> theirs) throws RepairException {
        for (int i = 0; i < followers.size(); i++) {
            WindowSummary.Sum sum = theirs.get(i).of(phase);
            if (!sum.equals(mine.of(phase))) {
                throw new RepairException("replica differs after it was given what it lacked, replica="
                        + followers.get(i).name() + ", phase=" + phase + ", items=" + sum.count() + ", itemsOfMaster="
                        + mine.of(phase).count());
            }
        }
    }

    /** The hashes of each follower; those whose sum is the master's are not asked. */
    private List<HashList> hashLists(Phase phase, HashList mine, WindowSummary sum, List<WindowSummary> theirs)
            throws IOException {
        List<CompletableFuture<HashList>> asked = new ArrayList<>();
        for (int i = 0; i < followers.size(); i++) {
            boolean equal = theirs.get(i).of(phase).equals(sum.of(phase));
            asked.add(
                    equal
                            ? CompletableFuture.completedFuture(mine)
                            : followers.get(i).hashes(phase).thenApply(HashList::of));
        }
        List<HashList> lists = Waiting.results(asked);
        for (int i = 0; i < followers.size(); i++) {
            WindowSummary.Sum told = theirs.get(i).of(phase);
            if (lists.get(i).size() != told.count() || lists.get(i).sum() != told.low()) {
                throw new RepairException("hashes of a replica do not add up to its sum, replica="
                        + followers.get(i).name() + ", phase=" + phase + ", hashes="
                        + lists.get(i).size() + ", items=" + told.count());
            }
        }
        return lists;
    }

    /** Items of one phase as they came, with their hashes in the same order. */
    private record Fetched(byte[] items, long[] hashes) {}

    /** Fetches each item that the master lacks once. */
    private Fetched fetchMissing(Phase phase, HashList mine, List<HashList> lists) throws IOException {
        List<long[]> wanted = missing(mine, lists);
        List<CompletableFuture<byte[]>> fetches = new ArrayList<>();
        for (int i = 0; i < followers.size(); i++) {
            fetches.add(
                    wanted.get(i).length == 0
                            ? CompletableFuture.completedFuture(NOTHING)
                            : followers.get(i).fetch(phase, wanted.get(i)));
        }
        ByteWriter all = new ByteWriter(1024);
        LongStream.Builder hashes = LongStream.builder();
        for (int i = 0; i < followers.size(); i++) {
            byte[] items = Waiting.result(fetches.get(i));
            for (long hash : check(followers.get(i), phase, items, wanted.get(i))) {
                hashes.add(hash);
            }
            itemsFetched += wanted.get(i).length;
            itemBytes += items.length;
            all.writeBytes(items);
        }
        return new Fetched(all.toByteArray(), hashes.build().toArray());
    }

    /** What to ask each follower for, so that the master gets each hash that it lacks once. */
    private List<long[]> missing(HashList mine, List<HashList> lists) {
        List<long[]> wanted = new ArrayList<>();
        HashList covered = mine;
        for (HashList list : lists) {
            long[] missing = list.without(covered);
            covered = covered.with(missing);
            wanted.add(missing);
        }
        return wanted;
    }

    /** The hashes of what a follower sent: those that it was asked for, each once, or it is told by name. */
    private long[] check(Replica follower, Phase phase, byte[] items, long[] wanted) throws IOException {
        long[] hashes = new long[wanted.length];
        int count = 0;
        try {
            for (int at = 0; at < items.length; at = item.endOffset()) {
                item.wrap(items, at, items.length);
                if (ItemCodec.isDeletion(item) != (phase == Phase.DELETIONS)) {
                    throw notAsked(follower, phase, "another kind, kind=" + item.kind());
                }
                long hash = phase == Phase.DELETIONS
                        ? own.current().hash(item).low()
                        : own.current().hashOf(item);
                if (count < hashes.length) {
                    hashes[count] = hash;
                }
                count++;
            }
        } catch (CorruptItemException e) {
            throw new RepairException("replica sent what is no item, replica=" + follower.name(), e);
        }
        long[] sorted = hashes.clone();
        Arrays.sort(sorted);
        if (count != hashes.length || !Arrays.equals(sorted, wanted)) {
            throw notAsked(follower, phase, "wanted=" + wanted.length + ", sent=" + count);
        }
        return hashes;
    }

    private static RepairException notAsked(Replica follower, Phase phase, String facts) {
        return new RepairException(
                "replica did not send what it listed, replica=" + follower.name() + ", phase=" + phase + ", " + facts);
    }

    private void reconcileDeletions(WindowSummary sum, List<WindowSummary> theirs) throws IOException {
        HashList mine = HashList.of(own.hashes(Phase.DELETIONS));
        List<HashList> lists = hashLists(Phase.DELETIONS, mine, sum, theirs);
        byte[] fetched = fetchMissing(Phase.DELETIONS, mine, lists).items();
        List<HashedDeletion> union = new ArrayList<>(own.current().deletions());
        for (int at = 0; at < fetched.length; at = item.endOffset()) {
            item.wrap(fetched, at, fetched.length);
            union.add(own.current().hash(item));
        }
        byte[] ghosts = own.receive(fetched);

        List<ByteWriter> pushes = emptyPushes();
        for (HashedDeletion deletion : union) {
            boolean missed = false;
            for (int i = 0; i < followers.size(); i++) {
                if (deletion.hashed() && !lists.get(i).contains(deletion.low())) {
                    missed = true;
                    if (own.current().isInForce(deletion.item())) {
                        push(pushes.get(i), deletion.encoded());
                    }
                }
            }
            if (missed || deletion.hashed() && !mine.contains(deletion.low())) {
                deletionsDiffering++;
                listener.deletionDiffers(deletion.item().key());
            }
        }
        spread(pushAll(pushes), ghosts);
    }

    private void reconcileRows(WindowSummary sum, List<WindowSummary> theirs) throws IOException {
        HashList mine = HashList.of(own.hashes(Phase.ROWS));
        List<HashList> lists = hashLists(Phase.ROWS, mine, sum, theirs);
        Fetched fetched = fetchMissing(Phase.ROWS, mine, lists);
        NavigableMap<RingPosition, List<Long>> touched = touched(fetched);
        byte[] ghosts = onlyDeletions(own.receive(fetched.items()));

        List<ByteWriter> pushes = emptyPushes();
        long[] touchedHashes = new long[touched.size()];
        int touchedCount = 0;
        for (RingPosition position : touched.keySet()) {
            Optional<HeldRow> row = own.current().rows().heldAt(position);
            if (row.isPresent()) {
                pushTouched(row.get(), touched.get(position), lists, pushes);
                touchedHashes[touchedCount++] = row.get().low();
            }
            rowsDiffering++;
            listener.rowDiffers(position);
        }
        pushOwn(HashList.of(touchedHashes), lists, pushes);
        spread(pushAll(pushes), ghosts);
    }

    /** The places of what was fetched, with the hashes of the versions that replicas hold there. */
    private NavigableMap<RingPosition, List<Long>> touched(Fetched fetched) throws IOException {
        NavigableMap<RingPosition, List<Long>> touched =
                new TreeMap<>((left, right) -> left.compareTo(right, comparator));
        Window window = own.current();
        byte[] items = fetched.items();
        int index = 0;
        for (int at = 0; at < items.length; at = item.endOffset()) {
            item.wrap(items, at, items.length);
            touched.computeIfAbsent(window.position(item), place -> {
                        List<Long> hashes = new ArrayList<>();
                        window.rows().heldAt(place).filter(HeldRow::hashed).ifPresent(row -> hashes.add(row.low()));
                        return hashes;
                    })
                    .add(fetched.hashes()[index++]);
        }
        return touched;
    }

    /** The places at which rows differ, told by hashes: no row is moved. */
    private void countRows(WindowSummary sum, List<WindowSummary> theirs) throws IOException {
        HashList mine = HashList.of(own.hashes(Phase.ROWS));
        List<HashList> lists = hashLists(Phase.ROWS, mine, sum, theirs);
        List<long[]> wanted = missing(mine, lists);
        List<CompletableFuture<byte[]>> asked = new ArrayList<>();
        for (int i = 0; i < followers.size(); i++) {
            asked.add(
                    wanted.get(i).length == 0
                            ? CompletableFuture.completedFuture(NOTHING)
                            : followers.get(i).places(wanted.get(i)));
        }
        DifferingPlaces places = new DifferingPlaces(own.current(), mine, lists, comparator);
        places.addOwn();
        for (int i = 0; i < followers.size(); i++) {
            places.add(followers.get(i).name(), Waiting.result(asked.get(i)), wanted.get(i), item);
        }
        places.addLacking(rowsLacking);
        for (RingPosition position : places.positions()) {
            rowsDiffering++;
            listener.rowDiffers(position);
        }
    }

    private void pushTouched(HeldRow row, List<Long> versions, List<HashList> lists, List<ByteWriter> pushes) {
        for (int i = 0; i < followers.size(); i++) {
            HashList list = lists.get(i);
            boolean lacks =
                    row.hashed() ? !list.contains(row.low()) : versions.stream().anyMatch(list::contains);
            if (lacks) {
                push(pushes.get(i), row.encoded());
            }
        }
    }

    /** What only the master holds at its place, or followers equal to it. */
    private void pushOwn(HashList touched, List<HashList> lists, List<ByteWriter> pushes) {
        RowBuffer rows = own.current().rows().buffer();
        for (int index = 0; index < rows.windowEnd(); index++) {
            if (!rows.isHashed(index) || touched.contains(rows.hashLow(index))) {
                continue;
            }
            boolean missed = false;
            for (int i = 0; i < followers.size(); i++) {
                if (!lists.get(i).contains(rows.hashLow(index))) {
                    EncodedItem row = rows.item(index);
                    pushes.get(i).writeBytes(row.buffer(), row.offset(), row.lengthBytes());
                    itemsPushed++;
                    missed = true;
                }
            }
            if (missed) {
                rowsDiffering++;
                listener.rowDiffers(rows.position(index));
            }
        }
    }

    private List<ByteWriter> emptyPushes() {
        return followers.stream().map(follower -> new ByteWriter(64)).toList();
    }

    private void push(ByteWriter to, byte[] encoded) {
        to.writeBytes(encoded);
        itemsPushed++;
    }

    private Deque<Ghosts> pushAll(List<ByteWriter> pushes) throws IOException {
        List<CompletableFuture<byte[]>> answers = new ArrayList<>();
        for (int i = 0; i < followers.size(); i++) {
            byte[] items = pushes.get(i).toByteArray();
            itemBytes += items.length;
            answers.add(
                    items.length == 0
                            ? CompletableFuture.completedFuture(items)
                            : followers.get(i).push(items));
        }
        Deque<Ghosts> ghosts = new ArrayDeque<>();
        List<byte[]> all = Waiting.results(answers);
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).length > 0) {
                ghosts.add(new Ghosts(i, all.get(i)));
            }
        }
        return ghosts;
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
                byte[] items = ghosts.items();
                if (ghosts.origin() != OWN) {
                    byte[] stronger = onlyDeletions(own.receive(items));
                    if (stronger.length > 0) {
                        next.add(new Ghosts(OWN, stronger));
                    }
                    items = asHeld(items);
                }
                List<ByteWriter> pushes = emptyPushes();
                for (int i = 0; i < followers.size(); i++) {
                    if (i != ghosts.origin()) {
                        pushes.get(i).writeBytes(items);
                    }
                }
                next.addAll(pushAll(pushes));
            }
            waiting = next;
        }
    }

    private byte[] onlyDeletions(byte[] items) throws CorruptItemException {
        ByteWriter deletions = new ByteWriter(64);
        for (int at = 0; at < items.length; at = item.endOffset()) {
            item.wrap(items, at, items.length);
            if (ItemCodec.isDeletion(item)) {
                deletions.writeBytes(items, item.offset(), item.lengthBytes());
            }
        }
        return deletions.toByteArray();
    }

    /** Deletions as they are; rows as the master holds them now, so that receivers find nothing missing in them. */
    private byte[] asHeld(byte[] items) throws IOException {
        ByteWriter held = new ByteWriter(64);
        for (int at = 0; at < items.length; at = item.endOffset()) {
            item.wrap(items, at, items.length);
            if (ItemCodec.isDeletion(item)) {
                held.writeBytes(items, item.offset(), item.lengthBytes());
            } else {
                own.current()
                        .rows()
                        .heldAt(own.current().position(item))
                        .ifPresent(row -> held.writeBytes(row.encoded()));
            }
        }
        return held.toByteArray();
    }
}
