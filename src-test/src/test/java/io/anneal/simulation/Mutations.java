package io.anneal.simulation;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.RangeDeletion;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import java.util.ArrayList;
import java.util.List;

/** The partitions of a list of fragments as the mutations that write them. */
public final class Mutations {
    private Mutations() {}

    /** One mutation a partition, without those that would be empty. */
    public static List<Mutation> of(FragmentList list) {
        List<Mutation> mutations = new ArrayList<>();
        Mutation.Builder builder = null;
        Fragment open = null;
        for (Fragment fragment : list.fragments()) {
            switch (fragment.kind()) {
                case PARTITION_START -> {
                    builder = Mutation.builder(list.schema(), fragment.key());
                    if (!isLive(fragment)) {
                        builder.partitionDeletion(
                                new DeletionTime(fragment.timestampMicros(), fragment.localDeletionTimeSeconds()));
                    }
                }
                case STATIC_ROW, CLUSTERING_ROW -> builder.row(fragment.row());
                case RANGE_TOMBSTONE_CHANGE -> {
                    if (open != null) {
                        builder.rangeDeletion(range(open, fragment));
                    }
                    open = isLive(fragment) ? null : fragment;
                }
                case PARTITION_END -> {
                    Mutation mutation = builder.build();
                    if (!mutation.isEmpty()) {
                        mutations.add(mutation);
                    }
                }
            }
        }
        return mutations;
    }

    private static boolean isLive(Fragment fragment) {
        return DeletionTime.isLive(fragment.timestampMicros(), fragment.localDeletionTimeSeconds());
    }

    static RangeDeletion range(Fragment from, Fragment to) {
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(from.prefix());
        range.end().wrap(to.prefix());
        range.weights(from.weight(), to.weight());
        range.deletion(from.timestampMicros(), from.localDeletionTimeSeconds());
        return range;
    }
}
