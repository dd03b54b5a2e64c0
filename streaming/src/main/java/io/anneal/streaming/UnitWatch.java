package io.anneal.streaming;

import io.anneal.job.UnitRun;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.BooleanSupplier;

/** One attempt at a unit, as the job sees it. One thread. */
final class UnitWatch implements StreamListener {
    private final UnitRun<StreamUnit> run;
    private final BooleanSupplier gone;
    /** Of thousands of ranges, which are not added up for each piece. */
    private final double width;

    private long rows;
    private long bytes;
    private boolean begun;

    /** @param gone whether what is worked on is not there any more, so that nobody need wait */
    UnitWatch(UnitRun<StreamUnit> run, BooleanSupplier gone) {
        this.run = run;
        this.gone = gone;
        width = run.unit().width();
    }

    @Override
    public void progress(long rowsSoFar, long bytesSoFar, double covered) throws IOException {
        long moreRows = rowsSoFar - rows;
        long moreBytes = bytesSoFar - bytes;
        rows = rowsSoFar;
        bytes = bytesSoFar;
        run.add(moreRows, moreBytes);
        run.covered(covered * width);
        try {
            // What earlier attempts brought was waited for by them.
            run.pace(begun ? moreRows : 0, begun ? moreBytes : 0, gone);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        begun = true;
    }

    /** The thread stays interrupted. */
    static InterruptedIOException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted = new InterruptedIOException("streaming was interrupted");
        interrupted.initCause(cause);
        return interrupted;
    }
}
