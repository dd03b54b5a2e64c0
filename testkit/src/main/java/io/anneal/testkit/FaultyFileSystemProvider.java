package io.anneal.testkit;

import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyChannel.Mode;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What {@link Files} does, done on the names of a {@link Disk}. There are no symbolic links. Attributes are those of the
 * ordinary files behind, and outlive a crash as it comes. Safe for any thread.
 */
final class FaultyFileSystemProvider extends FileSystemProvider {
    private final FaultyFileSystem machine;
    private final Disk disk;

    FaultyFileSystemProvider(FaultyFileSystem machine) {
        this.machine = machine;
        this.disk = machine.disk();
    }

    /** A name in a directory, whether there is something of that name or not. */
    private record Place(DirectoryNode directory, String name, FaultyPath path) {
        DiskNode node() {
            return directory.entries().get(name);
        }

        DiskNode require() throws NoSuchFileException {
            DiskNode node = node();
            if (node == null) {
                throw new NoSuchFileException(path.toString());
            }
            return node;
        }

        void requireFree() throws FileAlreadyExistsException {
            if (node() != null) {
                throw new FileAlreadyExistsException(path.toString());
            }
        }
    }

    /** Call it, and use what it returns, in the disk's monitor. */
    private Place place(Path path) throws IOException {
        disk.requireRunning(machine);
        FaultyPath normalized = FaultyPath.of(path).normalized();
        FaultyPath parent = normalized.getParent();
        if (parent == null) {
            throw new FileSystemException(path.toString(), null, "the root stays where it is");
        }
        DiskNode directory = find(parent);
        if (directory == null) {
            throw new NoSuchFileException(path.toString());
        }
        if (directory instanceof DirectoryNode node) {
            return new Place(node, normalized.name(), FaultyPath.of(path));
        }
        throw new FileSystemException(path.toString(), null, "Not a directory");
    }

    private DiskNode find(FaultyPath normalized) {
        DiskNode node = disk.root();
        for (Path name : normalized.names()) {
            if (!(node instanceof DirectoryNode directory)) {
                return null;
            }
            node = directory.entries().get(name.toString());
        }
        return node;
    }

    private DiskNode node(Path path) throws IOException {
        disk.requireRunning(machine);
        DiskNode node = find(FaultyPath.of(path).normalized());
        if (node == null) {
            throw new NoSuchFileException(path.toString());
        }
        return node;
    }

    private static String name(Path path) {
        return FaultyPath.of(path).name();
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        requireKnown(options);
        boolean appending = options.contains(StandardOpenOption.APPEND);
        boolean writing = appending || options.contains(StandardOpenOption.WRITE);
        boolean reading = !writing || options.contains(StandardOpenOption.READ);
        boolean truncating = writing && options.contains(StandardOpenOption.TRUNCATE_EXISTING);
        if (appending && (reading || truncating)) {
            throw new IllegalArgumentException("file is appended to only, options=" + options);
        }
        Mode mode = new Mode(
                writing,
                appending,
                options.contains(StandardOpenOption.SYNC) || options.contains(StandardOpenOption.DSYNC));
        synchronized (disk) {
            DiskNode node = writing ? nodeToWrite(path, options, attributes) : node(path);
            Set<OpenOption> realOptions = new HashSet<>();
            if (reading) {
                realOptions.add(StandardOpenOption.READ);
            }
            if (writing) {
                realOptions.add(StandardOpenOption.WRITE);
            }
            FileChannel real = FileChannel.open(node.real(), realOptions);
            FaultyChannel channel = new FaultyChannel(machine, node, name(path), real, mode);
            disk.opened(channel);
            if (truncating) {
                truncate(channel);
            }
            return channel;
        }
    }

    private static void truncate(FaultyChannel channel) throws IOException {
        boolean truncated = false;
        try {
            channel.truncate(0);
            truncated = true;
        } finally {
            if (!truncated) {
                channel.close();
            }
        }
    }

    private static void requireKnown(Set<? extends OpenOption> options) {
        for (OpenOption option : options) {
            boolean known = option instanceof LinkOption
                    || option instanceof StandardOpenOption && option != StandardOpenOption.DELETE_ON_CLOSE;
            if (!known) {
                throw new UnsupportedOperationException("faulty file cannot be opened so, option=" + option);
            }
        }
    }

    private FileNode nodeToWrite(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        Place place = place(path);
        if (options.contains(StandardOpenOption.CREATE_NEW)) {
            place.requireFree();
        }
        DiskNode node = place.node();
        if (node == null) {
            if (!options.contains(StandardOpenOption.CREATE) && !options.contains(StandardOpenOption.CREATE_NEW)) {
                throw new NoSuchFileException(path.toString());
            }
            disk.admit(machine, Operation.CREATE, place.name());
            return disk.createFile(place.directory(), place.name(), attributes);
        }
        if (node instanceof FileNode file) {
            return file;
        }
        throw new FileSystemException(path.toString(), null, "Is a directory");
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        List<Path> entries = new ArrayList<>();
        synchronized (disk) {
            if (!(node(path) instanceof DirectoryNode directory)) {
                throw new NotDirectoryException(path.toString());
            }
            disk.admit(machine, Operation.READ, name(path));
            directory.entries().keySet().forEach(name -> entries.add(path.resolve(name)));
        }
        List<Path> accepted = new ArrayList<>();
        for (Path entry : entries) {
            if (filter.accept(entry)) {
                accepted.add(entry);
            }
        }
        return new Listing(accepted);
    }

    private static final class Listing implements DirectoryStream<Path> {
        private final List<Path> entries;
        private boolean taken;

        Listing(List<Path> entries) {
            this.entries = entries;
        }

        @Override
        public Iterator<Path> iterator() {
            if (taken) {
                throw new IllegalStateException("directory stream is iterated over once");
            }
            taken = true;
            return List.copyOf(entries).iterator();
        }

        @Override
        public void close() {
            taken = true;
        }
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
        synchronized (disk) {
            disk.requireRunning(machine);
            if (find(FaultyPath.of(path).normalized()) != null) {
                throw new FileAlreadyExistsException(path.toString());
            }
            Place place = place(path);
            disk.admit(machine, Operation.CREATE, place.name());
            disk.createDirectory(place.directory(), place.name(), attributes);
        }
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        synchronized (disk) {
            Place target = place(link);
            target.requireFree();
            DiskNode node = place(existing).require();
            if (node instanceof DirectoryNode) {
                throw new FileSystemException(link.toString(), existing.toString(), "Operation not permitted");
            }
            disk.admit(machine, Operation.LINK, name(existing), target.name());
            disk.change(DirectoryChange.added(target.directory(), target.name(), node));
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        synchronized (disk) {
            Place place = place(path);
            DiskNode node = place.require();
            requireEmpty(node, path);
            disk.admit(machine, Operation.DELETE, place.name());
            disk.change(DirectoryChange.removed(place.directory(), place.name(), node));
        }
    }

    private static void requireEmpty(DiskNode node, Path path) throws DirectoryNotEmptyException {
        if (node instanceof DirectoryNode directory && !directory.entries().isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        Set<CopyOption> chosen = Set.of(options);
        synchronized (disk) {
            Place from = place(source);
            Place to = place(target);
            DiskNode node = from.require();
            if (to.node() == node) {
                return;
            }
            if (to.node() != null) {
                if (!chosen.contains(StandardCopyOption.REPLACE_EXISTING)
                        && !chosen.contains(StandardCopyOption.ATOMIC_MOVE)) {
                    throw new FileAlreadyExistsException(target.toString());
                }
                requireEmpty(to.node(), target);
            }
            requireOutside(node, target);
            disk.admit(machine, Operation.RENAME, from.name(), to.name());
            disk.change(new DirectoryChange(from.directory(), from.name(), to.directory(), to.name(), node));
        }
    }

    private void requireOutside(DiskNode node, Path target) throws IOException {
        for (FaultyPath above = FaultyPath.of(target).normalized().getParent();
                above != null;
                above = above.getParent()) {
            if (find(above) == node) {
                throw new FileSystemException(target.toString(), null, "Invalid argument");
            }
        }
    }

    /** As a program would: read and written, nothing forced. */
    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        boolean isDirectory;
        synchronized (disk) {
            isDirectory = node(source) instanceof DirectoryNode;
            DiskNode replaced = place(target).node();
            if (replaced == node(source)) {
                return;
            }
            if (replaced != null) {
                if (!Set.of(options).contains(StandardCopyOption.REPLACE_EXISTING)) {
                    throw new FileAlreadyExistsException(target.toString());
                }
                delete(target);
            }
        }
        if (isDirectory) {
            createDirectory(target);
            return;
        }
        try (FileChannel from = newFileChannel(source, Set.of(StandardOpenOption.READ));
                FileChannel to =
                        newFileChannel(target, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
            to.transferFrom(from, 0, Long.MAX_VALUE);
        }
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        synchronized (disk) {
            return path.equals(other) || other instanceof FaultyPath && node(path) == node(other);
        }
    }

    @Override
    public boolean isHidden(Path path) {
        return name(path).startsWith(".");
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        real(path);
        return new FaultyFileStore(disk);
    }

    private Path real(Path path) throws IOException {
        synchronized (disk) {
            return node(path).real();
        }
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        Path real = real(path);
        real.getFileSystem().provider().checkAccess(real, modes);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
        Path real;
        try {
            real = real(path);
        } catch (IOException e) {
            // The view says that there is no such file when it is asked.
            real = disk.root().real().resolveSibling("none").resolve(name(path));
        }
        return Files.getFileAttributeView(real, type, options);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return Files.readAttributes(real(path), type, options);
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return Files.readAttributes(real(path), attributes, options);
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        Files.setAttribute(real(path), attribute, value, options);
    }

    @Override
    public String getScheme() {
        return "faulty";
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
        throw new UnsupportedOperationException("faulty directories are made by FaultyDirectory");
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        throw new UnsupportedOperationException("faulty directories are not found by URI");
    }

    @Override
    public Path getPath(URI uri) {
        throw new UnsupportedOperationException("faulty directories are not found by URI");
    }
}
