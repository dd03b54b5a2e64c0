package io.anneal.sstable.data;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.OutputFile;
import io.anneal.key.KeyView;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.DataSection;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.SectionManifest;
import io.anneal.sstable.SectionTarget;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.UnsupportedSSTableException;
import io.anneal.sstable.file.BloomFilterBuilder;
import io.anneal.sstable.file.CompressedDataFile;
import io.anneal.sstable.file.DataFile;
import io.anneal.sstable.file.PlainDataFile;
import io.anneal.sstable.row.MalformedRowException;
import io.anneal.sstable.row.UnfilteredFlags;
import io.anneal.sstable.statistics.SectionStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Writes an SSTable of sections of another one, whose rows nobody reads: chunks are decompressed, their partitions cut out and
 * compressed again on the new SSTable's own grid, and index, filter and Statistics are written of the keys that stand in the data.
 *
 * <pre>
 *   theirs   |  chunk  |  chunk  |  chunk  |  chunk  |
 *                  [ section ]        [   section  ]
 *   ours     |  chunk  |  chunk  |  chu|
 * </pre>
 *
 * Of each partition is checked that its key has a wanted token and lies behind the one before it, that it ends where a
 * partition ends, and that its block index fits it.
 */
public final class SectionWriter implements SectionTarget {
    /** A peer that lies about its partitions gets no larger filter. */
    private static final long FILTER_KEYS_MAX = 1L << 26;

    private static final int PARTITION_MIN_BYTES = Short.BYTES + 2;

    private final StagedSSTable staged;
    private final OutputFile.Opener opener;
    private final TableSchema schema;
    private final SectionManifest manifest;
    private final List<TokenRange.Linear> ranges;
    private final DataFile data;
    private final IndexWriter index;
    private final SectionStatistics statistics;
    private final BloomFilterBuilder filter;
    private final SectionInput input;
    private final ByteReader rowIndex = new ByteReader();

    private int section;
    /** Up to where their data was taken. */
    private long position;

    private boolean inPartition;
    private long partitionStart;
    private long partitionEnd;
    /** Where our partition begins. */
    private long ourPosition;

    private byte[] keyBytes = new byte[256];
    private int keyFilled;
    /** How many bytes to keep of the partition: those of the key's length, and then of the key. */
    private int keyWanted;

    private final KeyView key = new KeyView();
    private byte[] previousBytes = new byte[256];
    private final KeyView previous = new KeyView();
    private boolean hasPrevious;
    private int range;

    private boolean broken;
    private boolean published;

    private SectionWriter(
            StagedSSTable staged,
            OutputFile.Opener opener,
            TableSchema schema,
            SectionManifest manifest,
            List<TokenRange.Linear> ranges,
            DataFile data,
            IndexWriter index,
            SectionStatistics statistics) {
        this.staged = staged;
        this.opener = opener;
        this.schema = schema;
        this.manifest = manifest;
        this.ranges = List.copyOf(ranges);
        this.data = data;
        this.index = index;
        this.statistics = statistics;
        input = new SectionInput(staged.descriptor().file(Component.DATA), manifest);
        position = manifest.sections().get(0).start();
        double chance = schema.options().bloomFilterFpChance();
        filter = BloomFilterBuilder.isUseful(chance) ? new BloomFilterBuilder(expectedPartitions(), chance) : null;
    }

    public static SectionWriter open(
            StagedSSTable staged,
            TableSchema schema,
            SectionManifest manifest,
            List<TokenRange.Linear> ranges,
            OutputFile.Opener opener,
            IndexWriter.Opener indexOpener)
            throws IOException {
        SSTableVersion version = SSTableVersion.of(staged.descriptor()).orElseThrow();
        if (!version.isAtLeast(SSTableVersion.NA)) {
            throw new UnsupportedSSTableException(
                    staged.descriptor().file(Component.DATA),
                    UnsupportedSSTableException.Feature.SECTIONS,
                    version.text(),
                    "na and later");
        }
        byte[] bytes = new byte[manifest.statistics().remaining()];
        manifest.statistics().duplicate().get(bytes);
        SectionStatistics statistics =
                SectionStatistics.of(staged.descriptor().file(Component.STATISTICS), bytes, version);
        DataFile data = null;
        IndexWriter index = null;
        boolean opened = false;
        try {
            data = manifest.isCompressed()
                    ? CompressedDataFile.open(staged, opener, manifest.compression())
                    : PlainDataFile.open(staged, opener);
            index = indexOpener.open(
                    staged, opener, schema, SSTableWriterConfig.defaults(1).withVersion(version));
            SectionWriter writer = new SectionWriter(staged, opener, schema, manifest, ranges, data, index, statistics);
            opened = true;
            return writer;
        } catch (IllegalArgumentException e) {
            throw new CorruptSSTableException(
                    staged.descriptor().file(Component.DATA),
                    CorruptSSTableException.NO_POSITION,
                    "compression is of no SSTable: " + e.getMessage(),
                    e);
        } finally {
            if (!opened) {
                closeAll(data, index);
                staged.discard();
            }
        }
    }

    private static void closeAll(DataFile data, IndexWriter index) throws IOException {
        try (data) {
            if (index != null) {
                index.close();
            }
        }
    }

    private long expectedPartitions() {
        double all = statistics.source().metadata().statistics().estimatedPartitionCount();
        long most = Math.min(FILTER_KEYS_MAX, manifest.lengthBytes() / PARTITION_MIN_BYTES + 1);
        return Math.min(most, (long) Math.ceil(all * share()));
    }

    private double share() {
        return (double) manifest.lengthBytes() / manifest.dataLengthBytes();
    }

    @Override
    public long position() {
        return input.position();
    }

    @Override
    public boolean isBroken() {
        return broken;
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
        if (broken || published) {
            throw new IllegalStateException("nothing is taken any more, sstable=" + staged.descriptor());
        }
        boolean taken = false;
        try {
            while (input.take(bytes)) {
                switch (input.kind()) {
                    case SectionBlocks.PARTITIONS -> startPartitions();
                    case SectionBlocks.CHUNKS -> takeChunk();
                    default -> requireComplete();
                }
            }
            taken = true;
        } catch (ByteUnderflowException | MalformedRowException | IllegalArgumentException e) {
            throw new CorruptSSTableException(
                    staged.descriptor().file(Component.DATA),
                    position,
                    "sections that were sent cannot be: " + e.getMessage(),
                    e);
        } finally {
            broken |= !taken;
        }
    }

    /** New partitions were announced; some of them may lie in the chunk that came last. */
    private void startPartitions() throws IOException {
        if (inPartition) {
            throw wrong("partitions are announced before the last ones have come");
        }
        if (position == section().end()) {
            if (section + 1 == manifest.sections().size()) {
                throw wrong("more partitions are announced than the sections hold");
            }
            section++;
            position = section().start();
        }
        input.expectFrom(position);
        cut();
    }

    private DataSection section() {
        return manifest.sections().get(section);
    }

    private void takeChunk() throws IOException {
        boolean needed = inPartition || input.hasPartition();
        if (!needed || position < input.chunkStart() || position >= input.chunkEnd()) {
            throw wrong("chunk has nothing of the partitions that were announced, chunkStart=" + input.chunkStart()
                    + ", needed=" + needed);
        }
        cut();
    }

    /** Takes from the chunk what it holds of the partitions that were announced. */
    private void cut() throws IOException {
        long from = position;
        long chunkEnd = input.chunkEnd();
        while (position < chunkEnd && (inPartition || input.hasPartition())) {
            if (!inPartition) {
                startPartition();
            }
            int offset = (int) (position - input.chunkStart());
            int lengthBytes = (int) (Math.min(partitionEnd, chunkEnd) - position);
            takeKey(offset, lengthBytes);
            position += lengthBytes;
            if (position == partitionEnd) {
                endPartition(input.chunk()[offset + lengthBytes - 1]);
            }
        }
        if (position > from) {
            data.write(input.chunk(), (int) (from - input.chunkStart()), (int) (position - from));
        }
    }

    private void startPartition() throws IOException {
        long lengthBytes = input.nextPartition(rowIndex);
        if (lengthBytes < PARTITION_MIN_BYTES || lengthBytes > section().end() - position) {
            throw wrong("partition does not lie in its section, lengthBytes=" + lengthBytes + ", section=" + section());
        }
        inPartition = true;
        partitionStart = position;
        partitionEnd = position + lengthBytes;
        keyFilled = 0;
        keyWanted = Short.BYTES;
    }

    private void takeKey(int offset, int lengthBytes) {
        byte[] chunk = input.chunk();
        int from = offset;
        int end = offset + lengthBytes;
        if (keyFilled == 0 && lengthBytes >= Short.BYTES) {
            wantKey(chunk, offset);
        }
        while (from < end && keyFilled < keyWanted) {
            int part = Math.min(end - from, keyWanted - keyFilled);
            System.arraycopy(chunk, from, keyBytes, keyFilled, part);
            keyFilled += part;
            from += part;
            if (keyFilled == Short.BYTES && keyWanted == Short.BYTES) {
                wantKey(keyBytes, 0);
            }
        }
    }

    private void wantKey(byte[] bytes, int offset) {
        keyWanted = Short.BYTES + ((bytes[offset] & 0xFF) << 8 | bytes[offset + 1] & 0xFF);
        if (keyBytes.length < keyWanted) {
            keyBytes = Arrays.copyOf(keyBytes, keyWanted);
        }
    }

    private void endPartition(byte lastByte) throws IOException {
        long lengthBytes = partitionEnd - partitionStart;
        if (keyFilled < keyWanted || keyWanted >= lengthBytes || lastByte != UnfilteredFlags.END_OF_PARTITION) {
            throw wrong("partition does not end where it should, partitionPosition=" + partitionStart);
        }
        long token =
                key.wrapMurmur3(keyBytes, Short.BYTES, keyFilled - Short.BYTES).token();
        if (hasPrevious && previous.compareTo(key) >= 0) {
            throw wrong("partition is out of order, token=" + token + ", previousToken=" + previous.token());
        }
        while (range < ranges.size() && ranges.get(range).last() < token) {
            range++;
        }
        if (range == ranges.size() || token < ranges.get(range).first()) {
            throw wrong("partition was not asked for, token=" + token + ", ranges=" + ranges);
        }
        index.addPartition(key, ourPosition, lengthBytes, rowIndex);
        if (rowIndex.hasRemaining()) {
            throw wrong("block index of a partition is longer than what it holds, token=" + token);
        }
        if (filter != null) {
            filter.add(key);
        }
        statistics.add(key, lengthBytes);
        keepKey();
        ourPosition += lengthBytes;
        inPartition = false;
    }

    private void keepKey() {
        byte[] kept = keyBytes;
        keyBytes = previousBytes;
        previousBytes = kept;
        previous.wrap(key);
        hasPrevious = true;
    }

    private void requireComplete() throws CorruptSSTableException {
        boolean complete = !inPartition
                && !input.hasPartition()
                && section == manifest.sections().size() - 1
                && position == section().end();
        if (!complete) {
            throw wrong("sections end before all of them have come, section=" + section());
        }
    }

    private CorruptSSTableException wrong(String reason) {
        return new CorruptSSTableException(staged.descriptor().file(Component.DATA), position, reason);
    }

    @Override
    public Descriptor publish() throws IOException {
        if (broken || !input.hasEnded()) {
            throw wrong("sections end before all of them have come, section=" + section());
        }
        broken = true;
        data.finish();
        index.finish();
        Set<Component> components = EnumSet.copyOf(data.components());
        components.addAll(index.components());
        if (filter != null) {
            filter.write(staged.file(Component.FILTER), opener);
            components.add(Component.FILTER);
        }
        statistics.write(
                share(),
                data.compressionRatio(),
                schema.options().bloomFilterFpChance(),
                staged.file(Component.STATISTICS),
                opener);
        components.add(Component.STATISTICS);
        closeAll(data, index);
        staged.publish(components, opener);
        broken = false;
        published = true;
        return staged.descriptor();
    }

    @Override
    public void close() throws IOException {
        if (published) {
            return;
        }
        try {
            closeAll(data, index);
        } finally {
            staged.discard();
        }
    }
}
