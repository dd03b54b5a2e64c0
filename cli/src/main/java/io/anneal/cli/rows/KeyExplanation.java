package io.anneal.cli.rows;

import io.anneal.cli.command.Entries;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.ClusteringComparator;
import io.anneal.merge.RowMerger;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Walks one partition of many sources place by place, and says at each place what every source has there and what of it the
 * merge of all keeps. Holds one row of each. One thread.
 */
final class KeyExplanation {
    /** What one source says at a place; which of the fields is set follows from the call. */
    record Said(KeySource source, Row row, int entry, DeletionTime deletion, boolean wins) {}

    /** Is told in the order of the partition; what it is handed is valid during the call. */
    interface Listener {
        void partitionDeletion(List<Said> said) throws IOException;

        /** From here on. */
        void rangeChange(List<Said> said) throws IOException;

        /** @param merged null when nothing is left of the row */
        void startRow(Row place, Row merged) throws IOException;

        void liveness(List<Said> said) throws IOException;

        void rowDeletion(List<Said> said) throws IOException;

        /** A cell, or the deletion of a collection: everybody's version of it. */
        void entry(Column column, List<Said> said, Row merged, int mergedEntry) throws IOException;

        void endRow() throws IOException;
    }

    private final TableSchema schema;
    private final List<KeySource> sources;
    private final Listener listener;
    private final ClusteringComparator comparator;
    private final RowMerger merger;
    private DeletionTime partitionDeletion = DeletionTime.LIVE;

    /** @param sources each stands before the partition's start */
    KeyExplanation(TableSchema schema, List<KeySource> sources, Listener listener) {
        this.schema = schema;
        this.sources = sources;
        this.listener = listener;
        comparator = ClusteringComparator.of(schema);
        merger = new RowMerger(schema, CanonicalEncoder.UNCLAMPED);
    }

    void run() throws IOException {
        if (sources.isEmpty()) {
            return;
        }
        for (KeySource source : sources) {
            source.advance();
            partitionDeletion = stronger(source.partitionDeletion(), partitionDeletion);
        }
        List<Said> deletions = deletions(sources, partitionDeletion, true);
        if (!deletions.isEmpty()) {
            listener.partitionDeletion(deletions);
        }
        for (KeySource source : sources) {
            source.advance();
        }
        for (List<KeySource> next = least(); !next.get(0).isAtEnd(); next = least()) {
            if (next.get(0).kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE) {
                changes(next);
            } else {
                rows(next);
            }
            for (KeySource source : next) {
                source.advance();
            }
        }
    }

    private List<KeySource> least() {
        List<KeySource> least = new ArrayList<>();
        for (KeySource source : sources) {
            int order = least.isEmpty() ? 0 : source.compareTo(least.get(0), comparator);
            if (order < 0) {
                least.clear();
            }
            if (order <= 0) {
                least.add(source);
            }
        }
        return least;
    }

    private static DeletionTime stronger(DeletionTime left, DeletionTime right) {
        return left.supersedes(right) ? left : right;
    }

    private static List<Said> deletions(List<KeySource> sources, DeletionTime strongest, boolean ofPartition) {
        List<Said> said = new ArrayList<>();
        for (KeySource source : sources) {
            DeletionTime deletion = ofPartition ? source.partitionDeletion() : source.open();
            if (!deletion.isLive() || !ofPartition) {
                said.add(new Said(source, null, -1, deletion, !deletion.isLive() && deletion.equals(strongest)));
            }
        }
        return said;
    }

    private void changes(List<KeySource> next) throws IOException {
        next.forEach(KeySource::applyChange);
        listener.rangeChange(deletions(next, covering(false), false));
    }

    private DeletionTime covering(boolean isStatic) {
        DeletionTime covering = partitionDeletion;
        for (KeySource source : sources) {
            covering = isStatic ? covering : stronger(source.open(), covering);
        }
        return covering;
    }

    private void rows(List<KeySource> next) throws IOException {
        Row place = next.get(0).row();
        DeletionTime covering = covering(place.isStatic());
        merger.start(place.isStatic());
        next.forEach(source -> merger.add(source.row()));
        Row merged = new Row();
        boolean remains = merger.merge(covering.timestampMicros(), covering.localDeletionTimeSeconds(), merged);
        listener.startRow(place, remains ? merged : null);
        liveness(next, merged);
        rowDeletion(next, merged);
        entries(next, merged);
        listener.endRow();
    }

    private void liveness(List<KeySource> next, Row merged) throws IOException {
        List<Said> said = new ArrayList<>();
        for (KeySource source : next) {
            Row row = source.row();
            if (row.hasLiveness()) {
                boolean wins = row.livenessTimestampMicros() == merged.livenessTimestampMicros()
                        && row.livenessTtlSeconds() == merged.livenessTtlSeconds()
                        && row.livenessExpirySeconds() == merged.livenessExpirySeconds();
                said.add(new Said(source, row, -1, null, wins));
            }
        }
        if (!said.isEmpty()) {
            listener.liveness(said);
        }
    }

    private void rowDeletion(List<KeySource> next, Row merged) throws IOException {
        List<Said> said = new ArrayList<>();
        for (KeySource source : next) {
            Row row = source.row();
            if (row.hasDeletion()) {
                DeletionTime deletion = new DeletionTime(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds());
                boolean wins = deletion.timestampMicros() == merged.deletionTimestampMicros()
                        && deletion.localDeletionTimeSeconds() == merged.deletionLocalTimeSeconds();
                said.add(new Said(source, row, -1, deletion, wins));
            }
        }
        if (!said.isEmpty()) {
            listener.rowDeletion(said);
        }
    }

    /** A merge of the rows' entries: the least among the heads is next, and all that stand there are told together. */
    private void entries(List<KeySource> next, Row merged) throws IOException {
        List<Column> columns = merged.isStatic() ? schema.staticColumns() : schema.regularColumns();
        int[] heads = new int[next.size()];
        int mergedHead = 0;
        while (true) {
            int least = -1;
            for (int s = 0; s < heads.length; s++) {
                if (heads[s] < next.get(s).row().entryCount()
                        && (least < 0 || compare(columns, next, heads, s, least) < 0)) {
                    least = s;
                }
            }
            if (least < 0) {
                return;
            }
            Row leastRow = next.get(least).row();
            int leastEntry = heads[least];
            Column column = columns.get(leastRow.columnIndex(leastEntry));
            boolean kept = mergedHead < merged.entryCount()
                    && Entries.compare(columns, merged, mergedHead, leastRow, leastEntry) == 0;
            List<Said> said = new ArrayList<>();
            for (int s = 0; s < heads.length; s++) {
                Row row = next.get(s).row();
                if (heads[s] < row.entryCount() && Entries.compare(columns, row, heads[s], leastRow, leastEntry) == 0) {
                    boolean wins = kept && Entries.areSame(row, heads[s], merged, mergedHead);
                    said.add(new Said(next.get(s), row, heads[s], null, wins));
                    heads[s]++;
                }
            }
            listener.entry(column, said, merged, kept ? mergedHead : -1);
            mergedHead += kept ? 1 : 0;
        }
    }

    private static int compare(List<Column> columns, List<KeySource> next, int[] heads, int left, int right) {
        return Entries.compare(
                columns, next.get(left).row(), heads[left], next.get(right).row(), heads[right]);
    }
}
