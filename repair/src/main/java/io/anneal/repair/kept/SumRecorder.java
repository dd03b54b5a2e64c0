package io.anneal.repair.kept;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.HashSum;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.TokenRange;
import io.anneal.repair.message.TokenSum;
import io.anneal.repair.row.DeletionItem;
import io.anneal.repair.row.HashedDeletion;
import io.anneal.repair.row.ItemCodec;
import java.util.ArrayList;
import java.util.List;

/**
 * Sums what a session reads by small parts of the ring. The parts end where 2^n equal parts of the ring do, so that replicas with the same
 * data have the same ones, and become twice as large as often as there are too many for the data. A part that holds no partition belongs
 * to the next one. What is summed does not depend on windows: a range deletion is an item from its start to its end. Allocates
 * nothing for a row. One thread.
 */
public final class SumRecorder {
    /** No sum is of less than about so many bytes, unless there are few. */
    private static final long PART_BYTES = 16 << 10;

    private static final int PARTS_FEW = 64;
    /** There are at most 2^17 parts of the ring. */
    static final int LEVEL_MOST = 17;

    private final ItemCodec codec;
    private final long takenAtSeconds;
    /** What is read, ascending, cut where parts must end in any case. */
    private final List<TokenRange.Linear> stretches;

    private final List<Part> parts = new ArrayList<>();
    private int stretch;
    private int level = LEVEL_MOST;
    private Part current;
    private long bytes;
    /** Token of the partition that was begun last. */
    private long reading = Long.MIN_VALUE;

    private DeletionTime open = DeletionTime.LIVE;
    private Clustering openPrefix = new Clustering();
    private int openWeight;

    private static final class Part {
        private final int stretch;
        private long first;
        private long last;
        /** Of the last partition. */
        private long token;

        private long high;
        private long low;
        private long rows;
        /** Something in it was left out, so that this is the sum of no data. */
        private boolean spoilt;

        Part(int stretch, long first, long last, long token) {
            this.stretch = stretch;
            this.first = first;
            this.last = last;
            this.token = token;
        }

        private void add(long itemHigh, long itemLow) {
            high += itemHigh + HashSum.carry(low, itemLow);
            low += itemLow;
        }

        void addAll(Part next) {
            last = next.last;
            token = next.token;
            add(next.high, next.low);
            rows += next.rows;
            spoilt |= next.spoilt;
        }
    }

    /**
     * @param codec of the session, which has hashed each row that comes here
     * @param takenAtSeconds the session's purge time
     * @param stretches what is read, ascending, apart from each other or cut where a sum must end
     */
    public SumRecorder(ItemCodec codec, long takenAtSeconds, List<TokenRange.Linear> stretches) {
        this.codec = codec;
        this.takenAtSeconds = takenAtSeconds;
        this.stretches = List.copyOf(stretches);
    }

    /** A partition starts. */
    public void partition(KeyView key, long deletionMicros, long deletionSeconds) {
        assert open.isLive() : "range deletion is open at the end of its partition";
        moveTo(key.token());
        reading = key.token();
        current.token = reading;
        if (!DeletionTime.isLive(deletionMicros, deletionSeconds)) {
            add(DeletionItem.ofPartition(key.toDecoratedKey(), new DeletionTime(deletionMicros, deletionSeconds)));
        }
    }

    private void moveTo(long token) {
        if (current != null && token <= current.last) {
            return;
        }
        endPart();
        while (stretches.get(stretch).last() < token) {
            endStretch();
        }
        if (isInStretch() && lastPart().last >= token) {
            // It has become larger since it ended.
            current = parts.remove(parts.size() - 1);
        } else {
            long lastOfStretch = stretches.get(stretch).last();
            current = new Part(stretch, firstUnsummed(), Math.min(lastOf(token), lastOfStretch), token);
        }
        assert current.first <= token : token;
    }

    private Part lastPart() {
        return parts.get(parts.size() - 1);
    }

    private boolean isInStretch() {
        return !parts.isEmpty() && lastPart().stretch == stretch;
    }

    private long firstUnsummed() {
        return isInStretch() ? lastPart().last + 1 : stretches.get(stretch).first();
    }

    /** The last token of its part of the ring. */
    private long lastOf(long token) {
        int shift = Long.SIZE - level;
        return level == 0 ? Long.MAX_VALUE : ((token >> shift) + 1 << shift) - 1;
    }

    private void endPart() {
        if (current != null) {
            parts.add(current);
            current = null;
            boolean joined = true;
            while (joined && level > 0 && parts.size() - stretch > PARTS_FEW && bytes / parts.size() < PART_BYTES) {
                joined = coarsen();
            }
        }
    }

    /** What is behind the last partition belongs to its part. */
    private void endStretch() {
        endPart();
        TokenRange.Linear all = stretches.get(stretch);
        if (isInStretch()) {
            lastPart().last = all.last();
        } else {
            parts.add(new Part(stretch, all.first(), all.last(), all.last()));
        }
        stretch++;
    }

    /** Joins parts two by two; whether some could be. */
    private boolean coarsen() {
        level--;
        int before = parts.size();
        List<Part> joined = new ArrayList<>(before);
        for (Part part : parts) {
            Part last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            long lastOfStretch = stretches.get(part.stretch).last();
            if (last != null && last.stretch == part.stretch && lastOf(last.token) >= part.token) {
                last.addAll(part);
            } else {
                if (last != null && last.stretch == part.stretch) {
                    part.first = last.last + 1;
                }
                joined.add(part);
                last = part;
            }
            // One that reaches to the end of its stretch stays so.
            last.last = Math.max(last.last, Math.min(lastOf(last.token), lastOfStretch));
        }
        parts.clear();
        parts.addAll(joined);
        return parts.size() < before;
    }

    /** A row, right after the codec has hashed it. */
    public void row(long lengthBytes) {
        bytes += lengthBytes;
        if (codec.isHashed()) {
            current.add(codec.high(), codec.low());
            current.rows++;
        }
        current.spoilt |= codec.isRecent();
    }

    /** A range deletion begins or ends. */
    public void change(KeyView key, RangeTombstoneChange change) {
        DeletionTime now = new DeletionTime(change.timestampMicros(), change.localDeletionTimeSeconds());
        if (!now.isLive()) {
            notice(now);
        }
        // What is hidden is no deletion, so that it makes no difference where it begins.
        DeletionTime seen = codec.isGhost(now) ? DeletionTime.LIVE : now;
        if (seen.equals(open)) {
            return;
        }
        if (!open.isLive()) {
            RangeDeletion range = new RangeDeletion();
            range.start().wrap(openPrefix);
            range.end().wrap(change.prefix());
            range.weights(openWeight, change.weight());
            range.deletion(open.timestampMicros(), open.localDeletionTimeSeconds());
            DecoratedKey owner = key.toDecoratedKey();
            hash(DeletionItem.ofRange(owner, range));
        }
        open = seen;
        openPrefix = change.prefix().copy();
        openWeight = change.weight();
    }

    private void add(DeletionItem item) {
        notice(item.deletion());
        hash(item);
    }

    private void notice(DeletionTime deletion) {
        current.spoilt |= codec.isRecent(deletion);
    }

    private void hash(DeletionItem item) {
        HashedDeletion deletion = codec.deletion(item);
        if (deletion.hashed()) {
            current.add(deletion.high(), deletion.low());
        }
    }

    /** All up to a token was read. */
    public void readUpTo(long token) {
        while (stretch < stretches.size() && stretches.get(stretch).last() <= token) {
            endStretch();
        }
    }

    /**
     * What was read as a whole.
     *
     * @param presence of the SSTables that were read
     * @param terms see {@link KeptSum}
     */
    List<KeptSum> sums(SSTablePresence presence, long terms) {
        List<KeptSum> sums = new ArrayList<>();
        for (Part part : parts) {
            TokenRange.Linear tokens = new TokenRange.Linear(part.first, part.last);
            boolean isWhole = part.stretch < stretch || part.last < reading;
            long sstables = presence.of(tokens);
            // Where there is none nothing has to be read.
            if (isWhole && !part.spoilt && sstables != 0) {
                sums.add(new KeptSum(
                        new TokenSum(tokens, part.high, part.low, part.rows), sstables, terms, takenAtSeconds));
            }
        }
        return sums;
    }
}
