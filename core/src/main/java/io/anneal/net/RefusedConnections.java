package io.anneal.net;

import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reports the connections that ended before they proved themselves: the first at once, then at most one report in a
 * second, with the count. Any stranger can cause them, and as many as it likes. Safe for any thread.
 */
final class RefusedConnections {
    static final long PERIOD_MS = 1_000;

    private final Consumer<IOException> reports;

    private boolean waiting;
    private int count;
    private IOException last;

    RefusedConnections(Consumer<IOException> reports) {
        this.reports = reports;
    }

    void add(IOException cause, EventExecutor timer) {
        synchronized (this) {
            if (waiting) {
                count++;
                last = cause;
                return;
            }
            waiting = true;
        }
        reports.accept(cause);
        awaitPeriod(timer);
    }

    private void awaitPeriod(EventExecutor timer) {
        try {
            timer.schedule(() -> endPeriod(timer), PERIOD_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException shutDown) {
            flush();
        }
    }

    private void endPeriod(EventExecutor timer) {
        if (flush()) {
            awaitPeriod(timer);
        }
    }

    /** Reports what has gathered; false if nothing has. */
    boolean flush() {
        IOException report;
        synchronized (this) {
            if (count == 0) {
                waiting = false;
                return false;
            }
            report = count == 1
                    ? last
                    : new IOException(
                            "connections were refused, count=" + count + ", withinMs=" + PERIOD_MS + ", last="
                                    + last.getMessage(),
                            last);
            count = 0;
            last = null;
        }
        reports.accept(report);
        return true;
    }
}
