package io.anneal.dualdao.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Holds a file's lock until it is closed; the file names the process that does. Its end gives the lock back. Any thread may
 * call.
 */
final class DirectoryLock implements AutoCloseable {
    /**
     * Held by this process. Taking one again must not even open the file: POSIX drops a process's lock on a file as soon as the
     * process closes any channel to it.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final FileChannel channel;

    private DirectoryLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /**
     * @throws JournalException if another process holds it, or this one elsewhere
     */
    static DirectoryLock take(Path file) {
        try {
            // One directory under two names is one here, too.
            Path real = file.toAbsolutePath().getParent().toRealPath().resolve(file.getFileName());
            if (!HELD.add(real)) {
                throw inUse(file, pid());
            }
            DirectoryLock taken = null;
            try {
                taken = lock(real);
            } finally {
                if (taken == null) {
                    HELD.remove(real);
                }
            }
            return taken;
        } catch (IOException e) {
            throw new JournalException("a key journal can't be locked, file=" + file + ", reason=" + e.getMessage(), e);
        }
    }

    private static DirectoryLock lock(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        DirectoryLock taken = null;
        try {
            if (!locked(channel)) {
                throw inUse(file, holder(file));
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(pid().getBytes(StandardCharsets.US_ASCII)));
            taken = new DirectoryLock(file, channel);
            return taken;
        } finally {
            if (taken == null) {
                channel.close();
            }
        }
    }

    private static JournalException inUse(Path file, String process) {
        return new JournalException("a key journal is in use, file=" + file + ", process=" + process);
    }

    private static String pid() {
        return Long.toString(ProcessHandle.current().pid());
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Another class loader's copy of this class.
            return false;
        }
    }

    private static String holder(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new JournalException("a key journal's lock can't be given back, reason=" + e.getMessage(), e);
        } finally {
            HELD.remove(file);
        }
    }
}
