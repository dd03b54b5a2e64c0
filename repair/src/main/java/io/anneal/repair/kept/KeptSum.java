package io.anneal.repair.kept;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.repair.message.TokenSum;

/**
 * A sum, and what must be as it was for it to tell of what is there now.
 *
 * @param sstables those that have some of the tokens, as {@link SSTablePresence} tells
 * @param terms seed, schema and ceiling of the session, see {@link KeptSums}
 * @param takenAtSeconds purge time of the session. What purging leaves at a later time follows from what it left at this one (rules 9 and 10
 *     of the canonical form), so that replicas whose sums are equal are equal then, too; at an earlier one something may have to be
 *     compared that is in no sum
 */
record KeptSum(TokenSum sum, long sstables, long terms, long takenAtSeconds) {
    static final int BYTES = 8 * Long.BYTES;

    TokenRange.Linear tokens() {
        return sum.tokens();
    }

    boolean isGood(long ofTerms, long purgeTimeSeconds) {
        return terms == ofTerms && takenAtSeconds <= purgeTimeSeconds;
    }

    void encode(ByteWriter out) {
        out.writeLong(sum.tokens().first());
        out.writeLong(sum.tokens().last());
        out.writeLong(takenAtSeconds);
        out.writeLong(sum.high());
        out.writeLong(sum.low());
        out.writeLong(sum.rows());
        out.writeLong(sstables);
        out.writeLong(terms);
    }

    /** What it begins with. */
    static TokenRange.Linear decodeTokens(ByteReader in) {
        return new TokenRange.Linear(in.readLong(), in.readLong());
    }

    /** What comes behind its tokens. */
    static long decodeTakenAtSeconds(ByteReader in) {
        return in.readLong();
    }

    static KeptSum decode(ByteReader in) {
        TokenRange.Linear tokens = decodeTokens(in);
        long takenAtSeconds = decodeTakenAtSeconds(in);
        TokenSum sum = new TokenSum(tokens, in.readLong(), in.readLong(), in.readLong());
        return new KeptSum(sum, in.readLong(), in.readLong(), takenAtSeconds);
    }
}
