package io.anneal.testkit;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Objects;

/** A path of a {@link FaultyFileSystem}: the names of an ordinary path, which leads nowhere, in a file system of their own. */
final class FaultyPath implements Path {
    private final FaultyFileSystem fileSystem;
    private final Path names;

    FaultyPath(FaultyFileSystem fileSystem, Path names) {
        this.fileSystem = fileSystem;
        this.names = names;
    }

    static FaultyPath of(Path path) {
        if (path instanceof FaultyPath faulty) {
            return faulty;
        }
        throw new ProviderMismatchException("path is not of a faulty directory, path=" + path);
    }

    private FaultyPath with(Path other) {
        return other == null ? null : new FaultyPath(fileSystem, other);
    }

    Path names() {
        return names;
    }

    /** The last part, empty for the root. */
    String name() {
        Path name = normalized().names.getFileName();
        return name == null ? "" : name.toString();
    }

    /** From the root, without detours. */
    FaultyPath normalized() {
        return toAbsolutePath().normalize();
    }

    @Override
    public FileSystem getFileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return names.isAbsolute();
    }

    @Override
    public FaultyPath getRoot() {
        return with(names.getRoot());
    }

    @Override
    public FaultyPath getFileName() {
        return with(names.getFileName());
    }

    @Override
    public FaultyPath getParent() {
        return with(names.getParent());
    }

    @Override
    public int getNameCount() {
        return names.getNameCount();
    }

    @Override
    public FaultyPath getName(int index) {
        return with(names.getName(index));
    }

    @Override
    public FaultyPath subpath(int beginIndex, int endIndex) {
        return with(names.subpath(beginIndex, endIndex));
    }

    @Override
    public boolean startsWith(Path other) {
        return other instanceof FaultyPath path && path.fileSystem == fileSystem && names.startsWith(path.names);
    }

    @Override
    public boolean endsWith(Path other) {
        return other instanceof FaultyPath path && path.fileSystem == fileSystem && names.endsWith(path.names);
    }

    @Override
    public FaultyPath normalize() {
        return with(names.normalize());
    }

    @Override
    public FaultyPath resolve(Path other) {
        return with(names.resolve(of(other).names));
    }

    @Override
    public FaultyPath relativize(Path other) {
        return with(names.relativize(of(other).names));
    }

    /** Names the path; no provider is found by it. */
    @Override
    public URI toUri() {
        return URI.create("faulty://" + toAbsolutePath().names.toUri().getRawPath());
    }

    @Override
    public FaultyPath toAbsolutePath() {
        return isAbsolute() ? this : fileSystem.root().resolve(this);
    }

    @Override
    public FaultyPath toRealPath(LinkOption... options) throws IOException {
        FaultyPath path = normalized();
        fileSystem.provider().checkAccess(path);
        return path;
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException("faulty directories are not watched");
    }

    @Override
    public int compareTo(Path other) {
        return names.compareTo(of(other).names);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FaultyPath path && path.fileSystem == fileSystem && names.equals(path.names);
    }

    @Override
    public int hashCode() {
        return Objects.hash(System.identityHashCode(fileSystem), names);
    }

    @Override
    public String toString() {
        return names.toString();
    }
}
