package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ColumnOrderTest {
    /** Of one, two, three and four bytes in UTF-8. */
    private static final String[] CHARACTERS = {"a", "b", "Z", "_", "\"", "\u0001", "\u007f", "é", "ß", "漢", "€", "😀"};

    private static final int LONG_PREFIX = 8;

    static IntStream seeds() {
        int first = Integer.getInteger("anneal.seed", 0);
        return IntStream.range(first, first + Integer.getInteger("anneal.seeds", 50));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldNumberColumnsAsCassandraDoes(int seed) {
        Random random = new Random(seed);
        List<String> names = new ArrayList<>(names(random));
        TableSchema.Builder builder = TableSchema.builder("ks", "t").partitionKey("the key", "int");
        List<String> simple = new ArrayList<>();
        List<String> complex = new ArrayList<>();
        for (String name : names) {
            boolean isComplex = random.nextBoolean();
            (isComplex ? complex : simple).add(name);
            builder.column(name, isComplex ? "set<int>" : "int");
        }
        TableSchema table = builder.build();

        List<String> expected = new ArrayList<>();
        for (List<String> part : List.of(simple, complex)) {
            part.sort(ColumnOrderTest::asCassandraCompares);
            expected.addAll(part);
        }
        assertThat(table.regularColumns()).extracting(Column::name).containsExactlyElementsOf(expected);
        assertThat(table.regularColumns())
                .extracting(Column::index)
                .containsExactlyElementsOf(
                        IntStream.range(0, names.size()).boxed().toList());
        List<String> former = new ArrayList<>();
        for (List<String> part : List.of(simple, complex)) {
            part.sort(Comparator.comparing(ColumnOrderTest::bytes, Arrays::compareUnsigned));
            former.addAll(part);
        }
        assertThat(table.inFormerOrder().regularColumns())
                .extracting(Column::name)
                .containsExactlyElementsOf(former);
        assertThat(table.isRenumbered()).isEqualTo(!former.equals(expected));
    }

    /** With a prefix in common, one a prefix of the other, shorter and longer than what is compared first. */
    private static Set<String> names(Random random) {
        Set<String> names = new LinkedHashSet<>();
        String shared = name(random, LONG_PREFIX);
        for (int i = 0; i < 12; i++) {
            String name = name(random, 1 + random.nextInt(10));
            names.add(name);
            names.add(shared + name);
            names.add(name.substring(0, name.offsetByCodePoints(0, 1)));
        }
        names.add(shared);
        return names;
    }

    private static String name(Random random, int characters) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < characters; i++) {
            name.append(CHARACTERS[random.nextInt(CHARACTERS.length)]);
        }
        return name.toString();
    }

    /**
     * By the first six bytes as a number, padded with zeros, whose top bit is flipped although it is compared as unsigned; then by
     * all bytes, unsigned.
     */
    private static int asCassandraCompares(String left, String right) {
        int byPrefix = Long.compareUnsigned(prefix(left), prefix(right));
        return byPrefix != 0 ? byPrefix : Arrays.compareUnsigned(bytes(left), bytes(right));
    }

    private static long prefix(String name) {
        byte[] bytes = bytes(name);
        long prefix = 0;
        for (int i = 0; i < 6; i++) {
            prefix = prefix << 8 | (i < bytes.length ? bytes[i] & 0xFF : 0);
        }
        return prefix ^ 1L << 47;
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldPutNamesThatStartNonAsciiFirstAndTheEmptyNameAmongTheOthers() {
        TableSchema table = TableSchema.builder("ks", "t")
                .partitionKey("k", "int")
                .staticColumn("s", "int")
                .staticColumn("ß", "int")
                .column("a", "int")
                .column("", "int")
                .column("é", "int")
                .column("aé", "int")
                .build();

        assertThat(table.staticColumns()).extracting(Column::name).containsExactly("ß", "s");
        assertThat(table.regularColumns()).extracting(Column::name).containsExactly("é", "", "a", "aé");
    }

    @Test
    void shouldNumberColumnsOfMostTablesAsEarlierReleasesDid() {
        for (List<String> names : List.of(List.of("a", "b", "bé"), List.of("é", "ß"), List.<String>of())) {
            List<String> shuffled = new ArrayList<>(names);
            Collections.reverse(shuffled);
            TableSchema.Builder builder = TableSchema.builder("ks", "t").partitionKey("k", "int");
            shuffled.forEach(name -> builder.column(name, "int"));
            builder.column("l", "list<int>");
            TableSchema table = builder.build();

            assertThat(table.isRenumbered()).as(names.toString()).isFalse();
            assertThat(table.inFormerOrder()).isEqualTo(table);
        }
        assertThat(TableSchema.builder("ks", "t")
                        .partitionKey("k", "int")
                        .staticColumn("é", "int")
                        .column("b", "int")
                        .column("ß", "set<int>")
                        .build()
                        .isRenumbered())
                .isFalse();
    }
}
