package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a schema may take, and that a text takes no more than in proportion to its length. */
class SchemaLimitsTest {
    private static final long ALLOCATED_MAX_BYTES = 100_000_000;
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private static String each(int count, IntFunction<String> part) {
        return IntStream.range(0, count).mapToObj(part).collect(Collectors.joining());
    }

    private static String columnOf(String type) {
        return "CREATE TABLE ks.t (k int PRIMARY KEY,\n v " + type + ");";
    }

    private static String nested(int depth) {
        return "frozen<list<".repeat(depth) + "int" + ">>".repeat(depth);
    }

    /** Each uses the one before twice. */
    private static String doublingTypes(int count) {
        return "CREATE TYPE ks.a0 (x int);"
                + each(count - 1, i -> "CREATE TYPE ks.a" + (i + 1) + " (a frozen<a" + i + ">, b frozen<a" + i + ">);");
    }

    private static CqlSchema parse(String text) {
        return CqlSchema.parse(text, "hostile");
    }

    static Stream<Arguments> beyond() {
        String chain = "CREATE TYPE ks.a0 (x int);"
                + each(10_000, i -> "CREATE TYPE ks.a" + (i + 1) + " (a frozen<a" + i + ">);")
                + columnOf("frozen<a10000>");
        String largeType = "CREATE TYPE ks.a (" + each(2000, i -> (i == 0 ? "" : ",") + "f" + i + " int") + ");";
        return Stream.of(
                beyond("types that double", doublingTypes(24) + columnOf("frozen<a23>"), "type is too large"),
                beyond("nested lists", columnOf(nested(400)), "hostile:2:395", "nested too deeply"),
                beyond("a deeper stack", columnOf(nested(60_000)), "nested too deeply"),
                beyond(
                        "a class name",
                        columnOf("'" + "ListType(".repeat(20_000) + "'"),
                        "hostile:2:4: types are nested"),
                beyond("a chain of types", chain, "nested too deeply"),
                beyond(
                        "a large type in each column",
                        largeType + "CREATE TABLE ks.t (k int PRIMARY KEY" + each(5000, i -> ", c" + i + " frozen<a>")
                                + ");",
                        "types of the text are too large"),
                beyond(
                        "columns",
                        "CREATE TABLE ks.t (k int PRIMARY KEY" + each(32_768, i -> ", c" + i + " int") + ");",
                        "too many columns",
                        "found=32769, max=32768"),
                beyond(
                        "fields",
                        columnOf("tuple<" + String.join(",", Collections.nCopies(32_768, "int")) + ">"),
                        "too many fields",
                        "max=32767"),
                beyond(
                        "vectors of vectors",
                        columnOf("vector<vector<double, 99999>, 99999>"),
                        "hostile:2:4: values of a vector are too long"),
                beyond(
                        "vector of nothing",
                        columnOf("'VectorType(EmptyType , 999999999)'"),
                        "vector of a type without values"),
                beyond("length", " ".repeat((1 << 20) + 1), "text is too long", "max=1048576"));
    }

    private static Arguments beyond(String what, String text, String... said) {
        return Arguments.of(what, text, List.of(said));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("beyond")
    void shouldRefuseWithPlaceAndLimitBeforeMemoryOrStackAreTaken(String what, String text, List<String> said) {
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = thread.getCurrentThreadAllocatedBytes();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> parse(text))
                .satisfies(e -> assertThat(e.getMessage())
                        .contains(said)
                        .contains("hostile")
                        .hasSizeLessThan(1000));
        assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(ALLOCATED_MAX_BYTES);
    }

    @Test
    void shouldTakeWhatLiesWithinTheLimits() {
        assertThat(parse(columnOf(nested(32))).tables()).hasSize(1);
        assertThat(parse(doublingTypes(10) + columnOf("a9")).tables()).hasSize(1);
        assertThatThrownBy(() -> parse(columnOf(nested(33)))).hasMessageContaining("nested too deeply");
        assertThatCode(() ->
                        parse("CREATE TABLE ks.t (k int PRIMARY KEY" + each(32_767, i -> ", c" + i + " int") + ");"))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldLimitTypesWhoeverMakesThem() {
        CqlType deep = CqlTypes.INT;
        for (int i = 0; i < SchemaLimits.NESTING_MAX; i++) {
            deep = CqlTypes.list(deep).frozen();
        }
        CqlType deepest = deep;

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> CqlTypes.list(deepest))
                .withMessageContaining("nested too deeply, found=33, max=32");
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> CqlTypes.tuple(Collections.nCopies(40_000, CqlTypes.INT)));
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> TypeParser.components("CompositeType(" + "ListType(".repeat(100_000)));
    }

    @Test
    void shouldTakeALongFileOfOnesOwn() throws IOException {
        String text = each(
                12_000,
                i -> "CREATE TABLE ks.table_of_a_large_cluster_" + i
                        + " (key int, clustering timestamp, value text, PRIMARY KEY (key, clustering));\n");
        Path file = directory.resolve("schema.cql");
        Files.writeString(file, text);

        assertThat(text.length()).isGreaterThan(SchemaLimits.TEXT_CHARACTERS_MAX);
        assertThat(CqlSchema.read(file).tables()).hasSize(12_000);
        assertThatThrownBy(() -> parse(text)).hasMessageContaining("text is too long");
    }

    @Test
    void shouldNotTakeTheRestOfATextForAComment() {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> parse("CREATE ROLE x /* ; " + columnOf("int")))
                .withMessageStartingWith("hostile:1:15:");
        assertThat(parse("CREATE ROLE x /* ; **/; /***/ " + columnOf("int") + "/* / * /*/")
                        .tables())
                .hasSize(1);
    }

    static Stream<Arguments> longTexts() {
        String start = "CREATE TABLE ks.t (k int PRIMARY KEY, v int);";
        String warning = "/* Warning: t omitted because it has constructs not compatible with CQL\n";
        return Stream.of(
                Arguments.of("comments that end nowhere", "CREATE ROLE x " + "/* ".repeat(300_000)),
                Arguments.of("warnings that end nowhere", "/* Warning: ".repeat(80_000)),
                Arguments.of("warnings without a table", warning.repeat(14_000) + "*/"),
                Arguments.of(
                        "tables in comments",
                        each(7000, i -> warning + "CREATE TABLE ks.t" + i + " (k int PRIMARY KEY, v int);\n*/\n")),
                Arguments.of(
                        "columns of the key",
                        "CREATE TABLE ks.t (k0 int" + each(30_000, i -> ", c" + i + " int") + ", PRIMARY KEY (k0"
                                + each(30_000, i -> ", c" + i) + "));"),
                Arguments.of(
                        "columns renamed",
                        start
                                + each(
                                        20_000,
                                        i -> "ALTER TABLE ks.t RENAME k" + (i == 0 ? "" : i) + " TO k" + (i + 1)
                                                + ";")),
                Arguments.of(
                        "fields renamed",
                        "CREATE TYPE ks.u (k int" + each(8000, i -> ", c" + i + " int") + ");"
                                + each(8000, i -> "ALTER TYPE ks.u RENAME c" + i + " TO d" + i + ";")),
                Arguments.of("columns added", start + each(20_000, i -> "ALTER TABLE ks.t ADD c" + i + " int;")),
                Arguments.of("quotes", "CREATE ROLE x " + "'\"$".repeat(300_000)),
                Arguments.of("frozen", columnOf("frozen ".repeat(140_000))),
                Arguments.of(
                        "options",
                        start.substring(0, start.length() - 1) + " WITH a = 1"
                                + each(40_000, i -> " AND x" + i + " = {'a': 1}")));
    }

    /** A text whose cost grows with the square of its length would take minutes. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("longTexts")
    void shouldTakeTimeInProportionToTheLength(String what, String text) {
        assertThat(text.length()).isBetween(250_000, SchemaLimits.TEXT_CHARACTERS_MAX);
        Assertions.assertTimeoutPreemptively(LONG, () -> {
            try {
                parse(text);
            } catch (SchemaException e) {
                assertThat(e.getMessage()).hasSizeLessThan(1000);
            }
        });
    }

    @Test
    void shouldRefuseFieldsByNameBeyondTheNumbersThatCellsHave() {
        List<String> names = IntStream.range(0, 32_768).mapToObj(i -> "f" + i).toList();

        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> CqlTypes.userType("ks", "u", names, Collections.nCopies(32_768, CqlTypes.INT)));
    }
}
