package io.anneal.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Random writes over tables of four shapes, decided by one seed: every kind of deletion, statics, TTLs, collections and
 * user types, frozen and not. Few keys and few timestamps, so that writes overlap. TTLs are long: nothing expires while a
 * test runs.
 */
final class CqlOperations {
    static final long TIMESTAMP_BASE_MICROS = 1_700_000_000_000_000L;
    static final int TIMESTAMP_SPREAD_MICROS = 60;
    private static final String OPTIONS =
            " compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'} AND compression = ";

    /** A table and the writes that fit it. */
    enum Shape {
        /** Two clustering columns, one descending, statics, a column that is dropped and added again. */
        CLUSTERED,
        /** Every kind of collection, uncompressed. */
        COLLECTIONS,
        /** A key of two columns and no clustering. */
        KEY_VALUE,
        /** Two partitions of several blocks, and range deletions that stay open from one to the next. */
        WIDE
    }

    private final SplittableRandom random;
    private final Shape shape;
    private final String table;

    CqlOperations(long seed, Shape shape, String keyspace) {
        random = new SplittableRandom(seed);
        this.shape = shape;
        table = keyspace + "." + name();
    }

    String name() {
        return shape.name().toLowerCase(Locale.ROOT);
    }

    List<String> create() {
        return switch (shape) {
            case CLUSTERED ->
                List.of("CREATE TABLE " + table + " (p int, a int, b text, s text static, t int static, v int, w text,"
                        + " PRIMARY KEY (p, a, b)) WITH CLUSTERING ORDER BY (a DESC, b ASC) AND" + OPTIONS
                        + "{'class': 'LZ4Compressor', 'chunk_length_in_kb': '4'}");
            case COLLECTIONS ->
                List.of(
                        "CREATE TYPE " + table + "_type (x int, y text)",
                        "CREATE TABLE " + table
                                + " (p text, a int, sm map<text, int> static, l list<int>, st set<text>,"
                                + " m map<int, text>, u " + name() + "_type, f frozen<list<int>>, v bigint,"
                                + " PRIMARY KEY (p, a)) WITH" + OPTIONS + "{'enabled': 'false'}");
            case KEY_VALUE ->
                List.of("CREATE TABLE " + table + " (p int, q text, v text, w double, PRIMARY KEY ((p, q))) WITH"
                        + OPTIONS + "{'class': 'LZ4Compressor'}");
            case WIDE ->
                List.of("CREATE TABLE " + table + " (p int, a int, v text, PRIMARY KEY (p, a)) WITH" + OPTIONS
                        + "{'class': 'LZ4Compressor'}");
        };
    }

    /** What becomes of the table itself between flushes. */
    List<String> alter() {
        return shape == Shape.CLUSTERED
                ? List.of(
                        "ALTER TABLE " + table + " DROP w USING TIMESTAMP "
                                + (TIMESTAMP_BASE_MICROS + TIMESTAMP_SPREAD_MICROS / 2),
                        "ALTER TABLE " + table + " ADD w text")
                : List.of();
    }

    List<String> writes(int count) {
        return IntStream.range(0, count).mapToObj(i -> write()).toList();
    }

    private String write() {
        return switch (shape) {
            case CLUSTERED -> clustered();
            case COLLECTIONS -> collections();
            case KEY_VALUE -> keyValue();
            case WIDE -> wide();
        };
    }

    private String clustered() {
        String p = "p = " + random.nextInt(6);
        String a = "a = " + random.nextInt(8);
        String row = p + " AND " + a + " AND b = " + text();
        return switch (random.nextInt(14)) {
            case 0, 1, 2, 3 -> insert(List.of("p", "a", "b"), List.of("v", "w"), List.of("s", "t"));
            case 4, 5 ->
                "UPDATE " + table + usingWrite() + " SET " + some("v = " + number(), "w = " + text()) + where(row);
            case 6 -> "UPDATE " + table + usingWrite() + " SET s = " + text() + where(p);
            case 7 -> "DELETE " + some("v", "w") + from() + where(row);
            case 8 -> "DELETE" + from() + where(row);
            case 9 -> "DELETE s" + from() + where(p);
            case 10 -> "DELETE" + from() + where(p + " AND " + a);
            case 11 ->
                "DELETE" + from()
                        + where(p + " AND a " + pick(">", ">=") + " " + random.nextInt(4) + " AND a " + pick("<", "<=")
                                + " " + (4 + random.nextInt(4)));
            case 12 ->
                "DELETE" + from() + where(p + " AND " + a + " AND b " + pick("<", "<=", ">", ">=") + " " + text());
            default ->
                random.nextInt(3) == 0
                        ? "DELETE" + from() + where(p)
                        : insert(List.of("p", "a", "b"), List.of("v"), List.of());
        };
    }

    private String collections() {
        String p = "p = " + key();
        String row = p + " AND a = " + random.nextInt(5);
        return switch (random.nextInt(9)) {
            case 0 ->
                "INSERT INTO " + table + " (p, a, l, st, m, u, f, v) VALUES (" + key() + ", " + random.nextInt(5)
                        + ", [" + number() + ", " + number() + "], {" + text() + ", " + text() + "}, {" + number()
                        + ": " + text() + "}, {x: " + number() + "}, [" + number() + "], " + number() + ")"
                        + usingWrite();
            case 1, 2, 3 ->
                "UPDATE " + table + usingWrite() + " SET "
                        + pick(
                                "l = l + [" + number() + "]",
                                "l = [" + number() + "] + l",
                                "l = [" + number() + ", " + number() + "]",
                                "st = st + {" + text() + "}",
                                "st = st - {" + text() + "}",
                                "st = {" + text() + "}",
                                "m[" + random.nextInt(4) + "] = " + text(),
                                "m = m + {" + random.nextInt(4) + ": " + text() + "}",
                                "m = m - {" + random.nextInt(4) + "}",
                                "m = {" + random.nextInt(4) + ": " + text() + "}",
                                "u.x = " + number(),
                                "u = {x: " + number() + ", y: " + text() + "}",
                                "u.y = null",
                                "f = [" + number() + "]",
                                "v = " + number())
                        + where(row);
            case 4 ->
                "UPDATE " + table + usingWrite() + " SET sm"
                        + pick("[" + text() + "] = 1", " = {'z': 2}", " = sm - {'z'}") + where(p);
            case 5 -> "DELETE " + pick("l", "st", "m", "m[1]", "st['a']", "u", "u.x", "f", "v") + from() + where(row);
            case 6 -> "DELETE sm" + from() + where(p);
            case 7 -> "DELETE" + from() + where(row);
            default -> "DELETE" + from() + where(p + " AND a " + pick("<", ">=") + " " + random.nextInt(5));
        };
    }

    private String keyValue() {
        String row = "p = " + random.nextInt(10) + " AND q = " + text();
        return switch (random.nextInt(6)) {
            case 0, 1, 2 -> insert(List.of("p", "q"), List.of("v", "w"), List.of());
            case 3 -> "UPDATE " + table + usingWrite() + " SET w = " + number() + where(row);
            case 4 -> "DELETE v" + from() + where(row);
            default -> "DELETE" + from() + where(row);
        };
    }

    private String wide() {
        String p = "p = " + random.nextInt(2);
        int a = random.nextInt(1000);
        return switch (random.nextInt(20)) {
            case 0 -> "DELETE" + from() + where(p + " AND a = " + a);
            case 1 -> "DELETE" + from() + where(p + " AND a > " + a + " AND a <= " + (a + random.nextInt(400)));
            default ->
                "INSERT INTO " + table + " (p, a, v) VALUES (" + random.nextInt(2) + ", " + a + ", '"
                        + Character.toString('a' + random.nextInt(26)).repeat(random.nextInt(4000)) + "')"
                        + usingWrite();
        };
    }

    private String insert(List<String> key, List<String> regular, List<String> statics) {
        List<String> columns = new ArrayList<>(key);
        regular.stream().filter(column -> random.nextInt(3) > 0).forEach(columns::add);
        statics.stream().filter(column -> random.nextInt(4) == 0).forEach(columns::add);
        return "INSERT INTO " + table + " (" + String.join(", ", columns) + ") VALUES ("
                + columns.stream().map(this::value).collect(Collectors.joining(", ")) + ")" + usingWrite();
    }

    private String value(String column) {
        return switch (column) {
            case "p", "a" -> Integer.toString(random.nextInt(8));
            case "b", "q" -> text();
            case "s" -> text();
            case "t" -> number();
            default -> random.nextInt(10) == 0 ? "null" : isText(column) ? text() : number();
        };
    }

    private boolean isText(String column) {
        return shape == Shape.CLUSTERED ? column.equals("w") : column.equals("v");
    }

    private String usingWrite() {
        return using() + (random.nextInt(4) == 0 ? " AND TTL " + pick("100000", "200000", "20000000") : "");
    }

    private String using() {
        return " USING TIMESTAMP " + (TIMESTAMP_BASE_MICROS + random.nextInt(TIMESTAMP_SPREAD_MICROS));
    }

    private String from() {
        return " FROM " + table + using();
    }

    private static String where(String condition) {
        return " WHERE " + condition;
    }

    private String text() {
        return pick("''", "'a'", "'b'", "'é'", "'long-" + "x".repeat(random.nextInt(60)) + "'");
    }

    /** A key of one column is not empty. */
    private String key() {
        return pick("'a'", "'b'", "'c'", "'d'", "'e'");
    }

    private String number() {
        return Integer.toString(random.nextInt(-3, 1000));
    }

    private String pick(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private String some(String first, String second) {
        return pick(first, second, first + ", " + second);
    }
}
