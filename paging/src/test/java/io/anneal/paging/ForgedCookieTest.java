package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.PositionInPartition.Region;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.paging.query.Condition;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import io.anneal.store.TableRow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cookies that are sealed rightly, by who has the key, over what no page ended with: refused, or good for a place, never more. */
final class ForgedCookieTest {
    private static final byte[] SECRET = "sixteen bytes or more".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path directory;

    private OrdersTable orders;
    private Paging paging;
    private PagedTable table;
    private TableSchema schema;

    @BeforeEach
    void open() throws IOException {
        orders = new OrdersTable(directory);
        paging = Paging.open();
        table = paging.table(orders.table());
        schema = table.schema();
    }

    @AfterEach
    void close() throws IOException {
        paging.close();
        orders.close();
    }

    /** A scan, and what it asks for. */
    private record Asked(Scan scan, ReadQuery query) {}

    private Asked ranges(TokenRange... ranges) {
        return new Asked(table.scan(ranges), ReadPlan.ofRanges(List.of(ranges)).query(schema, List.of(), false));
    }

    private Asked partitions(boolean reversed, Condition... conditions) {
        List<List<Object>> keys = List.of(List.of(5, "s1"), List.of(7, "s0"));
        Scan scan = table.partitions(keys);
        for (Condition condition : conditions) {
            scan = scan.where(condition);
        }
        return new Asked(
                reversed ? scan.reversed() : scan,
                ReadPlan.ofKeys(schema, keys).query(schema, List.of(conditions), reversed));
    }

    private Map<String, Asked> asked() {
        Map<String, Asked> asked = new LinkedHashMap<>();
        asked.put("all", ranges(TokenRange.FULL));
        asked.put("half", ranges(TokenRange.parse("(-9223372036854775808,0]")));
        asked.put("two", ranges(TokenRange.parse("(100,200]"), TokenRange.parse("(-500,0]")));
        asked.put("partitions", partitions(false));
        asked.put("reversed", partitions(true));
        Condition day = Condition.of(schema, "day", Condition.Operator.AT_LEAST, 1);
        asked.put("slices", partitions(false, day));
        asked.put("slices reversed", partitions(true, day));
        return asked;
    }

    private static byte[] key(int customer, String shop) {
        byte[] name = shop.getBytes(StandardCharsets.UTF_8);
        return DecoratedKey.ofComponents(new byte[][] {int32(customer), name}).bytes();
    }

    private static byte[] int32(int value) {
        return new byte[] {(byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value};
    }

    private static List<RingPosition> places() {
        List<RingPosition> places = new ArrayList<>();
        places.add(RingPosition.END);
        for (long token : new long[] {Long.MIN_VALUE, -1, 0, 150, Long.MAX_VALUE}) {
            places.add(RingPosition.behind(token));
        }
        List<Clustering> prefixes = List.of(
                Clustering.of(),
                Clustering.of(int32(1)),
                Clustering.of(int32(1), int32(1)),
                Clustering.of(int32(-1), int32(Integer.MAX_VALUE)),
                Clustering.of(new byte[0], new byte[0]),
                Clustering.of(null, null),
                Clustering.of(new byte[3], int32(1)),
                Clustering.of(int32(1), new byte[9]));
        List<byte[]> keys = List.of(
                key(5, "s1"),
                key(7, "s0"),
                key(5, "no such shop"),
                new byte[0],
                new byte[1],
                new byte[] {0, 4, 0, 0},
                new byte[] {0, 9, 0, 0, 0, 5, 0});
        for (byte[] key : keys) {
            for (Region region : Region.values()) {
                for (int weight = ClusteringComparator.BEFORE; weight <= ClusteringComparator.AFTER; weight++) {
                    for (Clustering prefix : prefixes) {
                        places.add(
                                RingPosition.of(DecoratedKey.of(key), new PositionInPartition(region, prefix, weight)));
                    }
                }
            }
        }
        return places;
    }

    private static List<Map<String, Object>> rest(Scan scan, String cookie) throws IOException {
        List<Map<String, Object>> rows = new ArrayList<>();
        Optional<String> next = Optional.of(cookie);
        for (int pages = 0; next.isPresent(); pages++) {
            assertThat(pages).isLessThan(500);
            ScanPage page = scan.nextPage(next.get());
            page.rows().stream().map(TableRow::values).forEach(rows::add);
            next = page.cookie();
        }
        return rows;
    }

    @Test
    void shouldRefuseAPlaceOrReadWhatLiesBehindIt() {
        Map<String, String> failed = new LinkedHashMap<>();
        asked().forEach((name, asked) -> {
            PagingCookie cookies = PagingCookie.of(schema, asked.query()).signedWith(SECRET);
            Scan scan = asked.scan().signedWith(SECRET).pageSize(3);
            List<Map<String, Object>> all = new ArrayList<>();
            asked.scan().forEach(row -> all.add(row.values()));
            for (RingPosition place : places()) {
                String cookie =
                        cookies.write(new PagingState(new UUID(1, 2), Optional.of(place), 3, List.of("one"), 2));
                String what = name + ", " + place.position().region() + ", weight="
                        + place.position().weight();
                try {
                    List<Map<String, Object>> rows = rest(scan, cookie);
                    // Between two rows of a partition a page ends only if none of its rows was shown: its static row is
                    // one then.
                    all.removeIf(row -> row.get("day") == null);
                    rows.removeIf(row -> row.get("day") == null);
                    if (Collections.lastIndexOfSubList(all, rows) + rows.size() != all.size()) {
                        failed.put(what, "rows are no end of the whole, place=" + place);
                    }
                } catch (PagingCookieException refused) {
                    assertThat(refused).hasMessageStartingWith("paging cookie is ");
                } catch (IOException | RuntimeException | AssertionError e) {
                    failed.put(what, e + ", place=" + place);
                }
            }
        });
        assertThat(failed).isEmpty();
    }

    @Test
    void shouldTakeNumbersThatNoReadingHasForWhatTheySay() throws IOException {
        Asked asked = ranges(TokenRange.FULL);
        PagingCookie cookies = PagingCookie.of(schema, asked.query()).signedWith(SECRET);
        Optional<RingPosition> start = Optional.of(RingPosition.behind(Long.MIN_VALUE + 1));
        List<String> many = Collections.nCopies(10_000, "no such replica");
        Scan scan = asked.scan().signedWith(SECRET).pageSize(7);

        for (int concurrency : new int[] {1, 1_000, Integer.MAX_VALUE}) {
            String cookie = cookies.write(new PagingState(new UUID(1, 2), start, 0, many, concurrency));
            assertThat(rest(scan, cookie)).hasSize(136);
        }
        for (long rowCount : new long[] {20, 21, 1L << 62}) {
            String cookie = cookies.write(new PagingState(new UUID(1, 2), start, rowCount, List.of(), 1));
            assertThat(rest(scan.limit(20), cookie)).as("rowCount=%d", rowCount).isEmpty();
        }
        String cookie = cookies.write(new PagingState(new UUID(1, 2), start, 13, List.of(), 1));
        assertThat(rest(scan.limit(20), cookie)).hasSize(7);
    }

    @Test
    void shouldRefuseMoreRowsThanAnybodyReads() {
        Asked asked = ranges(TokenRange.FULL);
        PagingCookie cookies = PagingCookie.of(schema, asked.query()).signedWith(SECRET);
        Optional<RingPosition> start = Optional.of(RingPosition.behind(Long.MIN_VALUE + 1));
        for (long rowCount : new long[] {Long.MAX_VALUE - 136, Long.MAX_VALUE}) {
            String cookie = cookies.write(new PagingState(new UUID(1, 2), start, rowCount, List.of(), 1));
            assertThatThrownBy(() -> asked.scan().signedWith(SECRET).nextPage(cookie))
                    .isInstanceOf(PagingCookieException.class)
                    .hasMessageContaining("rowCount=" + rowCount);
        }
    }
}
