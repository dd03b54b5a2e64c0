package io.anneal.schema;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every type there is: the native ones as constants, the others made here. */
public final class CqlTypes {
    public static final CqlType ASCII = TextType.ascii();
    public static final CqlType BIGINT = IntegralType.bigint();
    public static final CqlType BLOB = new BlobType();
    public static final CqlType BOOLEAN = new BooleanType();
    public static final CqlType COUNTER = new CounterType();
    public static final CqlType DATE = new DateType();
    public static final CqlType DECIMAL = new DecimalType();
    public static final CqlType DOUBLE = FloatingType.float64();
    public static final CqlType DURATION = new DurationType();
    public static final CqlType FLOAT = FloatingType.float32();
    public static final CqlType INET = new InetType();
    public static final CqlType INT = IntegralType.integer();
    public static final CqlType SMALLINT = IntegralType.smallint();
    public static final CqlType TEXT = TextType.text();
    public static final CqlType TIME = new TimeType();
    public static final CqlType TIMESTAMP = TimestampType.timestamp();
    public static final CqlType TIMEUUID = UuidType.timeuuid();
    public static final CqlType TINYINT = IntegralType.tinyint();
    public static final CqlType UUID = UuidType.uuid();
    public static final CqlType VARINT = new VarintType();

    /** The type of a set's cell values; in headers of compact tables also of a column without values. */
    public static final CqlType EMPTY = new EmptyType();

    /** Timestamps as tables of Cassandra 1.x declared them: in unsigned order. */
    public static final CqlType LEGACY_DATE = TimestampType.legacyDate();

    /** UUIDs in the order of Java's class, known only by its class name. */
    public static final CqlType LEXICAL_UUID = UuidType.lexical();

    /** The types that CQL has a word for, in alphabetical order. */
    public static final List<CqlType> NATIVE = List.of(
            ASCII, BIGINT, BLOB, BOOLEAN, COUNTER, DATE, DECIMAL, DOUBLE, DURATION, FLOAT, INET, INT, SMALLINT, TEXT,
            TIME, TIMESTAMP, TIMEUUID, TINYINT, UUID, VARINT);

    private static final Map<String, CqlType> BY_CQL_NAME =
            NATIVE.stream().collect(Collectors.toUnmodifiableMap(CqlType::cqlName, Function.identity()));
    private static final Map<String, CqlType> BY_CLASS_NAME = Stream.concat(
                    NATIVE.stream(), Stream.of(EMPTY, LEGACY_DATE, LEXICAL_UUID))
            .collect(Collectors.toUnmodifiableMap(CqlType::className, Function.identity()));

    private CqlTypes() {}

    /** The native type of a CQL name, in any case; {@code varchar} is {@code text}. */
    public static Optional<CqlType> nativeType(String cqlName) {
        String lower = cqlName.toLowerCase(Locale.ROOT);
        return Optional.ofNullable(BY_CQL_NAME.get(lower.equals("varchar") ? "text" : lower));
    }

    /** The native or legacy type of a fully qualified class name of Cassandra. */
    static Optional<CqlType> byClassName(String className) {
        return Optional.ofNullable(BY_CLASS_NAME.get(className));
    }

    /** A list of many cells; {@link CqlType#frozen()} makes it one value. */
    public static CqlType list(CqlType element) {
        return new ListOrSetType(true, element.frozen(), true);
    }

    /** A set of many cells; {@link CqlType#frozen()} makes it one value. */
    public static CqlType set(CqlType element) {
        return new ListOrSetType(false, element.frozen(), true);
    }

    /** A map of many cells; {@link CqlType#frozen()} makes it one value. */
    public static CqlType map(CqlType key, CqlType value) {
        return new MapType(key.frozen(), value.frozen(), true);
    }

    public static CqlType tuple(List<CqlType> fields) {
        return new TupleType(fields.stream().map(CqlType::frozen).toList());
    }

    public static CqlType vector(CqlType element, int dimension) {
        if (dimension <= 0) {
            throw new IllegalArgumentException("vector without elements, dimension=" + dimension);
        }
        return new VectorType(element.frozen(), dimension);
    }

    /** A user-defined type of many cells; {@link CqlType#frozen()} makes it one value. */
    public static CqlType userType(String keyspace, String name, List<String> fieldNames, List<CqlType> fields) {
        if (fieldNames.size() != fields.size()) {
            throw new IllegalArgumentException(
                    "as many names as fields are needed, names=" + fieldNames.size() + ", fields=" + fields.size());
        }
        return new UserType(keyspace, name, fieldNames, fields, true);
    }

    /** The type in descending order; of a reversed type, the ascending one. */
    public static CqlType reversed(CqlType type) {
        return type.isReversed() ? type.ascending() : new ReversedType(type);
    }
}
