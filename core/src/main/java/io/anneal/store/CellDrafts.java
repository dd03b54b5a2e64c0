package io.anneal.store;

import io.anneal.fragment.Row;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/** The cells of one write, in any order until they are put into a row. One thread. */
final class CellDrafts {
    private enum Kind {
        /** Sorts first among the drafts of its column. */
        COMPLEX_DELETION,
        TOMBSTONE,
        VALUE
    }

    /** Which elements of a list a write means. */
    private enum Place {
        INDEX,
        VALUE,
        /** A new one in front of those there are. */
        START,
        /** A new one after those there are. */
        END;

        boolean isNew() {
            return this == START || this == END;
        }
    }

    /**
     * A write to elements of a list whose paths are known when the write ends: by then it has its timestamp, and the list is
     * read where it must be.
     *
     * @param index of an element, by {@link Place#INDEX}
     * @param value by {@link Place#VALUE} that of the elements, else the new one; null deletes
     */
    private record Pending(Column column, Place place, int index, byte[] value) {}

    /** Reads a list. */
    interface ListSource {
        List<ListElement> elements(Column column) throws IOException;
    }

    /** @param path null in a simple column, and of the deletion of all */
    private record Draft(Column column, Kind kind, byte[] path, byte[] value, boolean before) {}

    /** From the epoch of time UUIDs, 15 October 1582, to that of Unix, in ticks of 100 ns. */
    private static final long UUID_EPOCH_TICKS = 0x01B21DD213814000L;

    /**
     * The start of 2010, of which Cassandra mirrors the time of what is prepended to a list: the later it comes, the earlier
     * its path.
     */
    private static final long PREPEND_MIRROR_MICROS = 1_262_304_000_000_000L;

    private static final long UUID_VERSION_1 = 0x1000L;
    private static final int TICKS_PER_MICRO = 10;
    /** Variant bits, and every byte the least in the signed order in which time UUIDs are compared. */
    private static final long LEAST_NODE = 0x8080808080808080L;

    private static final long NODE_MASK = 0x0000FFFFFFFFFFFFL;

    private final List<Draft> drafts = new ArrayList<>();
    private final List<Pending> pending = new ArrayList<>();
    /** Numbers list elements, so that no two of a writer have one path. */
    private final LongSupplier elementNumbers;

    private final WriteTime time;
    /** Of which kinds columns were written to, even if that comes to nothing. */
    private final Set<Column.Kind> namedKinds = EnumSet.noneOf(Column.Kind.class);

    CellDrafts(LongSupplier elementNumbers, WriteTime time) {
        this.elementNumbers = elementNumbers;
        this.time = time;
    }

    /** Whether no column was written to. */
    boolean namesNone() {
        return namedKinds.isEmpty();
    }

    /** Whether a column of the kind was written to, whatever that comes to: none of this depends on what a list holds. */
    boolean names(Column.Kind kind) {
        return namedKinds.contains(kind);
    }

    /** Whether there are cells of the kind, once elements of lists are {@linkplain #resolve resolved}. */
    boolean hasCells(Column.Kind kind) {
        for (Draft draft : drafts) {
            if (draft.column().kind() == kind) {
                return true;
            }
        }
        return false;
    }

    /** A value in place of whatever was there; null deletes. */
    void set(Column column, Object value) {
        if (value == null) {
            delete(column);
        } else if (column.isComplex()) {
            if (column.type().kind() == CqlType.Kind.MAP) {
                requireNoNull(column, expect(column, Map.class, value));
            }
            drafts.add(new Draft(column, Kind.COMPLEX_DELETION, null, null, true));
            addAll(column, value);
        } else {
            addOnce(new Draft(column, Kind.VALUE, null, KeyBuilder.bytes(column, column.type(), value), false));
        }
        namedKinds.add(column.kind());
    }

    /** An entry without a value would be missing from what was assigned, without a word. */
    private static void requireNoNull(Column column, Map<?, ?> entries) {
        for (Map.Entry<?, ?> entry : entries.entrySet()) {
            if (entry.getValue() == null) {
                throw new IllegalArgumentException("null where a value has to be, type="
                        + column.type().cqlName() + ", key=" + entry.getKey() + ", column=" + column.name());
            }
        }
    }

    void shard(Column column, byte[] context) {
        addOnce(new Draft(column, Kind.VALUE, null, context, false));
        namedKinds.add(column.kind());
    }

    private void addOnce(Draft draft) {
        for (Draft known : drafts) {
            // Columns are the schema's own objects.
            if (known.column() == draft.column()) {
                throw new IllegalArgumentException(
                        "column is set twice, column=" + draft.column().name());
            }
        }
        drafts.add(draft);
    }

    /** Deletes the cell, or all cells of a collection. */
    void delete(Column column) {
        if (column.isComplex()) {
            drafts.add(new Draft(column, Kind.COMPLEX_DELETION, null, null, false));
        } else {
            addOnce(new Draft(column, Kind.TOMBSTONE, null, null, false));
        }
        namedKinds.add(column.kind());
    }

    /** Adds elements to a collection or fields to a user-defined type; null in a map or type deletes the one. */
    void addAll(Column column, Object values) {
        requireComplex(column);
        switch (column.type().kind()) {
            case LIST -> {
                for (Object element : expect(column, Collection.class, values)) {
                    addElement(column, Place.END, element);
                }
            }
            case SET -> {
                for (Object element : expect(column, Collection.class, values)) {
                    byte[] path = KeyBuilder.bytes(column, column.type().pathType(), element);
                    drafts.add(new Draft(column, Kind.VALUE, path, new byte[0], false));
                }
            }
            default -> {
                Map<?, ?> entries = expect(column, Map.class, values);
                for (Map.Entry<?, ?> entry : entries.entrySet()) {
                    byte[] path = path(column, entry.getKey());
                    drafts.add(
                            entry.getValue() == null
                                    ? new Draft(column, Kind.TOMBSTONE, path, null, false)
                                    : value(column, path, entry.getValue()));
                }
            }
        }
        namedKinds.add(column.kind());
    }

    private static <T> T expect(Column column, Class<T> javaClass, Object value) {
        if (!javaClass.isInstance(value)) {
            throw new IllegalArgumentException("Java value does not fit its type, type="
                    + column.type().cqlName() + ", expected=" + javaClass.getSimpleName() + ", found="
                    + (value == null ? "null" : value.getClass().getName()) + ", column=" + column.name());
        }
        return javaClass.cast(value);
    }

    private static void requireComplex(Column column) {
        if (!column.isComplex()) {
            throw new IllegalArgumentException("column holds one value, which can only be set as a whole, column="
                    + column.name() + ", type=" + column.type().cqlName());
        }
    }

    private Draft value(Column column, byte[] path, Object value) {
        CqlType type = column.type().cellType(path, 0, path.length);
        return new Draft(column, Kind.VALUE, path, KeyBuilder.bytes(column, type, value), false);
    }

    /** Adds elements at the start of a list, in their order. */
    void prepend(Column column, Object values) {
        requireList(column);
        Collection<?> given = expect(column, Collection.class, values);
        List<Object> elements = new ArrayList<>(given);
        // The one that is numbered last comes first.
        Collections.reverse(elements);
        for (Object element : elements) {
            addElement(column, Place.START, element);
        }
        namedKinds.add(column.kind());
    }

    private void addElement(Column column, Place place, Object element) {
        pending.add(new Pending(
                column, place, 0, KeyBuilder.bytes(column, column.type().cellType(), element)));
    }

    /** Puts a value in the place of a list's element, or deletes that. */
    void setAt(Column column, int index, Object value) {
        requireList(column);
        CqlType type = column.type().cellType();
        pending.add(
                new Pending(column, Place.INDEX, index, value == null ? null : KeyBuilder.bytes(column, type, value)));
        namedKinds.add(column.kind());
    }

    /** Gives elements of lists their paths, those that are there already by reading the list; before the first {@link #fill}. */
    void resolve(ListSource source) throws IOException {
        Map<Column, List<ListElement>> lists = new LinkedHashMap<>();
        for (Pending write : pending) {
            if (!write.place().isNew() && !lists.containsKey(write.column())) {
                requireNotWhole(write.column());
                lists.put(write.column(), source.elements(write.column()));
            }
        }
        // By place first: what is set there is not removed by its old value.
        pending.sort(Comparator.comparing(Pending::place));
        for (Pending write : pending) {
            List<ListElement> elements = lists.get(write.column());
            switch (write.place()) {
                case INDEX -> drafts.add(at(write, elements));
                case VALUE -> {
                    for (ListElement element : elements) {
                        if (Arrays.equals(element.value(), write.value())) {
                            addRemoval(write.column(), element.path());
                        }
                    }
                }
                case START -> drafts.add(added(write, prependedPath(write.column())));
                case END -> drafts.add(added(write, listPath()));
            }
        }
        pending.clear();
    }

    /** An assignment would delete what is read here, and the write by place bring it back. */
    private void requireNotWhole(Column column) {
        for (Draft draft : drafts) {
            if (draft.column() == column && draft.kind() == Kind.COMPLEX_DELETION) {
                throw new IllegalArgumentException(
                        "list is written as a whole and by its elements in one write, column=" + column.name());
            }
        }
    }

    private static Draft added(Pending write, byte[] path) {
        return new Draft(write.column(), Kind.VALUE, path, write.value(), false);
    }

    private static Draft at(Pending write, List<ListElement> elements) {
        if (write.index() < 0 || write.index() >= elements.size()) {
            throw new IllegalArgumentException("list has no such element, column="
                    + write.column().name() + ", index=" + write.index() + ", size=" + elements.size());
        }
        byte[] path = elements.get(write.index()).path();
        return new Draft(
                write.column(), write.value() == null ? Kind.TOMBSTONE : Kind.VALUE, path, write.value(), false);
    }

    /** What is set by its place in the same write stays, and what goes goes once. */
    private void addRemoval(Column column, byte[] path) {
        boolean isDrafted =
                drafts.stream().anyMatch(draft -> draft.column() == column && Arrays.equals(draft.path(), path));
        if (!isDrafted) {
            drafts.add(new Draft(column, Kind.TOMBSTONE, path, null, false));
        }
    }

    private static void requireList(Column column) {
        requireComplex(column);
        if (column.type().kind() != CqlType.Kind.LIST) {
            throw new IllegalArgumentException("column is no list, column=" + column.name() + ", type="
                    + column.type().cqlName());
        }
    }

    /** Deletes one element of a set, entry of a map or field of a user-defined type, or elements of a list by value. */
    void remove(Column column, Object element) {
        requireComplex(column);
        if (column.type().kind() == CqlType.Kind.LIST) {
            CqlType type = column.type().cellType();
            pending.add(new Pending(column, Place.VALUE, 0, KeyBuilder.bytes(column, type, element)));
        } else {
            drafts.add(new Draft(column, Kind.TOMBSTONE, path(column, element), null, false));
        }
        namedKinds.add(column.kind());
    }

    private static byte[] path(Column column, Object element) {
        if (column.type().kind() != CqlType.Kind.USER_TYPE) {
            return KeyBuilder.bytes(column, column.type().pathType(), element);
        }
        int index = column.type().fieldNames().indexOf(element);
        if (index < 0) {
            throw new IllegalArgumentException(
                    "user-defined type has no such field, field=" + element + ", column=" + column.name());
        }
        return ByteBuffer.allocate(Short.BYTES).putShort((short) index).array();
    }

    /** A time UUID that ascends with the timestamp, then with the element's number. */
    private byte[] listPath() {
        return timeUuid(time.timestampMicros(), elementNumbers.getAsLong());
    }

    /** The same, descending. */
    private byte[] prependedPath(Column column) {
        long micros = time.timestampMicros();
        if (micros < PREPEND_MIRROR_MICROS) {
            throw new IllegalArgumentException(
                    "elements are prepended at times from 2010 on, else they would not come first, column="
                            + column.name() + ", timestampMicros=" + micros);
        }
        return timeUuid(2 * PREPEND_MIRROR_MICROS - micros, ~elementNumbers.getAsLong());
    }

    private static byte[] timeUuid(long micros, long number) {
        long ticks = micros * TICKS_PER_MICRO + UUID_EPOCH_TICKS;
        long high = ticks << 32 | (ticks >>> 16 & 0xFFFF0000L) | UUID_VERSION_1 | ticks >>> 48 & 0xFFF;
        long low = LEAST_NODE ^ number & NODE_MASK;
        return ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array();
    }

    /** Appends the cells of one kind of column to a row, in canonical order. */
    void fill(Row row, Column.Kind kind) {
        long micros = time.timestampMicros();
        long localSeconds = time.localTimeSeconds();
        drafts.sort(CellDrafts::compare);
        Draft previous = null;
        for (Draft draft : drafts) {
            if (draft.column().kind() != kind) {
                continue;
            }
            if (previous != null && compare(previous, draft) == 0) {
                throw new IllegalArgumentException(
                        "element is written twice, column=" + draft.column().name());
            }
            previous = draft;
            int index = draft.column().index();
            switch (draft.kind()) {
                // What an assignment of a whole collection replaces is older than the assignment, as in CQL.
                case COMPLEX_DELETION ->
                    row.addComplexDeletion(index, draft.before() ? micros - 1 : micros, localSeconds);
                case TOMBSTONE -> row.addCell(index, micros, Row.NO_TTL, localSeconds);
                case VALUE -> {
                    row.addCell(index, micros, time.ttlSeconds(), time.expirySeconds());
                    row.value(draft.value(), 0, draft.value().length);
                }
            }
            if (draft.path() != null) {
                row.path(draft.path(), 0, draft.path().length);
            }
        }
    }

    /** Canonical order, kind by kind of column. */
    private static int compare(Draft left, Draft right) {
        if (left.column() != right.column()) {
            int byKind = left.column().kind().compareTo(right.column().kind());
            return byKind != 0
                    ? byKind
                    : Integer.compare(left.column().index(), right.column().index());
        }
        int byKind = Boolean.compare(left.kind() != Kind.COMPLEX_DELETION, right.kind() != Kind.COMPLEX_DELETION);
        return byKind != 0 ? byKind : comparePaths(left, right);
    }

    private static int comparePaths(Draft left, Draft right) {
        if (left.path() == null || right.path() == null) {
            return Boolean.compare(left.path() != null, right.path() != null);
        }
        return left.column()
                .type()
                .pathType()
                .compare(left.path(), 0, left.path().length, right.path(), 0, right.path().length);
    }
}
