package io.anneal.schema;

import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The tables of a schema text: of a snapshot's {@code schema.cql}, or of a file that lists a whole keyspace. Immutable.
 *
 * <p>Read are {@code CREATE TABLE}, {@code ALTER TABLE} (adding, dropping with a timestamp, options), {@code CREATE TYPE}
 * anywhere in the text, {@code USE}, and of {@code CREATE MATERIALIZED VIEW} what {@link ViewText} has. A dropped column stands in the
 * {@code CREATE} and is dropped by a later {@code ALTER}; one that was added again afterwards is not {@code dropped} but
 * keeps its drop time.
 */
public final class CqlSchema {
    private static final int KEPT_MAX = 64;
    private static final int KEPT_CHARACTERS_MAX = 1 << 15;

    /** The texts that were read last: a directory is asked again and again whether its tables are still those of its text. */
    private static final Map<Text, CqlSchema> KEPT = Collections.synchronizedMap(new Kept());

    private final Map<String, TableSchema> tables;
    private final Map<String, String> refusals;

    private final Set<String> conditional;
    private final Map<String, ViewText> views;
    private final Set<String> keyspaces;

    CqlSchema(
            Map<String, TableSchema> tables,
            Map<String, String> refusals,
            Set<String> conditional,
            Map<String, ViewText> views,
            Set<String> keyspaces) {
        this.views = Collections.unmodifiableMap(new LinkedHashMap<>(views));
        this.keyspaces = Set.copyOf(keyspaces);
        this.conditional = Set.copyOf(conditional);
        this.tables = Collections.unmodifiableMap(new LinkedHashMap<>(tables));
        this.refusals = new LinkedHashMap<>(refusals);
    }

    /**
     * Reads a text, of at most 1,048,576 characters.
     *
     * @param resourceName the name of what it came from, for messages
     * @throws SchemaException when the text is no schema, or goes beyond a limit: names the resource, line, column and reason
     */
    public static CqlSchema parse(String text, String resourceName) {
        Objects.requireNonNull(text, "text");
        Objects.requireNonNull(resourceName, "resourceName");
        return parse(text, resourceName, SchemaLimits.TEXT_CHARACTERS_MAX);
    }

    /**
     * Reads the text of a file, of at most 16,777,216 characters: one's own may describe a cluster.
     *
     * @throws SchemaException as {@link #parse(String, String)} does
     */
    public static CqlSchema parse(String text, Path file) {
        Objects.requireNonNull(text, "text");
        Objects.requireNonNull(file, "file");
        return parse(text, file.toString(), SchemaLimits.FILE_CHARACTERS_MAX);
    }

    /**
     * Reads a file.
     *
     * @throws NoSuchFileException when it is not there
     * @throws StorageException when it can't be read
     * @throws SchemaException as {@link #parse(String, Path)} does, or when it is no text
     */
    public static CqlSchema read(Path file) throws IOException {
        Objects.requireNonNull(file, "file");
        return parse(text(file), file);
    }

    /**
     * Reads the text of a file that {@link #parse(String, Path)} takes.
     *
     * @throws NoSuchFileException when it is not there
     * @throws StorageException when it can't be read
     * @throws SchemaException when it is too long, or no text
     */
    public static String text(Path file) throws IOException {
        Objects.requireNonNull(file, "file");
        if (Files.isDirectory(file)) {
            throw new SchemaException("schema text is a file, not a directory, file=" + file);
        }
        try {
            // No character takes more than three bytes of UTF-8.
            SchemaLimits.requireText(file.toString(), Files.size(file) / 3, SchemaLimits.FILE_CHARACTERS_MAX);
            return Files.readString(file);
        } catch (CharacterCodingException e) {
            throw new SchemaException("schema text is no text in UTF-8, file=" + file);
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
    }

    private static CqlSchema parse(String text, String resourceName, int charactersMax) {
        SchemaLimits.requireText(resourceName, text.length(), charactersMax);
        Text whole = new Text(text, resourceName);
        CqlSchema kept = KEPT.get(whole);
        if (kept != null) {
            return kept;
        }
        SchemaReader reader = new SchemaReader(resourceName);
        CqlSchema schema = reader.read(text);
        if (text.length() + reader.classNameCharacters() <= KEPT_CHARACTERS_MAX) {
            KEPT.put(whole, schema);
        }
        return schema;
    }

    /** The tables in the order of the text, without those that are refused. */
    public Collection<TableSchema> tables() {
        return tables.values();
    }

    /**
     * A table by its names as they are stored, without quotes.
     *
     * @throws UnsupportedTypeException when the table is there but cannot be handled
     */
    public Optional<TableSchema> table(String keyspace, String name) {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(name, "name");
        String qualifiedName = keyspace + "." + name;
        if (refusals.containsKey(qualifiedName)) {
            throw new UnsupportedTypeException(refusals.get(qualifiedName));
        }
        return Optional.ofNullable(tables.get(qualifiedName));
    }

    /** Whether the text says {@code IF NOT EXISTS} of a table. */
    public boolean saysIfNotExists(TableSchema table) {
        Objects.requireNonNull(table, "table");
        return conditional.contains(table.qualifiedName());
    }

    /** The materialized views of the text, by {@code keyspace.view}; the text need not have their bases. */
    public Map<String, ViewText> views() {
        return views;
    }

    /** Whether the text creates a keyspace, and so lists everything in it, as {@code DESCRIBE KEYSPACE} does. */
    public boolean describesKeyspace(String keyspace) {
        Objects.requireNonNull(keyspace, "keyspace");
        return keyspaces.contains(keyspace);
    }

    /** Why tables of the text cannot be handled, by {@code keyspace.table}. */
    public Map<String, String> refusals() {
        return Map.copyOf(refusals);
    }

    /** With its name, which errors that come later give. */
    private record Text(String text, String resourceName) {}

    private static final class Kept extends LinkedHashMap<Text, CqlSchema> {
        private static final long serialVersionUID = 1L;

        Kept() {
            super(KEPT_MAX, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Text, CqlSchema> eldest) {
            return size() > KEPT_MAX;
        }
    }
}
