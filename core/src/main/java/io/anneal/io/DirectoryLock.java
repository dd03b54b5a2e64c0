package io.anneal.io;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One owner at a time for a directory: a file in it, locked while the directory is owned, whose text says who the owner is.
 * The text of an owner that is gone stays and means nothing; so does the file, unless its owner {@link #remove() removes} it. Where
 * the file system knows no locks, only this process is kept out. Safe to share between threads.
 */
public final class DirectoryLock implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryLock.class);

    /**
     * Owned by this process. A second opening of a lock file must not even touch it: POSIX drops a process's locks on a file
     * as soon as any of its channels to it is closed.
     */
    private static final Set<Path> OWNED = ConcurrentHashMap.newKeySet();
    /** Held while one looks or locks: two locks of a process on one file clash, and closing a channel ends all of them. */
    private static final Object LOOKING = new Object();

    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    private final Path file;
    private final FileChannel channel;
    private final FileLock lock;
    private boolean closed;

    private DirectoryLock(Path file, FileChannel channel, FileLock lock) {
        this.file = file;
        this.channel = channel;
        this.lock = lock;
    }

    /**
     * Creates the directory when it is not there and takes it.
     *
     * @param what the directory is, for the message
     * @param since when the owner began, for the message
     * @throws IllegalStateException when it has an owner: names the directory and the owner's process
     */
    public static DirectoryLock take(Path directory, String fileName, String what, Optional<Instant> since)
            throws IOException {
        Directories.create(directory);
        // A process that was killed may have made it and not come to this; one that others made may lie where we cannot
        // look.
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null && Files.isReadable(parent)) {
            Directories.sync(parent);
        }
        Path file = directory.toRealPath().resolve(fileName);
        if (!OWNED.add(file)) {
            throw inUse(what, directory, owner());
        }
        DirectoryLock taken = null;
        try {
            taken = lock(file, what, directory);
        } finally {
            if (taken == null) {
                OWNED.remove(file);
            }
        }
        taken.write(since);
        return taken;
    }

    /** What was locked may be a file that its last owner removed meanwhile: another process would make and lock the next one. */
    private static DirectoryLock lock(Path file, String what, Path directory) throws IOException {
        while (true) {
            Optional<Object> before = key(file);
            DirectoryLock taken = lockOnce(file, what, directory);
            if (before.equals(key(file))) {
                return taken;
            }
            taken.release();
        }
    }

    /** Of the file that has the name now; empty when none has. Where files have no keys nobody can remove one that is open. */
    private static Optional<Object> key(Path file) throws StorageException {
        try {
            Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            return Optional.of(key == null ? file : key);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new StorageException("look at", file, e);
        }
    }

    private static DirectoryLock lockOnce(Path file, String what, Path directory) throws IOException {
        FileChannel channel = open(file);
        FileLock lock = null;
        try {
            synchronized (LOOKING) {
                lock = channel.tryLock();
            }
        } catch (OverlappingFileLockException e) {
            // Another class loader's copy of this class.
            throw inUse(what, directory, owner());
        } catch (IOException e) {
            throw new StorageException("lock", file, e);
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
        if (lock == null) {
            throw inUse(
                    what,
                    directory,
                    Files.readString(file, StandardCharsets.UTF_8).strip());
        }
        return new DirectoryLock(file, channel, lock);
    }

    private static FileChannel open(Path file) throws StorageException {
        try {
            return PrivateFiles.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new StorageException("create", file, e);
        }
    }

    private static IllegalStateException inUse(String what, Path directory, String owner) {
        // Whoever takes the lock writes its name a moment later.
        return new IllegalStateException(
                what + " is in use, directory=" + directory + (owner.isEmpty() ? "" : ", " + owner));
    }

    private void write(Optional<Instant> since) throws IOException {
        String fact = since.map(instant -> ", since=" + instant).orElse("");
        byte[] text = (owner() + fact + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            channel.truncate(0);
            ByteBuffer source = ByteBuffer.wrap(text);
            while (source.hasRemaining()) {
                channel.write(source);
            }
        } catch (IOException e) {
            close();
            throw new StorageException("write", file, e);
        }
    }

    private static String owner() {
        return "pid=" + ProcessHandle.current().pid() + ", host=" + hostName();
    }

    /** Asking the resolver may take seconds where names are not set up. */
    private static String hostName() {
        try {
            return Files.isReadable(HOST_NAME)
                    ? Files.readString(HOST_NAME, StandardCharsets.UTF_8).strip()
                    : InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        } catch (IOException e) {
            return "unreadable";
        }
    }

    /** Who owns the directory now, in words; empty when nobody does. Takes the lock for a moment and changes nothing. */
    public static Optional<String> owner(Path directory, String fileName) throws IOException {
        Path file = directory.toRealPath().resolve(fileName);
        synchronized (LOOKING) {
            if (OWNED.contains(file)) {
                return Optional.of(owner());
            }
            return !Files.exists(file) || isFree(file)
                    ? Optional.empty()
                    : Optional.of(Files.readString(file, StandardCharsets.UTF_8).strip());
        }
    }

    /** By a shared lock, so that two processes that look at once do not take each other for owners. */
    private static boolean isFree(Path file) throws StorageException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        } catch (IOException | ReadOnlyFileSystemException e) {
            if (Files.isWritable(file)) {
                throw new StorageException("lock", file, e instanceof IOException io ? io : new IOException(e));
            }
            // Only a process that may write can own it; whoever may not cannot see whether one does.
            return true;
        }
    }

    /** Gives the directory up. Closing again does nothing. */
    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            release();
        } finally {
            OWNED.remove(file);
        }
    }

    private void release() throws IOException {
        try (channel) {
            lock.release();
        }
    }

    /** Gives the directory up, and leaves no file if the disk lets it go: one that stays means nothing. */
    public synchronized void remove() throws IOException {
        if (closed) {
            return;
        }
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.debug("lock file stays, file={}", file, e);
        } finally {
            close();
        }
    }
}
