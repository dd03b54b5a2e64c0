package io.anneal.harness.load;

import java.util.List;
import java.util.Locale;

/**
 * What a {@link HistoryChecker} found.
 *
 * @param operations that were checked
 * @param samples the first violations, {@link #SAMPLES_MAX} at most
 */
public record HistoryVerdict(
        long operations,
        long lostWrites,
        long resurrectedDeletes,
        long staleReads,
        long neverWritten,
        List<Violation> samples) {
    static final int SAMPLES_MAX = 20;

    /** Whether every read is explained. */
    public boolean clean() {
        return lostWrites + resurrectedDeletes + staleReads + neverWritten == 0;
    }

    /** As one line. */
    public String summary() {
        return String.format(
                Locale.ROOT,
                "%,d operations, %,d lost writes, %,d resurrected deletes, %,d stale reads%s",
                operations,
                lostWrites,
                resurrectedDeletes,
                staleReads,
                neverWritten == 0 ? "" : String.format(Locale.ROOT, ", %,d reads of what nobody wrote", neverWritten));
    }
}
