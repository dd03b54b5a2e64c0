package io.anneal.job;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps other runs off a checkpoint, those of other processes too, until it is closed. Any thread. */
final class CheckpointLock implements Closeable {
    /**
     * Held by this process. Taking one again must not even open the file: POSIX drops a process's lock on a file as soon as the
     * process closes any channel to it.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final FileChannel channel;

    private CheckpointLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** @throws JobRefusedException when another run has it */
    static CheckpointLock take(Path checkpoint) throws IOException {
        Files.createDirectories(checkpoint.getParent());
        Path file = checkpoint.getParent().toRealPath().resolve("." + checkpoint.getFileName() + ".lock");
        if (!HELD.add(file)) {
            throw refused(checkpoint);
        }
        FileChannel channel = null;
        boolean locked = false;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            locked = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Another class loader's copy of this class.
            locked = false;
        } finally {
            if (!locked) {
                HELD.remove(file);
                if (channel != null) {
                    channel.close();
                }
            }
        }
        if (!locked) {
            throw refused(checkpoint);
        }
        return new CheckpointLock(file, channel);
    }

    private static JobRefusedException refused(Path checkpoint) {
        return new JobRefusedException("another run uses this checkpoint, file=" + checkpoint);
    }

    /** Closing again does nothing. */
    @Override
    public synchronized void close() throws IOException {
        if (channel.isOpen()) {
            try {
                channel.close();
            } finally {
                HELD.remove(file);
            }
        }
    }
}
