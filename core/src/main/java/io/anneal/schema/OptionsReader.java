package io.anneal.schema;

import io.anneal.schema.grammar.CqlParser;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.antlr.v4.runtime.ParserRuleContext;

/** Collects a table's options; what a text leaves out has Cassandra's default. A later value replaces an earlier one. */
final class OptionsReader {
    private static final double FP_CHANCE_DEFAULT_LEVELED = 0.1;

    private final SchemaReader reader;
    private final Map<String, String> others = new LinkedHashMap<>();
    private Map<String, String> compression = Map.of();
    private Map<String, String> compaction = Map.of();
    private long gcGraceSeconds = TableOptions.DEFAULTS.gcGraceSeconds();
    private int minIndexInterval = TableOptions.DEFAULTS.minIndexInterval();
    private boolean cdc;
    private Double bloomFilterFpChance;
    private String id;

    OptionsReader(SchemaReader reader) {
        this.reader = reader;
    }

    /** Begins with the options that a table has. */
    OptionsReader(SchemaReader reader, TableOptions given) {
        this(reader);
        others.putAll(given.others());
        compression = given.compression();
        compaction = given.compaction();
        gcGraceSeconds = given.gcGraceSeconds();
        minIndexInterval = given.minIndexInterval();
        cdc = given.cdc();
        bloomFilterFpChance = given.bloomFilterFpChance();
    }

    void read(CqlParser.ValueOptionContext option) {
        String name = SchemaReader.name(option.identifier());
        switch (name) {
            case "id" -> id = text(option);
            case "gc_grace_seconds" -> gcGraceSeconds = count(option);
            case "bloom_filter_fp_chance" -> bloomFilterFpChance = fraction(text(option), option);
            case "min_index_interval" -> minIndexInterval = count(option);
            case "cdc" -> cdc = flag(option);
            case "compression" -> {
                // An empty map is how older texts turn compression off.
                Map<String, String> given = map(option);
                compression = given.isEmpty() ? Map.of("enabled", "false") : given;
            }
            case "compaction" -> {
                compaction = map(option);
                if (compaction.isEmpty()) {
                    throw reader.error(
                            option,
                            "option of a table has a wrong value, option=compaction, value={}, allowed=a map with class");
                }
            }
            default -> others.put(name, option.map() == null ? text(option) : SchemaText.map(map(option)));
        }
    }

    private String text(CqlParser.ValueOptionContext option) {
        if (option.literal() == null) {
            throw reader.error(option, "a single value is wanted here");
        }
        return SchemaReader.literal(option.literal());
    }

    private Map<String, String> map(CqlParser.ValueOptionContext option) {
        if (option.map() == null) {
            throw reader.error(option, "a map is wanted here");
        }
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < option.map().literal().size(); i += 2) {
            map.put(
                    SchemaReader.literal(option.map().literal(i)),
                    SchemaReader.literal(option.map().literal(i + 1)));
        }
        return map;
    }

    long integer(String text, ParserRuleContext where) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw wrongNumber("a whole number", text, where, e);
        }
    }

    private int count(CqlParser.ValueOptionContext option) {
        String text = text(option);
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw wrongNumber("a whole number", text, option, e);
        }
    }

    private boolean flag(CqlParser.ValueOptionContext option) {
        String text = text(option).toLowerCase(Locale.ROOT);
        return switch (text) {
            case "true", "yes", "1" -> true;
            case "false", "no", "0" -> false;
            default -> throw reader.error(option, "true or false is wanted here, found=" + text);
        };
    }

    private double fraction(String text, ParserRuleContext where) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw wrongNumber("a number", text, where, e);
        }
    }

    private SchemaException wrongNumber(
            String wanted, String text, ParserRuleContext where, NumberFormatException cause) {
        SchemaException exception = reader.error(where, wanted + " is wanted here, found=" + text);
        exception.initCause(cause);
        return exception;
    }

    Optional<String> id() {
        return Optional.ofNullable(id);
    }

    TableOptions options() {
        boolean leveled = compaction.getOrDefault("class", "").endsWith("LeveledCompactionStrategy");
        double fpChanceDefault = leveled ? FP_CHANCE_DEFAULT_LEVELED : TableOptions.DEFAULTS.bloomFilterFpChance();
        return new TableOptions(
                gcGraceSeconds,
                bloomFilterFpChance == null ? fpChanceDefault : bloomFilterFpChance,
                minIndexInterval,
                compression,
                compaction,
                cdc,
                others);
    }
}
