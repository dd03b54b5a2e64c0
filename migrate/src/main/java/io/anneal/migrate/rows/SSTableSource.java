package io.anneal.migrate.rows;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.Closing;
import io.anneal.key.Partitioner;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.migrate.bulk.BulkCursor;
import io.anneal.migrate.bulk.BulkRange;
import io.anneal.migrate.bulk.BulkSource;
import io.anneal.schema.SchemaException;
import io.anneal.store.SSTables;
import io.anneal.store.directory.TableSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The rows of a table as Cassandra's SSTables hold them, merged over replicas: the directories, or snapshots, of all nodes that
 * hold a range, or of a quorum of them, which the {@link #identity()} says. Collections that are not frozen, counters and row markers
 * come as they are. Files are only read. Any thread.
 *
 * <p>Snapshots are of the moment they were taken: take them after every instance writes to both sides, and flushed.
 */
public final class SSTableSource implements BulkSource<RowEntry> {
    private final List<SSTables> replicas;
    private final RowTable rows;
    private final InstantSource clock;
    private final String identity;

    private SSTableSource(List<SSTables> replicas, RowTable rows, InstantSource clock, String identity) {
        this.replicas = replicas;
        this.rows = rows;
        this.clock = clock;
        this.identity = identity;
    }

    /**
     * Opens the directories of replicas.
     *
     * @param replicas of each replica its directories of the table: a node's with several disks has several. Where a cluster has more
     *     nodes than a range has replicas, the nodes that hold the same place of a range's replicas are given as one, or each as
     *     its own with that many more to {@code replicationFactor}
     * @param replicationFactor how many replicas there are in all; at least a quorum of them must be given
     * @param clock decides what has expired
     * @throws IllegalArgumentException when fewer than a quorum are given, or more than there are
     * @throws SchemaException when replicas describe different tables, or partitions have no Murmur3 tokens
     */
    public static SSTableSource open(List<List<Path>> replicas, int replicationFactor, InstantSource clock)
            throws IOException {
        int quorum = replicationFactor / 2 + 1;
        if (replicas.size() < quorum || replicas.size() > replicationFactor) {
            throw new IllegalArgumentException(
                    "what a quorum acknowledged is only whole in the directories of a quorum, replicas="
                            + replicas.size() + ", replicationFactor=" + replicationFactor + ", quorum=" + quorum);
        }
        List<SSTables> opened = new ArrayList<>();
        boolean done = false;
        try {
            for (List<Path> directories : replicas) {
                opened.add(SSTables.open(TableSource.of(directories, Optional.empty())));
            }
            SSTables first = opened.get(0);
            for (SSTables replica : opened) {
                requireSame(first, replica);
            }
            String merged = replicas.size() == replicationFactor ? "all merged" : "a quorum merged";
            SSTableSource source = new SSTableSource(
                    opened,
                    RowTable.of(first.schema()),
                    clock,
                    "sstables:" + first.schema().qualifiedName() + " replicas=" + replicas.size() + " of "
                            + replicationFactor + ", " + merged + " " + replicas);
            done = true;
            return source;
        } finally {
            if (!done) {
                Closing.all(opened);
            }
        }
    }

    private static void requireSame(SSTables first, SSTables replica) {
        if (!replica.hasSchemaText()) {
            throw new SchemaException(
                    "schema text is missing beside SSTables, their own headers do not name key columns," + " table="
                            + replica.schema().qualifiedName());
        }
        if (replica.partitioner() != Partitioner.MURMUR3) {
            throw new SchemaException("partitioner has no token ranges, partitioner="
                    + replica.partitioner().className());
        }
        Optional<String> difference = first.schema().differenceFrom(replica.schema());
        if (difference.isPresent()) {
            throw new SchemaException("replicas describe different tables, table="
                    + first.schema().qualifiedName() + ", difference=" + difference.get());
        }
    }

    @Override
    public String identity() {
        return identity;
    }

    @Override
    public String shape() {
        return rows.shape();
    }

    @Override
    public List<BulkRange> ranges(int count) {
        return BulkRange.ALL.split(count);
    }

    @Override
    public BulkCursor<RowEntry> open(BulkRange range) throws IOException {
        TokenRange.Linear tokens = StoredRows.tokens(range);
        return merged(replica -> replica.scan(tokens));
    }

    /** What one replica has. */
    @FunctionalInterface
    private interface Opening {
        FragmentCursor open(SSTables replica) throws IOException;
    }

    private StoredRows merged(Opening opening) throws IOException {
        List<FragmentCursor> cursors = new ArrayList<>();
        boolean done = false;
        try {
            for (SSTables replica : replicas) {
                cursors.add(opening.open(replica));
            }
            StoredRows merged = new StoredRows(
                    rows,
                    MergeCursor.of(rows.stored(), cursors),
                    clock.instant().getEpochSecond());
            done = true;
            return merged;
        } finally {
            if (!done) {
                for (FragmentCursor cursor : cursors) {
                    cursor.close();
                }
            }
        }
    }

    @Override
    public Comparator<? super RowEntry> order() {
        return rows.order();
    }

    @Override
    public Optional<RowEntry> reread(RowEntry like) throws IOException {
        Slices slices = StoredRows.slices(like);
        try (StoredRows found = merged(replica -> replica.read(like.partition(), slices, false))) {
            return found.find(like);
        }
    }

    @Override
    public void close() throws IOException {
        Closing.all(replicas);
    }
}
