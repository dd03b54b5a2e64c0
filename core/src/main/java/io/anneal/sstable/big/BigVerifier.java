package io.anneal.sstable.big;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Checks a whole SSTable: the files that TOC names, Digest, every chunk and every row's place, and in lockstep with the
 * data every entry of Index, its promoted blocks, Filter and Summary. Stops at the first thing that is wrong.
 */
final class BigVerifier {
    private final BigReader reader;
    private final Descriptor descriptor;
    private final TableSchema schema;
    private final PrefixDecoder prefixes;
    private final ClusteringComparator comparator;

    private BloomFilter filter;
    private Summary summary;
    private int summaryEntry;
    private long ordinal;
    private DecoratedKey firstKey;
    private DecoratedKey lastKey;
    private Clustering previous;
    private int previousWeight;
    private BlockCheck block;

    BigVerifier(BigReader reader) {
        this.reader = reader;
        descriptor = reader.descriptor();
        schema = reader.headerSchema();
        prefixes = new PrefixDecoder(reader.header().clusteringTypes());
        comparator = ClusteringComparator.of(schema);
    }

    void verify() throws IOException {
        List<String> listed = TableOfContents.verify(descriptor);
        DataDigest.verify(descriptor);
        Statistics.read(descriptor, schema.keyspace(), schema.name());
        if (reader.bloomFilterFpChance() < 1.0 || listed.contains(Component.FILTER.fileSuffix())) {
            filter = BloomFilter.read(descriptor);
        }
        summary = Summary.read(descriptor);
        try (IndexCursor index = IndexCursor.open(descriptor);
                BigCursor data = reader.cursor(schema, TokenRange.Linear.ALL)) {
            FragmentKind kind;
            while ((kind = data.advance()) != null) {
                check(data, kind, index);
            }
            if (index.next()) {
                throw index.corrupt("entry of the index is no partition's in the data", null);
            }
        }
        checkSummaryEnds();
    }

    private void check(BigCursor data, FragmentKind kind, IndexCursor index) throws IOException {
        try {
            switch (kind) {
                case PARTITION_START -> beginPartition(data, index);
                case STATIC_ROW -> checkCells(data, schema.staticColumns());
                case CLUSTERING_ROW -> {
                    checkOrder(data, data.row().clustering(), ClusteringComparator.AT);
                    checkCells(data, schema.regularColumns());
                }
                case RANGE_TOMBSTONE_CHANGE ->
                    checkOrder(
                            data,
                            data.rangeTombstoneChange().prefix(),
                            data.rangeTombstoneChange().weight());
                case PARTITION_END -> {
                    if (block != null) {
                        block.end(data);
                    }
                }
            }
        } catch (InvalidValueException | IndexOutOfBoundsException e) {
            throw corruptData(data, "value cannot be compared: " + e.getMessage(), e);
        }
    }

    private CorruptSSTableException corruptData(BigCursor data, String reason, Throwable cause) {
        return new CorruptSSTableException(descriptor.file(Component.DATA), data.dataPosition(), reason, cause);
    }

    private void beginPartition(BigCursor data, IndexCursor index) throws IOException {
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
        if (filter != null && !filter.mayContain(key)) {
            throw new CorruptSSTableException(
                    descriptor.file(Component.FILTER),
                    CorruptSSTableException.NO_POSITION,
                    "filter does not hold the key, key=" + key.toDecoratedKey());
        }
        checkSummary(index);
        lastKey = key.toDecoratedKey();
        firstKey = firstKey == null ? lastKey : firstKey;
        ordinal++;
        previous = null;
        block = index.promotedLengthBytes() == 0 ? null : new BlockCheck(data, index, prefixes);
    }

    private void checkSummary(IndexCursor index) throws CorruptSSTableException {
        if (summaryEntry == summary.count()) {
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

    private void checkOrder(BigCursor data, Clustering place, int weight) throws IOException {
        if (previous != null && comparator.compare(previous, previousWeight, place, weight) >= 0) {
            throw corruptData(data, "row out of order", null);
        }
        previous = place.copy();
        previousWeight = weight;
        if (block != null) {
            block.accept(data, place);
        }
    }

    /** Cells of a many-celled column ascend by path. */
    private void checkCells(BigCursor data, List<Column> columns) throws IOException {
        Row row = data.row();
        for (int i = 1; i < row.entryCount(); i++) {
            if (row.columnIndex(i) != row.columnIndex(i - 1) || row.isComplexDeletion(i - 1)) {
                continue;
            }
            CqlType pathType = columns.get(row.columnIndex(i)).type().pathType();
            int order = pathType.compare(
                    row.pathBuffer(i - 1),
                    row.pathOffset(i - 1),
                    row.pathLengthBytes(i - 1),
                    row.pathBuffer(i),
                    row.pathOffset(i),
                    row.pathLengthBytes(i));
            if (order >= 0) {
                throw corruptData(data, "cell out of order, entry=" + i, null);
            }
        }
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

        BlockCheck(BigCursor data, IndexCursor index, PrefixDecoder prefixes) throws IOException {
            this.index = index;
            partitionPosition = data.dataPosition();
            blocks = PromotedIndex.of(index, prefixes);
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

        void accept(BigCursor data, Clustering place) throws IOException {
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

        void end(BigCursor data) throws IOException {
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
