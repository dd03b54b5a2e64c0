package io.anneal.sstable;

import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which SSTable: {@code <version>-<generation>-<format>-<component>} in a directory, as {@code nb-1-big-Data.db}. What has
 * another name, as {@code ks-table-ka-1-Data.db} of Cassandra 2.1, is never read, and has a descriptor all the same: data
 * that nobody reads must be told of, not passed over.
 *
 * @param version two letters, as {@code nb}; empty where another name tells none
 * @param generation a number, or a time-based id of Cassandra 4.1 and later; empty where the name is another one, so that it
 *     is never taken for that of an SSTable
 * @param format {@code big} or {@code bti}; of another name all of it before the component
 */
public record Descriptor(Path directory, String version, String generation, String format) {
    private static final Pattern FILE_NAME = Pattern.compile("([a-z]{2})-([0-9a-z_]+)-([a-z]+)-(.+)");
    /** {@code <keyspace>-<table>-<version>-<generation>}; of an index the table's name has the index's behind a dot. */
    private static final Pattern OLD_FILE_NAME = Pattern.compile("(\\w+-\\w+(?:\\.[\\w-]+)?-([a-z]{2})-\\d+)-(.+)");
    /** What a crash left: Cassandra 2.2 and before gave a file its own name once it was whole. */
    private static final Pattern OLD_UNFINISHED =
            Pattern.compile("(?:\\w+-\\w+(?:\\.[\\w-]+)?-)?tmp(?:link)?-[a-l][a-z]-\\d+-.+");

    private static final String OLD_DIGEST = "Digest.sha1";
    private static final String DATA_SUFFIX = "-" + Component.DATA.fileSuffix();

    /**
     * Reads the name of any component's file, of Cassandra 2.1 and before too, and of whatever else ends in
     * {@code -Data.db}; empty when it is no SSTable's, or one that Cassandra 2.2 and before had not finished.
     */
    public static Optional<Descriptor> of(Path file) {
        String name = file.getFileName().toString();
        Path directory = file.toAbsolutePath().getParent();
        Matcher matcher = FILE_NAME.matcher(name);
        if (matcher.matches() && Component.of(matcher.group(4)).isPresent()) {
            return Optional.of(new Descriptor(directory, matcher.group(1), matcher.group(2), matcher.group(3)));
        }
        if (OLD_UNFINISHED.matcher(name).matches()) {
            return Optional.empty();
        }
        Matcher old = OLD_FILE_NAME.matcher(name);
        if (old.matches() && isComponent(old.group(3))) {
            return Optional.of(new Descriptor(directory, old.group(2), "", old.group(1)));
        }
        return name.endsWith(DATA_SUFFIX)
                ? Optional.of(
                        new Descriptor(directory, "", "", name.substring(0, name.length() - DATA_SUFFIX.length())))
                : Optional.empty();
    }

    private static boolean isComponent(String ofOld) {
        return Component.of(ofOld).isPresent() || ofOld.equals(OLD_DIGEST);
    }

    /** Whether the name is {@code <version>-<generation>-<format>}, as it is of all that is read or written. */
    public boolean hasKnownName() {
        return !generation.isEmpty();
    }

    /** {@code nb-1-big}. */
    public String baseName() {
        return hasKnownName() ? version + "-" + generation + "-" + format : format;
    }

    public Path file(Component component) {
        return directory.resolve(baseName() + "-" + component.fileSuffix());
    }

    public boolean has(Component component) {
        return Files.exists(file(component));
    }

    /** Whether it lies where Cassandra has a table's secondary index: in {@code .<index>} in the table's directory. */
    public boolean isInIndexDirectory() {
        Path name = directory.getFileName();
        return name != null && name.toString().startsWith(".");
    }

    /** What the TOC lists and is not there; nothing when there is no TOC to tell. */
    public List<Component> missing() throws StorageException {
        if (!has(Component.TOC)) {
            return List.of();
        }
        try {
            return Files.readAllLines(file(Component.TOC), StandardCharsets.ISO_8859_1).stream()
                    .flatMap(line -> Component.of(line.strip()).stream())
                    .filter(listed -> !has(listed))
                    .toList();
        } catch (IOException e) {
            throw new StorageException("read", file(Component.TOC), e);
        }
    }

    /** Deletes the SSTable, as far as it is there; its TOC last, so that a crash in between is noticed. */
    public void delete() throws StorageException {
        for (Component component : Component.values()) {
            if (component != Component.TOC) {
                delete(file(component));
            }
        }
        delete(file(Component.TOC));
    }

    private static void delete(Path file) throws StorageException {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new StorageException("delete", file, e);
        }
    }

    @Override
    public String toString() {
        return directory.resolve(baseName()).toString();
    }
}
