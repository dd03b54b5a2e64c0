package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every type against what Cassandra's own types say of the same bytes: see the head of type-vectors.tsv. */
class TypeVectorsTest {
    private static final int NO_ORDER = -2;
    private static final int INVALID = -1;

    record Value(byte[] bytes, int rank, String json, String text) {}

    record Vectors(String className, String cqlName, int fixedLengthBytes, List<Value> values) {
        CqlType type() {
            return TypeParser.parse(className);
        }

        @Override
        public String toString() {
            return className.replace("org.apache.cassandra.db.marshal.", "");
        }
    }

    static Stream<Vectors> vectors() throws IOException {
        List<Vectors> all = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                TypeVectorsTest.class.getResourceAsStream("type-vectors.tsv"), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] fields = line.split("\t", -1);
                if (fields[0].equals("type")) {
                    all.add(new Vectors(fields[1], fields[2], Integer.parseInt(fields[3]), new ArrayList<>()));
                } else if (fields[0].equals("value")) {
                    int rank = fields[2].equals("-")
                            ? INVALID
                            : fields[2].equals("?") ? NO_ORDER : Integer.parseInt(fields[2]);
                    all.get(all.size() - 1)
                            .values()
                            .add(new Value(
                                    HexFormat.of().parseHex(fields[1]),
                                    rank,
                                    unescape(fields[3]),
                                    unescape(fields[4])));
                }
            }
        }
        assertThat(all).hasSize(39);
        return all.stream();
    }

    /** The text behind the equals sign; null where Cassandra throws. */
    private static String unescape(String field) {
        if (field.equals("!")) {
            return null;
        }
        StringBuilder out = new StringBuilder();
        for (int i = 1; i < field.length(); i++) {
            if (field.charAt(i) != '\\') {
                out.append(field.charAt(i));
            } else if (field.charAt(i + 1) == '\\') {
                out.append('\\');
                i++;
            } else {
                out.append((char) Integer.parseInt(field.substring(i + 2, i + 6), 16));
                i += 5;
            }
        }
        return out.toString();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void shouldHaveNamesAndLengthWhenParsedFromClassName(Vectors vectors) {
        CqlType type = vectors.type();

        assertThat(type.className()).isEqualTo(vectors.className());
        assertThat(type.cqlName()).isEqualTo(vectors.cqlName());
        assertThat(type.fixedLengthBytes()).isEqualTo(vectors.fixedLengthBytes());
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void shouldOrderValuesAsCassandraWhenTheyAreValid(Vectors vectors) {
        CqlType type = vectors.type();
        List<Value> ordered =
                vectors.values().stream().filter(v -> v.rank() >= 0).toList();

        for (Value left : ordered) {
            for (Value right : ordered) {
                assertThat(Integer.signum(compareEmbedded(type, left.bytes(), right.bytes())))
                        .as("%s and %s", hex(left), hex(right))
                        .isEqualTo(Integer.compare(left.rank(), right.rank()));
            }
        }
    }

    /** Compares with other bytes around the values, which must make no difference. */
    private static int compareEmbedded(CqlType type, byte[] left, byte[] right) {
        return type.compare(embed(left, 3), 3, left.length, embed(right, 5), 5, right.length);
    }

    private static byte[] embed(byte[] value, int offset) {
        byte[] array = new byte[offset + value.length + 9];
        Arrays.fill(array, (byte) 0x5A);
        System.arraycopy(value, 0, array, offset, value.length);
        return array;
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void shouldAcceptWhatCassandraAccepts(Vectors vectors) {
        CqlType type = vectors.type();

        for (Value value : vectors.values()) {
            byte[] array = embed(value.bytes(), 2);
            if (value.rank() == INVALID) {
                assertThatExceptionOfType(InvalidValueException.class)
                        .as(hex(value))
                        .isThrownBy(() -> type.validate(array, 2, value.bytes().length));
            } else {
                type.validate(array, 2, value.bytes().length);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void shouldPrintAsCassandraWhenValuesAreValid(Vectors vectors) {
        CqlType type = vectors.type();

        for (Value value : vectors.values()) {
            byte[] array = embed(value.bytes(), 2);
            if (value.rank() != INVALID && value.json() != null) {
                StringBuilder json = new StringBuilder();
                type.appendJson(array, 2, value.bytes().length, json);
                assertThat(json.toString()).as(hex(value)).isEqualTo(value.json());
            }
            if (value.rank() != INVALID && value.text() != null) {
                assertThat(type.toText(array, 2, value.bytes().length))
                        .as(hex(value))
                        .isEqualTo(value.text());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void shouldThrowNothingElseWhenBytesAreInvalid(Vectors vectors) {
        CqlType type = vectors.type();

        for (Value value : vectors.values()) {
            byte[] array = embed(value.bytes(), 2);
            int length = value.bytes().length;
            tolerateInvalid(() -> type.appendJson(array, 2, length, new StringBuilder()));
            tolerateInvalid(() -> type.toText(array, 2, length));
            for (Value other : vectors.values()) {
                tolerateInvalid(() -> type.compare(array, 2, length, other.bytes(), 0, other.bytes().length));
            }
        }
    }

    private static void tolerateInvalid(Runnable action) {
        try {
            action.run();
        } catch (InvalidValueException e) {
            assertThat(e.getMessage()).contains("type=");
        }
    }

    private static String hex(Value value) {
        return "0x" + HexFormat.of().formatHex(value.bytes());
    }
}
