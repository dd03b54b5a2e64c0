package io.anneal.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** What is done to directories, on any file system. Failures are {@link StorageException}s that name the file. */
public final class Directories {
    private static final String DISK_SCHEME = "file";

    private Directories() {}

    /** Forces the names in a directory to the disk. File systems that are no disks and open no directory have nothing to force. */
    public static void sync(Path directory) throws StorageException {
        Uninterrupted.run(() -> force(directory));
    }

    private static void force(Path directory) throws StorageException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            if (!opensNoDirectory(directory, e)) {
                throw StorageException.ofUnsyncedNames(directory, e);
            }
        }
    }

    /** In-memory file systems say so without a type of its own for the reason. */
    private static boolean opensNoDirectory(Path directory, IOException failure) {
        return !directory.getFileSystem().provider().getScheme().equals(DISK_SCHEME)
                && failure.getClass() == FileSystemException.class
                && Files.isDirectory(directory);
    }

    /** Creates a directory and those above it, and forces each new name to the disk. */
    public static void create(Path directory) throws StorageException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            create(parent);
        }
        createLast(directory);
    }

    /** Creates a directory, unless it is there, where the one above it must be, and forces its name to the disk. */
    private static void createLast(Path directory) throws StorageException {
        if (makeLast(directory)) {
            Path parent = directory.toAbsolutePath().getParent();
            if (parent != null) {
                sync(parent);
            }
        }
    }

    /**
     * The same, but a crash may take it.
     *
     * @return whether it was not there
     */
    public static boolean makeLast(Path directory) throws StorageException {
        if (Files.isDirectory(directory)) {
            return false;
        }
        try {
            PrivateFiles.createDirectory(directory);
        } catch (FileAlreadyExistsException e) {
            // Somebody else may have made it meanwhile.
            if (!Files.isDirectory(directory)) {
                throw new StorageException("create", directory, new NotDirectoryException(directory.toString()));
            }
        } catch (IOException e) {
            throw new StorageException("create", directory, e);
        }
        return true;
    }

    /** What stands in a directory, sorted by name, so that every run sees the same order. */
    public static List<Path> list(Path directory) throws StorageException {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            stream.forEach(entries::add);
        } catch (DirectoryIteratorException e) {
            throw new StorageException("list", directory, e.getCause());
        } catch (IOException e) {
            throw new StorageException("list", directory, e);
        }
        entries.sort(null);
        return entries;
    }

    /** Deletes a file; one that is gone already is no error. */
    public static void deleteFile(Path file) throws StorageException {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new StorageException("delete", file, e);
        }
    }

    /** Deletes a directory and everything in it, links as links; one that is gone already is no error. */
    public static void deleteTree(Path directory) throws StorageException {
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            for (Path entry : list(directory)) {
                deleteTree(entry);
            }
        }
        deleteFile(directory);
    }

    /** Gives a file or directory another name in the same file system. Neither directory is synced. */
    public static void rename(Path source, Path target) throws StorageException {
        try {
            if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("somebody else made a file of this name");
            }
            Files.move(source, target);
        } catch (NoSuchFileException e) {
            throw new StorageException("rename", source, e);
        } catch (IOException e) {
            throw new StorageException("rename", target, e);
        }
    }
}
