package io.anneal.schema;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which types read the values of which others: after {@code isValueCompatibleWith} of Cassandra's types. */
final class TypeCompatibility {
    /** Of native types, which others each reads; {@code blob} reads all. */
    private static final Map<CqlType, Set<CqlType>> NATIVE = Map.of(
            CqlTypes.TEXT, Set.of(CqlTypes.ASCII),
            CqlTypes.VARINT, Set.of(CqlTypes.INT, CqlTypes.BIGINT, CqlTypes.TIMESTAMP, CqlTypes.LEGACY_DATE),
            CqlTypes.BIGINT, Set.of(CqlTypes.TIMESTAMP, CqlTypes.LEGACY_DATE),
            CqlTypes.TIMESTAMP, Set.of(CqlTypes.BIGINT, CqlTypes.LEGACY_DATE),
            CqlTypes.LEGACY_DATE, Set.of(CqlTypes.BIGINT, CqlTypes.TIMESTAMP),
            CqlTypes.DATE, Set.of(CqlTypes.INT),
            CqlTypes.TIME, Set.of(CqlTypes.BIGINT),
            CqlTypes.UUID, Set.of(CqlTypes.TIMEUUID));

    /** Of native types, which others have the same values in the same order. */
    private static final Map<CqlType, Set<CqlType>> SORTED =
            Map.of(CqlTypes.TEXT, Set.of(CqlTypes.ASCII), CqlTypes.BLOB, Set.of(CqlTypes.ASCII, CqlTypes.TEXT));

    private TypeCompatibility() {}

    static boolean reads(CqlType newer, CqlType older, boolean inOrder) {
        if (newer.equals(older)) {
            return true;
        }
        if (newer.isMultiCell() != older.isMultiCell() || newer.isReversed() != older.isReversed()) {
            return false;
        }
        if (newer.equals(CqlTypes.BLOB) && !inOrder) {
            return !older.isCounter();
        }
        if (newer.kind() == CqlType.Kind.TUPLE && older.kind() == CqlType.Kind.USER_TYPE) {
            // Of the types of dropped columns Cassandra remembers the fields and no names.
            return readsEach(newer, older, inOrder);
        }
        if (newer.kind() != older.kind()) {
            return false;
        }
        return switch (newer.kind()) {
            case NATIVE ->
                (inOrder ? SORTED : NATIVE).getOrDefault(newer, Set.of()).contains(older);
            case REVERSED -> reads(newer.ascending(), older.ascending(), inOrder);
            case LIST, TUPLE -> readsEach(newer, older, inOrder);
            // The cells of a collection lie in the order of the key's type.
            case SET, MAP ->
                (!newer.isMultiCell() || newer.pathType().sorts(older.pathType())) && readsEach(newer, older, inOrder);
            case USER_TYPE -> isSameUserType((UserType) newer, (UserType) older) && readsEach(newer, older, inOrder);
            case VECTOR -> isLaidOutAlike(newer, older) && readsEach(newer, older, inOrder);
        };
    }

    /** Elements of a fixed length have no length before them. */
    private static boolean isLaidOutAlike(CqlType newer, CqlType older) {
        int now = newer.components().get(0).fixedLengthBytes();
        int then = older.components().get(0).fixedLengthBytes();
        return newer.dimension() == older.dimension() && now == then;
    }

    private static boolean isSameUserType(UserType newer, UserType older) {
        return newer.keyspace().equals(older.keyspace()) && newer.name().equals(older.name());
    }

    /** Component by component; more may have come behind. */
    private static boolean readsEach(CqlType newer, CqlType older, boolean inOrder) {
        List<CqlType> now = newer.components();
        List<CqlType> then = older.components();
        if (now.size() < then.size()) {
            return false;
        }
        for (int i = 0; i < then.size(); i++) {
            if (!reads(now.get(i), then.get(i), inOrder)) {
                return false;
            }
        }
        return true;
    }
}
