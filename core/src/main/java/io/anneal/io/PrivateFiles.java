package io.anneal.io;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files and directories that are made for their owner alone, whatever the umask of the process: what is in them is somebody's
 * data. Where the file system has no permissions they are made as others are.
 */
public final class PrivateFiles {
    private static final FileAttribute<?> FILE = attribute("rw-------");
    private static final FileAttribute<?> DIRECTORY = attribute("rwx------");
    private static final FileAttribute<?>[] NONE = {};

    private PrivateFiles() {}

    private static FileAttribute<?> attribute(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    private static FileAttribute<?>[] ifThereArePermissions(Path path, FileAttribute<?> attribute) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {attribute}
                : NONE;
    }

    /** Opens a file; one that this makes has mode 0600. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), ifThereArePermissions(file, FILE));
    }

    /** Makes a directory of mode 0700 where the one above it is there. */
    public static void createDirectory(Path directory) throws IOException {
        Files.createDirectory(directory, ifThereArePermissions(directory, DIRECTORY));
    }

    /** Copies a file to one of mode 0600 that is not there yet. */
    public static void copy(Path source, Path target) throws IOException {
        try (FileChannel channel = open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                OutputStream out = Channels.newOutputStream(channel)) {
            Files.copy(source, out);
        }
    }
}
