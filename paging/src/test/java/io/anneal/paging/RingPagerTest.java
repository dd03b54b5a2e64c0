package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.node.Ring;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.schema.TableSchema;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replicas that own parts of the ring, and fail in turns: the pages are one read of all that they own. */
final class RingPagerTest {
    private static final int NODES = 4;
    private static final int OWNERS = 2;
    private static final int KEYS = 60;
    private static final int CLUSTERINGS = 6;
    private static final String CQL = "CREATE TABLE ks.t (k int, c int, v text, PRIMARY KEY (k, c))"
            + " WITH id = 11111111-2222-3333-4444-555555555555";

    @TempDir
    private Path directory;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 4));
    }

    private static Ring ring(Random random) {
        return ring(random, IntStream.range(0, NODES).mapToObj(n -> "n" + n).toList());
    }

    /** Each part of it is owned by some nodes that follow one another. */
    private static Ring ring(Random random, List<String> nodes) {
        long[] ends = random.longs(2 + random.nextInt(20)).sorted().distinct().toArray();
        List<Ring.Part> parts = new ArrayList<>();
        for (int i = 0; i < ends.length; i++) {
            TokenRange range = new TokenRange(ends[i], ends[(i + 1) % ends.length]);
            int first = random.nextInt(nodes.size());
            parts.add(new Ring.Part(
                    range,
                    IntStream.range(0, Math.min(OWNERS, nodes.size()))
                            .mapToObj(o -> nodes.get((first + o) % nodes.size()))
                            .toList()));
        }
        return new Ring(parts);
    }

    /** Fails now and then. */
    private record Shaky(PageSource whole, Random random, int[] failures) implements PageSource {
        @Override
        public String name() {
            return whole.name();
        }

        @Override
        public TableSchema schema() {
            return whole.schema();
        }

        @Override
        public Page read(PageRequest request) throws IOException {
            if (random.nextInt(4) == 0) {
                failures[0]++;
                throw new IOException("replica is gone for a while");
            }
            return whole.read(request);
        }

        @Override
        public void forget(UUID queryId) {
            whole.forget(queryId);
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldGiveWhatTheOwnersHaveWhoeverFails(long seed) throws IOException {
        Random random = new Random(seed);
        Ring ring = ring(random);
        List<Store> stores = new ArrayList<>();
        try (Queriers queriers = Queriers.open(QuerierLimits.DEFAULT, HostEnvironment.system());
                Paging paging = Paging.open()) {
            Map<String, PageSource> whole = new TreeMap<>();
            List<Table> tables = new ArrayList<>();
            for (int n = 0; n < NODES; n++) {
                Store store = Store.open(
                        directory.resolve("n" + n), StoreConfig.defaults().withShardCount(2));
                stores.add(store);
                tables.add(store.createTable(CQL));
                whole.put("n" + n, queriers.pages("n" + n, tables.get(n)));
            }
            Store reference =
                    Store.open(directory.resolve("all"), StoreConfig.defaults().withShardCount(2));
            stores.add(reference);
            Table all = reference.createTable(CQL);
            for (int k = 0; k < KEYS; k++) {
                long token = DecoratedKey.of(
                                ByteBuffer.allocate(Integer.BYTES).putInt(k).array())
                        .token();
                List<String> owners = ring.parts().stream()
                        .filter(part -> part.range().contains(token))
                        .findFirst()
                        .orElseThrow()
                        .owners();
                for (int c = 0; c < random.nextInt(CLUSTERINGS); c++) {
                    write(all, k, c);
                    for (String owner : owners) {
                        write(tables.get(Integer.parseInt(owner.substring(1))), k, c);
                    }
                }
            }
            if (random.nextBoolean()) {
                for (Store store : stores) {
                    store.flush();
                }
            }
            PagedTable reads = paging.table(all);
            Map<String, PageSource> shaky = new TreeMap<>();
            int[] failures = new int[1];
            whole.forEach((name, source) -> shaky.put(name, new Shaky(source, random, failures)));
            for (int i = 0; i < 10; i++) {
                int pageSize = 1 + random.nextInt(20);
                assertThat(rows(paging.table(ring, whole, Consistency.ONE)
                                .scan()
                                .pageSize(pageSize)))
                        .isEqualTo(rows(reads.scan()));
                assertThat(rowsOfShaky(paging.table(ring, shaky, Consistency.ONE)
                                .scan()
                                .pageSize(pageSize)))
                        .isEqualTo(rows(reads.scan()));
                int k = random.nextInt(KEYS);
                assertThat(rowsOfShaky(paging.table(ring, shaky, Consistency.ONE)
                                .partition(k)
                                .reversed()
                                .pageSize(2)))
                        .isEqualTo(rows(reads.partition(k).reversed()));
            }
            assertThat(failures[0]).isPositive();
            Map<String, PageSource> everywhere = Map.of("all", queriers.pages("all", all));
            List<PagedTable> readers = List.of(
                    paging.table(ring, whole, Consistency.ONE),
                    paging.table(ring, whole, Consistency.QUORUM),
                    paging.table(ring(random, List.of("all")), everywhere, Consistency.ONE),
                    reads);
            for (int i = 0; i < 20; i++) {
                TokenRange[] ranges = ranges(random);
                assertThat(rowsOfAny(readers, ranges, random))
                        .as("ranges=%s", List.of(ranges))
                        .isEqualTo(rows(reads.scan(ranges)));
            }
        } finally {
            for (Store store : stores) {
                store.close();
            }
        }
    }

    @Test
    void shouldSayWhoOwnsNothingThatIsAskedFor() throws IOException {
        try (OrdersTable orders = new OrdersTable(directory);
                Queriers queriers = Queriers.open(QuerierLimits.DEFAULT, HostEnvironment.system());
                Paging paging = Paging.open()) {
            Ring ring = Ring.of(List.of(TokenRange.FULL), Set.of("other"));
            PageSource own = queriers.pages("own", orders.table());
            assertThatThrownBy(() -> paging.table(ring, Map.of("own", own), Consistency.ONE)
                            .scan()
                            .firstPage())
                    .isInstanceOf(ReplicasUnavailableException.class)
                    .hasMessageContainingAll("too few owners", "other");
        }
    }

    /** Nobody else is asked: the caller wants an end. */
    @Test
    void shouldEndWhenItIsInterrupted() throws IOException {
        try (OrdersTable orders = new OrdersTable(directory);
                Queriers queriers = Queriers.open(QuerierLimits.DEFAULT, HostEnvironment.system());
                Paging paging = Paging.open()) {
            PageSource own = queriers.pages("own", orders.table());
            PageSource interrupted = new PageSource() {
                @Override
                public String name() {
                    return "interrupted";
                }

                @Override
                public TableSchema schema() {
                    return own.schema();
                }

                @Override
                public Page read(PageRequest request) throws IOException {
                    throw new InterruptedIOException("enough");
                }

                @Override
                public void forget(UUID queryId) {}
            };
            Ring ring = new Ring(List.of(new Ring.Part(TokenRange.FULL, List.of("first", "second"))));
            assertThatThrownBy(() -> paging.table(ring, Map.of("first", interrupted, "second", own), Consistency.ONE)
                            .scan()
                            .firstPage())
                    .isInstanceOf(InterruptedIOException.class);
        }
    }

    private static void write(Table table, int k, int c) throws IOException {
        table.row()
                .key("k", k)
                .clustering("c", c)
                .set("v", "v" + k)
                .timestampMicros(1)
                .insert();
    }

    private static List<String> rows(Scan scan) {
        List<String> rows = new ArrayList<>();
        for (TableRow row : scan) {
            rows.add(row.toString());
        }
        return rows;
    }

    /** Some parts of the ring, in any order. */
    private static TokenRange[] ranges(Random random) {
        List<TokenRange> ranges = new ArrayList<>();
        ring(random).parts().stream()
                .map(Ring.Part::range)
                .filter(range -> range.unwrap().size() == 1)
                .forEach(ranges::add);
        Collections.shuffle(ranges, random);
        return ranges.subList(0, 1 + random.nextInt(ranges.size())).toArray(TokenRange[]::new);
    }

    /** Each page by another reader, which goes on from the cookie of the one before. */
    private static List<String> rowsOfAny(List<PagedTable> readers, TokenRange[] ranges, Random random)
            throws IOException {
        List<String> rows = new ArrayList<>();
        Optional<String> cookie = Optional.empty();
        do {
            Scan scan = readers.get(random.nextInt(readers.size())).scan(ranges).pageSize(1 + random.nextInt(9));
            ScanPage page = cookie.isEmpty() ? scan.firstPage() : scan.nextPage(cookie.get());
            page.rows().forEach(row -> rows.add(row.toString()));
            assertThat(rows).hasSizeLessThan(10 * KEYS * CLUSTERINGS);
            cookie = page.cookie();
        } while (cookie.isPresent());
        return rows;
    }

    /** When both owners have failed, the caller asks again for the same page. */
    private static List<String> rowsOfShaky(Scan scan) throws IOException {
        List<String> rows = new ArrayList<>();
        String cookie = null;
        for (int i = 0; i < 100_000; i++) {
            try {
                ScanPage page = cookie == null ? scan.firstPage() : scan.nextPage(cookie);
                page.rows().forEach(row -> rows.add(row.toString()));
                if (page.cookie().isEmpty()) {
                    return rows;
                }
                cookie = page.cookie().get();
            } catch (IOException | UncheckedIOException again) {
                assertThat(again).hasMessageContaining("gone for a while");
            }
        }
        throw new AssertionError("no end");
    }
}
