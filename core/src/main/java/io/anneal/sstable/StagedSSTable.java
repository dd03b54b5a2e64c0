package io.anneal.sstable;

import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The files of an SSTable from their first byte until all have their names, so that it appears whole or not at all.
 *
 * <pre>
 *   .anneal-staged.nb-1-big-Data.db.part   written and synced, as every component
 *   .anneal-staged.nb-1-big-TOC.txt.part   then this: the list of components, synced with the directory
 *   nb-1-big-Data.db ...                   then each is renamed, the directory synced
 *   nb-1-big-TOC.txt                       and last the list, the directory synced again
 * </pre>
 *
 * After a crash a staged list says that renaming had begun: a listed component whose staged file is gone was renamed by
 * us and is swept away; without a list only staged files are. The staged name begins with a dot, ends in neither
 * {@code .db} nor {@code .tmp} and has too many dashes: neither Cassandra (3.0 to 5.0) nor {@link Descriptor} takes it
 * for an SSTable, and Cassandra's own sweep leaves it alone. Owned by one thread.
 */
public final class StagedSSTable {
    private static final String PREFIX = ".anneal-staged.";
    private static final String SUFFIX = ".part";

    /** Changes names of files, and syncs their directory. */
    public interface Renaming {
        void run() throws IOException;
    }

    /** Runs it for whoever owns the directory, and has to know of a sync that failed. */
    public interface DirectoryOwner {
        void run(Renaming renaming) throws IOException;
    }

    private final Descriptor descriptor;
    private final DirectoryOwner owner;

    private StagedSSTable(Descriptor descriptor, DirectoryOwner owner) {
        this.descriptor = descriptor;
        this.owner = owner;
    }

    /**
     * Reserves nothing yet; only sees that no file of the SSTable is there.
     *
     * @throws IllegalStateException when one is, staged or named
     */
    public static StagedSSTable of(Descriptor descriptor) {
        return of(descriptor, Renaming::run);
    }

    /** The same in a directory whose owner runs {@link #publish}. */
    public static StagedSSTable of(Descriptor descriptor, DirectoryOwner owner) {
        StagedSSTable staged = new StagedSSTable(descriptor, owner);
        for (Component component : Component.values()) {
            for (Path file : List.of(descriptor.file(component), staged.file(component))) {
                if (Files.exists(file)) {
                    throw new IllegalStateException("SSTable exists already, file=" + file);
                }
            }
        }
        return staged;
    }

    /** One that was begun earlier, whose files are there. */
    public static StagedSSTable reopen(Descriptor descriptor) {
        return new StagedSSTable(descriptor, Renaming::run);
    }

    /** Of which SSTable a file is, staged or named. */
    public static Optional<Descriptor> descriptor(Path file) {
        String name = file.getFileName().toString();
        return name.startsWith(PREFIX) && name.endsWith(SUFFIX)
                ? stagedDescriptor(file)
                : Descriptor.of(file).filter(Descriptor::hasKnownName);
    }

    public Descriptor descriptor() {
        return descriptor;
    }

    /** Where the component is written until it is published. */
    public Path file(Component component) {
        return descriptor
                .directory()
                .resolve(PREFIX + descriptor.file(component).getFileName() + SUFFIX);
    }

    /** Gives all files their names. They must be complete and synced; the TOC is written here. */
    public void publish(Set<Component> components, OutputFile.Opener opener) throws IOException {
        owner.run(() -> rename(components, opener));
    }

    private void rename(Set<Component> components, OutputFile.Opener opener) throws IOException {
        Set<Component> listed = EnumSet.copyOf(components);
        listed.add(Component.TOC);
        writeList(listed, opener);
        Directories.sync(descriptor.directory());
        for (Component component : components) {
            rename(component);
        }
        Directories.sync(descriptor.directory());
        rename(Component.TOC);
        Directories.sync(descriptor.directory());
    }

    private void writeList(Set<Component> listed, OutputFile.Opener opener) throws IOException {
        StringBuilder text = new StringBuilder();
        for (String name :
                new TreeSet<>(listed.stream().map(Component::fileSuffix).toList())) {
            text.append(name).append('\n');
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        try (OutputFile file = OutputFile.open(file(Component.TOC), opener)) {
            file.write(bytes, 0, bytes.length);
            file.sync();
        }
    }

    private void rename(Component component) throws IOException {
        Path target = descriptor.file(component);
        try {
            if (Files.exists(target)) {
                throw new IOException("somebody else made a file of this name");
            }
            Files.move(file(component), target);
        } catch (IOException e) {
            throw new StorageException("rename", target, e);
        }
    }

    /** Removes everything that is not published, renamed components too. */
    public void discard() throws IOException {
        sweep(descriptor);
    }

    /**
     * Removes what crashed writers left in a directory and nothing else. Call before the first writer is opened there.
     *
     * @return the files that were removed
     */
    public static List<Path> sweep(Path directory) throws IOException {
        List<Path> removed = new ArrayList<>();
        Set<Descriptor> descriptors = new TreeSet<>(Comparator.comparing(Descriptor::baseName));
        for (Path file : Directories.list(directory)) {
            String name = file.getFileName().toString();
            if (name.startsWith(PREFIX) && name.endsWith(SUFFIX)) {
                stagedDescriptor(file).ifPresent(descriptors::add);
            }
        }
        for (Descriptor descriptor : descriptors) {
            removed.addAll(sweep(descriptor));
        }
        return removed;
    }

    private static Optional<Descriptor> stagedDescriptor(Path file) {
        String name = file.getFileName().toString();
        return Descriptor.of(file.resolveSibling(name.substring(PREFIX.length(), name.length() - SUFFIX.length())))
                .filter(Descriptor::hasKnownName);
    }

    /** Named files first, then the list, then the staged files: a sweep that is cut short can be repeated. */
    private static List<Path> sweep(Descriptor descriptor) throws IOException {
        StagedSSTable staged = reopen(descriptor);
        List<Path> removed = new ArrayList<>();
        Path list = staged.file(Component.TOC);
        if (Files.exists(list)) {
            for (String line : lines(list)) {
                Optional<Component> component = Component.of(line);
                if (component.isPresent() && !Files.exists(staged.file(component.get()))) {
                    remove(descriptor.file(component.get()), removed);
                }
            }
            Directories.sync(descriptor.directory());
            remove(list, removed);
            Directories.sync(descriptor.directory());
        }
        for (Component component : Component.values()) {
            remove(staged.file(component), removed);
        }
        return removed;
    }

    private static List<String> lines(Path list) throws StorageException {
        try {
            return Files.readAllLines(list, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new StorageException("read", list, e);
        }
    }

    private static void remove(Path file, List<Path> removed) throws IOException {
        try {
            Files.delete(file);
            removed.add(file);
        } catch (NoSuchFileException e) {
            // Gone already: an earlier sweep, or never made.
            return;
        } catch (IOException e) {
            throw new StorageException("delete", file, e);
        }
    }
}
