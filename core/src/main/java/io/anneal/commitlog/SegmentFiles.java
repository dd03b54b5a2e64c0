package io.anneal.commitlog;

import io.anneal.io.StorageException;
import io.anneal.io.UnsupportedVersionException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of a log's files: {@code CommitLog-<version>-<segment id>.log}, and {@code Recycled-<segment id>.log} for those that
 * wait for another life and mean nothing. Other files are left alone.
 */
final class SegmentFiles {
    private static final Pattern SEGMENT = Pattern.compile("CommitLog-(\\d{1,9})-(\\d{1,18})\\.log");
    private static final Pattern RECYCLED = Pattern.compile("Recycled-(\\d{1,18})\\.log");

    /** A file and the id in its name. */
    record NamedFile(Path file, long id) {}

    private SegmentFiles() {}

    static Path segment(Path directory, long id) {
        return directory.resolve("CommitLog-" + SegmentLayout.VERSION + "-" + id + ".log");
    }

    static Path recycled(Path directory, long id) {
        return directory.resolve("Recycled-" + id + ".log");
    }

    /**
     * The segments of a directory, oldest first; none when it is not there.
     *
     * @throws UnsupportedVersionException when a segment's name has another version
     */
    static List<NamedFile> segments(Path directory) throws IOException {
        List<NamedFile> found = new ArrayList<>();
        for (Path file : list(directory)) {
            Matcher name = SEGMENT.matcher(file.getFileName().toString());
            if (name.matches()) {
                checkVersion(file, name.group(1));
                found.add(new NamedFile(file, Long.parseLong(name.group(2))));
            }
        }
        return sorted(found);
    }

    static List<NamedFile> recycled(Path directory) throws IOException {
        List<NamedFile> found = new ArrayList<>();
        for (Path file : list(directory)) {
            Matcher name = RECYCLED.matcher(file.getFileName().toString());
            if (name.matches()) {
                found.add(new NamedFile(file, Long.parseLong(name.group(1))));
            }
        }
        return sorted(found);
    }

    private static List<NamedFile> sorted(List<NamedFile> files) {
        files.sort(Comparator.comparingLong(NamedFile::id));
        return List.copyOf(files);
    }

    static void checkVersion(Path file, String version) throws UnsupportedVersionException {
        String known = Integer.toString(SegmentLayout.VERSION);
        if (!version.equals(known)) {
            throw UnsupportedVersionException.ofOwnFile(file, version, known);
        }
    }

    private static List<Path> list(Path directory) throws StorageException {
        List<Path> files = new ArrayList<>();
        if (!Files.isDirectory(directory)) {
            return files;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            entries.forEach(files::add);
        } catch (DirectoryIteratorException e) {
            throw new StorageException("list", directory, e.getCause());
        } catch (IOException e) {
            throw new StorageException("list", directory, e);
        }
        return files;
    }

    static long size(Path file) throws StorageException {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new StorageException("measure", file, e);
        }
    }

    static void rename(Path file, Path target) throws StorageException {
        try {
            Files.move(file, target);
        } catch (IOException e) {
            throw new StorageException("rename", file, e);
        }
    }

    static void delete(Path file) throws StorageException {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new StorageException("delete", file, e);
        }
    }
}
