package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.TokenRange;
import io.anneal.paging.query.PageLimits;
import io.anneal.store.RowRange;
import io.anneal.store.SSTables;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Flow;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What users get of a scan, against the table's own reads. */
final class ScanTest {
    private static final String SECRET = "sixteen bytes or more";

    @TempDir
    private Path directory;

    private OrdersTable orders;
    private Paging paging;
    private PagedTable table;

    @BeforeEach
    void open() throws IOException {
        orders = new OrdersTable(directory);
        paging = Paging.open();
        table = paging.table(orders.table());
    }

    @AfterEach
    void close() throws IOException {
        paging.close();
        orders.close();
    }

    private static List<Map<String, Object>> values(Iterable<TableRow> rows) {
        List<Map<String, Object>> all = new ArrayList<>();
        rows.forEach(row -> all.add(row.values()));
        return all;
    }

    private List<Map<String, Object>> unpaged() throws IOException {
        try (TableRows rows = orders.table().rows()) {
            return values(rows);
        }
    }

    private static List<Map<String, Object>> pageByPage(Scan scan) throws IOException {
        List<Map<String, Object>> all = new ArrayList<>();
        ScanPage page = scan.firstPage();
        all.addAll(values(page.rows()));
        while (page.cookie().isPresent()) {
            page = scan.nextPage(page.cookie().get());
            all.addAll(values(page.rows()));
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 5000})
    void shouldGiveAllRowsHoweverLongThePages(int pageSize) throws IOException {
        Scan scan = table.scan().pageSize(pageSize);

        assertThat(values(scan)).isEqualTo(unpaged()).hasSize(136);
        assertThat(values(scan)).as("read again").isEqualTo(unpaged());
        assertThat(values(scan.stateless())).isEqualTo(unpaged());
        assertThat(pageByPage(scan)).isEqualTo(unpaged());
        try (Stream<TableRow> stream = scan.stream()) {
            assertThat(stream.map(TableRow::values).toList()).isEqualTo(unpaged());
        }
    }

    @Test
    void shouldEndPagesWhereTheirLimitIsAndTheScanAtItsOwn() throws IOException {
        Scan scan = table.scan().pageSize(10).limit(25);

        ScanPage first = scan.firstPage();
        ScanPage second = scan.nextPage(first.cookie().orElseThrow());
        ScanPage third = scan.nextPage(second.cookie().orElseThrow());

        assertThat(List.of(
                        first.rows().size(), second.rows().size(), third.rows().size()))
                .containsExactly(10, 10, 5);
        assertThat(third.cookie()).isEmpty();
        assertThat(values(scan)).isEqualTo(unpaged().subList(0, 25));
        assertThat(values(table.scan().limit(136).pageSize(136))).hasSize(136);
    }

    @Test
    void shouldReadPartitionsInReverse() throws IOException {
        Scan scan = table.partition(9, "s1").reversed().pageSize(2);

        try (TableRows rows = orders.table().partition(RowRange.ALL.reversed(), 9, "s1")) {
            assertThat(values(scan)).isEqualTo(values(rows)).hasSize(9);
        }
        assertThat(values(scan.reversed())).isEqualTo(values(table.partition(9, "s1")));
        assertThat(values(table.scan()
                        .where("customer", "=", 9)
                        .where("shop", "=", "s1")
                        .reversed()))
                .isEqualTo(values(scan));
    }

    @Test
    void shouldReadSeveralPartitionsAndRanges() throws IOException {
        assertThat(values(table.partitions(List.of(List.of(3, "s0"), List.of(4, "s2"), List.of(77, "s2")))))
                .containsExactlyInAnyOrderElementsOf(matching(
                        row -> row.get("customer").equals(3) && row.get("shop").equals("s0")
                                || row.get("customer").equals(4)
                                        && row.get("shop").equals("s2")));
        assertThat(values(table.scan(new TokenRange(0, Long.MIN_VALUE), new TokenRange(Long.MIN_VALUE, 0))
                        .pageSize(7)))
                .hasSize(136)
                .containsExactlyInAnyOrderElementsOf(unpaged());
    }

    private List<Map<String, Object>> matching(Predicate<Map<String, Object>> condition) throws IOException {
        return unpaged().stream().filter(condition).toList();
    }

    @Test
    void shouldReadNoPageAnyMoreOnceClosed() throws IOException {
        Scan scan = table.scan().pageSize(10);
        String cookie = scan.firstPage().cookie().orElseThrow();
        Iterator<TableRow> left = scan.iterator();
        left.next();
        ScanPages pages = scan.pages();
        pages.next();
        List<Throwable> heard = new ArrayList<>();
        paging.close();

        assertClosed(() -> left.forEachRemaining(row -> {}));
        assertClosed(pages::next);
        assertClosed(() -> scan.nextPage(cookie));
        assertClosed(scan::firstPage);
        assertClosed(() -> scan.iterator().next());
        assertClosed(() -> table.partition(9, "s1").stream().toList());
        assertClosed(() -> paging.table(orders.table()));
        scan.publisher(Runnable::run).subscribe(new Hearing(heard));
        assertThat(heard).singleElement().isInstanceOf(IllegalStateException.class);
        pages.close();
        paging.close();
        assertThat(unpaged()).hasSize(136);
    }

    private static void assertClosed(ThrowingCallable call) {
        assertThatIllegalStateException()
                .isThrownBy(call)
                .withMessageContaining("paging is closed")
                .withMessageContaining("shop.orders");
    }

    /** Keeps the error that ends a reading. */
    private record Hearing(List<Throwable> heard) implements Flow.Subscriber<TableRow> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(TableRow row) {
            throw new AssertionError("no row comes");
        }

        @Override
        public void onError(Throwable thrown) {
            heard.add(thrown);
        }

        @Override
        public void onComplete() {
            throw new AssertionError("it does not end well");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE shop.orders DROP price",
                "ALTER TABLE shop.orders RENAME day TO weekday",
                "ALTER TABLE shop.orders RENAME customer TO client"
            })
    void shouldRefuseACookieOverAColumnThatIsGone(String alteration) throws IOException {
        Scan scan = table.scan()
                .where("price", ">=", 0)
                .where("day", ">=", 0)
                .where("customer", ">=", 0)
                .pageSize(2);
        String cookie = scan.firstPage().cookie().orElseThrow();
        assertThat(scan.nextPage(cookie).rows()).isNotEmpty();
        orders.store().alterTable(alteration);

        assertThatThrownBy(() -> scan.nextPage(cookie))
                .isInstanceOf(PagingCookieException.class)
                .hasMessageContaining("does not fit the table")
                .hasMessageContaining("table=shop.orders, column=" + alteration.split(" ")[4]);
        assertThatThrownBy(() -> scan.pages(cookie)).isInstanceOf(PagingCookieException.class);
    }

    @Test
    void shouldRefuseNoCookieAsOneThatIsWrong() {
        assertThatThrownBy(() -> table.scan().nextPage(null))
                .isInstanceOf(PagingCookieException.class)
                .hasMessageContaining("no paging cookie is given");
        assertThatThrownBy(() -> table.scan().pages(null)).isInstanceOf(PagingCookieException.class);
    }

    @Test
    void shouldGoOnFromACookieInAnotherProcess() throws IOException {
        Scan scan = table.scan().pageSize(50).signedWith(SECRET.getBytes(StandardCharsets.UTF_8));
        String cookie = scan.firstPage().cookie().orElseThrow();

        try (Paging other = Paging.open();
                SSTables files = SSTables.open(orders.table().snapshot("now"))) {
            Scan same = other.table(files).scan().pageSize(50).signedWith(SECRET.getBytes(StandardCharsets.UTF_8));

            assertThat(values(same.nextPage(cookie).rows()))
                    .isEqualTo(values(scan.nextPage(cookie).rows()))
                    .isEqualTo(unpaged().subList(50, 100));
            assertThatThrownBy(() -> other.table(files).scan().nextPage(cookie))
                    .isInstanceOf(PagingCookieException.class)
                    .hasMessageContaining("is signed");
        }
        assertThatThrownBy(() -> scan.where("price", "=", 1).nextPage(cookie))
                .isInstanceOf(PagingCookieException.class)
                .hasMessageContaining("another query");
    }

    @Test
    void shouldPassOverDeletedRowsPageByPage() throws IOException {
        for (int item = 0; item < 40; item++) {
            orders.table()
                    .row()
                    .key("customer", 50)
                    .key("shop", "s9")
                    .clustering("day", item)
                    .clustering("item", 0)
                    .deleteRow();
        }
        Scan scan = table.partition(50, "s9").limits(PageLimits.DEFAULT.withTombstones(16));

        ScanPage first = scan.firstPage();

        assertThat(first.rows()).isEmpty();
        assertThat(first.cookie()).isPresent();
        assertThat(values(scan)).isEmpty();
    }

    @Test
    void shouldLetGoOfWhatIsReadNoFurther() throws IOException {
        try (Stream<TableRow> stream = table.scan().pageSize(3).stream()) {
            assertThat(stream.limit(5).count()).isEqualTo(5);
        }
        Optional<TableRow> first = table.scan().pageSize(3).stream().findFirst();

        assertThat(first).isPresent();
    }

    @Test
    void shouldRefuseWhatCannotBeRead() {
        assertRefused(() -> table.scan().reversed().firstPage(), "only partitions that are named");
        assertRefused(() -> table.scan().where("nothing", "=", 1), "table has no such column", "column=nothing");
        assertRefused(() -> table.scan().where("price", "~", 1), "operator is unknown");
        assertRefused(() -> table.scan().where("price", "=", "x"), "value does not fit the column", "column=price");
        assertRefused(() -> table.partition(1), "values do not fit the partition key", "values=1");
        assertRefused(() -> table.partition(1, null), "column=shop");
        assertRefused(() -> table.partition("x", "y"), "column=customer");
        assertRefused(() -> table.partitions(List.of()), "no partition is given");
        assertRefused(() -> table.scan(new TokenRange[0]), "no range is given");
        assertRefused(() -> table.scan().limit(0), "limit must be positive");
        assertRefused(() -> table.scan().pageSize(0), "limits of a page must be positive");
        assertRefused(() -> table.scan().signedWith(new byte[3]), "key of cookies is too short");
    }

    private static void assertRefused(ThrowingCallable call, String... texts) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(e -> assertThat(e.getMessage()).contains(texts));
    }

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 60));
    }

    /** Conditions that become keys and slices give what trying each row gives. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldGiveTheRowsThatMeetAllConditions(long seed) throws IOException {
        Random random = new Random(seed);
        Scan scan = table.scan().pageSize(1 + random.nextInt(6));
        Predicate<Map<String, Object>> expected = row -> true;
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            String column =
                    List.of("customer", "shop", "day", "item", "price", "name").get(random.nextInt(6));
            String operator = List.of("=", "!=", "<", "<=", ">", ">=", "IN").get(random.nextInt(7));
            Object value = operator.equals("IN")
                    ? List.of(value(column, random), value(column, random))
                    : value(column, random);
            scan = scan.where(column, operator, value);
            expected = expected.and(row -> holds(row.get(column), operator, value));
        }
        if (random.nextBoolean()) {
            int customer = random.nextInt(OrdersTable.CUSTOMERS);
            List<String> shops = List.of("s0", "s1");
            scan = scan.where("customer", "=", customer).where("shop", "IN", shops);
            expected = expected.and(row -> row.get("customer").equals(customer) && shops.contains(row.get("shop")));
        }

        assertThat(values(scan)).as("seed=%d", seed).isEqualTo(matching(expected));
        assertThat(values(scan.stateless())).as("seed=%d", seed).isEqualTo(matching(expected));
    }

    private static Object value(String column, Random random) {
        return switch (column) {
            case "customer" -> random.nextInt(OrdersTable.CUSTOMERS);
            case "shop" -> "s" + random.nextInt(OrdersTable.SHOPS);
            case "price" -> 10 * random.nextInt(9);
            case "name" -> "n" + random.nextInt(2);
            default -> random.nextInt(3);
        };
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static boolean holds(Object found, String operator, Object value) {
        if (found == null) {
            return false;
        }
        if (value instanceof List<?> many) {
            return many.contains(found);
        }
        int compared = ((Comparable) found).compareTo(value);
        return switch (operator) {
            case "=" -> compared == 0;
            case "!=" -> compared != 0;
            case "<" -> compared < 0;
            case "<=" -> compared <= 0;
            case ">" -> compared > 0;
            default -> compared >= 0;
        };
    }
}
