package io.anneal.dualdao.phase;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Does work on files to its end, whoever is interrupted: the threads here are callers' own, and the platform closes a channel when
 * the thread that uses it is interrupted. Then the work begins again. The thread stays interrupted.
 */
public final class Uninterrupted {
    private Uninterrupted() {}

    /** Work that may be broken off anywhere and begun again. */
    @FunctionalInterface
    public interface Work<T> {
        T call() throws IOException;
    }

    public static <T> T call(Work<T> work) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return work.call();
                } catch (ClosedByInterruptException | FileLockInterruptionException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns once the names in a directory are on the disk. */
    public static void syncDirectory(Path directory) throws IOException {
        call(() -> {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
            return null;
        });
    }
}
