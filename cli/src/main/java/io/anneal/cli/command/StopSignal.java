package io.anneal.cli.command;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns the signal that ends the process (Ctrl-C) into an interruption of a command's thread, and keeps the process until that
 * command has put things in order.
 */
public final class StopSignal {
    private static final long PATIENCE_SECONDS = 30;

    private final CountDownLatch over = new CountDownLatch(1);
    private Thread hook;

    private StopSignal() {}

    public static StopSignal interrupting(Thread runner) {
        StopSignal signal = new StopSignal();
        signal.hook = new Thread(() -> signal.stop(runner), "anneal-stop");
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    private void stop(Thread runner) {
        runner.interrupt();
        try {
            over.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The command is over, by a signal or by itself. */
    public void settled() {
        over.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process ends already, and the hook with it.
        }
    }
}
