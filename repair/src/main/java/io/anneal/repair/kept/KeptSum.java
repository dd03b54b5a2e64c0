package io.anneal.repair.kept;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.repair.message.TokenSum;

/**
 * A sum, and what must be as it was for it to be the sum of what is there now.
 *
 * @param sstables those that have some of the tokens, as {@link SSTablePresence} tells
 * @param terms seed, schema and ceiling of the session, see {@link KeptSums}
 * @param takenAtSeconds purge time of the session: before it something may have been hashed that was purged then
 * @param changesAtSeconds the first purge time at which something of it may be hashed in another way
 * @param newestMicros write time of the youngest item: a cut-off before it would leave that out
 */
record KeptSum(TokenSum sum, long sstables, long terms, long takenAtSeconds, long changesAtSeconds, long newestMicros) {
    static final int BYTES = 10 * Long.BYTES;

    TokenRange.Linear tokens() {
        return sum.tokens();
    }

    boolean isGood(long ofTerms, long purgeTimeSeconds, long cutoffMicros) {
        return terms == ofTerms
                && takenAtSeconds <= purgeTimeSeconds
                && purgeTimeSeconds < changesAtSeconds
                && newestMicros <= cutoffMicros;
    }

    void encode(ByteWriter out) {
        out.writeLong(sum.tokens().first());
        out.writeLong(sum.tokens().last());
        out.writeLong(sum.high());
        out.writeLong(sum.low());
        out.writeLong(sum.rows());
        out.writeLong(sstables);
        out.writeLong(terms);
        out.writeLong(takenAtSeconds);
        out.writeLong(changesAtSeconds);
        out.writeLong(newestMicros);
    }

    static KeptSum decode(ByteReader in) {
        TokenRange.Linear tokens = new TokenRange.Linear(in.readLong(), in.readLong());
        return new KeptSum(
                new TokenSum(tokens, in.readLong(), in.readLong(), in.readLong()),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readLong());
    }
}
