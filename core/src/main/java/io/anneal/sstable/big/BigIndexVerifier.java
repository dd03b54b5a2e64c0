package io.anneal.sstable.big;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.data.DataCursor;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.IndexVerifier;
import io.anneal.sstable.row.DeletionTimes;
import io.anneal.sstable.row.PrefixDecoder;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** Checks every entry of Index, its promoted blocks and Summary. */
final class BigIndexVerifier implements IndexVerifier {
    private final Descriptor descriptor;
    /** Null when TOC names none. */
    private final Summary summary;

    private final IndexCursor index;
    private final DeletionTimes deletions;
    private final PrefixDecoder prefixes;

    private int summaryEntry;
    private long ordinal;
    private DecoratedKey firstKey;
    private DecoratedKey lastKey;
    private BlockCheck block;

    private BigIndexVerifier(
            Descriptor descriptor,
            Summary summary,
            IndexCursor index,
            DeletionTimes deletions,
            PrefixDecoder prefixes) {
        this.descriptor = descriptor;
        this.summary = summary;
        this.index = index;
        this.deletions = deletions;
        this.prefixes = prefixes;
    }

    static BigIndexVerifier open(DataReader reader) throws IOException {
        Descriptor descriptor = reader.descriptor();
        Summary summary = descriptor.has(Component.SUMMARY) ? Summary.read(descriptor, reader.partitioner()) : null;
        return new BigIndexVerifier(
                descriptor,
                summary,
                IndexCursor.open(descriptor, reader.partitioner()),
                DeletionTimes.of(reader.version()),
                reader.prefixes());
    }

    @Override
    public void beginPartition(DataCursor data) throws IOException {
        KeyView key = data.key();
        if (!index.next()) {
            throw index.corrupt("index ends before the data, dataPosition=" + data.dataPosition(), null);
        }
        if (!index.key().sameAs(key) || index.dataPosition() != data.dataPosition()) {
            throw index.corrupt(
                    "entry of the index is not the next partition, found="
                            + index.key().toDecoratedKey() + "@" + index.dataPosition() + ", expected="
                            + key.toDecoratedKey() + "@" + data.dataPosition(),
                    null);
        }
        checkSummary();
        lastKey = key.toDecoratedKey();
        firstKey = firstKey == null ? lastKey : firstKey;
        ordinal++;
        block = index.promotedLengthBytes() == 0
                ? null
                : new BlockCheck(data, index, PromotedIndex.of(index, deletions, prefixes));
    }

    private void checkSummary() throws CorruptSSTableException {
        if (summary == null || summaryEntry == summary.count()) {
            return;
        }
        boolean due = summary.ordinal(summaryEntry) == ordinal;
        boolean here = summary.indexPosition(summaryEntry) == index.position();
        if (here && (due || summary.ordinal(summaryEntry) < 0)) {
            KeyView key = index.key();
            byte[] sampled = summary.key(summaryEntry);
            if (!Arrays.equals(
                    sampled, 0, sampled.length, key.buffer(), key.offset(), key.offset() + key.lengthBytes())) {
                throw summaryCorrupt("key of the summary is not the one in the index");
            }
            summaryEntry++;
        } else if (here || due) {
            throw summaryCorrupt("entry of the summary points at the wrong place");
        }
    }

    private CorruptSSTableException summaryCorrupt(String reason) {
        return new CorruptSSTableException(
                descriptor.file(Component.SUMMARY),
                CorruptSSTableException.NO_POSITION,
                reason + ", entry=" + summaryEntry);
    }

    @Override
    public void fragment(DataCursor data, Clustering place) throws IOException {
        if (block != null) {
            block.accept(data, place);
        }
    }

    @Override
    public void endPartition(DataCursor data) throws IOException {
        if (block != null) {
            block.end(data);
        }
    }

    @Override
    public void end() throws IOException {
        if (index.next()) {
            throw index.corrupt("entry of the index is no partition's in the data", null);
        }
        if (summary != null) {
            checkSummaryEnds();
        }
    }

    @Override
    public List<String> notes() {
        return summary == null ? List.of("no Summary.db: reads of a key search all of the index") : List.of();
    }

    private void checkSummaryEnds() throws CorruptSSTableException {
        if (summaryEntry != summary.count()) {
            throw summaryCorrupt("entry of the summary points at no entry of the index");
        }
        if (firstKey != null
                && !(Arrays.equals(summary.firstKey(), firstKey.bytes())
                        && Arrays.equals(summary.lastKey(), lastKey.bytes()))) {
            throw summaryCorrupt("first or last key of the summary is not the data's");
        }
    }

    @Override
    public void close() throws IOException {
        index.close();
    }

    /** Compares the promoted blocks of one partition with its rows, as they come. */
    private static final class BlockCheck {
        private final IndexCursor index;
        private final PromotedIndex blocks;
        private final long partitionPosition;
        private boolean inBlock;
        private boolean finished;
        private Clustering last;
        private int lastKind;
        private long openMicros = DeletionTime.NO_TIMESTAMP;
        private long openSeconds = DeletionTime.NO_DELETION_TIME;

        BlockCheck(DataCursor data, IndexCursor index, PromotedIndex blocks) throws IOException {
            this.index = index;
            partitionPosition = data.dataPosition();
            this.blocks = blocks;
            if (blocks.headerLengthBytes() != data.rowsPosition() - partitionPosition
                    || blocks.partitionDeletionMicros() != data.partitionDeletionTimestampMicros()
                    || blocks.partitionDeletionSeconds() != data.partitionDeletionLocalTimeSeconds()) {
                throw index.corrupt("head of the promoted index is not the partition's", null);
            }
            finished = !blocks.nextBlock();
        }

        private long blockEnd() {
            return partitionPosition + blocks.blockOffset() + blocks.blockWidth();
        }

        void accept(DataCursor data, Clustering place) throws IOException {
            long position = data.dataPosition();
            if (inBlock && position >= blockEnd()) {
                finishBlock(position);
            }
            if (!inBlock) {
                requireBlock(!finished
                        && position == partitionPosition + blocks.blockOffset()
                        && blocks.firstKind() == data.boundKind()
                        && same(blocks.first(), place));
                inBlock = true;
            }
            last = place.copy();
            lastKind = data.boundKind();
            if (data.kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE) {
                openMicros = data.rangeTombstoneChange().timestampMicros();
                openSeconds = data.rangeTombstoneChange().localDeletionTimeSeconds();
            }
        }

        private void finishBlock(long nextPosition) throws IOException {
            requireBlock(nextPosition == blockEnd()
                    && blocks.lastKind() == lastKind
                    && same(blocks.last(), last)
                    && blocks.openMicros() == openMicros
                    && blocks.openSeconds() == openSeconds);
            inBlock = false;
            finished = !blocks.nextBlock();
        }

        void end(DataCursor data) throws IOException {
            if (inBlock) {
                // Only a block that its size did not end takes in the end of the partition.
                boolean endedBySize = blockEnd() == data.dataPosition();
                finishBlock(data.dataPosition() + (endedBySize ? 0 : 1));
            }
            requireBlock(finished);
        }

        private void requireBlock(boolean agrees) throws CorruptSSTableException {
            if (!agrees) {
                throw index.corrupt("block of the promoted index does not agree with the data", null);
            }
        }

        private static boolean same(Clustering left, Clustering right) {
            if (left.size() != right.size()) {
                return false;
            }
            for (int i = 0; i < left.size(); i++) {
                if (left.lengthBytes(i) != right.lengthBytes(i)
                        || !left.isAbsent(i)
                                && !Arrays.equals(
                                        left.buffer(),
                                        left.offset(i),
                                        left.offset(i) + left.lengthBytes(i),
                                        right.buffer(),
                                        right.offset(i),
                                        right.offset(i) + right.lengthBytes(i))) {
                    return false;
                }
            }
            return true;
        }
    }
}
