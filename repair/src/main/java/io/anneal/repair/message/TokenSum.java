package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import java.util.ArrayList;
import java.util.List;

/**
 * The hashes of all that a replica holds of some tokens, summed modulo 2^128.
 *
 * @param rows how many of the hashes are rows'
 */
public record TokenSum(TokenRange.Linear tokens, long high, long low, long rows) {
    /** Sums in the order of their tokens, apart from each other. The numbers of rows are left out: each replica knows its own. */
    public static void write(List<TokenSum> sums, ByteWriter out) {
        out.writeUnsignedVInt(sums.size());
        long last = Long.MIN_VALUE;
        for (TokenSum sum : sums) {
            out.writeUnsignedVInt(sum.tokens.first() - last);
            // Mostly a power of two, or a few of them.
            long tokens = sum.tokens.last() - sum.tokens.first() + 1;
            int shift = Long.numberOfTrailingZeros(tokens);
            out.writeByte(shift);
            out.writeUnsignedVInt(shift == Long.SIZE ? 0 : tokens >>> shift);
            out.writeLong(sum.high);
            out.writeLong(sum.low);
            last = sum.tokens.last();
        }
    }

    private static long readTokens(ByteReader in) {
        int shift = in.readUnsignedByte();
        long tokens = in.readUnsignedVInt();
        if (shift > Long.SIZE || shift == Long.SIZE != (tokens == 0)) {
            throw new IllegalArgumentException("sum has no tokens, shift=" + shift + ", tokens=" + tokens);
        }
        return shift == Long.SIZE ? 0 : tokens << shift;
    }

    /**
     * A count larger than what is left cannot be true, so nothing is allocated for it.
     *
     * @throws IllegalArgumentException when tokens do not ascend
     */
    public static List<TokenSum> read(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<TokenSum> sums = new ArrayList<>();
        long last = Long.MIN_VALUE;
        for (int i = 0; i < count; i++) {
            long first = last + in.readUnsignedVInt();
            if (i > 0 && first <= last) {
                throw new IllegalArgumentException("sums of tokens do not ascend, last=" + last + ", first=" + first);
            }
            last = first + readTokens(in) - 1;
            sums.add(new TokenSum(new TokenRange.Linear(first, last), in.readLong(), in.readLong(), 0));
        }
        return sums;
    }
}
