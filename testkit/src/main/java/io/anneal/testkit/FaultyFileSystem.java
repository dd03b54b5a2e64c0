package io.anneal.testkit;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Set;

/** One machine's view of a {@link Disk}, from one crash to the next. Safe for any thread. */
final class FaultyFileSystem extends FileSystem {
    private static final FileSystem ORDINARY = FileSystems.getDefault();

    private final Disk disk;
    private final FaultyFileSystemProvider provider;
    private final FaultyPath root;

    FaultyFileSystem(Disk disk) {
        this.disk = disk;
        provider = new FaultyFileSystemProvider(this);
        root = new FaultyPath(this, ORDINARY.getPath("/"));
    }

    Disk disk() {
        return disk;
    }

    FaultyPath root() {
        return root;
    }

    @Override
    public FaultyFileSystemProvider provider() {
        return provider;
    }

    /** The machine is not switched off; only crashes end it. */
    @Override
    public void close() {
        throw new UnsupportedOperationException("file system ends with its machine");
    }

    @Override
    public boolean isOpen() {
        return disk.isRunning(this);
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return ORDINARY.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(root);
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        try {
            return List.of(new FaultyFileStore(disk));
        } catch (IOException e) {
            return List.of();
        }
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return ORDINARY.supportedFileAttributeViews();
    }

    @Override
    public Path getPath(String first, String... more) {
        return new FaultyPath(this, ORDINARY.getPath(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        PathMatcher matcher = ORDINARY.getPathMatcher(syntaxAndPattern);
        return path -> matcher.matches(FaultyPath.of(path).names());
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return ORDINARY.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException("faulty directories are not watched");
    }
}
