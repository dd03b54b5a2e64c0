package io.anneal.table;

import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.StagedSSTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where a lot of SSTables lies while it comes, with a note of how far it is, if it is kept. One thread. */
public final class ReceivingPlace {
    private static final String NOTE_FILE = "KEPT";

    private final Path directory;
    private final Runnable giveBack;
    private final boolean isKept;
    private long lastGeneration;
    private boolean left;

    ReceivingPlace(Path directory, Runnable giveBack, boolean isKept) {
        this.directory = directory.toAbsolutePath();
        this.giveBack = giveBack;
        this.isKept = isKept;
    }

    void findLastGeneration() throws StorageException {
        for (Path file : list()) {
            String generation =
                    StagedSSTable.descriptor(file).map(Descriptor::generation).orElse("0");
            lastGeneration = Math.max(lastGeneration, Long.parseLong(generation));
        }
    }

    private List<Path> list() throws StorageException {
        return Files.isDirectory(directory) ? Directories.list(directory) : List.of();
    }

    public Path directory() {
        return directory;
    }

    /** Whether openings leave it, for a time. */
    public boolean isKept() {
        return isKept;
    }

    /**
     * Makes the directory, never the one above its parent: that of a table that was dropped meanwhile must not come back. Its name is
     * not forced to the disk: nobody needs it after a crash.
     */
    public void make() throws StorageException {
        Directories.makeLast(directory.getParent());
        Directories.makeLast(directory);
    }

    /** Of an SSTable that nobody has here. */
    public String nextGeneration() {
        return Long.toString(++lastGeneration);
    }

    /** What {@link #keep} was told last, if anything is kept. */
    public Optional<String> kept() throws IOException {
        Path file = directory.resolve(NOTE_FILE);
        return isKept && Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    }

    /** Takes note on the disk of how far it is; what is noted must be synced already. */
    public void keep(String how) throws IOException {
        make();
        AtomicFile.replace(directory.resolve(NOTE_FILE), how.getBytes(StandardCharsets.UTF_8), OutputFile.CREATE_NEW);
    }

    /** Removes all SSTables but these, by base name: what is not noted is not gone on with. */
    public void retain(Set<String> baseNames) throws IOException {
        for (Path file : list()) {
            if (StagedSSTable.descriptor(file)
                    .filter(sstable -> !baseNames.contains(sstable.baseName()))
                    .isPresent()) {
                Directories.deleteFile(file);
            }
        }
    }

    /** An SSTable that was kept. */
    public StagedSSTable reopen(String baseName) {
        return StagedSSTable.reopen(Descriptor.of(directory.resolve(baseName + "-Data.db"))
                .filter(Descriptor::hasKnownName)
                .orElseThrow(() -> new IllegalArgumentException("no name of an SSTable, name=" + baseName)));
    }

    /** All that have come whole. */
    public List<Descriptor> whole() throws IOException {
        List<Descriptor> whole = new ArrayList<>();
        for (Path file : list()) {
            // Its TOC comes last.
            Descriptor.of(file)
                    .filter(sstable -> sstable.hasKnownName()
                            && sstable.file(Component.TOC).getFileName().equals(file.getFileName()))
                    .ifPresent(whole::add);
        }
        return whole;
    }

    /** Whether it was left or removed. */
    public boolean isLeft() {
        return left;
    }

    /** Gives it back, with what lies there. */
    public void leave() {
        if (!left) {
            left = true;
            giveBack.run();
        }
    }

    /** Deletes what lies there, and gives it back. */
    public void remove() throws IOException {
        if (!left) {
            try {
                Directories.deleteTree(directory);
                if (isKept && Files.isDirectory(directory.getParent())) {
                    // Else a loss of power brings it back, and openings leave it.
                    Directories.sync(directory.getParent());
                }
            } finally {
                leave();
            }
        }
    }
}
