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
 * Which SSTable: {@code <version>-<generation>-<format>-<component>} in a directory, as {@code nb-1-big-Data.db}.
 *
 * @param version two letters, as {@code nb}
 * @param generation a number, or a time-based id of Cassandra 4.1 and later
 * @param format {@code big} or {@code bti}
 */
public record Descriptor(Path directory, String version, String generation, String format) {
    private static final Pattern FILE_NAME = Pattern.compile("([a-z]{2})-([0-9a-z_]+)-([a-z]+)-(.+)");

    /** Reads the name of any component's file; empty when it is no SSTable's. */
    public static Optional<Descriptor> of(Path file) {
        Matcher matcher = FILE_NAME.matcher(file.getFileName().toString());
        if (!matcher.matches() || Component.of(matcher.group(4)).isEmpty()) {
            return Optional.empty();
        }
        Path directory = file.toAbsolutePath().getParent();
        return Optional.of(new Descriptor(directory, matcher.group(1), matcher.group(2), matcher.group(3)));
    }

    /** {@code nb-1-big}. */
    public String baseName() {
        return version + "-" + generation + "-" + format;
    }

    public Path file(Component component) {
        return directory.resolve(baseName() + "-" + component.fileSuffix());
    }

    public boolean has(Component component) {
        return Files.exists(file(component));
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
