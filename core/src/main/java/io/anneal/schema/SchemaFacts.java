package io.anneal.schema;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The facts of a table that two nodes must agree on, each under its name, so that a difference can be told in words. */
final class SchemaFacts {
    private static final int FINGERPRINT_BYTES = 16;

    private SchemaFacts() {}

    static Optional<String> firstDifference(TableSchema left, TableSchema right) {
        Map<String, String> leftFacts = facts(left);
        Map<String, String> rightFacts = facts(right);
        Set<String> names = new LinkedHashSet<>(leftFacts.keySet());
        names.addAll(rightFacts.keySet());
        return names.stream()
                .filter(name -> !leftFacts.getOrDefault(name, "").equals(rightFacts.getOrDefault(name, "")))
                .findFirst()
                .map(name -> name + " differs, here=" + leftFacts.getOrDefault(name, "none") + ", there="
                        + rightFacts.getOrDefault(name, "none"));
    }

    static String fingerprint(TableSchema table) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            facts(table).forEach((name, value) -> {
                digest.update(name.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
                digest.update(value.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
            });
            return HexFormat.of().formatHex(digest.digest(), 0, FINGERPRINT_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    private static Map<String, String> facts(TableSchema table) {
        Map<String, String> facts = new LinkedHashMap<>();
        appendKey("partition key column ", table.partitionKey(), facts);
        appendKey("clustering column ", table.clustering(), facts);
        table.staticColumns().forEach(c -> facts.put("column " + c.name(), "static " + describe(c)));
        table.regularColumns().forEach(c -> facts.put("column " + c.name(), "regular " + describe(c)));
        facts.put("gc_grace_seconds", Long.toString(table.options().gcGraceSeconds()));
        return facts;
    }

    private static void appendKey(String label, List<Column> columns, Map<String, String> facts) {
        for (Column column : columns) {
            facts.put(label + (column.index() + 1), column.name() + " " + describe(column));
        }
    }

    private static String describe(Column column) {
        StringBuilder out = new StringBuilder(typeName(column.type()));
        if (column.type().isReversed()) {
            out.append(" descending");
        }
        if (column.dropTimeMicros() != Column.NEVER_DROPPED) {
            out.append(column.dropped() ? ", dropped at " : ", added again after a drop at ")
                    .append(column.dropTimeMicros());
        }
        return out.toString();
    }

    /** CQL's name, and the class name too where the former hides what the type is made of. */
    private static String typeName(CqlType type) {
        return isAmbiguous(type) ? type.cqlName() + " (" + type.className() + ")" : type.cqlName();
    }

    private static boolean isAmbiguous(CqlType type) {
        return type instanceof UserType
                || type.equals(CqlTypes.LEGACY_DATE)
                || type.components().stream().anyMatch(SchemaFacts::isAmbiguous);
    }
}
