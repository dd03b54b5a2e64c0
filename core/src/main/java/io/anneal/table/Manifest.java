package io.anneal.table;

import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/**
 * The file that says which SSTables of a table are live and how much of the commit log they hold. Replaced as a whole; the
 * memory follows the file. Safe to share: changes come one after the other, {@link #content()} waits for nobody.
 */
public final class Manifest {
    public static final String FILE = "MANIFEST";

    private final Path file;
    private final OutputFile.Opener opener;

    private volatile ManifestContent content;
    private volatile StorageException lost;

    private Manifest(Path file, OutputFile.Opener opener, ManifestContent content) {
        this.file = file;
        this.opener = opener;
        this.content = content;
    }

    /** Writes the first manifest of a directory. */
    static Manifest create(Path directory, ManifestContent content, OutputFile.Opener opener) throws IOException {
        Path file = directory.resolve(FILE);
        AtomicFile.replace(file, ManifestText.print(content), opener);
        return new Manifest(file, opener, content);
    }

    static Manifest open(Path directory, OutputFile.Opener opener) throws IOException {
        return new Manifest(directory.resolve(FILE), opener, read(directory));
    }

    /**
     * What a directory's manifest says; for those who only look.
     *
     * @throws CorruptManifestException when it is missing or wrong
     * @throws io.anneal.io.UnsupportedVersionException when another release wrote it
     */
    public static ManifestContent read(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new CorruptManifestException(
                    file, CorruptManifestException.NO_LINE, "table's directory has no manifest", e);
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
        return ManifestText.parse(file, bytes);
    }

    public Path file() {
        return file;
    }

    /** As it stands on the disk. */
    public ManifestContent content() {
        return content;
    }

    /**
     * Whether nobody knows any more what the disk says, because a directory could not be synced. Nothing that either form
     * names may be deleted then.
     */
    boolean isLost() {
        return lost != null;
    }

    /**
     * Changes the content: the file first, then what {@link #content()} tells. When it fails nothing is changed, unless the
     * directory could not be synced: then every later call fails too, until the table is opened again.
     */
    synchronized ManifestContent update(UnaryOperator<ManifestContent> change) throws IOException {
        if (lost != null) {
            throw StorageException.after(lost);
        }
        ManifestContent changed = change.apply(content);
        if (changed.equals(content)) {
            return content;
        }
        AtomicFile.put(file, ManifestText.print(changed), opener);
        try {
            Directories.sync(file.toAbsolutePath().getParent());
        } catch (StorageException e) {
            lost = e;
            throw e;
        }
        content = changed;
        return changed;
    }
}
