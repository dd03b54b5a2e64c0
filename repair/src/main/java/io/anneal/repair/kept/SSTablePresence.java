package io.anneal.repair.kept;

import io.anneal.fragment.ItemHash;
import io.anneal.io.ByteWriter;
import io.anneal.io.StorageException;
import io.anneal.key.DecoratedKey;
import io.anneal.key.LinearRanges;
import io.anneal.key.TokenRange;
import io.anneal.schema.SchemaText;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableMetadata;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.SSTables;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Which of a replica's SSTables have some tokens. An SSTable never changes; it is known by its content, whatever its name: the
 * checksum of its data, the columns and minima that the data is relative to, and the length and the age of the file. One with few
 * partitions, that is small beside the others, is asked for its tokens, since a few late rows lie all over the ring; of others first and
 * last token tell. One thread.
 */
final class SSTablePresence {
    /** Of how much of the data it may read to learn where small ones have tokens. */
    private static final int READ_SHARE = 16;

    /** How many parts of a sum there are at most: one with more partitions than parts between its ends has some in nearly all of them. */
    private static final double PARTS_OF_RING = 1 << SumRecorder.LEVEL_MOST;

    /** @param all ascending, of a small one; empty where the ends tell */
    private record Known(long identity, TokenRange.Linear ends, Optional<long[]> all) {
        boolean has(TokenRange.Linear tokens) {
            if (!ends.overlaps(tokens)) {
                return false;
            }
            if (all.isEmpty()) {
                return true;
            }
            int at = Arrays.binarySearch(all.get(), tokens.first());
            int next = at < 0 ? -at - 1 : at;
            return next < all.get().length && all.get()[next] <= tokens.last();
        }
    }

    private final List<Known> sstables;

    private SSTablePresence(List<Known> sstables) {
        this.sstables = sstables;
    }

    /**
     * Looks at SSTables.
     *
     * @param ranges of which it will be asked
     * @return empty when one can't be known again, since it has no Digest
     */
    static Optional<SSTablePresence> of(SSTables sstables, LinearRanges ranges) throws IOException {
        long readMostBytes = sstables.dataLengthBytes() / READ_SHARE;
        // The smallest first, whatever their order is.
        List<SSTableReader> readers = new ArrayList<>(sstables.readers());
        readers.sort(Comparator.comparingLong(SSTableReader::dataLengthBytes));
        List<Known> known = new ArrayList<>();
        for (SSTableReader reader : readers) {
            TokenRange.Linear ends = ends(reader);
            Optional<long[]> all = Optional.empty();
            if (isSparse(reader, ends) && reader.dataLengthBytes() <= readMostBytes) {
                readMostBytes -= reader.dataLengthBytes();
                all = Optional.of(tokens(sstables, reader, ranges.touching(Optional.of(ends))));
            }
            if (ranges.touches(ends)) {
                Optional<Long> identity = identity(reader);
                if (identity.isEmpty()) {
                    return Optional.empty();
                }
                known.add(new Known(identity.get(), ends, all));
            }
        }
        return Optional.of(new SSTablePresence(known));
    }

    private static boolean isSparse(SSTableReader reader, TokenRange.Linear ends) {
        return reader.statistics().estimatedPartitionCount()
                < ends.width() / TokenRange.Linear.ALL.width() * PARTS_OF_RING;
    }

    private static TokenRange.Linear ends(SSTableReader reader) throws IOException {
        Optional<SSTableMetadata.KeyRange> keys = reader.keyRange();
        return keys.isEmpty()
                ? TokenRange.Linear.ALL
                : new TokenRange.Linear(
                        DecoratedKey.of(keys.get().first()).token(),
                        DecoratedKey.of(keys.get().last()).token());
    }

    /** What a node changes of Statistics in its place, as level and date of a repair, makes no other SSTable. */
    private static Optional<Long> identity(SSTableReader reader) throws StorageException {
        Descriptor sstable = reader.descriptor();
        Path digest = sstable.file(Component.DIGEST);
        if (!Files.exists(digest)) {
            return Optional.empty();
        }
        ByteWriter content = new ByteWriter(1024);
        Path data = sstable.file(Component.DATA);
        try {
            content.writeBytes(Files.readAllBytes(digest));
            content.writeLong(Files.size(data));
            content.writeLong(Files.getLastModifiedTime(data).to(TimeUnit.NANOSECONDS));
        } catch (IOException e) {
            throw new StorageException("look at", data, e);
        }
        SSTableMetadata.EncodingMinima minima = reader.metadata().encodingMinima();
        content.writeLong(minima.timestampMicros());
        content.writeLong(minima.localDeletionTimeSeconds());
        content.writeInt(minima.ttlSeconds());
        content.writeBytes(SchemaText.print(reader.headerSchema()).getBytes(StandardCharsets.UTF_8));
        ItemHash hash = new ItemHash(0);
        hash.hash(content.array(), 0, content.lengthBytes());
        return Optional.of(hash.low());
    }

    private static long[] tokens(SSTables sstables, SSTableReader reader, List<TokenRange.Linear> ranges)
            throws IOException {
        long[] tokens = new long[64];
        int count = 0;
        for (TokenRange.Linear range : ranges) {
            try (SSTableCursor cursor = reader.scan(sstables.schema(), range)) {
                while (cursor.advance() != null) {
                    if (count == tokens.length) {
                        tokens = Arrays.copyOf(tokens, 2 * count);
                    }
                    tokens[count++] = cursor.key().token();
                    cursor.nextPartition();
                }
            }
        }
        return Arrays.copyOf(tokens, count);
    }

    /** A number for those that have some of the tokens, another one for others; 0 for none. */
    long of(TokenRange.Linear tokens) {
        long sum = 0;
        for (Known sstable : sstables) {
            sum += sstable.has(tokens) ? sstable.identity() : 0;
        }
        return sum;
    }
}
