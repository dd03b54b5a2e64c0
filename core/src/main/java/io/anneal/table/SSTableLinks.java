package io.anneal.table;

import io.anneal.io.PrivateFiles;
import io.anneal.io.StorageException;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The same bytes under a second name: a hard link, or a copy where there can be none. */
public final class SSTableLinks {
    private SSTableLinks() {}

    /** Links what is there of an SSTable, TOC last. What is linked is synced; the directory is the caller's to sync. */
    public static void link(Descriptor source, Descriptor target) throws IOException {
        for (Component component : Component.values()) {
            // The last of the components by their order is the TOC.
            if (source.has(component)) {
                link(source.file(component), target.file(component));
            }
        }
    }

    static void link(Path source, Path target) throws StorageException {
        try {
            linkOrCopy(source, target);
        } catch (IOException e) {
            throw new StorageException("link", target, e);
        }
        // Whoever made the file may not have synced it.
        try (FileChannel channel = FileChannel.open(target, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            throw StorageException.ofFailedSync(target, e);
        }
    }

    private static void linkOrCopy(Path source, Path target) throws IOException {
        if (source.getFileSystem().equals(target.getFileSystem())) {
            try {
                Files.createLink(target, source);
                return;
            } catch (UnsupportedOperationException | FileSystemException e) {
                // Another disk, or a file system without links: copying says what else may be wrong.
                PrivateFiles.copy(source, target);
                return;
            }
        }
        PrivateFiles.copy(source, target);
    }
}
