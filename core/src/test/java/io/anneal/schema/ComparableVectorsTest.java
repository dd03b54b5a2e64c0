package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every type's byte-comparable translation against Cassandra's own: see the head of comparable-vectors.tsv. */
class ComparableVectorsTest {
    record Value(byte[] bytes, String comparable) {}

    record Vectors(String className, List<Value> values) {
        @Override
        public String toString() {
            return className.replace("org.apache.cassandra.db.marshal.", "");
        }
    }

    static Stream<Vectors> vectors() throws IOException {
        List<Vectors> all = new ArrayList<>();
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                ComparableVectorsTest.class.getResourceAsStream("comparable-vectors.tsv"), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] fields = line.split("\t", -1);
                if (fields[0].equals("type")) {
                    all.add(new Vectors(fields[1], new ArrayList<>()));
                } else if (fields[0].equals("value") && !fields[2].equals("!")) {
                    Value value = new Value(HexFormat.of().parseHex(fields[1]), fields[2]);
                    all.get(all.size() - 1).values().add(value);
                }
            }
        }
        assertThat(all).hasSize(39);
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void shouldTranslateAsCassandraDoes(Vectors vectors) {
        CqlType type = TypeParser.parse(vectors.className());
        for (Value value : vectors.values()) {
            if (value.bytes().length > 0 && !isValid(type, value.bytes())) {
                continue;
            }
            byte[] surrounded = new byte[value.bytes().length + 5];
            System.arraycopy(value.bytes(), 0, surrounded, 3, value.bytes().length);
            ByteWriter out = new ByteWriter(1);
            out.writeByte(7);

            boolean present = type.writeComparable(surrounded, 3, value.bytes().length, out);

            String expected = value.comparable().equals("-") ? "" : value.comparable();
            assertThat(HexFormat.of().formatHex(out.toByteArray()))
                    .as("value=%s", HexFormat.of().formatHex(value.bytes()))
                    .isEqualTo("07" + expected);
            assertThat(present).isEqualTo(!value.comparable().equals("-"));
        }
    }

    private static boolean isValid(CqlType type, byte[] value) {
        try {
            type.validate(value, 0, value.length);
            return true;
        } catch (InvalidValueException e) {
            return false;
        }
    }
}
