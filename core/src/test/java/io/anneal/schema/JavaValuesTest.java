package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class JavaValuesTest {
    private static final UUID TIME = UUID.fromString("50554d6e-29bb-11e5-b345-feff819cdc9f");

    private static void assertRoundTrip(CqlType type, Object value, String hex) {
        byte[] bytes = JavaValues.toBytes(type, value);
        assertThat(HexFormat.of().formatHex(bytes)).as(type.cqlName()).isEqualTo(hex);
        assertThat(JavaValues.fromBytes(type, bytes, 0, bytes.length))
                .as(type.cqlName())
                .isEqualTo(value);
    }

    @Test
    void shouldKeepNativeValues() throws UnknownHostException {
        assertRoundTrip(CqlTypes.TEXT, "zoé", "7a6fc3a9");
        assertRoundTrip(CqlTypes.ASCII, "zoe", "7a6f65");
        assertRoundTrip(CqlTypes.TINYINT, (byte) -2, "fe");
        assertRoundTrip(CqlTypes.SMALLINT, (short) 258, "0102");
        assertRoundTrip(CqlTypes.INT, -7, "fffffff9");
        assertRoundTrip(CqlTypes.BIGINT, 1L << 40, "0000010000000000");
        assertRoundTrip(CqlTypes.VARINT, new BigInteger("300"), "012c");
        assertRoundTrip(CqlTypes.DECIMAL, new BigDecimal("3.00"), "00000002012c");
        assertRoundTrip(CqlTypes.FLOAT, 1.5f, "3fc00000");
        assertRoundTrip(CqlTypes.DOUBLE, -0.25, "bfd0000000000000");
        assertRoundTrip(CqlTypes.BOOLEAN, true, "01");
        assertRoundTrip(CqlTypes.BLOB, ByteBuffer.wrap(new byte[] {1, 2}), "0102");
        assertRoundTrip(CqlTypes.TIMESTAMP, Instant.ofEpochMilli(-1), "ffffffffffffffff");
        assertRoundTrip(CqlTypes.DATE, LocalDate.of(1970, 1, 2), "80000001");
        assertRoundTrip(CqlTypes.TIME, LocalTime.of(0, 0, 1), "000000003b9aca00");
        assertRoundTrip(CqlTypes.DURATION, new CqlDuration(1, 2, 3), "020406");
        assertRoundTrip(CqlTypes.UUID, TIME, "50554d6e29bb11e5b345feff819cdc9f");
        assertRoundTrip(CqlTypes.TIMEUUID, TIME, "50554d6e29bb11e5b345feff819cdc9f");
        assertRoundTrip(CqlTypes.INET, InetAddress.getByName("127.0.0.1"), "7f000001");
        assertRoundTrip(CqlTypes.reversed(CqlTypes.INT), 7, "00000007");
    }

    @Test
    void shouldKeepCollectionsTuplesAndVectors() {
        assertRoundTrip(CqlTypes.list(CqlTypes.INT), List.of(2, 1), "00000002000000040000000200000004" + "00000001");
        assertRoundTrip(CqlTypes.vector(CqlTypes.FLOAT, 2), List.of(1f, 2f), "3f80000040000000");
        assertRoundTrip(CqlTypes.vector(CqlTypes.TEXT, 2), List.of("a", ""), "016100");
        assertRoundTrip(
                CqlTypes.tuple(List.of(CqlTypes.INT, CqlTypes.TEXT)), Arrays.asList(null, "a"), "ffffffff0000000161");
        CqlType user =
                CqlTypes.userType("ks", "u", List.of("a", "b"), List.of(CqlTypes.INT, CqlTypes.list(CqlTypes.INT)));
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("a", 1);
        fields.put("b", null);
        assertRoundTrip(user, fields, "0000000400000001ffffffff");
    }

    @Test
    void shouldSortSetsAndMapsByTheirType() {
        byte[] set = JavaValues.toBytes(CqlTypes.set(CqlTypes.INT), List.of(2, -1, 2));
        assertThat(HexFormat.of().formatHex(set)).isEqualTo("0000000200000004ffffffff0000000400000002");
        assertThat(JavaValues.fromBytes(CqlTypes.set(CqlTypes.INT), set, 0, set.length))
                .isEqualTo(Set.of(2, -1));
        byte[] map = JavaValues.toBytes(CqlTypes.map(CqlTypes.INT, CqlTypes.TEXT), Map.of(2, "b", -1, "a"));
        assertThat(JavaValues.fromBytes(CqlTypes.map(CqlTypes.INT, CqlTypes.TEXT), map, 0, map.length))
                .hasToString("{-1=a, 2=b}");
    }

    @Test
    void shouldTakeNumbersThatFit() {
        assertThat(JavaValues.toBytes(CqlTypes.BIGINT, 1)).hasSize(8);
        assertThat(JavaValues.toBytes(CqlTypes.TINYINT, 127L)).containsExactly(127);
        assertThat(JavaValues.toBytes(CqlTypes.DOUBLE, 3)).hasSize(8);
        assertThat(JavaValues.toBytes(CqlTypes.FLOAT, 0.5)).hasSize(4);
        assertThat(JavaValues.toBytes(CqlTypes.DECIMAL, 3L)).containsExactly(0, 0, 0, 0, 3);
        assertThat(JavaValues.toBytes(CqlTypes.vector(CqlTypes.FLOAT, 1), new float[] {1f}))
                .hasSize(4);
        assertThat(JavaValues.toBytes(CqlTypes.BLOB, new byte[] {9})).containsExactly(9);
    }

    @Test
    void shouldRefuseWhatDoesNotFit() {
        assertMisfit(CqlTypes.INT, "7", "type=int", "java.lang.String");
        assertMisfit(CqlTypes.TINYINT, 128, "number=128");
        assertMisfit(CqlTypes.FLOAT, 0.1, "type=float");
        assertMisfit(CqlTypes.DOUBLE, Long.MAX_VALUE, "type=double");
        assertMisfit(CqlTypes.ASCII, "é", "type=ascii");
        assertMisfit(CqlTypes.TIMEUUID, new UUID(1, 1), "type=timeuuid");
        assertMisfit(CqlTypes.COUNTER, 5L, "counter");
        assertMisfit(CqlTypes.vector(CqlTypes.FLOAT, 2), List.of(1f), "elements=1");
        assertMisfit(CqlTypes.list(CqlTypes.INT), Arrays.asList(1, null), "null");
        assertMisfit(CqlTypes.tuple(List.of(CqlTypes.INT)), List.of(1, 2), "values=2");
        assertMisfit(CqlTypes.TEXT, "\ud800x", "type=text");
        assertMisfit(CqlTypes.list(CqlTypes.TEXT), List.of("x\udc00"), "type=list<text>");
        assertMisfit(CqlTypes.ASCII, "\ud800x", "type=ascii");
        assertMisfit(CqlTypes.DECIMAL, 1.5, "expected=BigDecimal or an integral number");
        assertMisfit(CqlTypes.userType("ks", "u", List.of("a"), List.of(CqlTypes.INT)), Map.of("b", 1), "field=b");
    }

    private static void assertMisfit(CqlType type, Object value, String... facts) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JavaValues.toBytes(type, value))
                .withMessageContainingAll(facts);
    }

    @Test
    void shouldReadEmptyValuesAsNullWhereJavaHasNone() {
        assertThat(JavaValues.fromBytes(CqlTypes.INT, new byte[0], 0, 0)).isNull();
        assertThat(JavaValues.fromBytes(CqlTypes.TEXT, new byte[0], 0, 0)).isEqualTo("");
    }

    @Test
    void shouldAddUpTheShardsOfACounter() {
        byte[] context = CounterContext.global(new UUID(1, 2), 3, 42);
        CqlTypes.COUNTER.validate(context, 0, context.length);
        assertThat(JavaValues.fromBytes(CqlTypes.COUNTER, context, 0, context.length))
                .isEqualTo(42L);
    }
}
