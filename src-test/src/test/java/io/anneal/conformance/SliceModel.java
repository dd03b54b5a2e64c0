package io.anneal.conformance;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** What a read of slices has to yield, made the plain way out of a partition that is there as a whole. */
public final class SliceModel {
    private SliceModel() {}

    static Map<DecoratedKey, FragmentList> partitions(FragmentList all) {
        Map<DecoratedKey, FragmentList> partitions = new LinkedHashMap<>();
        FragmentList.Builder builder = null;
        for (Fragment fragment : all.fragments()) {
            if (fragment.kind() == FragmentKind.PARTITION_START) {
                builder = FragmentList.builder(all.schema());
            }
            builder.add(fragment);
            if (fragment.kind() == FragmentKind.PARTITION_END) {
                partitions.put(fragment.key(), builder.build());
            }
        }
        return partitions;
    }

    public static FragmentList sliced(FragmentList partition, Slices slices, boolean reversed) {
        FragmentList.Builder builder = FragmentList.builder(partition.schema());
        ClusteringComparator comparator = ClusteringComparator.of(partition.schema());
        List<Fragment> fragments = partition.fragments();
        builder.add(fragments.get(0));
        if (fragments.get(1).kind() == FragmentKind.STATIC_ROW) {
            builder.add(fragments.get(1));
        }
        List<Fragment> kept = new ArrayList<>();
        for (int i = 0; i < slices.size(); i++) {
            addSlice(fragments, slices.get(i), comparator, kept);
        }
        for (Fragment fragment : reversed ? reversed(kept) : kept) {
            builder.add(fragment);
        }
        return builder.add(fragments.get(fragments.size() - 1)).build();
    }

    private static void addSlice(
            List<Fragment> fragments, Slice slice, ClusteringComparator comparator, List<Fragment> kept) {
        Fragment open = fragments.get(0);
        boolean isOpen = false;
        int from = kept.size();
        for (Fragment fragment : fragments) {
            boolean row = fragment.kind() == FragmentKind.CLUSTERING_ROW;
            if (!row && fragment.kind() != FragmentKind.RANGE_TOMBSTONE_CHANGE) {
                continue;
            }
            Clustering place = row ? fragment.row().clustering() : fragment.prefix();
            int weight = row ? ClusteringComparator.AT : fragment.weight();
            if (comparator.compare(place, weight, slice.from(), slice.fromWeight()) <= 0) {
                isOpen = row ? isOpen : !isLive(fragment);
                open = row ? open : fragment;
            } else if (comparator.compare(place, weight, slice.to(), slice.toWeight()) < 0) {
                kept.add(fragment);
            }
        }
        if (isOpen) {
            kept.add(from, change(open, slice.from(), slice.fromWeight()));
        }
        Fragment last = fragments.get(0);
        boolean lastOpen = false;
        for (Fragment fragment : kept.subList(from, kept.size())) {
            if (fragment.kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE) {
                last = fragment;
                lastOpen = !isLive(fragment);
            }
        }
        if (lastOpen) {
            kept.add(live(last, slice.to(), slice.toWeight()));
        }
    }

    private static List<Fragment> reversed(List<Fragment> forward) {
        List<Fragment> reversed = new ArrayList<>();
        Fragment before = null;
        for (Fragment fragment : forward) {
            if (fragment.kind() == FragmentKind.CLUSTERING_ROW) {
                reversed.add(fragment);
            } else {
                reversed.add(
                        before == null
                                ? live(fragment, fragment.prefix(), fragment.weight())
                                : change(before, fragment.prefix(), fragment.weight()));
                before = fragment;
            }
        }
        Collections.reverse(reversed);
        return reversed;
    }

    private static boolean isLive(Fragment change) {
        return DeletionTime.isLive(change.timestampMicros(), change.localDeletionTimeSeconds());
    }

    private static Fragment change(Fragment deletion, Clustering prefix, int weight) {
        return new Fragment(
                FragmentKind.RANGE_TOMBSTONE_CHANGE,
                deletion.key(),
                null,
                prefix,
                weight,
                deletion.timestampMicros(),
                deletion.localDeletionTimeSeconds());
    }

    private static Fragment live(Fragment of, Clustering prefix, int weight) {
        return new Fragment(
                FragmentKind.RANGE_TOMBSTONE_CHANGE,
                of.key(),
                null,
                prefix,
                weight,
                DeletionTime.NO_TIMESTAMP,
                DeletionTime.NO_DELETION_TIME);
    }

    /** Slices at, around and between what the partition holds. */
    public static Slices randomSlices(FragmentList partition, SplittableRandom random) {
        ClusteringComparator comparator = ClusteringComparator.of(partition.schema());
        List<Clustering> places = new ArrayList<>();
        places.add(new Clustering());
        for (Fragment fragment : partition.fragments()) {
            if (fragment.kind() == FragmentKind.CLUSTERING_ROW) {
                places.add(fragment.row().clustering());
            } else if (fragment.kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE) {
                places.add(fragment.prefix());
            }
        }
        List<Slice> slices = new ArrayList<>();
        for (int i = random.nextInt(random.nextInt(8) == 0 ? 12 : 4); i >= 0; i--) {
            Clustering one = randomPlace(places, random);
            if (random.nextInt(3) == 0) {
                slices.add(Slice.of(one));
            } else {
                Clustering other = randomPlace(places, random);
                boolean inOrder = comparator.compare(one, ClusteringComparator.AT, other, ClusteringComparator.AT) <= 0;
                slices.add(Slice.between(
                        inOrder ? one : other, random.nextBoolean(), inOrder ? other : one, random.nextBoolean()));
            }
        }
        return Slices.of(comparator, slices);
    }

    private static Clustering randomPlace(List<Clustering> places, SplittableRandom random) {
        Clustering place = places.get(random.nextInt(places.size()));
        int size = random.nextInt(3) == 0 ? random.nextInt(place.size() + 1) : place.size();
        Clustering prefix = new Clustering().wrap(place);
        if (size == place.size()) {
            return prefix;
        }
        prefix.reset(place.buffer());
        for (int i = 0; i < size; i++) {
            prefix.add(place.offset(i), place.lengthBytes(i));
        }
        return prefix;
    }
}
