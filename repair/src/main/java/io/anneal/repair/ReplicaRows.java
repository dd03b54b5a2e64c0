package io.anneal.repair;

import com.google.common.io.Closer;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.net.Connection;
import io.anneal.node.FetchedPartition;
import io.anneal.node.FetchedPartitions;
import io.anneal.node.PartitionReads;
import io.anneal.node.Replica;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Reads single rows of a table from each of its replicas, in this process and behind connections, nothing purged: what a dry run
 * found to differ, as it is by now. Holds one row of each at a time, and what connections let nodes send ahead. Owns no connection.
 * One thread.
 */
public final class ReplicaRows implements Closeable {
    private static final int PLACES_MAX = 1_000;
    private static final int PLACES_MAX_BYTES = 64 << 10;

    private final TableSchema schema;
    private final ClusteringComparator comparator;
    private final List<RepairMember> members;
    /** Of the replicas of this process, in their order. */
    private final List<Optional<Replica>> opened = new ArrayList<>();

    private ReplicaRows(TableSchema schema, List<RepairMember> members) {
        this.schema = schema;
        this.members = members;
        comparator = ClusteringComparator.of(schema);
    }

    /**
     * Opens the replicas of this process.
     *
     * @param schema of the table, which must be theirs
     * @param staged a run whose SSTables count as data
     */
    static ReplicaRows open(TableSchema schema, List<RepairMember> members, Optional<UUID> staged) throws IOException {
        ReplicaRows rows = new ReplicaRows(schema, members);
        boolean ready = false;
        try {
            for (RepairMember member : members) {
                rows.opened.add(
                        member instanceof RepairMember.Here here
                                ? Optional.of(here.tables().open(schema.keyspace(), schema.name(), staged))
                                : Optional.empty());
            }
            ready = true;
            return rows;
        } finally {
            if (!ready) {
                rows.close();
            }
        }
    }

    /** Whether no more places should be read at once than so many, of so many bytes as {@link RingPosition#encode} has them. */
    public static boolean isMuch(int places, long bytes) {
        return places >= PLACES_MAX || bytes >= PLACES_MAX_BYTES;
    }

    /**
     * Begins to read places, and asks the replicas behind connections for all of them at once, each in one question: waits for none. The
     * caller closes it before it reads others.
     */
    public Reading read(List<RingPosition> places) throws IOException {
        Reading reading = new Reading(places);
        boolean ready = false;
        try {
            reading.ask(places);
            ready = true;
            return reading;
        } finally {
            if (!ready) {
                reading.close();
            }
        }
    }

    /** Rows that are read one place after the other. One thread. */
    public final class Reading implements Closeable {
        private final Iterator<RingPosition> places;
        /** Of the replicas behind connections, in their order. */
        private final List<FetchedPartitions> asked = new ArrayList<>();

        private Reading(List<RingPosition> places) {
            this.places = places.iterator();
        }

        private void ask(List<RingPosition> all) throws IOException {
            for (RepairMember member : members) {
                if (member instanceof RepairMember.There there) {
                    Connection connection = there.connector().open(there.address());
                    asked.add(FetchedPartitions.ask(connection, there.name(), schema, all));
                }
            }
        }

        /**
         * What each replica has at the next place, in their order. Waits for those behind connections.
         *
         * @throws java.util.NoSuchElementException after the last place
         */
        public List<RowDrift.Version> next() throws IOException {
            RingPosition place = places.next();
            Iterator<FetchedPartitions> others = asked.iterator();
            List<RowDrift.Version> versions = new ArrayList<>();
            for (Optional<Replica> replica : opened) {
                versions.add(
                        replica.isPresent()
                                ? read(replica.get(), place)
                                : version(others.next().next(), place));
            }
            return versions;
        }

        /** Reads no more of them. */
        @Override
        public void close() {
            asked.forEach(FetchedPartitions::close);
        }
    }

    private RowDrift.Version read(Replica replica, RingPosition place) throws IOException {
        DecoratedKey key = place.key().orElseThrow();
        try (FragmentCursor cursor = replica.read(key, PartitionReads.slices(place.position()))) {
            return version(cursor, place);
        }
    }

    private RowDrift.Version version(Optional<FetchedPartition> partition, RingPosition place) throws IOException {
        return partition.isPresent() ? version(partition.get(), place) : RowDrift.Version.NONE;
    }

    private RowDrift.Version version(FragmentCursor cursor, RingPosition place) throws IOException {
        KeyView wanted = new KeyView().wrap(place.key().orElseThrow());
        while (cursor.advance() != null) {
            if (cursor.key().sameAs(wanted)) {
                DeletionTime partition = new DeletionTime(
                        cursor.partitionDeletionTimestampMicros(), cursor.partitionDeletionLocalTimeSeconds());
                return versionOf(cursor, place.position(), partition);
            }
            cursor.nextPartition();
        }
        return RowDrift.Version.NONE;
    }

    private RowDrift.Version versionOf(FragmentCursor cursor, PositionInPartition place, DeletionTime partition)
            throws IOException {
        boolean isStatic = place.region() == PositionInPartition.Region.STATIC;
        DeletionTime covering = partition;
        Optional<Row> row = Optional.empty();
        boolean isBefore = true;
        while (isBefore && cursor.advance() != FragmentKind.PARTITION_END) {
            switch (cursor.kind()) {
                case STATIC_ROW -> row = isStatic ? Optional.of(cursor.row().toRow()) : row;
                case CLUSTERING_ROW -> {
                    int order = isStatic ? 1 : comparator.compare(cursor.row().clustering(), place.prefix());
                    row = order == 0 ? Optional.of(cursor.row().toRow()) : row;
                    isBefore = order < 0;
                }
                default -> {
                    RangeTombstoneChange change = cursor.rangeTombstoneChange();
                    isBefore = !isStatic
                            && comparator.compare(
                                            change.prefix(), change.weight(), place.prefix(), ClusteringComparator.AT)
                                    < 0;
                    DeletionTime range = new DeletionTime(change.timestampMicros(), change.localDeletionTimeSeconds());
                    covering = isBefore ? stronger(range, partition) : covering;
                }
            }
        }
        return new RowDrift.Version(row, covering);
    }

    private static DeletionTime stronger(DeletionTime one, DeletionTime other) {
        return one.supersedes(other) ? one : other;
    }

    @Override
    public void close() throws IOException {
        try (Closer all = Closer.create()) {
            opened.forEach(replica -> replica.ifPresent(all::register));
        }
    }
}
