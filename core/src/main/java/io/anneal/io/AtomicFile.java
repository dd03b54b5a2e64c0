package io.anneal.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A small file that is there as a whole, in its old or its new form, whenever a crash comes: the new form is written beside
 * it and synced, takes its name, and the directory is synced. An interrupted thread does so all the same.
 */
public final class AtomicFile {
    private AtomicFile() {}

    /** Where the new form stands until it has its name; only a crash leaves it. */
    public static Path temporary(Path file) {
        return file.resolveSibling("." + file.getFileName() + ".new");
    }

    /** Replaces the file's content, or makes the file, and forces its name to the disk. */
    public static void replace(Path file, byte[] content, OutputFile.Opener opener) throws StorageException {
        put(file, content, opener);
        Directories.sync(file.toAbsolutePath().getParent());
    }

    /**
     * The same, but the name is the caller's to force: until then a crash may bring the old form back. When this fails the old
     * form is still there.
     */
    public static void put(Path file, byte[] content, OutputFile.Opener opener) throws StorageException {
        Path temporary = temporary(file);
        try {
            Uninterrupted.run(() -> write(temporary, content, opener));
            rename(temporary, file);
        } catch (StorageException e) {
            try {
                Directories.deleteFile(temporary);
            } catch (StorageException left) {
                e.addSuppressed(left);
            }
            throw e;
        }
    }

    private static void rename(Path temporary, Path file) throws StorageException {
        try {
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new StorageException("rename", file, e);
        }
    }

    private static void write(Path file, byte[] content, OutputFile.Opener opener) throws StorageException {
        Directories.deleteFile(file);
        try (OutputFile output = OutputFile.open(file, opener)) {
            output.write(content, 0, content.length);
            output.sync();
        }
    }
}
