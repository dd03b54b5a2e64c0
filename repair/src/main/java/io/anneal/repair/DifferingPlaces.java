package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.RingPosition;
import io.anneal.repair.hashes.HashList;
import io.anneal.repair.row.RowBuffer;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The places of a window at which replicas hold different rows, and which of them lack something there, found by hashes and places
 * alone: what a dry run counts. One thread.
 */
final class DifferingPlaces {
    private final Window window;
    private final List<FollowerDifference> differences;
    /** The replicas that hold every version at a place: they lack nothing there. */
    private final NavigableMap<RingPosition, BitSet> complete;

    /**
     * @param window the master's
     * @param differences of each follower
     */
    DifferingPlaces(Window window, List<FollowerDifference> differences, ClusteringComparator comparator) {
        this.window = window;
        this.differences = differences;
        complete = new TreeMap<>((left, right) -> left.compareTo(right, comparator));
    }

    /** The master's rows that some follower has not. */
    void addOwn() {
        HashList lacking = FollowerDifference.lackingAnywhere(differences);
        RowBuffer rows = window.rows().buffer();
        for (int index = 0; index < rows.windowEnd(); index++) {
            long hash = rows.hashLow(index);
            if (rows.isHashed(index) && lacking.contains(hash)) {
                addVersion(rows.position(index), hash, true);
            }
        }
    }

    /**
     * What a follower holds and the master has not.
     *
     * @param follower its name
     * @param bare items that say nothing but their place, in the order of the hashes
     * @param item a view to read with
     * @throws RepairException when there is not one place for each hash
     */
    void add(String follower, byte[] bare, HashList hashes, EncodedItem item) throws IOException {
        int at = 0;
        try {
            for (int i = 0; i < hashes.size(); i++) {
                item.wrap(bare, at, bare.length);
                addVersion(window.position(item), hashes.get(i), false);
                at = item.endOffset();
            }
        } catch (CorruptItemException e) {
            throw new RepairException("replica sent what are no places, replica=" + follower, e);
        }
        if (at != bare.length) {
            throw new RepairException(
                    "replica sent more places than were asked for, replica=" + follower + ", wanted=" + hashes.size());
        }
    }

    private void addVersion(RingPosition place, long hash, boolean isOwn) {
        BitSet holders = new BitSet();
        holders.set(0, isOwn);
        for (int i = 0; i < differences.size(); i++) {
            holders.set(i + 1, differences.get(i).has(hash, isOwn));
        }
        complete.merge(place, holders, (known, more) -> {
            known.and(more);
            return known;
        });
    }

    Set<RingPosition> positions() {
        return complete.keySet();
    }

    /** Adds the number of places at which each replica lacks something, the master first. */
    void addLacking(long[] counts) {
        for (BitSet holders : complete.values()) {
            for (int i = 0; i < counts.length; i++) {
                counts[i] += holders.get(i) ? 0 : 1;
            }
        }
    }
}
