package io.anneal.io;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The disk failed to take or give bytes: full, read-only, gone. Names the file and what to look at. A store that stopped for
 * another reason says so with the same type, since nothing of it was made to last either: {@link #isDisk()} tells.
 */
public final class StorageException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient Path file;
    private final boolean disk;
    private final boolean namesUnsynced;
    private final boolean failedSync;

    /** @param action what was tried, as {@code write} or {@code rename} */
    public StorageException(String action, Path file, IOException cause) {
        this(action, file, cause, false, false);
    }

    private StorageException(String action, Path file, IOException cause, boolean namesUnsynced, boolean failedSync) {
        this(
                "storage failed, check free space, permissions and the disk's health, action=" + action + ", file="
                        + file + ", reason=" + text(cause),
                file,
                true,
                namesUnsynced,
                failedSync,
                cause);
    }

    /** A file could not be forced to the disk. One that somebody closed meanwhile was not tried. */
    public static StorageException ofFailedSync(Path file, IOException cause) {
        return new StorageException("sync", file, cause, false, !(cause instanceof ClosedChannelException));
    }

    /** The names in a directory could not be forced to the disk. */
    static StorageException ofUnsyncedNames(Path directory, IOException cause) {
        return new StorageException("sync", directory, cause, true, true);
    }

    /** What the platform says of some failures is the file alone. */
    private static String text(IOException cause) {
        if (cause instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (cause instanceof NotDirectoryException) {
            return "something stands there that is no directory";
        }
        return cause instanceof FileSystemException named && named.getReason() == null
                ? named.getClass().getSimpleName()
                : cause.getMessage();
    }

    private StorageException(
            String message, Path file, boolean disk, boolean namesUnsynced, boolean failedSync, Throwable cause) {
        super(message, cause);
        this.file = file;
        this.disk = disk;
        this.namesUnsynced = namesUnsynced;
        this.failedSync = failedSync;
    }

    /** Work on a store broke off though its disk did what it was told: memory is used up, or there is a fault in this library. */
    public static StorageException ofFault(Path store, Throwable fault) {
        String reading = fault instanceof OutOfMemoryError
                ? "memory is used up, give the process more (-Xmx) or the store smaller memtables"
                : "there is a fault in Anneal, not in the disk: report it with this stack trace";
        return new StorageException(
                reading + ", store=" + store + ", reason=" + fault, store, false, false, false, fault);
    }

    /** What is told to a caller whose call is not taken after a failure: a new one for each, with the reason as its cause. */
    public static StorageException after(StorageException failure) {
        return new StorageException(
                "nothing is written any more after a failure, open the store again once its reason is mended, file="
                        + failure.file + ", reason=" + failure.getMessage(),
                failure.file,
                failure.disk,
                failure.namesUnsynced,
                failure.failedSync,
                failure);
    }

    public Path file() {
        return file;
    }

    /** Whether it was the disk that failed, and no fault of this library, nor the memory. */
    public boolean isDisk() {
        return disk;
    }

    /**
     * Whether a failure, or one that it hides, is that of syncing a directory. What names the disk holds there nobody knows
     * then, and a later sync that says it went well may have forgotten them: nothing in that directory may be relied on.
     */
    public static boolean leavesNamesUnsynced(Throwable failure) {
        return failure instanceof StorageException storage && storage.namesUnsynced
                || failure.getCause() != null && leavesNamesUnsynced(failure.getCause())
                || Stream.of(failure.getSuppressed()).anyMatch(StorageException::leavesNamesUnsynced);
    }

    /**
     * The sync that failed, if a failure is one or hides one. A kernel may forget what it could not write, and call the next sync
     * successful: what the files hold and the disk does not nobody can tell before the machine has started anew.
     */
    public static Optional<StorageException> failedSync(Throwable failure) {
        if (failure == null) {
            return Optional.empty();
        }
        Optional<StorageException> behind = Stream.concat(
                        Stream.ofNullable(failure.getCause()), Stream.of(failure.getSuppressed()))
                .flatMap(hidden -> failedSync(hidden).stream())
                .findFirst();
        return behind.isEmpty() && failure instanceof StorageException storage && storage.failedSync
                ? Optional.of(storage)
                : behind;
    }

    /** What it all began with. */
    public Throwable reason() {
        return getCause() instanceof StorageException before ? before.reason() : getCause();
    }
}
