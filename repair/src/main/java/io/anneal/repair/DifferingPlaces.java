package io.anneal.repair;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.RingPosition;
import io.anneal.repair.row.HashList;
import io.anneal.repair.row.RowBuffer;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The places of a window at which replicas hold different rows, and who lacks something there, told by hashes and places
 * alone: what a dry run counts. One thread.
 */
final class DifferingPlaces {
    private final Window window;
    private final HashList mine;
    private final List<HashList> lists;
    /** The replicas that hold every version at a place: they lack nothing there. */
    private final NavigableMap<RingPosition, BitSet> complete;

    /**
     * @param window the master's
     * @param mine hashes of the master's rows
     * @param lists those of each follower's
     */
    DifferingPlaces(Window window, HashList mine, List<HashList> lists, ClusteringComparator comparator) {
        this.window = window;
        this.mine = mine;
        this.lists = lists;
        complete = new TreeMap<>((left, right) -> left.compareTo(right, comparator));
    }

    /** The master's rows that some follower has not. */
    void addOwn() {
        RowBuffer rows = window.rows().buffer();
        for (int index = 0; index < rows.windowEnd(); index++) {
            long hash = rows.hashLow(index);
            if (rows.isHashed(index) && !lists.stream().allMatch(list -> list.contains(hash))) {
                addVersion(rows.position(index), hash);
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
    void add(String follower, byte[] bare, long[] hashes, EncodedItem item) throws IOException {
        int at = 0;
        try {
            for (long hash : hashes) {
                item.wrap(bare, at, bare.length);
                addVersion(window.position(item), hash);
                at = item.endOffset();
            }
        } catch (CorruptItemException e) {
            throw new RepairException("replica sent what are no places, replica=" + follower, e);
        }
        if (at != bare.length) {
            throw new RepairException(
                    "replica sent more places than were asked for, replica=" + follower + ", wanted=" + hashes.length);
        }
    }

    private void addVersion(RingPosition place, long hash) {
        BitSet holders = new BitSet();
        holders.set(0, mine.contains(hash));
        for (int i = 0; i < lists.size(); i++) {
            holders.set(i + 1, lists.get(i).contains(hash));
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
