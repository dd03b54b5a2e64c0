package io.anneal.testkit;

import io.anneal.testkit.Fault.Operation;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A directory on a machine that fails on demand: its disk is full, its operations fail, its power is cut. All that is done
 * through {@link java.nio.file.Files} and file channels works on its {@link #path()}, but for symbolic links, memory mapped
 * for writing, watching, and {@link Path#toFile()}.
 *
 * <p>What a crash leaves is what a disk promises, and no more:
 *
 * <ul>
 *   <li>Of a file, its bytes and length when one of its channels was last forced. Of each write since, any pieces of 512
 *       bytes or more, and of lengthening it the length without the bytes; of cutting it short, that or not.
 *   <li>Of a directory, its names when it was last forced through a channel of its own, and the first few changes since. A
 *       rename between two directories happens in both or in neither, and is forced with either. A forced file whose name was
 *       not forced may be lost; so are all files of a directory that is.
 *   <li>After a failed force nothing is promised that came later than the one before, in this file or directory, whatever
 *       later ones say.
 * </ul>
 *
 * {@link #crash()} leaves as little as that allows, {@link #crash(long)} something by the dice. The same operations with the
 * same seed end the same. Nothing reaches the disk of this machine when it is forced, so that tests are fast. Safe for any
 * thread.
 */
public final class FaultyDirectory implements Closeable {
    private static final String NAME = "faulty";

    private final Disk disk;

    private FaultyDirectory(Disk disk) {
        this.disk = disk;
    }

    /** An empty one, with ordinary files below this machine's directory for temporary files behind it. */
    public static FaultyDirectory create() throws IOException {
        return new FaultyDirectory(start(Files.createTempDirectory("anneal-faulty-")));
    }

    /** An empty one, with ordinary files in a new directory below this one behind it. */
    public static FaultyDirectory create(Path parent) throws IOException {
        return new FaultyDirectory(start(Files.createTempDirectory(parent, "anneal-faulty-")));
    }

    private static Disk start(Path realDirectory) throws IOException {
        Disk disk = new Disk(realDirectory);
        synchronized (disk) {
            disk.createDirectory(disk.root(), NAME);
            disk.force(disk.running(), disk.root(), "");
        }
        return disk;
    }

    /** The directory, as the machine that runs now sees it. After a crash the paths from before it fail: ask again. */
    public Path path() {
        return disk.running().root().resolve(NAME);
    }

    /** From now on this goes wrong, with all that was injected before; of several that are due the first. */
    public void inject(Fault fault) {
        synchronized (disk) {
            disk.plan().inject(fault);
        }
    }

    /**
     * There is room for so many bytes more that make files longer, zero for a full disk; then writes of such bytes fail with
     * {@code No space left on device}, the first after it took what there is room for. What is deleted makes no room.
     */
    public void fillUpAfter(long lengthBytes) {
        if (lengthBytes < 0) {
            throw new IllegalArgumentException("room is negative, lengthBytes=" + lengthBytes);
        }
        synchronized (disk) {
            disk.plan().fillUpAfter(lengthBytes);
        }
    }

    /** Nothing more goes wrong, and there is room; what was lost stays lost. */
    public void heal() {
        synchronized (disk) {
            disk.plan().heal();
        }
    }

    /** How many operations of this kind there were, failed ones too. */
    public long count(Operation operation) {
        synchronized (disk) {
            return disk.plan().count(operation);
        }
    }

    /** How many files are held open by whoever uses the directory: none once everything was closed. */
    public int openFileCount() {
        return disk.openFileCount();
    }

    /**
     * The power fails, and all that was not forced is lost. Channels of before throw
     * {@link java.nio.channels.ClosedChannelException}, paths of before an {@link IOException}, whatever thread still holds
     * them, locks are released, and {@link #path()} is what the machine finds when it is started again. Faults stay.
     */
    public void crash() throws IOException {
        disk.crash(Survival.ofNothing());
    }

    /** As {@link #crash()}, but some of what was not forced survives, by this seed. */
    public void crash(long seed) throws IOException {
        disk.crash(Survival.random(seed));
    }

    /** The process dies, the machine does not: as {@link #crash()}, but nothing is lost, unless a crash follows. */
    public void kill() {
        disk.kill();
    }

    /** Copies what is there now to ordinary files, to be looked at. */
    public void copyTo(Path target) throws IOException {
        Path source = path();
        Files.walkFileTree(source, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Files.createDirectories(
                        target.resolve(source.relativize(directory).toString()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, target.resolve(source.relativize(file).toString()));
                return FileVisitResult.CONTINUE;
            }
        });
    }

    boolean isClosed() {
        return disk.isDestroyed();
    }

    /** Ends the machine and deletes everything. */
    @Override
    public void close() throws IOException {
        disk.destroy();
    }
}
