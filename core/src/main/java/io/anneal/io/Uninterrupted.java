package io.anneal.io;

import java.nio.channels.ClosedByInterruptException;

/**
 * Does work on files to its end, whoever is interrupted. The platform closes a channel when the thread that uses it is
 * interrupted: then the work begins again. The thread stays interrupted.
 */
final class Uninterrupted {
    private Uninterrupted() {}

    /** Work that may be broken off anywhere and begun again. */
    @FunctionalInterface
    interface Work {
        void run() throws StorageException;
    }

    static void run(Work work) throws StorageException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    work.run();
                    return;
                } catch (StorageException e) {
                    if (!(e.getCause() instanceof ClosedByInterruptException)) {
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
}
