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
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Reconciles one window: deletions first, then rows. Each phase is: lists of hashes from the followers whose sum differs,
 * fetch what the master lacks, receive it, push to each follower what it lacks, spread the ghosts that answer. See decision
 * 2 in {@code docs/decisions}. Runs on the master's thread.
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

    private long rowsDiffering;
    private long deletionsDiffering;
    private long itemsFetched;
    private long itemsPushed;
    private long itemBytes;

    WindowSync(TableSchema schema, ReplicaSession own, List<Replica> followers, RepairListener listener) {
        this.own = own;
        this.followers = followers;
        this.listener = listener;
        item = new EncodedItem(schema);
        comparator = ClusteringComparator.of(schema);
    }

    long rowsDiffering() {
        return rowsDiffering;
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

    /** Makes all replicas hold the same in the window; whether they did not before. */
    boolean reconcile(WindowSummary ownSummary, List<WindowSummary> summaries) throws IOException {
        WindowSummary mine = ownSummary;
        List<WindowSummary> theirs = summaries;
        boolean deletionsDiffer = differs(Phase.DELETIONS, mine, theirs);
        if (deletionsDiffer) {
            reconcileDeletions(mine, theirs);
            List<CompletableFuture<WindowSummary>> asked =
                    followers.stream().map(Replica::summary).toList();
            mine = own.summary();
            theirs = Waiting.results(asked);
        }
        boolean rowsDiffer = differs(Phase.ROWS, mine, theirs);
        if (rowsDiffer) {
            reconcileRows(mine, theirs);
        }
        return deletionsDiffer || rowsDiffer;
    }

    private static boolean differs(Phase phase, WindowSummary mine, List<WindowSummary> theirs) {
        return theirs.stream().anyMatch(summary -> !summary.of(phase).equals(mine.of(phase)));
    }

    /** The hashes of each follower; those whose sum is the master's are not asked. */
    private List<HashList> hashLists(Phase phase, HashList mine, WindowSummary sum, List<WindowSummary> theirs)
            throws IOException {
        List<CompletableFuture<HashList>> lists = new ArrayList<>();
        for (int i = 0; i < followers.size(); i++) {
            boolean equal = theirs.get(i).of(phase).equals(sum.of(phase));
            lists.add(
                    equal
                            ? CompletableFuture.completedFuture(mine)
                            : followers.get(i).hashes(phase).thenApply(HashList::of));
        }
        return Waiting.results(lists);
    }

    /** Fetches each item that the master lacks once. */
    private byte[] fetchMissing(Phase phase, HashList mine, List<HashList> lists) throws IOException {
        HashList covered = mine;
        List<CompletableFuture<byte[]>> fetches = new ArrayList<>();
        int[] wanted = new int[followers.size()];
        for (int i = 0; i < followers.size(); i++) {
            long[] missing = lists.get(i).without(covered);
            wanted[i] = missing.length;
            covered = covered.with(missing);
            fetches.add(
                    missing.length == 0
                            ? CompletableFuture.completedFuture(NOTHING)
                            : followers.get(i).fetch(phase, missing));
        }
        ByteWriter all = new ByteWriter(1024);
        for (int i = 0; i < followers.size(); i++) {
            byte[] items = Waiting.result(fetches.get(i));
            check(followers.get(i), phase, items, wanted[i]);
            itemsFetched += wanted[i];
            itemBytes += items.length;
            all.writeBytes(items);
        }
        return all.toByteArray();
    }

    /** What a follower listed and did not send would be missing everywhere, without a word. */
    private void check(Replica follower, Phase phase, byte[] items, int wanted) throws RepairException {
        int count = 0;
        int fitting = 0;
        try {
            for (int at = 0; at < items.length; at = item.endOffset()) {
                boolean isDeletion = ItemCodec.isDeletion(item.wrap(items, at, items.length));
                count++;
                fitting += isDeletion == (phase == Phase.DELETIONS) ? 1 : 0;
            }
        } catch (CorruptItemException e) {
            throw new RepairException("replica sent what is no item, replica=" + follower.name(), e);
        }
        if (count < wanted || fitting < count) {
            throw new RepairException("replica did not send what it listed, replica=" + follower.name() + ", phase="
                    + phase + ", wanted=" + wanted + ", sent=" + count + ", ofThisKind=" + fitting);
        }
    }

    private void reconcileDeletions(WindowSummary sum, List<WindowSummary> theirs) throws IOException {
        HashList mine = HashList.of(own.hashes(Phase.DELETIONS));
        List<HashList> lists = hashLists(Phase.DELETIONS, mine, sum, theirs);
        byte[] fetched = fetchMissing(Phase.DELETIONS, mine, lists);
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
        byte[] fetched = fetchMissing(Phase.ROWS, mine, lists);
        NavigableMap<RingPosition, List<Long>> touched = touched(fetched);
        byte[] ghosts = onlyDeletions(own.receive(fetched));

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
    private NavigableMap<RingPosition, List<Long>> touched(byte[] fetched) throws IOException {
        NavigableMap<RingPosition, List<Long>> touched =
                new TreeMap<>((left, right) -> left.compareTo(right, comparator));
        Window window = own.current();
        for (int at = 0; at < fetched.length; at = item.endOffset()) {
            item.wrap(fetched, at, fetched.length);
            RingPosition position = window.position(item);
            touched.computeIfAbsent(position, place -> {
                        List<Long> hashes = new ArrayList<>();
                        window.rows().heldAt(place).filter(HeldRow::hashed).ifPresent(row -> hashes.add(row.low()));
                        return hashes;
                    })
                    .add(window.hashOf(item));
        }
        return touched;
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
