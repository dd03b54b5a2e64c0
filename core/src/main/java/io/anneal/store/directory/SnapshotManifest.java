package io.anneal.store.directory;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code manifest.json} says of a snapshot, Cassandra's or a store's. Until Cassandra 5.0 there is one a snapshot, on one
 * of the disks, later an equal one on each; either lists the files of all disks.
 *
 * @param files the data files; those of a secondary index stand below its directory
 * @param createdAt told since Cassandra 4.1
 */
public record SnapshotManifest(List<String> files, Optional<Instant> createdAt) {
    static final String FILE = "manifest.json";

    public SnapshotManifest {
        files = List.copyOf(files);
    }

    /**
     * The manifest of a directory; empty when it has none.
     *
     * @throws CorruptSnapshotException when it cannot be read, as one that was cut off
     */
    public static Optional<SnapshotManifest> read(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Parser(Files.readString(file)).manifest());
        } catch (CharacterCodingException e) {
            throw new CorruptSnapshotException(file, "manifest of a snapshot is no text", e);
        } catch (DateTimeParseException e) {
            throw new CorruptSnapshotException(file, "manifest of a snapshot has no time that can be read", e);
        } catch (IllegalArgumentException e) {
            throw new CorruptSnapshotException(
                    file, "manifest of a snapshot is cut off or wrong, " + e.getMessage(), e);
        }
    }

    /** As much of JSON as a manifest has: one object, whose values are scalars or arrays of scalars. */
    private static final class Parser {
        private static final int END = -1;

        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        SnapshotManifest manifest() {
            Optional<List<String>> files = Optional.empty();
            Optional<Instant> createdAt = Optional.empty();
            expect('{');
            if (!skip('}')) {
                do {
                    String name = string();
                    expect(':');
                    if (name.equals("files")) {
                        files = Optional.of(array());
                    } else if (name.equals("created_at") && next() == '"') {
                        createdAt = Optional.of(Instant.parse(string()));
                    } else if (name.equals("created_at")) {
                        expectNull();
                    } else if (next() == '[') {
                        array();
                    } else {
                        scalar();
                    }
                } while (skip(','));
                expect('}');
            }
            if (next() != END) {
                throw wrong();
            }
            return new SnapshotManifest(files.orElseThrow(this::wrong), createdAt);
        }

        private List<String> array() {
            List<String> elements = new ArrayList<>();
            expect('[');
            if (!skip(']')) {
                do {
                    elements.add(scalar());
                } while (skip(','));
                expect(']');
            }
            return elements;
        }

        private void expectNull() {
            if (!scalar().equals("null")) {
                throw wrong();
            }
        }

        private String scalar() {
            if (next() == '"') {
                return string();
            }
            int start = at;
            while (at < text.length()
                    && (Character.isLetterOrDigit(text.charAt(at)) || "+-.".indexOf(text.charAt(at)) >= 0)) {
                at++;
            }
            if (at == start) {
                throw wrong();
            }
            return text.substring(start, at);
        }

        /** Of escapes names of files have none but that of {@code /}, as Cassandra writes it before 4.1. */
        private String string() {
            expect('"');
            StringBuilder string = new StringBuilder();
            while (at < text.length() && text.charAt(at) != '"') {
                if (text.charAt(at) == '\\') {
                    at++;
                }
                if (at < text.length()) {
                    string.append(text.charAt(at++));
                }
            }
            expect('"');
            return string.toString();
        }

        private boolean skip(char wanted) {
            if (next() != wanted) {
                return false;
            }
            at++;
            return true;
        }

        private void expect(char wanted) {
            if (!skip(wanted)) {
                throw wrong();
            }
        }

        /** The next character that is no space, not yet taken; {@link #END} behind the last. */
        private int next() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return at < text.length() ? text.charAt(at) : END;
        }

        private IllegalArgumentException wrong() {
            return new IllegalArgumentException("position=" + at + ", length=" + text.length());
        }
    }
}
