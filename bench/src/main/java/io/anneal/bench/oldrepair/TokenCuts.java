package io.anneal.bench.oldrepair;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.node.Replica;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Cuts ranges into small ones of equal width, ascending as tokens are in a file. */
final class TokenCuts {
    /** So many keys tell how close tokens lie to each other, to some hundredths. */
    private static final int SAMPLED_PARTITIONS = 2_000;

    private TokenCuts() {}

    static List<TokenRange.Linear> ascending(TokenRange range) {
        return range.unwrap().stream()
                .sorted(Comparator.comparingLong(TokenRange.Linear::first))
                .toList();
    }

    /** How many partitions a replica has in a range, by the first of them; exact where they are few. */
    static long estimatedPartitions(Replica replica, TokenRange.Linear range, long localDeletionTimeMaxSeconds)
            throws IOException {
        try (FragmentCursor cursor = replica.scan(range, localDeletionTimeMaxSeconds)) {
            long token = range.first();
            for (int count = 0; count < SAMPLED_PARTITIONS; count++) {
                if (cursor.advance() == null) {
                    return count;
                }
                token = cursor.key().token();
                cursor.nextPartition();
            }
            double sampled = 1.0 + token - (double) range.first();
            return Math.round(SAMPLED_PARTITIONS * width(range) / sampled);
        }
    }

    private static double width(TokenRange.Linear range) {
        return 1.0 + range.last() - (double) range.first();
    }

    /** At most so many parts. */
    static List<TokenRange.Linear> cut(TokenRange.Linear range, long count) {
        if (count <= 1 || range.first() == Long.MIN_VALUE) {
            return List.of(range);
        }
        return new TokenRange(range.first() - 1, range.last())
                .split((int) Math.min(Integer.MAX_VALUE, count)).stream()
                        .flatMap(part -> part.unwrap().stream())
                        .toList();
    }

    static void write(ByteWriter out, List<TokenRange.Linear> ranges) {
        out.writeUnsignedVInt(ranges.size());
        for (TokenRange.Linear range : ranges) {
            out.writeLong(range.first());
            out.writeLong(range.last());
        }
    }

    static List<TokenRange.Linear> read(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<TokenRange.Linear> ranges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ranges.add(new TokenRange.Linear(in.readLong(), in.readLong()));
        }
        return ranges;
    }
}
