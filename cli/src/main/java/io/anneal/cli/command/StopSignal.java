package io.anneal.cli.command;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Turns the signal that ends the process (Ctrl-C) into an interruption of a command's thread, after a wish to end where it can, and keeps
 * the process until that command has put things in order.
 */
public final class StopSignal {
    private static final long PATIENCE_SECONDS = 30;
    private static final long GENTLE_SECONDS = 5;

    private final CountDownLatch over = new CountDownLatch(1);
    private Thread hook;

    private StopSignal() {}

    public static StopSignal interrupting(Thread runner) {
        return hooked(signal -> signal.interrupt(runner));
    }

    /** @param gently has the command end soon; if it has not after 5 s, it is interrupted */
    public static StopSignal interrupting(Thread runner, Runnable gently) {
        return hooked(signal -> {
            gently.run();
            if (!signal.isOverAfter(GENTLE_SECONDS)) {
                signal.interrupt(runner);
            }
        });
    }

    private static StopSignal hooked(Consumer<StopSignal> stop) {
        StopSignal signal = new StopSignal();
        signal.hook = new Thread(() -> stop.accept(signal), "anneal-stop");
        Runtime.getRuntime().addShutdownHook(signal.hook);
        return signal;
    }

    private void interrupt(Thread runner) {
        runner.interrupt();
        isOverAfter(PATIENCE_SECONDS);
    }

    private boolean isOverAfter(long seconds) {
        try {
            return over.await(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
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
