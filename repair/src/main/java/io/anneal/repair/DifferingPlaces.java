package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.RingPosition;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.hashes.ShortHashes;
import io.anneal.repair.message.PlacesFound;
import io.anneal.repair.message.PlacesWanted;
import io.anneal.repair.row.ItemCodec;
import io.anneal.repair.row.RowBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The places of a window at which replicas hold different rows, and which of them lack something there, found by hashes alone: what a
 * dry run counts. A place is known by a hash: so short that two different ones of a window count as one in about {@code
 * 2^-}{@value #CLEAR_BITS} of all windows; or by the whole hash, where places are named. One thread.
 */
final class DifferingPlaces {
    /** How many bits a place has more than it takes to tell as many as there are from each other. */
    private static final int CLEAR_BITS = 14;

    /** How many bits a row is asked by more than that: if it takes more the whole hashes are told. */
    private static final int ASKED_CLEAR_BITS = 6;

    private final Window window;
    private final ItemCodec codec;
    private final List<FollowerDifference> differences;
    private final RangeTally tally;
    private final ClusteringComparator comparator;
    private final boolean named;
    /** The master's rows that some follower has not. */
    private final HashList lackingElsewhere;

    /** How many bits tell a place. */
    private final int placeBits;

    /** By their hashes. */
    private final Map<Long, Place> places = new HashMap<>();

    private static final class Place {
        private final int range;
        /** The replicas that hold every version: they lack nothing. */
        private final BitSet complete;

        private boolean isHeldByMaster;
        /** What each replica lacks; counted by range already where places are not named. */
        private final long[] bytesLacking;

        private Optional<RingPosition> position = Optional.empty();

        Place(int range, BitSet holders, int replicas) {
            this.range = range;
            bytesLacking = new long[replicas];
            complete = (BitSet) holders.clone();
        }
    }

    /**
     * @param window the master's
     * @param differences of each follower
     * @param wanted how many rows the master has not, of all followers
     * @param named whether places shall be told, and not only counted
     */
    DifferingPlaces(
            Window window,
            ItemCodec codec,
            List<FollowerDifference> differences,
            RangeTally tally,
            ClusteringComparator comparator,
            long wanted,
            boolean named) {
        this.window = window;
        this.codec = codec;
        this.differences = differences;
        this.tally = tally;
        this.comparator = comparator;
        this.named = named;
        lackingElsewhere = FollowerDifference.lackingAnywhere(differences);
        placeBits = named ? Long.SIZE : Math.min(Long.SIZE, 2 * bitsOf(lackingElsewhere.size() + wanted) + CLEAR_BITS);
    }

    private static int bitsOf(long number) {
        return Long.SIZE - Long.numberOfLeadingZeros(number);
    }

    /** Rows that the same replicas hold. */
    record Group(BitSet holders, HashList rows) {}

    /** What is to be asked of a follower, by who holds it. */
    List<Group> groups(HashList rows) {
        Map<BitSet, List<Long>> byHolders = new LinkedHashMap<>();
        for (int i = 0; i < rows.size(); i++) {
            byHolders
                    .computeIfAbsent(holders(rows.get(i), false), holders -> new ArrayList<>())
                    .add(rows.get(i));
        }
        return byHolders.entrySet().stream()
                .map(group -> new Group(
                        group.getKey(),
                        HashList.of(group.getValue().stream()
                                .mapToLong(Long::longValue)
                                .toArray())))
                .toList();
    }

    /**
     * How to ask for them.
     *
     * @param holderCount how many rows the follower has
     */
    PlacesWanted wanted(List<Group> groups, long holderCount) {
        long wanted = groups.stream().mapToLong(group -> group.rows().size()).sum();
        return wanted(groups, Math.min(Long.SIZE, bitsOf(holderCount) + bitsOf(wanted) + ASKED_CLEAR_BITS));
    }

    /** How to ask for them where other rows of the follower have hashes that begin like theirs. */
    PlacesWanted wantedByWholeHashes(List<Group> groups) {
        return wanted(groups, Long.SIZE);
    }

    private PlacesWanted wanted(List<Group> groups, int askedBits) {
        return new PlacesWanted(
                named ? 0 : placeBits,
                groups.stream()
                        .map(group -> ShortHashes.of(group.rows().toArray(), askedBits))
                        .toList());
    }

    /** The master's rows that some follower has not. */
    void addOwn() throws IOException {
        RowBuffer rows = window.rows().buffer();
        for (int index = 0; index < rows.windowEnd(); index++) {
            long hash = rows.hashLow(index);
            if (rows.isHashed(index) && lackingElsewhere.contains(hash)) {
                BitSet holders = holders(hash, true);
                int range = tally.ranges().of(rows.item(index).key().token());
                Place place = addVersion(codec.placeHash(rows.item(index)), range, holders);
                place.isHeldByMaster = true;
                place.position = named ? Optional.of(rows.position(index)) : Optional.empty();
                lack(place, holders, rows.lengthBytes(index));
            }
        }
    }

    /**
     * What a follower holds and the master has not.
     *
     * @param follower its name
     * @param item a view to read with
     * @throws RepairException when there is not one place for each row that was asked for
     */
    void add(String follower, List<Group> groups, PlacesFound found, EncodedItem item) throws IOException {
        List<List<PlacesFound.InRange>> answers = found.groups()
                .orElseThrow(() -> new RepairException(
                        "replica did not say where rows stand that it listed, replica=" + follower));
        for (int i = 0; i < groups.size(); i++) {
            Group group = groups.get(i);
            int count = 0;
            for (PlacesFound.InRange rows : answers.get(i)) {
                if (rows.range() >= tally.ranges().size()) {
                    throw new RepairException("replica told rows of a range that there is not, replica=" + follower);
                }
                count += named ? addNamed(follower, group, rows, item) : addHashed(follower, group, rows);
            }
            if (count != group.rows().size()) {
                throw new RepairException("replica did not tell as many places as were asked for, replica=" + follower
                        + ", wanted=" + group.rows().size() + ", told=" + count);
            }
        }
    }

    private int addHashed(String follower, Group group, PlacesFound.InRange rows) throws RepairException {
        if (rows.hashes().bits() != placeBits) {
            throw new RepairException("replica told places by other hashes than were asked for, replica=" + follower
                    + ", bits=" + rows.hashes().bits() + ", wanted=" + placeBits);
        }
        for (int replica = 0; replica <= differences.size(); replica++) {
            if (!group.holders().get(replica)) {
                tally.lacks(rows.range(), replica, rows.bytes()[0]);
            }
        }
        for (long hash : rows.hashes().sorted()) {
            addVersion(hash << Long.SIZE - placeBits, rows.range(), group.holders());
        }
        return rows.hashes().size();
    }

    private int addNamed(String follower, Group group, PlacesFound.InRange rows, EncodedItem item) throws IOException {
        int count = 0;
        try {
            byte[] items = rows.items();
            for (int at = 0; at < items.length && count < rows.bytes().length; at = item.endOffset(), count++) {
                item.wrap(items, at, items.length);
                RingPosition position = window.position(item);
                Place place = addVersion(
                        codec.placeHash(item), tally.ranges().of(item.key().token()), group.holders());
                place.position = Optional.of(position);
                lack(place, group.holders(), rows.bytes()[count]);
            }
        } catch (CorruptItemException e) {
            throw new RepairException("replica sent what are no places, replica=" + follower, e);
        }
        return count;
    }

    private BitSet holders(long hash, boolean isOwn) {
        BitSet holders = new BitSet();
        holders.set(0, isOwn);
        for (int i = 0; i < differences.size(); i++) {
            holders.set(i + 1, differences.get(i).has(hash, isOwn));
        }
        return holders;
    }

    private Place addVersion(long placeHash, int range, BitSet holders) {
        Place place = places.computeIfAbsent(
                placeHash >>> Long.SIZE - placeBits, hash -> new Place(range, holders, differences.size() + 1));
        place.complete.and(holders);
        return place;
    }

    private void lack(Place place, BitSet holders, long bytes) {
        for (int replica = 0; replica <= differences.size(); replica++) {
            place.bytesLacking[replica] += holders.get(replica) ? 0 : bytes;
        }
    }

    /** Takes out the places at which a replica has what the cut-off leaves out; places must be named. */
    void leaveOut(RecentItems recent) throws IOException {
        Set<RingPosition> left = new TreeSet<>((one, other) -> one.compareTo(other, comparator));
        places.values().forEach(place -> left.add(place.position.orElseThrow()));
        recent.removeFrom(left, window);
        places.values().removeIf(place -> {
            boolean isLeftOut = !left.contains(place.position.orElseThrow());
            if (isLeftOut && place.isHeldByMaster) {
                tally.notCompared(place.range);
            }
            return isLeftOut;
        });
    }

    /** Counts all places, and tells of them where they are named; returns how many there are. */
    int tell(DifferenceListener listener) throws IOException {
        Collection<Place> found = places.values();
        if (named) {
            List<Place> inOrder = new ArrayList<>(found);
            inOrder.sort(Comparator.comparing(
                    place -> place.position.orElseThrow(), (left, right) -> left.compareTo(right, comparator)));
            found = inOrder;
        }
        for (Place place : found) {
            List<Integer> lacking = IntStream.rangeClosed(0, differences.size())
                    .filter(replica -> !place.complete.get(replica))
                    .boxed()
                    .toList();
            tally.rowDiffers(place.range, lacking);
            lacking.forEach(replica -> tally.lacks(place.range, replica, place.bytesLacking[replica]));
            if (!place.isHeldByMaster) {
                tally.comparedElsewhere(place.range, 1);
            }
            if (named) {
                listener.rowDiffers(new RowDifference(place.position.orElseThrow(), lacking));
            }
        }
        return found.size();
    }
}
