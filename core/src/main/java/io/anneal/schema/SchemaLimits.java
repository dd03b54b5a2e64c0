package io.anneal.schema;

import java.util.List;

/**
 * What a schema may take, whoever sent it: a few characters can name a type that fills the heap, and nesting takes the
 * stack. All are far beyond what Cassandra's own tools write. Beyond a limit there is a {@link SchemaException}.
 */
final class SchemaLimits {
    /** Characters of a text that somebody sends. */
    static final int TEXT_CHARACTERS_MAX = 1 << 20;

    /** Characters of a file: that of a whole cluster has a thousand for each table. */
    static final int FILE_CHARACTERS_MAX = 1 << 24;

    /** How many types may lie one in another. */
    static final int NESTING_MAX = 32;

    /** Each level may be written as frozen, or as reversed. */
    static final int WRITTEN_NESTING_MAX = 2 * NESTING_MAX + 1;

    /** Characters of one type's class name, in which every type that is used stands whole each time. */
    static final int CLASS_NAME_CHARACTERS_MAX = 1 << 18;

    /** The same of all types of a text together. */
    static final int TEXT_CLASS_NAME_CHARACTERS_MAX = 1 << 23;

    /** Columns of a table, dropped ones too. */
    static final int COLUMNS_MAX = 1 << 15;

    /** Fields of a type: their numbers take two signed bytes. */
    static final int FIELDS_MAX = Short.MAX_VALUE;

    /** The same for vectors, whose values have one length that is known. */
    static final int VALUE_BYTES_MAX = Integer.MAX_VALUE;

    private static final int EXCERPT_CHARACTERS = 200;

    /** What is said of a text that goes on within types before any of them is made. */
    static final String TOO_DEEP = "types are nested too deeply, max=" + NESTING_MAX;

    private SchemaLimits() {}

    /** @throws SchemaException when there is more than is allowed: says both */
    static void require(String what, long found, long max) {
        if (found > max) {
            throw new SchemaException(what + ", found=" + found + ", max=" + max);
        }
    }

    /** @throws SchemaException when a text is longer than is allowed: names where it came from */
    static void requireText(String resourceName, long characters, int max) {
        require("text is too long, in characters, resource=" + resourceName, characters, max);
    }

    /** How deep a type made of others lies; checked, as is the length of its class name, before that is put together. */
    static int depth(List<CqlType> components) {
        require("type has too many fields", components.size(), FIELDS_MAX);
        int depth = 0;
        long characters = 0;
        for (CqlType component : components) {
            depth = Math.max(depth, component.depth() + 1);
            characters += component.className().length();
        }
        require("types are nested too deeply", depth, NESTING_MAX);
        require("type is too large with all that it is made of, in characters", characters, CLASS_NAME_CHARACTERS_MAX);
        return depth;
    }

    /** A text for messages, which a long one would fill. */
    static String excerpt(String text) {
        return text.length() <= EXCERPT_CHARACTERS ? text : text.substring(0, EXCERPT_CHARACTERS) + "...";
    }
}
