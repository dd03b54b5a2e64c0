package io.anneal.cli.command;

import java.io.PrintStream;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A line on a terminal that says how far a command is: bytes, rows, rate, time left. Appears after two seconds, changes five
 * times a second at most, and is wiped on closing. Does nothing where there is no terminal. Any thread.
 */
public final class Progress implements AutoCloseable {
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** Of {@link #total(long)} when nobody knows. */
    public static final long UNKNOWN = -1;

    private static final String WIPE = "\r\u001b[K";

    private final PrintStream terminal;
    private final LongSupplier nanoTime;
    private final String what;
    private final long startNanos;

    private long totalBytes = UNKNOWN;
    private String more = "";
    private long shownNanos;
    private boolean shown;

    /** @param terminal null when there is none, or quiet is wanted */
    public Progress(PrintStream terminal, LongSupplier nanoTime, String what) {
        this.terminal = terminal;
        this.nanoTime = nanoTime;
        this.what = what;
        startNanos = nanoTime.getAsLong();
    }

    /** Sets how many bytes there are to do. */
    public Progress total(long bytes) {
        totalBytes = bytes;
        return this;
    }

    /** Tells how much is done, of everything since the start. Cheap, but not for every row: call it every thousand. */
    public void update(long bytes, long rows) {
        update(bytes, rows, OptionalLong.empty());
    }

    /** Something more at the line's end, until it is said otherwise. */
    public synchronized void more(String text) {
        more = text;
    }

    /** The same of work that foretells by itself how long it takes yet. */
    public synchronized void update(long bytes, long rows, OptionalLong secondsLeft) {
        if (terminal == null) {
            return;
        }
        long nowNanos = nanoTime.getAsLong();
        if (nowNanos - startNanos < SILENCE_NANOS || (shown && nowNanos - shownNanos < INTERVAL_NANOS)) {
            return;
        }
        shown = true;
        shownNanos = nowNanos;
        terminal.print(WIPE + line(bytes, rows, nowNanos - startNanos, secondsLeft));
        terminal.flush();
    }

    private String line(long bytes, long rows, long elapsedNanos, OptionalLong secondsLeft) {
        double seconds = (double) elapsedNanos / TimeUnit.SECONDS.toNanos(1);
        StringBuilder line = new StringBuilder(what).append(": ").append(ByteSize.text(bytes));
        if (totalBytes > 0) {
            line.append(" of ").append(ByteSize.text(totalBytes));
        }
        if (rows > 0) {
            line.append(String.format(Locale.ROOT, ", %,d rows", rows));
        }
        line.append(", ").append(ByteSize.text((long) (bytes / seconds))).append("/s");
        OptionalLong left = totalBytes > 0 && bytes > 0
                ? OptionalLong.of(Math.round(Math.max(0, totalBytes - bytes) * seconds / bytes))
                : secondsLeft;
        left.ifPresent(known -> line.append(String.format(Locale.ROOT, ", %d:%02d left", known / 60, known % 60)));
        return line.append(more).toString();
    }

    /** Wipes the line, and lets something be printed before it comes again. */
    public synchronized void aside(Runnable print) {
        close();
        print.run();
    }

    /** Wipes the line. */
    @Override
    public synchronized void close() {
        if (shown) {
            terminal.print(WIPE);
            terminal.flush();
            shown = false;
        }
    }
}
