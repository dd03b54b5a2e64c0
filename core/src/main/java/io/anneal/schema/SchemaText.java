package io.anneal.schema;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table as CQL text, in the form of Cassandra's snapshots: the user-defined types it needs, {@code CREATE TABLE} with
 * dropped columns, then {@code ALTER}s that drop them and add the ones that came back. {@link CqlSchema#parse} of it gives
 * an equal table; only that it is the base of a view is not said.
 */
public final class SchemaText {
    private static final Pattern NUMBER_OR_WORD = Pattern.compile("-?[0-9]+(\\.[0-9]+)?|true|false");
    /** Possessive, so that no length of a text costs stack: what follows one is never a quote. */
    private static final String QUOTED = "'((?:[^']|'')*+)'";

    private static final Pattern ENTRY = Pattern.compile(QUOTED + ": " + QUOTED);

    private static final Pattern MAP = Pattern.compile("\\{(?:" + ENTRY + "(?:, " + ENTRY + ")*+)?\\}");

    private SchemaText() {}

    public static String print(TableSchema table) {
        StringBuilder out = new StringBuilder();
        appendUserTypes(table, out);
        String name = Identifiers.quoteIfNeeded(table.keyspace()) + "." + Identifiers.quoteIfNeeded(table.name());
        out.append("CREATE TABLE IF NOT EXISTS ").append(name).append(" (\n");
        table.allColumns()
                .filter(c -> !table.isHidden(c))
                .forEach(c -> out.append("    ").append(definition(table, c)).append(",\n"));
        out.append("    PRIMARY KEY (").append(key(table)).append(")\n) WITH ");
        out.append(String.join("\n    AND ", options(table))).append(";\n");
        table.allColumns()
                .filter(c -> c.dropTimeMicros() != Column.NEVER_DROPPED)
                .forEach(c -> {
                    out.append("ALTER TABLE ")
                            .append(name)
                            .append(" DROP ")
                            .append(Identifiers.quoteIfNeeded(c.name()));
                    out.append(" USING TIMESTAMP ").append(c.dropTimeMicros()).append(";\n");
                    if (!c.dropped()) {
                        out.append("ALTER TABLE ").append(name).append(" ADD ").append(definition(table, c));
                        out.append(";\n");
                    }
                });
        return out.toString();
    }

    /** Only the user types that the table's columns are made of, each as a statement; empty when there are none. */
    public static String printTypes(TableSchema table) {
        StringBuilder out = new StringBuilder();
        appendUserTypes(table, out);
        return out.toString();
    }

    /** The user types that the table's columns are made of, those first that others are made of, by qualified name. */
    static Map<String, UserType> userTypes(TableSchema table) {
        Map<String, UserType> types = new LinkedHashMap<>();
        table.allColumns().forEach(c -> collectUserTypes(c.type(), types));
        return types;
    }

    private static void appendUserTypes(TableSchema table, StringBuilder out) {
        for (UserType type : userTypes(table).values()) {
            out.append("CREATE TYPE IF NOT EXISTS ")
                    .append(Identifiers.quoteIfNeeded(type.keyspace()))
                    .append('.')
                    .append(Identifiers.quoteIfNeeded(type.name()))
                    .append(" (");
            for (int i = 0; i < type.fieldNames().size(); i++) {
                out.append(i == 0 ? "\n    " : ",\n    ")
                        .append(Identifiers.quoteIfNeeded(type.fieldNames().get(i)))
                        .append(' ')
                        .append(typeText(type.components().get(i)));
            }
            out.append("\n);\n");
        }
    }

    /** Those that others are made of come first. */
    private static void collectUserTypes(CqlType type, Map<String, UserType> types) {
        type.components().forEach(component -> collectUserTypes(component, types));
        if (type instanceof UserType userType) {
            types.putIfAbsent(userType.keyspace() + "." + userType.name(), userType);
        }
    }

    /** Compact tables store declared columns as static ones, which their text does not say. */
    private static String definition(TableSchema table, Column column) {
        boolean saysStatic = column.kind() == Column.Kind.STATIC && !table.isCompactStorage();
        return Identifiers.quoteIfNeeded(column.name()) + " " + typeText(column.type()) + (saysStatic ? " static" : "");
    }

    /** The name in CQL, or the class where CQL has no name for it or for something in it. */
    private static String typeText(CqlType type) {
        return hasName(type) ? type.cqlName() : quote(type.ascending().className());
    }

    private static boolean hasName(CqlType type) {
        boolean unnamed =
                type.equals(CqlTypes.EMPTY) || type.equals(CqlTypes.LEGACY_DATE) || type.equals(CqlTypes.LEXICAL_UUID);
        return !unnamed && type.components().stream().allMatch(SchemaText::hasName);
    }

    private static String key(TableSchema table) {
        String partitionKey = table.partitionKey().stream()
                .map(c -> Identifiers.quoteIfNeeded(c.name()))
                .collect(Collectors.joining(", ", "(", ")"));
        return Stream.concat(
                        Stream.of(partitionKey),
                        table.clustering().stream()
                                .filter(c -> !table.isHidden(c))
                                .map(c -> Identifiers.quoteIfNeeded(c.name())))
                .collect(Collectors.joining(", "));
    }

    private static List<String> options(TableSchema table) {
        TableOptions options = table.options();
        List<String> lines = new ArrayList<>();
        if (table.isCompactStorage()) {
            lines.add("COMPACT STORAGE");
        }
        table.id().ifPresent(id -> lines.add("ID = " + id));
        if (!table.clustering().isEmpty()) {
            lines.add(table.clustering().stream()
                    .map(c -> Identifiers.quoteIfNeeded(c.name()) + (c.type().isReversed() ? " DESC" : " ASC"))
                    .collect(Collectors.joining(", ", "CLUSTERING ORDER BY (", ")")));
        }
        lines.add("bloom_filter_fp_chance = " + options.bloomFilterFpChance());
        lines.add("cdc = " + options.cdc());
        if (!options.compaction().isEmpty()) {
            lines.add("compaction = " + map(options.compaction()));
        }
        if (!options.compression().isEmpty()) {
            lines.add("compression = " + map(options.compression()));
        }
        lines.add("gc_grace_seconds = " + options.gcGraceSeconds());
        lines.add("min_index_interval = " + options.minIndexInterval());
        new TreeMap<>(options.others())
                .forEach((name, value) -> lines.add(Identifiers.quoteIfNeeded(name) + " = " + optionValue(value)));
        return lines;
    }

    private static String optionValue(String value) {
        boolean bare = NUMBER_OR_WORD.matcher(value).matches()
                || parseMap(value).map(SchemaText::map).filter(value::equals).isPresent();
        return bare ? value : quote(value);
    }

    /** A map literal with sorted keys, all of it in quotes. */
    static String map(Map<String, String> map) {
        return new TreeMap<>(map)
                .entrySet().stream()
                        .map(e -> quote(e.getKey()) + ": " + quote(e.getValue()))
                        .collect(Collectors.joining(", ", "{", "}"));
    }

    /** The reverse of {@link #map}: an option's text as a map; empty when it is none. */
    public static Optional<Map<String, String>> parseMap(String text) {
        if (!MAP.matcher(text).matches()) {
            return Optional.empty();
        }
        Map<String, String> map = new LinkedHashMap<>();
        Matcher entry = ENTRY.matcher(text);
        while (entry.find()) {
            map.put(entry.group(1).replace("''", "'"), entry.group(2).replace("''", "'"));
        }
        return Optional.of(map);
    }

    private static String quote(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
