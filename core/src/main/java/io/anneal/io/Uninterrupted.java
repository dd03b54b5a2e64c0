package io.anneal.io;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;

/**
 * Does work on files to its end, whoever is interrupted. The platform closes a channel when the thread that uses it is
 * interrupted: then the work begins again. The thread stays interrupted.
 */
final class Uninterrupted {
    private Uninterrupted() {}

    /** Work that may be broken off anywhere and begun again. */
    @FunctionalInterface
    interface Work<E extends IOException> {
        void run() throws E;
    }

    /** Work with a result. */
    @FunctionalInterface
    interface Call<T, E extends IOException> {
        T call() throws E;
    }

    static <E extends IOException> void run(Work<E> work) throws E {
        call(() -> {
            work.run();
            return null;
        });
    }

    static <T, E extends IOException> T call(Call<T, E> work) throws E {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return work.call();
                } catch (IOException e) {
                    if (!isInterrupt(e)) {
                        throw e;
                    }
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean isInterrupt(IOException failure) {
        return failure instanceof ClosedByInterruptException
                || failure.getCause() instanceof ClosedByInterruptException;
    }
}
