package io.anneal.agent;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.fragment.RowOrder;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyText;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.node.Replica;
import io.anneal.schema.Column;
import io.anneal.store.SSTables;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What there is in what a node is about to import into a table that has to do with deletions which are older than gc_grace, and which
 * nodes may have purged.
 *
 * @param table by qualified name
 * @param suspects rows with something that lives, was written longer than gc_grace ago, and is not in the node's snapshot: a write
 *     that the node lost, or one that was deleted, and of which the deletion is purged already
 * @param named the first of them: key, clustering, and when it was written
 * @param oldestSuspect when the oldest of them was written, by its timestamp
 * @param ghosts deletions that the node may purge at once, of partitions, ranges, rows, collections and cells, expired cells too
 */
public record StagedContent(
        String table, long suspects, List<String> named, Optional<Instant> oldestSuspect, long ghosts) {
    private static final long MICROS_PER_SECOND = 1_000_000;
    /** More than that nobody reads; a dry run names all. */
    private static final int NAMED_MAX = 10;

    private static final int NAME_LENGTH_MAX = 500;

    public StagedContent {
        named = List.copyOf(named);
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, MICROS_PER_SECOND));
    }

    /**
     * Reads all that is staged.
     *
     * @param own the node's snapshot, without what is staged
     * @param now by the node's clock
     */
    static StagedContent of(LiveTable table, SSTables staged, Replica own, Instant now) throws IOException {
        Count count = new Count(own, now.getEpochSecond(), table.gcGraceSeconds());
        for (TokenRange.Linear range : TokenRange.FULL.unwrap()) {
            try (FragmentCursor cursor = staged.scan(range)) {
                for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
                    count.add(cursor, kind);
                }
            }
        }
        return new StagedContent(
                table.qualifiedName(),
                count.suspects,
                count.named,
                count.suspects == 0 ? Optional.empty() : Optional.of(instant(count.oldestMicros)),
                count.ghosts);
    }

    void write(ByteWriter out) {
        Texts.write(out, table);
        out.writeUnsignedVInt(suspects);
        Texts.write(out, named);
        out.writeLong(oldestSuspect.map(Instant::getEpochSecond).orElse(Long.MIN_VALUE));
        out.writeUnsignedVInt(ghosts);
    }

    static StagedContent read(ByteReader in) {
        String table = Texts.read(in);
        long suspects = in.readUnsignedVInt();
        List<String> named = Texts.readList(in);
        long oldest = in.readLong();
        return new StagedContent(
                table,
                suspects,
                named,
                oldest == Long.MIN_VALUE ? Optional.empty() : Optional.of(Instant.ofEpochSecond(oldest)),
                in.readUnsignedVInt());
    }

    private static final class Count {
        private final Replica own;
        private final ClusteringComparator comparator;
        private final long nowSeconds;
        private final SessionPurgeRule rule;
        private final long oldMicros;
        private final List<String> named = new ArrayList<>();
        private long suspects;
        private long oldestMicros = Long.MAX_VALUE;
        private long ghosts;

        Count(Replica own, long nowSeconds, int gcGraceSeconds) {
            this.own = own;
            this.nowSeconds = nowSeconds;
            comparator = ClusteringComparator.of(own.schema());
            rule = new SessionPurgeRule(nowSeconds, gcGraceSeconds);
            oldMicros = (nowSeconds - gcGraceSeconds) * MICROS_PER_SECOND;
        }

        void add(FragmentCursor cursor, FragmentKind kind) throws IOException {
            switch (kind) {
                case PARTITION_START ->
                    addDeletion(cursor.partitionDeletionTimestampMicros(), cursor.partitionDeletionLocalTimeSeconds());
                case RANGE_TOMBSTONE_CHANGE -> {
                    RangeTombstoneChange change = cursor.rangeTombstoneChange();
                    addDeletion(change.timestampMicros(), change.localDeletionTimeSeconds());
                }
                case STATIC_ROW, CLUSTERING_ROW -> addRow(cursor);
                case PARTITION_END -> {}
            }
        }

        private void addDeletion(long timestampMicros, long localSeconds) {
            if (localSeconds != DeletionTime.NO_DELETION_TIME && rule.isPurgeable(timestampMicros, localSeconds)) {
                ghosts++;
            }
        }

        private void addRow(FragmentCursor cursor) throws IOException {
            Row row = cursor.row();
            addDeletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds());
            boolean hasOld = isOldLiveness(row);
            for (int i = 0; i < row.entryCount(); i++) {
                addDeletion(row.timestampMicros(i), row.localDeletionTimeSeconds(i));
                hasOld |= isOld(row, i);
            }
            if (hasOld) {
                Optional<Row> held = own(cursor);
                long lackedMicros = oldestLackedMicros(row, held);
                if (lackedMicros != Long.MAX_VALUE) {
                    suspects++;
                    if (named.size() < NAMED_MAX) {
                        named.add(name(cursor, row) + ", written " + instant(lackedMicros));
                    }
                    oldestMicros = Math.min(oldestMicros, lackedMicros);
                }
            }
        }

        private String name(FragmentCursor at, Row row) {
            String name = "key=" + KeyText.of(own.schema(), at.key())
                    + (row.isStatic() ? " static" : " clustering=" + KeyText.of(own.schema(), row.clustering()));
            return name.length() <= NAME_LENGTH_MAX ? name : name.substring(0, NAME_LENGTH_MAX) + "...";
        }

        private boolean isOldLiveness(Row row) {
            return row.hasLivenessAt(nowSeconds) && row.livenessTimestampMicros() < oldMicros;
        }

        private boolean isOld(Row row, int entry) {
            return row.isLiveAt(entry, nowSeconds) && row.timestampMicros(entry) < oldMicros;
        }

        /** The same row as the node has it. */
        private Optional<Row> own(FragmentCursor at) throws IOException {
            DecoratedKey key = at.key().toDecoratedKey();
            boolean isStatic = at.kind() == FragmentKind.STATIC_ROW;
            Slices slices = isStatic
                    ? Slices.NONE
                    : Slices.of(Slice.of(at.row().clustering().copy()));
            try (FragmentCursor cursor = own.read(key, slices)) {
                for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
                    // It may yield more than was asked for.
                    if (kind == at.kind()
                            && cursor.key().sameAs(at.key())
                            && (isStatic
                                    || comparator.compare(
                                                    cursor.row().clustering(),
                                                    at.row().clustering())
                                            == 0)) {
                        return Optional.of(cursor.row().toRow());
                    }
                }
            }
            return Optional.empty();
        }

        private long oldestLackedMicros(Row row, Optional<Row> held) {
            long oldest = Long.MAX_VALUE;
            boolean isHeld = held.isPresent()
                    && held.get().hasLiveness()
                    && held.get().livenessTimestampMicros() == row.livenessTimestampMicros();
            if (isOldLiveness(row) && !isHeld) {
                oldest = row.livenessTimestampMicros();
            }
            // Both have their entries in one order: a collection of many cells is gone through once.
            int at = 0;
            for (int i = 0; i < row.entryCount(); i++) {
                while (held.isPresent() && at < held.get().entryCount() && compare(held.get(), at, row, i) < 0) {
                    at++;
                }
                boolean has = held.isPresent() && at < held.get().entryCount() && areSame(held.get(), at, row, i);
                if (isOld(row, i) && !has) {
                    oldest = Math.min(oldest, row.timestampMicros(i));
                }
            }
            return oldest;
        }

        private int compare(Row held, int heldEntry, Row row, int entry) {
            List<Column> columns =
                    row.isStatic() ? own.schema().staticColumns() : own.schema().regularColumns();
            return RowOrder.compare(columns, held, heldEntry, row, entry);
        }

        private boolean areSame(Row held, int heldEntry, Row row, int entry) {
            return compare(held, heldEntry, row, entry) == 0
                    && RowOrder.comparePathBytes(held, heldEntry, row, entry) == 0
                    && held.timestampMicros(heldEntry) == row.timestampMicros(entry)
                    && areEqual(
                            held.valueBuffer(heldEntry),
                            held.valueOffset(heldEntry),
                            held.valueLengthBytes(heldEntry),
                            row.valueBuffer(entry),
                            row.valueOffset(entry),
                            row.valueLengthBytes(entry));
        }

        private static boolean areEqual(
                byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
            return leftLength == rightLength
                    && (leftLength <= 0
                            || Arrays.equals(
                                    left,
                                    leftOffset,
                                    leftOffset + leftLength,
                                    right,
                                    rightOffset,
                                    rightOffset + rightLength));
        }
    }
}
