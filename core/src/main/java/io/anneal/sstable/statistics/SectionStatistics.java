package io.anneal.sstable.statistics;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.key.KeyView;
import io.anneal.sstable.SSTableStatistics;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Statistics of an SSTable that has some partitions of another one, whose rows nobody has read. Known of them are their keys
 * and lengths. The other's bounds and its header stay as they are: they hold for a part, too, and rows are encoded against
 * the header. So do the histograms of cells and of times at which something can be dropped: only their ratio is asked for,
 * and a reader sees by them that the numbers of rows and columns are estimates, by the part's share of the data.
 */
public final class SectionStatistics {
    private final Statistics source;
    private final StatisticsDecoder offsets;
    private final ByteReader stats;
    private final ByteReader header;
    private final SizeHistogram partitionSizes = new SizeHistogram(SizeHistogram.PARTITION_SIZE_BUCKETS);
    private final KeyCardinality keys = new KeyCardinality();
    private final ByteWriter firstKey = new ByteWriter(64);
    private final ByteWriter lastKey = new ByteWriter(64);
    private boolean hasKey;

    private SectionStatistics(Statistics source, StatisticsDecoder offsets, ByteReader stats, ByteReader header) {
        this.source = source;
        this.offsets = offsets;
        this.stats = stats;
        this.header = header;
    }

    /**
     * @param file what messages call it
     * @param bytes the other's Statistics
     * @param version that both have, since {@link SSTableVersion#NA}
     */
    public static SectionStatistics of(Path file, byte[] bytes, SSTableVersion version) throws IOException {
        Statistics.Parser parser = new Statistics.Parser(file, version, bytes);
        Statistics source = parser.parse("unknown", "unknown");
        return new SectionStatistics(source, parser.decoder(), parser.statsPart(), parser.headerPart());
    }

    /** What the other tells. */
    public Statistics source() {
        return source;
    }

    public void add(KeyView key, long sizeBytes) {
        keys.add(key.buffer(), key.offset(), key.lengthBytes());
        if (!hasKey) {
            firstKey.writeBytes(key.buffer(), key.offset(), key.lengthBytes());
            hasKey = true;
        }
        lastKey.clear();
        lastKey.writeBytes(key.buffer(), key.offset(), key.lengthBytes());
        partitionSizes.add(sizeBytes);
    }

    /**
     * @param share of the other's data that this has, from 0 to 1
     * @param bloomFilterFpChance of the filter that was written
     */
    public void write(
            double share, double compressionRatio, double bloomFilterFpChance, Path file, OutputFile.Opener opener)
            throws IOException {
        ByteWriter[] parts = StatisticsEncoder.newParts();
        StatisticsEncoder.writeValidation(source.metadata().partitioner(), bloomFilterFpChance, parts[0]);
        keys.write(parts[1]);
        writeStats(share, compressionRatio, parts[2]);
        parts[3].writeBytes(header.array(), header.offset(), header.remainingBytes());
        StatisticsEncoder.write(parts, file, opener);
    }

    private void writeStats(double share, double compressionRatio, ByteWriter out) {
        partitionSizes.write(out);
        copy(offsets.partitionSizesEnd(), offsets.compressionRatioOffset(), out);
        out.writeLong(Double.doubleToRawLongBits(compressionRatio));
        copy(offsets.compressionRatioOffset() + Double.BYTES, offsets.countsOffset(), out);
        SSTableStatistics counts = source.metadata().statistics();
        out.writeLong((long) Math.ceil(counts.totalColumnsSet() * share));
        out.writeLong((long) Math.ceil(counts.totalRows() * share));
        copy(offsets.countsOffset() + 2 * Long.BYTES, offsets.keyRangeOffset(), out);
        if (offsets.keyRangeEnd() > offsets.keyRangeOffset()) {
            StatisticsCollector.writeKey(firstKey, out);
            StatisticsCollector.writeKey(lastKey, out);
            // The covered share of the ring, which Cassandra computes from the keys when it is not told.
            out.writeLong(Double.doubleToRawLongBits(Double.NaN));
        }
    }

    private void copy(int from, int to, ByteWriter out) {
        out.writeBytes(stats.array(), from, to - from);
    }
}
