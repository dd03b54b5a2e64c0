package io.anneal.dualdao.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TypedComparisonTest {
    private static final TypedComparison STANDARD = TypedComparison.standard();

    private record Item(String b, String c, String d) {}

    private record Partition(long a, List<Item> items) {}

    private record Blob(byte[] bytes, ByteBuffer buffer) {}

    private record Price(BigDecimal amount, Instant at) {}

    private static Partition partition(String... values) {
        return new Partition(
                1, Stream.of(values).map(d -> new Item("b", "c", d)).toList());
    }

    private static List<FieldDiff> differences(Object origin, Object target) {
        return STANDARD.differences(origin, target);
    }

    private static FieldDiff diff(String path, String origin, String target) {
        return new FieldDiff(path, origin, target);
    }

    @Test
    void shouldFindNothingBetweenEqualAnswers() {
        assertThat(differences(null, null)).isEmpty();
        assertThat(differences("x", "x")).isEmpty();
        assertThat(differences(partition("1", "2"), partition("1", "2"))).isEmpty();
    }

    @Test
    void shouldNameThePlaceInsideARecordOfRecords() {
        assertThat(differences(partition("1", "2", "3", "4"), partition("1", "2", "3", "x")))
                .containsExactly(diff("items[3].d", "4", "x"));
    }

    @Test
    void shouldNameAnElementThatOneSideLacks() {
        assertThat(differences(List.of("a", "b"), List.of("a"))).containsExactly(diff("[1]", "b", "(absent)"));
        assertThat(differences(List.of("a"), List.of("a", "b"))).containsExactly(diff("[1]", "(absent)", "b"));
    }

    @Test
    void shouldTellNullFromAbsent() {
        assertThat(differences(null, "x")).containsExactly(diff("", "null", "x"));
        assertThat(differences(Optional.empty(), Optional.of("x"))).containsExactly(diff("", "(absent)", "x"));
        assertThat(differences(Optional.empty(), null)).containsExactly(diff("", "(absent)", "null"));
    }

    @Test
    void shouldLookIntoOptionals() {
        assertThat(differences(Optional.of(partition("1")), Optional.of(partition("2"))))
                .containsExactly(diff("items[0].d", "1", "2"));
        assertThat(differences(OptionalInt.of(1), OptionalInt.empty())).containsExactly(diff("", "1", "(absent)"));
        assertThat(differences(OptionalLong.of(1), OptionalLong.of(1))).isEmpty();
        assertThat(differences(Optional.empty(), Optional.empty())).isEmpty();
    }

    @Test
    void shouldTakeListsOfAnyClassForLists() {
        assertThat(differences(new LinkedList<>(List.of("a")), List.of("a"))).isEmpty();
    }

    @Test
    void shouldCompareMapsByKeyWhateverTheirOrder() {
        Map<String, Integer> origin = new TreeMap<>(Map.of("EUR", 1, "USD", 2, "GBP", 3));

        assertThat(differences(origin, Map.of("EUR", 1, "USD", 5, "CHF", 4)))
                .containsExactlyInAnyOrder(
                        diff("[USD]", "2", "5"), diff("[GBP]", "3", "(absent)"), diff("[CHF]", "(absent)", "4"));
    }

    @Test
    void shouldCompareSetsWhateverTheirOrder() {
        assertThat(differences(
                        new LinkedHashSet<>(List.of("a", "b", "c")), new LinkedHashSet<>(List.of("c", "a", "b"))))
                .isEmpty();
        assertThat(differences(new LinkedHashSet<>(List.of("a", "b")), new LinkedHashSet<>(List.of("b", "c", "d"))))
                .containsExactlyInAnyOrder(
                        diff("[0]", "a", "(absent)"), diff("[1]", "(absent)", "c"), diff("[2]", "(absent)", "d"));
    }

    @Test
    void shouldTellTheFieldWhenOneElementOfASetDiffers() {
        assertThat(differences(Set.of(new Item("1", "c", "d")), Set.of(new Item("1", "c", "x"))))
                .containsExactly(diff("[0].d", "d", "x"));
    }

    @Test
    void shouldCompareBytesAsBytes() {
        byte[] bytes = {1, (byte) 0xab};
        ByteBuffer buffer = ByteBuffer.wrap(bytes);

        assertThat(differences(new Blob(bytes, buffer), new Blob(bytes.clone(), ByteBuffer.wrap(bytes.clone()))))
                .isEmpty();
        assertThat(differences(new Blob(bytes, buffer), new Blob(new byte[] {1}, ByteBuffer.allocate(1))))
                .containsExactly(diff("buffer", "0x01ab", "0x00"), diff("bytes", "0x01ab", "0x01"));
        assertThat(buffer.position()).isZero();
    }

    @Test
    void shouldShowTheBeginningOfManyBytes() {
        assertThat(differences(new byte[1000], new byte[1001]).get(0).origin())
                .endsWith("00... (1000 bytes)")
                .hasSizeLessThan(250);
    }

    @Test
    void shouldCompareArraysByElement() {
        assertThat(differences(new int[] {1, 2}, new int[] {1, 3})).containsExactly(diff("[1]", "2", "3"));
        assertThat(differences(new String[][] {{"a"}}, new String[][] {{"b"}}))
                .containsExactly(diff("[0][0]", "a", "b"));
        assertThat(differences(new int[] {1}, new long[] {1})).hasSize(1);
    }

    @Test
    void shouldCompareNumbersByValueWithinTheirClass() {
        assertThat(differences(new BigDecimal("1.0"), new BigDecimal("1.00"))).isEmpty();
        assertThat(differences(0.0, -0.0)).isEmpty();
        assertThat(differences(Double.NaN, Double.NaN)).isEmpty();
        assertThat(differences(1, 1L)).containsExactly(diff("", "1 (Integer)", "1 (Long)"));
        assertThat(differences(1, 2)).containsExactly(diff("", "1", "2"));
    }

    @Test
    void shouldTolerateNumbersThatAreNear() {
        TypedComparison comparison = TypedComparison.builder()
                .tolerance("amount", new BigDecimal("0.01"))
                .build();
        Instant at = Instant.EPOCH;

        assertThat(comparison.differences(new Price(new BigDecimal("1.00"), at), new Price(new BigDecimal("1.01"), at)))
                .isEmpty();
        assertThat(comparison.differences(
                        new Price(new BigDecimal("1.00"), at), new Price(new BigDecimal("1.011"), at)))
                .containsExactly(diff("amount", "1.00", "1.011"));
    }

    @Test
    void shouldTolerateAcrossClassesOfNumbersButNotWhatIsNotFinite() {
        TypedComparison comparison = TypedComparison.builder()
                .tolerance("[*]", new BigDecimal("0.5"))
                .build();

        assertThat(comparison.differences(
                        List.of(1, 2L, 3.0, BigInteger.TEN), List.of(1.5, 2.5f, BigDecimal.valueOf(3.5), 10)))
                .isEmpty();
        assertThat(comparison.differences(List.of(1.0), List.of(Double.NaN)))
                .containsExactly(diff("[0]", "1.0", "NaN"));
        assertThat(comparison.differences(List.of(Double.POSITIVE_INFINITY), List.of(Double.POSITIVE_INFINITY)))
                .isEmpty();
    }

    @Test
    void shouldTolerateTimesThatAreNear() {
        TypedComparison comparison =
                TypedComparison.builder().tolerance("[*]", Duration.ofMillis(1)).build();
        Instant at = Instant.parse("2026-01-02T03:04:05.678901Z");
        LocalDateTime local = LocalDateTime.ofInstant(at, ZoneOffset.UTC);

        assertThat(comparison.differences(
                        List.of(
                                at,
                                Date.from(at),
                                local,
                                at.atZone(ZoneOffset.UTC),
                                at.atOffset(ZoneOffset.UTC),
                                LocalTime.NOON,
                                Duration.ofSeconds(1),
                                LocalDate.EPOCH),
                        List.of(
                                at.plusMillis(1),
                                at,
                                local.minusNanos(1_000_000),
                                at.plusNanos(1).atZone(ZoneOffset.ofHours(2)),
                                at,
                                LocalTime.NOON.plusNanos(999_999),
                                Duration.ofMillis(1001),
                                LocalDate.EPOCH)))
                .isEmpty();
        assertThat(comparison.differences(List.of(at), List.of(at.plusNanos(1_000_001))))
                .hasSize(1);
        assertThat(comparison.differences(List.of(Duration.ofSeconds(Long.MAX_VALUE)), List.of(Duration.ZERO)))
                .hasSize(1);
        assertThat(comparison.differences(List.of(LocalDate.EPOCH), List.of("1970-01-01")))
                .containsExactly(diff("[0]", "1970-01-01 (LocalDate)", "1970-01-01 (String)"));
    }

    @Test
    void shouldTellTimesApartThatAreNotTolerated() {
        Instant at = Instant.EPOCH.plusNanos(1);

        assertThat(differences(at, at.plusNanos(1)))
                .containsExactly(diff("", "1970-01-01T00:00:00.000000001Z", "1970-01-01T00:00:00.000000002Z"));
        assertThat(differences(at, Date.from(at))).hasSize(1);
        assertThat(differences(at, at)).isEmpty();
    }

    @Test
    void shouldLeaveOutWhatIsIgnoredWithAllBelow() {
        TypedComparison comparison =
                TypedComparison.builder().ignore("items[*].d", "a").build();

        assertThat(comparison.differences(partition("1"), new Partition(2, List.of(new Item("b", "x", "2")))))
                .containsExactly(diff("items[0].c", "c", "x"));
        assertThat(TypedComparison.builder().ignore("items").build().differences(partition("1"), partition("2", "3")))
                .isEmpty();
    }

    @Test
    void shouldIgnoreAFieldWhereverItStands() {
        TypedComparison comparison = TypedComparison.builder().ignore("**.d").build();

        assertThat(comparison.differences(Map.of("k", partition("1")), Map.of("k", partition("2"))))
                .isEmpty();
        assertThat(comparison.differences(new Item("b", "c", "1"), new Item("b", "c", "2")))
                .isEmpty();
    }

    @Test
    void shouldCompareListsRegardlessOfOrderWhereTold() {
        TypedComparison comparison =
                TypedComparison.builder().unordered("items").build();

        assertThat(comparison.differences(partition("1", "2", "2"), partition("2", "1", "2")))
                .isEmpty();
        // How often an element is there counts.
        assertThat(comparison.differences(partition("1", "2", "2"), partition("2", "1", "1")))
                .hasSize(1);
        assertThat(differences(partition("1", "2"), partition("2", "1"))).hasSize(2);
    }

    @Test
    void shouldPairUnorderedElementsThatAreEqualWithinATolerance() {
        TypedComparison comparison = TypedComparison.builder()
                .unordered("**")
                .tolerance("[*].amount", new BigDecimal("0.1"))
                .build();
        Instant at = Instant.EPOCH;

        assertThat(comparison.differences(
                        List.of(new Price(new BigDecimal("1"), at), new Price(new BigDecimal("2"), at)),
                        List.of(new Price(new BigDecimal("2.1"), at), new Price(new BigDecimal("1.1"), at))))
                .isEmpty();
    }

    /** A bean without {@code equals}. */
    public static class Bean {
        private final String name;
        private final boolean open;
        public final int count;

        Bean(String name, boolean open, int count) {
            this.name = name;
            this.open = open;
            this.count = count;
        }

        public String getName() {
            return name;
        }

        public boolean isOpen() {
            return open;
        }
    }

    @Test
    void shouldCompareBeansByTheirGettersAndPublicFields() {
        assertThat(differences(new Bean("n", true, 1), new Bean("n", true, 1))).isEmpty();
        assertThat(differences(new Bean("n", true, 1), new Bean("m", false, 2)))
                .containsExactly(diff("count", "1", "2"), diff("name", "n", "m"), diff("open", "true", "false"));
    }

    /** An answer of each store's own class. */
    public static final class OtherBean extends Bean {
        OtherBean(String name) {
            super(name, true, 1);
        }
    }

    @Test
    void shouldCompareBeansOfTwoClassesByWhatTheyShare() {
        assertThat(differences(new Bean("n", true, 1), new OtherBean("n"))).isEmpty();
        assertThat(differences(new Bean("n", true, 1), new OtherBean("m"))).containsExactly(diff("name", "n", "m"));
    }

    /** As entities often are: equal by their id. */
    public static final class Entity {
        private final int id;
        private final String text;
        private final String hidden;

        Entity(int id, String text, String hidden) {
            this.id = id;
            this.text = text;
            this.hidden = hidden;
        }

        public String getText() {
            return text;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Entity entity && entity.id == id && entity.hidden.equals(hidden);
        }

        @Override
        public int hashCode() {
            return id;
        }

        @Override
        public String toString() {
            return "entity " + id + " " + hidden;
        }
    }

    @Test
    void shouldSeeWhatAnEqualsDoesNotLookAt() {
        assertThat(differences(new Entity(1, "a", "h"), new Entity(1, "b", "h")))
                .containsExactly(diff("text", "a", "b"));
        assertThat(differences(Set.of(new Entity(1, "a", "h")), Set.of(new Entity(1, "b", "h"))))
                .containsExactly(diff("[0].text", "a", "b"));
    }

    @Test
    void shouldBelieveAnEqualsThatSeesMore() {
        assertThat(differences(new Entity(1, "a", "h"), new Entity(1, "a", "i")))
                .containsExactly(diff("", "entity 1 h", "entity 1 i"));
        // Nothing that is ignored explains it: the ignored field is the same.
        assertThat(TypedComparison.builder()
                        .ignore("text")
                        .build()
                        .differences(new Entity(1, "a", "h"), new Entity(1, "a", "i")))
                .hasSize(1);
    }

    @Test
    void shouldNotTakeAClassThatShowsNothingForEqual() {
        assertThat(differences(new Object(), new Object())).hasSize(1);
        Object same = new Object();
        assertThat(differences(same, same)).isEmpty();
    }

    private record Node(String name, List<Node> next) {}

    @Test
    void shouldEndOnCycles() {
        Node origin = new Node("a", new ArrayList<>());
        origin.next().add(origin);
        Node target = new Node("a", new ArrayList<>());
        target.next().add(target);
        Node other = new Node("a", new ArrayList<>());
        other.next().add(new Node("b", List.of(other)));

        assertThat(differences(origin, target)).isEmpty();
        assertThat(differences(origin, other)).contains(diff("next[0].name", "a", "b"));
    }

    @Test
    void shouldSayWhereItStoppedGoingDeeper() {
        Object origin = "a";
        Object target = "b";
        for (int i = 0; i < 1000; i++) {
            origin = List.of(origin);
            target = List.of(target);
        }

        assertThat(differences(origin, target)).singleElement().satisfies(diff -> {
            assertThat(diff.origin()).isEqualTo("(deeper than is compared)");
            assertThat(diff.path()).startsWith("[0][0]");
        });
    }

    @Test
    void shouldStopAfterSoManyDifferences() {
        List<Integer> origin = IntStream.range(0, 1000).boxed().toList();
        List<Integer> target = IntStream.range(1, 1001).boxed().toList();

        assertThat(differences(origin, target)).hasSize(32);
        assertThat(TypedComparison.builder().differencesMax(3).build().differences(origin, target))
                .hasSize(3);
    }

    @Test
    void shouldShortenLongValues() {
        assertThat(differences("a".repeat(1000), "b")).containsExactly(diff("", "a".repeat(200) + "...", "b"));
        assertThat(TypedComparison.builder().valueCharsMax(2).build().differences("abc", "b"))
                .containsExactly(diff("", "ab...", "b"));
    }

    @Test
    void shouldKeepRedactedValuesOutOfTheDifferences() {
        TypedComparison comparison = TypedComparison.builder().redact("**.d").build();

        assertThat(comparison.differences(partition("secret"), partition("other")))
                .containsExactly(diff("items[0].d", "(redacted)", "(redacted)"));
        // A whole item would show it too.
        assertThat(comparison.differences(partition("secret"), partition()))
                .containsExactly(diff("items[0]", "(Item)", "(absent)"));
        assertThat(TypedComparison.builder()
                        .redact("items")
                        .build()
                        .differences(partition("secret"), partition("other")))
                .containsExactly(diff("items[0].d", "(redacted)", "(redacted)"));
    }

    @Test
    void shouldRedactADifferenceAfterwardsButForAbsence() {
        assertThat(diff("p", "x", FieldDiff.ABSENT).redacted()).isEqualTo(diff("p", "(redacted)", "(absent)"));
    }

    /** A getter that fails. */
    public static final class Failing {
        public String getText() {
            throw new IllegalStateException("closed");
        }
    }

    @Test
    void shouldCompareAGetterThatFailsByItsFailure() {
        assertThat(differences(new Failing(), new Failing())).isEmpty();
    }

    @Test
    void shouldCountAnAnswerWhoseMethodsThrowAsDifferent() {
        List<Object> broken = Collections.nCopies(1, new Object() {
            @Override
            public boolean equals(Object other) {
                throw new UnsupportedOperationException("no");
            }

            @Override
            public int hashCode() {
                return 1;
            }
        });

        assertThat(differences(broken, List.of("x")))
                .containsExactly(diff(
                        "[0]",
                        "(not comparable: UnsupportedOperationException)",
                        "(not comparable: UnsupportedOperationException)"));
    }

    @Test
    void shouldNotReadWhatCanBeReadOnce() {
        Stream<String> stream = Stream.of("a");

        assertThat(differences(stream, Stream.of("a"))).hasSize(1);
        assertThat(stream).containsExactly("a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a..b", "[", "[]", "a[1", ".a", "a.", "[1]a"})
    void shouldRefuseWhatIsNoPath(String pattern) {
        TypedComparison.Builder builder = TypedComparison.builder();

        assertThatThrownBy(() -> builder.ignore(pattern))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pattern=" + pattern);
    }

    @Test
    void shouldRefuseToleranceAndLimitsThatCannotBe() {
        TypedComparison.Builder builder = TypedComparison.builder();

        assertThatThrownBy(() -> builder.tolerance("a", BigDecimal.ONE.negate()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.tolerance("a", Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.differencesMax(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.valueCharsMax(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldCompareTimesAtThePrecisionOfTheSideThatKeepsLess() {
        Instant nanos = Instant.parse("2026-01-02T03:04:05.678951234Z");
        TypedComparison comparison = TypedComparison.standard();

        assertThat(List.of(
                        nanos.truncatedTo(ChronoUnit.MICROS),
                        nanos.truncatedTo(ChronoUnit.MILLIS),
                        Instant.parse("2026-01-02T03:04:05.679Z"),
                        nanos.truncatedTo(ChronoUnit.SECONDS),
                        Instant.parse("2026-01-02T03:04:06Z")))
                .as("cut off or rounded")
                .allSatisfy(coarse -> {
                    assertThat(comparison.differences(nanos, coarse)).isEmpty();
                    assertThat(comparison.differences(coarse, nanos)).isEmpty();
                });
        assertThat(List.of(
                        nanos.plusNanos(1),
                        Instant.parse("2026-01-02T03:04:05.677Z"),
                        Instant.parse("2026-01-02T03:04:05.680Z"),
                        Instant.parse("2026-01-02T03:04:07Z")))
                .allSatisfy(other ->
                        assertThat(comparison.differences(nanos, other)).hasSize(1));
        assertThat(comparison.differences(Timestamp.from(nanos), Timestamp.from(nanos.truncatedTo(ChronoUnit.MILLIS))))
                .isEmpty();
        assertThat(comparison.differences(Timestamp.from(nanos), Timestamp.from(nanos.plusNanos(1))))
                .hasSize(1);
    }
}
