package io.anneal.cli.command;

import io.anneal.io.Directories;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.TableDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/** Where a command writes files: never among those that it reads, nor among others' files where it makes its own. */
public final class OutputDirectory {
    private OutputDirectory() {}

    /**
     * Keeps a directory, which need not be there yet, out of what is only read.
     *
     * @throws IllegalArgumentException when it is or holds a source's directory, lies in one, or would be another one of its table
     */
    public static void refuseAmong(Path directory, Collection<Path> sources) throws IOException {
        Path place = real(directory);
        for (Path source : sources) {
            Path real = source.toRealPath();
            Path home = TableDirectories.withoutSnapshot(real);
            boolean isTableBeside = home.getParent() != null
                    && CassandraDirectory.TABLE_DIRECTORY
                            .matcher(home.getFileName().toString())
                            .matches()
                    && home.getParent().equals(place.getParent());
            if (place.startsWith(home) || real.startsWith(place) || isTableBeside) {
                throw refused(directory, source);
            }
        }
    }

    /**
     * Keeps a directory, which need not be there yet, out of those that are read.
     *
     * @throws IllegalArgumentException when it is one of them, or lies in one
     */
    public static void refuseWithin(Path directory, Collection<Path> sources) throws IOException {
        Path place = real(directory);
        for (Path source : sources) {
            if (place.startsWith(source.toRealPath())) {
                throw refused(directory, source);
            }
        }
    }

    private static IllegalArgumentException refused(Path directory, Path source) {
        return new IllegalArgumentException(
                "new files would lie among those that are read: give another directory for them, directory=" + directory
                        + ", source=" + source);
    }

    /** @throws IllegalArgumentException when anything stands there */
    public static void requireEmpty(String option, Path directory) throws IOException {
        if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw new IllegalArgumentException(option + " is no directory, path=" + directory);
        }
        if (Files.isDirectory(directory) && !Directories.list(directory).isEmpty()) {
            throw new IllegalArgumentException(
                    option + " is not empty: give a directory that is, or is not there, directory=" + directory);
        }
    }

    /** The real path as it will be when the parts that are not there are made. */
    private static Path real(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        Path real = absolute.getRoot();
        for (Path part : absolute) {
            Path next = real.resolve(part);
            real = Files.exists(next) ? next.toRealPath() : next.normalize();
        }
        return real;
    }
}
