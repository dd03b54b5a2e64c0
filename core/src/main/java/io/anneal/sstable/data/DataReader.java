package io.anneal.sstable.data;

import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.Partitioner;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FilterListener;
import io.anneal.sstable.LostData;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableMetadata;
import io.anneal.sstable.SSTableMetadata.KeyRange;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableSections;
import io.anneal.sstable.SSTableStatistics;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.UnsupportedSSTableException;
import io.anneal.sstable.file.BloomFilter;
import io.anneal.sstable.file.ChecksummedChunks;
import io.anneal.sstable.file.ChunkChecksums;
import io.anneal.sstable.file.ChunkCodec;
import io.anneal.sstable.file.ChunkSource;
import io.anneal.sstable.file.ComponentFiles;
import io.anneal.sstable.file.CompressedChunks;
import io.anneal.sstable.file.CompressionInfo;
import io.anneal.sstable.file.DataDigest;
import io.anneal.sstable.file.PlainChunks;
import io.anneal.sstable.file.TableOfContents;
import io.anneal.sstable.row.ColumnMapping;
import io.anneal.sstable.row.PrefixDecoder;
import io.anneal.sstable.row.RowDecoder;
import io.anneal.sstable.row.SerializationHeader;
import io.anneal.sstable.statistics.Statistics;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open SSTable. Holds Data.db open and what a scan needs; the index and Filter are opened when a key is asked for, so
 * that a scan never depends on files without checksums.
 */
public final class DataReader implements SSTableReader {
    private static final Logger LOG = LoggerFactory.getLogger(DataReader.class);

    private final Descriptor descriptor;
    private final SSTableVersion version;
    private final Path dataFile;
    private final Path statisticsFile;
    private final FileChannel dataChannel;
    private final long fileLengthBytes;
    private final Statistics statistics;
    private final TableSchema headerSchema;
    private final CompressionInfo compression;
    private final ChunkCodec codec;
    private final ChunkChecksums checksums;
    private final PartitionIndex index;
    /** Null before a key was asked for; empty when there is none. */
    private volatile Optional<BloomFilter> filter;

    /** Of data that has no checksums for its chunks only the digest tells whether it is right. */
    private volatile boolean digestDue;

    private volatile FilterListener filterListener = FilterListener.NONE;

    private DataReader(
            Descriptor descriptor,
            SSTableVersion version,
            FileChannel dataChannel,
            long fileLengthBytes,
            Statistics statistics,
            CompressionInfo compression,
            ChunkCodec codec,
            ChunkChecksums checksums,
            PartitionIndex.Opener index) {
        this.descriptor = descriptor;
        this.version = version;
        dataFile = descriptor.file(Component.DATA);
        statisticsFile = descriptor.file(Component.STATISTICS);
        this.dataChannel = dataChannel;
        this.fileLengthBytes = fileLengthBytes;
        this.statistics = statistics;
        this.compression = compression;
        this.codec = codec;
        this.checksums = checksums;
        digestDue = compression == null && checksums == null && descriptor.has(Component.DIGEST);
        headerSchema = statistics.schema();
        this.index = index.open(this);
    }

    /** @param descriptor of a version that is known */
    public static DataReader open(Descriptor descriptor, PartitionIndex.Opener index) throws IOException {
        FileChannel channel = ComponentFiles.open(descriptor, Component.DATA);
        try {
            return open(descriptor, channel, index);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static DataReader open(Descriptor descriptor, FileChannel channel, PartitionIndex.Opener index)
            throws IOException {
        SSTableVersion version = SSTableVersion.of(descriptor).orElseThrow();
        Statistics statistics = Statistics.read(descriptor, version, keyspaceOf(descriptor), tableOf(descriptor));
        long fileLengthBytes = channel.size();
        if (!descriptor.has(Component.COMPRESSION_INFO)) {
            ChunkChecksums checksums = checksums(descriptor, fileLengthBytes);
            return new DataReader(
                    descriptor, version, channel, fileLengthBytes, statistics, null, null, checksums, index);
        }
        Path file = descriptor.file(Component.COMPRESSION_INFO);
        if (descriptor.has(Component.CRC)) {
            throw new CorruptSSTableException(
                    file, CorruptSSTableException.NO_POSITION, "SSTable is both compressed and uncompressed");
        }
        CompressionInfo compression = CompressionInfo.read(descriptor, version, fileLengthBytes);
        ChunkCodec codec = ChunkCodec.of(file, compression.compressor());
        if (compression.dataLengthBytes() / codec.ratioMax() > fileLengthBytes) {
            throw new CorruptSSTableException(
                    file,
                    CorruptSSTableException.NO_POSITION,
                    "data length is more than can be compressed, dataLengthBytes=" + compression.dataLengthBytes());
        }
        compression.refuseDataBehindTheEnd(file, codec.emptyLengthBytes());
        return new DataReader(
                descriptor, version, channel, fileLengthBytes, statistics, compression, codec, null, index);
    }

    /** Null when TOC says that there are none: Cassandra reads uncompressed data without, and others write it so. */
    private static ChunkChecksums checksums(Descriptor descriptor, long dataLengthBytes) throws IOException {
        if (!descriptor.has(Component.CRC)) {
            if (TableOfContents.lists(descriptor, Component.COMPRESSION_INFO)) {
                throw ComponentFiles.missing(descriptor.file(Component.COMPRESSION_INFO));
            }
            boolean tocTells = TableOfContents.lists(descriptor, Component.DATA);
            if (tocTells && !TableOfContents.lists(descriptor, Component.CRC)) {
                LOG.warn("SSTable has no checksums of its data, since its TOC names no CRC.db, sstable={}", descriptor);
                return null;
            }
        }
        return ChunkChecksums.read(descriptor, dataLengthBytes);
    }

    /** {@code <keyspace>/<table>-<id>}, perhaps with {@code snapshots/<name>} or {@code backups} behind it. */
    private static Path tableDirectory(Descriptor descriptor) {
        Path directory = descriptor.directory();
        for (Path at = directory; at != null && at.getFileName() != null; at = at.getParent()) {
            String name = at.getFileName().toString();
            if ((name.equals("snapshots") || name.equals("backups")) && at.getParent() != null) {
                return at.getParent();
            }
        }
        return directory;
    }

    private static String tableOf(Descriptor descriptor) {
        Path name = tableDirectory(descriptor).getFileName();
        return name == null ? "unknown" : name.toString().replaceFirst("-[0-9a-f]{32}$", "");
    }

    private static String keyspaceOf(Descriptor descriptor) {
        Path parent = tableDirectory(descriptor).getParent();
        return parent == null || parent.getFileName() == null
                ? "unknown"
                : parent.getFileName().toString();
    }

    @Override
    public Descriptor descriptor() {
        return descriptor;
    }

    @Override
    public TableSchema headerSchema() {
        return headerSchema;
    }

    /** Which tells how numbers are coded. */
    public SSTableVersion version() {
        return version;
    }

    @Override
    public SSTableStatistics statistics() {
        return statistics.metadata().statistics();
    }

    @Override
    public SSTableMetadata metadata() {
        return statistics.metadata();
    }

    @Override
    public Partitioner partitioner() {
        return statistics.metadata().partitioner();
    }

    SerializationHeader header() {
        return statistics.header();
    }

    /** Whether the data has a checksum for each chunk. */
    boolean hasChunkChecksums() {
        return compression != null || checksums != null;
    }

    double bloomFilterFpChance() {
        return statistics.metadata().bloomFilterFpChance();
    }

    @Override
    public Optional<KeyRange> keyRange() throws IOException {
        Optional<KeyRange> told = metadata().keyRange();
        return told.isPresent() ? told : index.keyRange();
    }

    @Override
    public Optional<String> compressor() {
        return compression == null ? Optional.empty() : Optional.of(compression.compressor());
    }

    @Override
    public long dataLengthBytes() {
        return compression == null ? fileLengthBytes : compression.dataLengthBytes();
    }

    PartitionIndex index() {
        return index;
    }

    /** Decodes clusterings of this SSTable's columns. */
    public PrefixDecoder prefixes() {
        return new PrefixDecoder(statistics.header().clusteringTypes());
    }

    @Override
    public void listenToFilter(FilterListener listener) {
        filterListener = listener;
    }

    /** The data, for one thread. */
    public ChunkSource chunks() {
        if (compression != null) {
            return new CompressedChunks(dataFile, dataChannel, compression, codec);
        }
        return checksums == null
                ? new PlainChunks(dataFile, dataChannel, fileLengthBytes)
                : new ChecksummedChunks(dataFile, dataChannel, fileLengthBytes, checksums);
    }

    @Override
    public DataCursor scan(TableSchema schema, TokenRange.Linear range) throws IOException {
        if (partitioner() != Partitioner.MURMUR3 && !range.equals(TokenRange.Linear.ALL)) {
            throw new UnsupportedSSTableException(
                    dataFile,
                    UnsupportedSSTableException.Feature.TOKEN_RANGE,
                    partitioner().className(),
                    Partitioner.MURMUR3.className());
        }
        return cursor(schema, range);
    }

    @Override
    public DataCursor scan(TableSchema schema, TokenRange.Linear range, Optional<DecoratedKey> after)
            throws IOException {
        DataCursor cursor = scan(schema, range);
        if (after.isPresent()) {
            requireTable();
            byte[] key = after.get().bytes();
            // Between two tokens is a key with a token that no bytes have.
            long token = partitioner() == Partitioner.MURMUR3
                    ? after.get().token()
                    : partitioner().token(key, 0, key.length);
            cursor.beginBehind(new KeyView().wrap(token, key, 0, key.length));
        }
        return cursor;
    }

    @Override
    public DataCursor scanAsWritten() throws IOException {
        DataCursor cursor = cursor(headerSchema, TokenRange.Linear.ALL);
        cursor.keepEqualBoundaries();
        return cursor;
    }

    private DataCursor cursor(TableSchema schema, TokenRange.Linear range) throws IOException {
        verifyDigestOnce();
        return new DataCursor(this, partitioner(), schema, range, chunks(), decoder(schema), statistics.header());
    }

    @Override
    public Optional<SSTableCursor> read(TableSchema schema, DecoratedKey key, Slices slices, boolean reversed)
            throws IOException {
        return Optional.ofNullable(read(schema, key, slices, reversed, SliceCursor.HELD_DEFAULT_BYTES));
    }

    /**
     * Null when there is no such partition.
     *
     * @param heldBytes how much of the data is held to be read in reverse
     */
    SliceCursor read(TableSchema schema, DecoratedKey key, Slices slices, boolean reversed, long heldBytes)
            throws IOException {
        requireTable();
        byte[] keyBytes = key.bytes();
        long token = partitioner().token(keyBytes, 0, keyBytes.length);
        KeyView wanted = new KeyView().wrap(token, keyBytes, 0, keyBytes.length);
        if (!mayContain(wanted)) {
            filterListener.negative();
            return null;
        }
        verifyDigestOnce();
        SliceCursor found = readListed(schema, wanted, slices, reversed, heldBytes);
        if (filter.isPresent()) {
            if (found == null) {
                filterListener.falsePositive();
            } else {
                filterListener.truePositive();
            }
        }
        return found;
    }

    /** Before the first read and not when the SSTable is opened, so that a scrub can open what is damaged. */
    private void verifyDigestOnce() throws IOException {
        if (digestDue) {
            DataDigest.verify(descriptor);
            digestDue = false;
        }
    }

    private SliceCursor readListed(TableSchema schema, KeyView wanted, Slices slices, boolean reversed, long heldBytes)
            throws IOException {
        RowDecoder decoder = decoder(schema);
        PartitionLookup lookup = index.lookup();
        try {
            if (lookup.seek(wanted)) {
                SliceCursor cursor = sliceCursor(lookup.dataPosition(), schema, decoder, lookup);
                KeyView found = cursor.key();
                lookup.requireSame(found.buffer(), found.offset(), found.lengthBytes());
                if (found.sameAs(wanted)) {
                    return cursor.select(slices, reversed, lookup.rows(), this, heldBytes);
                }
            }
            // Only the data can tell that the index is right and the key is not there.
            long position = positionInData(wanted);
            if (position >= 0) {
                return sliceCursor(position, schema, decoder, lookup)
                        .select(slices, reversed, Optional.empty(), this, heldBytes);
            }
            lookup.close();
            return null;
        } catch (IOException | RuntimeException e) {
            lookup.close();
            throw e;
        }
    }

    private SliceCursor sliceCursor(long position, TableSchema schema, RowDecoder decoder, PartitionLookup lookup)
            throws IOException {
        return SliceCursor.at(position, partitioner(), schema, chunks(), decoder, statistics.header(), lookup);
    }

    /** Where a partition begins, found by reading on from the one before it; -1 when there is none. */
    private long positionInData(KeyView key) throws IOException {
        try (DataCursor cursor = cursor(headerSchema, new TokenRange.Linear(key.token(), key.token()))) {
            while (cursor.advance() != null) {
                int order = cursor.key().compareTo(key);
                if (order >= 0) {
                    return order == 0 ? cursor.dataPosition() : -1;
                }
                cursor.nextPartition();
            }
        }
        return -1;
    }

    @Override
    public boolean mayContain(KeyView key) throws IOException {
        Optional<BloomFilter> known = filter;
        if (known == null) {
            known = readFilter();
        }
        return known.isEmpty() || known.get().mayContain(key);
    }

    private synchronized Optional<BloomFilter> readFilter() throws IOException {
        if (filter == null) {
            filter = descriptor.has(Component.FILTER)
                    ? Optional.of(BloomFilter.read(descriptor, version))
                    : Optional.empty();
        }
        return filter;
    }

    @Override
    public boolean isInFormerColumnOrder() throws IOException {
        return staticColumns(headerSchema).isInFormerOrder()
                || regularColumns(headerSchema).isInFormerOrder();
    }

    private ColumnMapping staticColumns(TableSchema schema) throws IOException {
        return ColumnMapping.of(statistics.header().staticColumns(), Column.Kind.STATIC, schema, statisticsFile);
    }

    private ColumnMapping regularColumns(TableSchema schema) throws IOException {
        return ColumnMapping.of(statistics.header().regularColumns(), Column.Kind.REGULAR, schema, statisticsFile);
    }

    private RowDecoder decoder(TableSchema schema) throws IOException {
        SerializationHeader header = statistics.header();
        Path file = statisticsFile;
        ColumnMapping.requireSame(header.keyTypes(), schema.partitionKey(), schema, file);
        ColumnMapping.requireSame(header.clusteringTypes(), schema.clustering(), schema, file);
        return new RowDecoder(version, header, schema, staticColumns(schema), regularColumns(schema));
    }

    @Override
    public Optional<SSTableSections> sections(List<TokenRange.Linear> ranges) throws IOException {
        // Without Summary each range would read all of Index.
        boolean isFound = descriptor.has(Component.SUMMARY) || descriptor.has(Component.PARTITIONS);
        boolean sent = partitioner() == Partitioner.MURMUR3
                && version.isAtLeast(SSTableVersion.NA)
                && hasChunkChecksums()
                && isFound;
        return sent ? Sections.of(this, ranges) : Optional.empty();
    }

    /** Null when the data is not compressed. */
    CompressionInfo compression() {
        return compression;
    }

    /** Null when the data is compressed, or has none. */
    ChunkChecksums checksums() {
        return checksums;
    }

    @Override
    public SSTableCursor salvage(TableSchema schema, Consumer<LostData> listener) throws IOException {
        requireTable();
        return new SalvageCursor(this, schema, decoder(schema), listener);
    }

    @Override
    public List<String> verify() throws IOException {
        return new DataVerifier(this).verify();
    }

    @Override
    public void close() throws IOException {
        try (index) {
            dataChannel.close();
        }
    }
}
