package io.anneal.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A small file that is there as a whole, in its old or its new form, whenever a crash comes: the new form is written beside
 * it and synced, takes its name, and the directory is synced.
 */
public final class AtomicFile {
    private AtomicFile() {}

    /** Where the new form stands until it has its name; a crash may leave it. */
    public static Path temporary(Path file) {
        return file.resolveSibling("." + file.getFileName() + ".new");
    }

    /**
     * Replaces the file's content, or makes the file. When this fails the old form is still there.
     *
     * @throws NotSyncedException when the new form has its name and nobody knows whether it will keep it in a crash
     */
    public static void replace(Path file, byte[] content, OutputFile.Opener opener) throws IOException {
        Path temporary = temporary(file);
        Directories.deleteFile(temporary);
        try (OutputFile output = OutputFile.open(temporary, opener)) {
            output.write(content, 0, content.length);
            output.sync();
        }
        try {
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new StorageException("rename", file, e);
        }
        try {
            Directories.sync(file.toAbsolutePath().getParent());
        } catch (StorageException e) {
            throw new NotSyncedException(file, e);
        }
    }

    /** The file has its new form, but its name was not forced to the disk. */
    public static final class NotSyncedException extends IOException {
        private static final long serialVersionUID = 1L;

        NotSyncedException(Path file, StorageException cause) {
            super(
                    "file is replaced but its directory could not be synced, file=" + file + ", reason="
                            + cause.getMessage(),
                    cause);
        }
    }
}
