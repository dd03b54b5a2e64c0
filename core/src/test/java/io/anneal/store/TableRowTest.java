package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.schema.CqlDuration;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TableRowTest {
    private static final UUID TIME = UUID.fromString("50554d6e-29bb-11e5-b345-feff819cdc9f");
    /** Getters by the CQL types that they are for, with a value of each. */
    private static final Map<String, Object> SCALARS = new LinkedHashMap<>();

    private static final Map<String, Set<String>> TYPES_OF_GETTERS = Map.ofEntries(
            Map.entry("getString", Set.of("ascii", "text")),
            Map.entry("getBoolean", Set.of("boolean")),
            Map.entry("getByte", Set.of("tinyint")),
            Map.entry("getShort", Set.of("smallint")),
            Map.entry("getInt", Set.of("int")),
            Map.entry("getLong", Set.of("bigint")),
            Map.entry("getBigInteger", Set.of("varint")),
            Map.entry("getFloat", Set.of("float")),
            Map.entry("getDouble", Set.of("double")),
            Map.entry("getBigDecimal", Set.of("decimal")),
            Map.entry("getBytes", Set.of("blob")),
            Map.entry("getByteBuffer", Set.of("blob")),
            Map.entry("getInstant", Set.of("timestamp")),
            Map.entry("getLocalDate", Set.of("date")),
            Map.entry("getLocalTime", Set.of("time")),
            Map.entry("getCqlDuration", Set.of("duration")),
            Map.entry("getUuid", Set.of("uuid", "timeuuid")),
            Map.entry("getInetAddress", Set.of("inet")));

    static {
        SCALARS.put("ascii", "a");
        SCALARS.put("text", "b");
        SCALARS.put("boolean", true);
        SCALARS.put("tinyint", (byte) 1);
        SCALARS.put("smallint", (short) 2);
        SCALARS.put("int", 3);
        SCALARS.put("bigint", 4L);
        SCALARS.put("varint", BigInteger.TEN);
        SCALARS.put("float", 1.5f);
        SCALARS.put("double", 2.5);
        SCALARS.put("decimal", new BigDecimal("1.20"));
        SCALARS.put("blob", bytes(1, 2, 3));
        SCALARS.put("timestamp", Instant.ofEpochMilli(5));
        SCALARS.put("date", LocalDate.of(2020, 1, 2));
        SCALARS.put("time", LocalTime.of(1, 2));
        SCALARS.put("duration", new CqlDuration(1, 2, 3));
        SCALARS.put("uuid", new UUID(1, 2));
        SCALARS.put("timeuuid", TIME);
        SCALARS.put("inet", InetAddress.getLoopbackAddress());
    }

    @TempDir
    private Path directory;

    private Store store;

    @BeforeEach
    void openStore() throws IOException {
        store = Store.open(directory);
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    private static ByteBuffer bytes(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(values.length);
        for (int value : values) {
            buffer.put((byte) value);
        }
        return buffer.flip();
    }

    private Table scalars() throws IOException {
        StringBuilder columns = new StringBuilder();
        SCALARS.keySet()
                .forEach(type -> columns.append(", v_").append(type).append(' ').append(type));
        return store.createTable("CREATE TABLE ks.scalars (k int PRIMARY KEY" + columns + ", l list<int>)");
    }

    private TableRow scalarRow() throws IOException {
        Table table = scalars();
        RowBuilder row = table.row().key("k", 1).set("l", List.of(1));
        SCALARS.forEach((type, value) -> row.set("v_" + type, value));
        row.insert();
        return table.row(Map.of("k", 1)).orElseThrow();
    }

    private static Object got(TableRow row, String getter, String column) throws ReflectiveOperationException {
        Method method = TableRow.class.getMethod(getter, String.class);
        try {
            return method.invoke(row, column);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    @Test
    void shouldGiveEachTypeByItsGetterAndNoOther() throws Exception {
        TableRow row = scalarRow();
        for (Map.Entry<String, Set<String>> getter : TYPES_OF_GETTERS.entrySet()) {
            for (Map.Entry<String, Object> scalar : SCALARS.entrySet()) {
                String column = "v_" + scalar.getKey();
                if (!getter.getValue().contains(scalar.getKey())) {
                    assertThatExceptionOfType(ClassCastException.class)
                            .as(getter + " of " + column)
                            .isThrownBy(() -> got(row, getter.getKey(), column))
                            .withMessageContaining("table=ks.scalars, column=" + column + ", type=" + scalar.getKey())
                            .withMessageContaining("asked=");
                } else if (getter.getKey().equals("getBytes")) {
                    assertThat(row.getBytes(column)).containsExactly(1, 2, 3);
                } else {
                    assertThat(got(row, getter.getKey(), column)).as(column).isEqualTo(scalar.getValue());
                }
            }
        }
        assertThatExceptionOfType(ClassCastException.class)
                .isThrownBy(() -> row.getInt("v_bigint"))
                .withMessage("column is of another type, table=ks.scalars, column=v_bigint, type=bigint, class=Long,"
                        + " asked=Integer");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> row.getInt("v_integer"))
                .withMessageContaining("table=ks.scalars, column=v_integer");
    }

    @Test
    void shouldSayWhereThereIsNoValueAndRefuseAnotherTypeAllTheSame() throws Exception {
        Table table = scalars();
        table.row().key("k", 1).insert();
        TableRow row = table.row(Map.of("k", 1)).orElseThrow();
        for (Map.Entry<String, Set<String>> getter : TYPES_OF_GETTERS.entrySet()) {
            Method method = TableRow.class.getMethod(getter.getKey(), String.class);
            for (String type : SCALARS.keySet()) {
                String column = "v_" + type;
                if (!getter.getValue().contains(type)) {
                    assertThatExceptionOfType(ClassCastException.class)
                            .isThrownBy(() -> got(row, getter.getKey(), column));
                } else if (method.getReturnType().isPrimitive()) {
                    assertThatIllegalStateException()
                            .isThrownBy(() -> got(row, getter.getKey(), column))
                            .withMessage("column has no value, table=ks.scalars, column=" + column + ", type=" + type);
                } else {
                    assertThat(got(row, getter.getKey(), column)).isNull();
                }
            }
        }
        assertThat(row.isNull("v_int")).isTrue();
        assertThat(row.isNull("k")).isFalse();
        assertThat(row.getList("l", Integer.class)).isNull();
        assertThat(row.value("v_int", Integer.class)).isNull();
        assertThatExceptionOfType(ClassCastException.class)
                .isThrownBy(() -> row.value("v_int", String.class))
                .withMessageContaining("column=v_int, type=int");
    }

    @Test
    void shouldGiveCollectionsOfAClass() throws IOException {
        Table table = store.createTable("CREATE TABLE ks.c (k int PRIMARY KEY, l list<int>, s set<text>,"
                + " m map<text, bigint>, v vector<float, 2>, f frozen<list<int>>, t tuple<int, text>)");
        table.row()
                .key("k", 1)
                .set("l", List.of(2, 1))
                .set("s", Set.of("b", "a"))
                .set("m", Map.of("x", 7L))
                .set("v", List.of(1f, 2f))
                .set("f", List.of(3))
                .set("t", Arrays.asList(null, "z"))
                .insert();
        TableRow row = table.row(Map.of("k", 1)).orElseThrow();
        assertThat(row.getList("l", Integer.class)).containsExactly(2, 1);
        assertThat(row.getList("l", Number.class)).containsExactly(2, 1);
        assertThat(row.getList("f", Integer.class)).containsExactly(3);
        assertThat(row.getList("v", Float.class)).containsExactly(1f, 2f);
        assertThat(row.getSet("s", String.class)).containsExactly("a", "b");
        assertThat(row.getMap("m", String.class, Long.class)).containsEntry("x", 7L);
        assertThat((Object) row.value("t", List.class)).isEqualTo(Arrays.asList(null, "z"));
        assertThatExceptionOfType(ClassCastException.class)
                .isThrownBy(() -> row.getList("l", Long.class))
                .withMessageContaining("column=l, type=list<int>, class=List, asked=List<Long>");
        assertThatExceptionOfType(ClassCastException.class).isThrownBy(() -> row.getSet("l", Integer.class));
        assertThatExceptionOfType(ClassCastException.class).isThrownBy(() -> row.getList("t", Integer.class));
        assertThatExceptionOfType(ClassCastException.class)
                .isThrownBy(() -> row.getMap("m", String.class, Integer.class))
                .withMessageContaining("asked=Map<String, Integer>");
    }

    /** All of a value, as a reader empties each buffer in it. */
    private static List<Object> drained(Object value) {
        List<Object> found = new ArrayList<>();
        if (value instanceof ByteBuffer buffer) {
            List<Byte> read = new ArrayList<>();
            while (buffer.hasRemaining()) {
                read.add(buffer.get());
            }
            found.add(read);
        } else if (value instanceof Map<?, ?> map) {
            map.entrySet().forEach(entry -> {
                found.add(drained(entry.getKey()));
                found.add(drained(entry.getValue()));
            });
            map.keySet().forEach(key -> found.add(drained(key)));
            map.values().forEach(part -> found.add(drained(part)));
            map.keySet().forEach(key -> found.add(drained(map.get(key))));
        } else if (value instanceof Collection<?> elements) {
            elements.forEach(element -> found.add(drained(element)));
            elements.stream().forEach(element -> found.add(drained(element)));
        } else {
            found.add(value);
        }
        return found;
    }

    @Test
    void shouldKeepItsBlobsWhoeverHasReadThem() throws IOException {
        Table table =
                store.createTable("CREATE TYPE ks.u (name text, face blob); CREATE TABLE ks.blobs (k blob, c blob,"
                        + " s blob static, b blob, l list<blob>, st set<blob>, m map<blob, blob>, ff frozen<list<frozen<list<blob>>>>,"
                        + " t tuple<int, blob>, o u, fo frozen<u>, v vector<blob, 2>, PRIMARY KEY (k, c))");
        for (int c = 1; c <= 2; c++) {
            table.row()
                    .key("k", bytes(1, 2))
                    .clustering("c", bytes(c))
                    .set("s", bytes(3, 4))
                    .set("b", bytes(5, 6))
                    .set("l", List.of(bytes(7), bytes(8, 9)))
                    .set("st", Set.of(bytes(10), bytes(11)))
                    .set("m", Map.of(bytes(12), bytes(13, 14)))
                    .set("ff", List.of(List.of(bytes(15), bytes(16))))
                    .set("t", List.of(1, bytes(17)))
                    .set("o", Map.of("name", "x", "face", bytes(18)))
                    .set("fo", Map.of("name", "y", "face", bytes(19)))
                    .set("v", List.of(bytes(20), bytes(21)))
                    .insert();
        }
        try (TableRows rows = table.partition(bytes(1, 2))) {
            TableRow row = rows.next();
            TableRow unread = table.row(Map.of("k", bytes(1, 2), "c", bytes(1))).orElseThrow();
            int hash = unread.hashCode();
            Map<String, Object> values = row.values();
            for (String column : values.keySet()) {
                Object value = row.value(column);
                List<Object> first = drained(value);
                assertThat(first.toString()).as(column).matches(".*\\d.*");
                if (!(value instanceof ByteBuffer)) {
                    assertThat(drained(value)).as("the same %s again", column).isEqualTo(first);
                }
                assertThat(drained(row.value(column))).as("%s again", column).isEqualTo(first);
                assertThat(drained(values.get(column))).as("%s of all", column).isEqualTo(first);
            }
            assertThat(drained(values)).isEqualTo(drained(values));
            assertThat(row.getBytes("b")).containsExactly(5, 6);
            row.getByteBuffer("b").get();
            assertThat(row.getByteBuffer("b").remaining()).isEqualTo(2);
            assertThat(row).isEqualTo(unread).hasToString(unread.toString());
            assertThat(row.hashCode()).isEqualTo(hash);
            TableRow second = rows.next();
            assertThat(second.getBytes("k")).containsExactly(1, 2);
            assertThat(second.getBytes("s")).containsExactly(3, 4);
            assertThat(second).isNotEqualTo(row);
            assertThatThrownBy(() -> row.getByteBuffer("b").put((byte) 1)).isInstanceOf(ReadOnlyBufferException.class);
            assertThatThrownBy(() -> row.getList("l", ByteBuffer.class).remove(0))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() ->
                            row.getMap("m", ByteBuffer.class, ByteBuffer.class).clear())
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> row.values().put("b", 1)).isInstanceOf(UnsupportedOperationException.class);
            assertThat(row.getSet("st", ByteBuffer.class)).contains(bytes(10));
            assertThat(row.getMap("m", ByteBuffer.class, ByteBuffer.class)).containsKey(bytes(12));
        }
    }

    @Test
    void shouldBeEqualByValuesAndShowBlobsAsDigits() throws IOException {
        Table table = store.createTable(
                "CREATE TABLE ks.p (k int PRIMARY KEY, b blob, l list<blob>, m map<text, int>, n text)");
        table.row()
                .key("k", 1)
                .set("b", bytes(1, 255))
                .set("l", List.of(bytes(2)))
                .set("m", Map.of("x", 1))
                .insert();
        TableRow before = table.row(Map.of("k", 1)).orElseThrow();
        assertThat(before).hasToString("{k=1, b=0x01ff, n=null, l=[0x02], m={x=1}}");
        table.row().key("k", 1).set("b", bytes(1, 255)).ttlSeconds(1000).update();
        TableRow later = table.row(Map.of("k", 1)).orElseThrow();
        assertThat(later).isEqualTo(before).hasSameHashCodeAs(before);
        assertThat(Set.of(before)).contains(later);
        table.row().key("k", 1).set("n", "").update();
        assertThat(table.row(Map.of("k", 1)).orElseThrow()).isNotEqualTo(before);
        assertThat(before).isNotEqualTo(before.values());
        table.row().key("k", 2).set("b", new byte[100]).insert();
        assertThat(table.row(Map.of("k", 2)).orElseThrow().toString())
                .contains("b=0x" + "00".repeat(64) + "... (100 bytes)");
    }
}
