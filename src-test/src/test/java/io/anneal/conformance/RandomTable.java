package io.anneal.conformance;

import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A table of random columns and options, decided by a random: names of all kinds; every type there is, nested, in every place
 * where Cassandra takes it; several key and clustering columns, reversed ones, statics, counters; every compressor that we read.
 */
final class RandomTable {
    static final String NAME = "t";
    /** Writes happen from here on, a hundred seconds long. */
    static final long WRITE_SECONDS = 1_700_000_000L;

    private static final int NESTING_MAX = 2;
    private static final List<CqlType> ORDERED = CqlTypes.NATIVE.stream()
            .filter(type -> !type.isCounter() && !type.equals(CqlTypes.DURATION))
            .toList();

    private final SplittableRandom random;
    private final String keyspace;
    private final TableSchema schema;
    private final RandomNames names;
    private int userTypeCount;

    RandomTable(SplittableRandom random, String keyspace, List<Map<String, String>> compressions) {
        this.random = random;
        this.keyspace = keyspace;
        names = new RandomNames(random);
        schema = schema(compressions);
    }

    TableSchema schema() {
        return schema;
    }

    /** A name that no column has. */
    String newName(CqlType type) {
        return names.next(type);
    }

    /** The user types first. */
    List<String> create() {
        return Arrays.stream(SchemaText.print(schema).split(";\n"))
                .filter(statement -> !statement.isBlank())
                .toList();
    }

    /** Those of columns that are in no key. */
    List<CqlType> userTypes() {
        Map<String, CqlType> found = new LinkedHashMap<>();
        Stream.of(schema.staticColumns(), schema.regularColumns())
                .flatMap(List::stream)
                .forEach(column -> collectUserTypes(column.type(), found));
        return List.copyOf(found.values());
    }

    private static void collectUserTypes(CqlType type, Map<String, CqlType> found) {
        type.components().forEach(component -> collectUserTypes(component, found));
        if (type.kind() == CqlType.Kind.USER_TYPE) {
            found.putIfAbsent(name(type), type);
        }
    }

    static boolean hasUserType(CqlType type) {
        return type.kind() == CqlType.Kind.USER_TYPE
                || type.components().stream().anyMatch(RandomTable::hasUserType);
    }

    /** Without its frozen mark. */
    static String name(CqlType userType) {
        return userType.cqlName().replace("frozen<", "").replace(">", "");
    }

    private TableSchema schema(List<Map<String, String>> compressions) {
        TableSchema.Builder builder = TableSchema.builder(keyspace, NAME);
        builder.options(options(compressions));
        boolean counters = random.nextInt(10) == 0;
        int keys = Math.max(1, random.nextInt(4));
        for (int i = 0; i < keys; i++) {
            CqlType type = orderedType();
            builder.column(names.next(type), type, Column.Kind.PARTITION_KEY);
        }
        int clustering = random.nextInt(4);
        for (int i = 0; i < clustering; i++) {
            CqlType type = orderedType();
            builder.column(
                    names.next(type), random.nextInt(3) == 0 ? CqlTypes.reversed(type) : type, Column.Kind.CLUSTERING);
        }
        int statics = clustering == 0 ? 0 : random.nextInt(4);
        for (int i = 0; i < statics; i++) {
            CqlType type = counters ? CqlTypes.COUNTER : anyType();
            builder.column(names.next(type), type, Column.Kind.STATIC);
        }
        int regulars = random.nextInt(10) == 0 ? 64 + random.nextInt(9) : random.nextInt(8);
        for (int i = counters && statics == 0 ? -1 : 0; i < regulars; i++) {
            CqlType type = counters ? CqlTypes.COUNTER : anyType();
            builder.column(names.next(type), type, Column.Kind.REGULAR);
        }
        return builder.build();
    }

    private TableOptions options(List<Map<String, String>> compressions) {
        long gcGraceSeconds = List.of(0L, 864_000L, (long) Integer.MAX_VALUE).get(random.nextInt(3));
        double bloomFilterFpChance = List.of(0.001, 0.01, 0.1, 1.0).get(random.nextInt(4));
        int minIndexInterval = List.of(1, 8, 128).get(random.nextInt(3));
        return new TableOptions(
                gcGraceSeconds,
                bloomFilterFpChance,
                minIndexInterval,
                compressions.get(random.nextInt(compressions.size())),
                Map.of("class", "SizeTieredCompactionStrategy", "enabled", "false"),
                false,
                Map.of());
    }

    /** Of a key or a clustering, where nothing has a duration in it. */
    private CqlType orderedType() {
        return random.nextInt(3) != 0 ? nativeType() : nested(0, false).frozen();
    }

    CqlType anyType() {
        return switch (random.nextInt(6)) {
            case 0 -> nested(0, true).frozen();
            case 1, 2 -> nested(0, true);
            case 3 -> random.nextInt(4) == 0 ? CqlTypes.DURATION : nativeType();
            default -> nativeType();
        };
    }

    private CqlType nativeType() {
        return ORDERED.get(random.nextInt(ORDERED.size()));
    }

    private CqlType element(int nesting, boolean durations) {
        if (nesting < NESTING_MAX && random.nextInt(3) == 0) {
            return nested(nesting + 1, durations).frozen();
        }
        return durations && random.nextInt(20) == 0 ? CqlTypes.DURATION : nativeType();
    }

    /** @param durations whether a value that needs no order may have a duration in it */
    private CqlType nested(int nesting, boolean durations) {
        return switch (random.nextInt(6)) {
            case 0 -> CqlTypes.list(element(nesting, durations));
            case 1 -> CqlTypes.set(element(nesting, false));
            case 2 -> CqlTypes.map(element(nesting, false), element(nesting, durations));
            case 3 -> CqlTypes.tuple(elements(nesting, durations));
            case 4 -> CqlTypes.vector(element(nesting, durations), 1 + random.nextInt(3));
            default -> userType(nesting, durations);
        };
    }

    private List<CqlType> elements(int nesting, boolean durations) {
        return IntStream.range(0, 1 + random.nextInt(3))
                .mapToObj(i -> element(nesting, durations))
                .toList();
    }

    private CqlType userType(int nesting, boolean durations) {
        List<CqlType> fields = elements(nesting, durations);
        RandomNames ofFields = new RandomNames(random);
        List<String> fieldNames = fields.stream().map(ofFields::next).toList();
        return CqlTypes.userType(keyspace, "type" + userTypeCount++, fieldNames, fields);
    }
}
