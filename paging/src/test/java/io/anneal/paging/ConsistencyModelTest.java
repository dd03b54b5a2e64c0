package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.node.Ring;
import io.anneal.paging.ReplicaSet.Watched;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageSource;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writes that reach as many owners as a consistency needs to see them, and a model that has all of them: whichever owners are read,
 * fail, or lose their queriers, the pages are those of the model. {@code -Danneal.seeds=N} for more, {@code -Danneal.seed=N} for others.
 */
@Timeout(120)
final class ConsistencyModelTest {
    private static final long NOW_SECONDS = 1_700_000_000;
    private static final HostEnvironment ENVIRONMENT =
            HostEnvironment.system().withClock(InstantSource.fixed(Instant.ofEpochSecond(NOW_SECONDS)));
    private static final String CQL = "CREATE TABLE ks.t (k int, c1 int, c2 int, v text, w int, s text static,"
            + " m map<int, int>, PRIMARY KEY (k, c1, c2)) WITH CLUSTERING ORDER BY (c1 ASC, c2 DESC)";
    private static final int NODES = 5;
    private static final int MODEL = NODES;
    private static final int OWNERS = 3;
    private static final int KEYS = 25;
    private static final int CLUSTERINGS = 6;
    private static final int QUERIES = 15;

    @TempDir
    private Path directory;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 6));
    }

    private static Ring ring(Random random) {
        long[] ends = random.longs(1 + random.nextInt(30)).sorted().distinct().toArray();
        List<Ring.Part> parts = new ArrayList<>();
        for (int i = 0; i < ends.length; i++) {
            int first = random.nextInt(NODES);
            List<String> owners = IntStream.range(0, OWNERS)
                    .mapToObj(o -> "n" + (first + o) % NODES)
                    .toList();
            parts.add(new Ring.Part(new TokenRange(ends[i], ends[(i + 1) % ends.length]), owners));
        }
        return new Ring(parts);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldShowAllThatReachedEnoughOwners(long seed) throws IOException {
        Random random = new Random(seed);
        Ring ring = ring(random);
        Consistency consistency = Consistency.values()[random.nextInt(3)];
        try (ReplicaSet replicas = new ReplicaSet(directory, NODES + 1, CQL, ENVIRONMENT);
                Paging paging = Paging.open(QuerierLimits.DEFAULT, ENVIRONMENT);
                Paging other = Paging.open(
                        QuerierLimits.DEFAULT.withBytes(200_000).withIdle(Duration.ofMillis(50)), ENVIRONMENT)) {
            int writes = 100 + random.nextInt(900);
            for (int i = 0; i < writes; i++) {
                write(replicas, ring, consistency, random);
            }
            Map<String, PageSource> sources = replicas.sources();
            sources.remove("n" + MODEL);
            AtomicInteger failures = new AtomicInteger();
            Random failing = new Random(seed);
            sources.replaceAll((name, source) -> new Watched(source, request -> {
                synchronized (failing) {
                    if (failing.nextInt(25) == 0) {
                        failures.incrementAndGet();
                        throw new IOException("replica is gone for a while");
                    }
                }
            }));
            List<PagedTable> tables =
                    List.of(paging.table(ring, sources, consistency), other.table(ring, sources, consistency));
            PagedTable model = paging.table(replicas.table(MODEL));
            for (int i = 0; i < QUERIES; i++) {
                check(tables, model, random);
            }
            assertThat(failures).hasPositiveValue();
        }
    }

    private static void check(List<PagedTable> tables, PagedTable model, Random random) throws IOException {
        long querySeed = random.nextLong();
        List<String> wanted = ReplicaSet.rows(query(model, new Random(querySeed)));
        PageLimits limits = PageLimits.DEFAULT.withRows(1 + random.nextInt(random.nextBoolean() ? 4 : 100));
        limits = random.nextInt(4) == 0 ? limits.withBytes(1 + random.nextInt(1000)) : limits;
        limits = random.nextInt(4) == 0 ? limits.withTombstones(1 + random.nextInt(10)) : limits;
        limits = random.nextInt(4) == 0 ? limits.withFiltered(1 + random.nextInt(10)) : limits;
        boolean isStateless = random.nextInt(4) == 0;
        int switches = random.nextInt(3);
        List<String> found = new ArrayList<>();
        String cookie = null;
        int rowsMost = 0;
        while (true) {
            PagedTable table = tables.get(switches == 0 ? 0 : random.nextInt(switches));
            Scan scan = query(table, new Random(querySeed)).limits(limits);
            scan = isStateless ? scan.stateless() : scan;
            ScanPage page;
            try {
                page = cookie == null ? scan.firstPage() : scan.nextPage(cookie);
            } catch (ReplicasUnavailableException tooFew) {
                assertThat(tooFew).hasMessageContainingAll("too few owners", "gone for a while");
                continue;
            }
            page.rows().forEach(row -> found.add(row.toString()));
            rowsMost = Math.max(rowsMost, page.rows().size());
            if (page.cookie().isEmpty()) {
                break;
            }
            cookie = page.cookie().get();
        }
        assertThat(found).isEqualTo(wanted);
        assertThat(rowsMost).isLessThanOrEqualTo(limits.rows());
    }

    private static Scan query(PagedTable table, Random random) {
        Scan scan;
        if (random.nextBoolean()) {
            scan = random.nextBoolean() ? table.scan() : table.scan(ranges(random));
        } else {
            List<List<Integer>> keys = IntStream.range(0, 1 + random.nextInt(6))
                    .mapToObj(i -> List.of(random.nextInt(KEYS)))
                    .toList();
            scan = random.nextBoolean() ? table.partition(keys.get(0).get(0)) : table.partitions(keys);
            if (random.nextBoolean()) {
                scan = scan.where("c1", random.nextBoolean() ? ">=" : "<", random.nextInt(CLUSTERINGS));
            }
            scan = random.nextBoolean() ? scan.reversed() : scan;
        }
        if (random.nextInt(3) == 0) {
            scan = scan.where("w", random.nextBoolean() ? ">" : "=", random.nextInt(4));
        }
        return random.nextInt(4) == 0 ? scan.where("s", "!=", "s" + random.nextInt(3)) : scan;
    }

    private static TokenRange[] ranges(Random random) {
        long[] ends =
                random.longs(2L + 2 * random.nextInt(3)).sorted().distinct().toArray();
        int first = random.nextInt(ends.length);
        return IntStream.range(0, 1 + random.nextInt(ends.length))
                .mapToObj(i -> new TokenRange(ends[(first + i) % ends.length], ends[(first + i + 1) % ends.length]))
                .toArray(TokenRange[]::new);
    }

    /** To the model, and to so many of the owners that one of those that are read has it. */
    private static void write(ReplicaSet replicas, Ring ring, Consistency consistency, Random random)
            throws IOException {
        int key = random.nextInt(KEYS);
        long token = DecoratedKey.of(
                        ByteBuffer.allocate(Integer.BYTES).putInt(key).array())
                .token();
        List<String> owners = new ArrayList<>(ring.parts().stream()
                .filter(part -> part.range().contains(token))
                .findFirst()
                .orElseThrow()
                .owners());
        int least = owners.size() - consistency.of(owners.size()) + 1;
        Collections.shuffle(owners, random);
        Set<Integer> places = new TreeSet<>(Set.of(MODEL));
        owners.subList(0, least + random.nextInt(owners.size() - least + 1))
                .forEach(owner -> places.add(Integer.parseInt(owner.substring(1))));
        long writeSeed = random.nextLong();
        for (int place : places) {
            write(replicas.table(place), key, new Random(writeSeed));
            if (random.nextInt(60) == 0) {
                replicas.table(place).flush();
            }
        }
    }

    private static void write(Table table, int key, Random random) throws IOException {
        long micros = 1 + random.nextInt(50);
        int c1 = random.nextInt(CLUSTERINGS);
        int c2 = random.nextInt(CLUSTERINGS);
        var row = table.row().key("k", key).timestampMicros(micros).localTimeSeconds(NOW_SECONDS - 1_000);
        int what = random.nextInt(24);
        if (what < 10) {
            row.clustering("c1", c1)
                    .clustering("c2", c2)
                    .set("v", "v" + micros)
                    .set("w", random.nextInt(4))
                    .insert();
        } else if (what < 12) {
            row.clustering("c1", c1)
                    .clustering("c2", c2)
                    .set("w", random.nextInt(4))
                    .update();
        } else if (what == 12) {
            row.clustering("c1", c1).clustering("c2", c2).set("w", random.nextInt(4));
            row.ttlSeconds(random.nextBoolean() ? 500 : 100_000);
            if (random.nextBoolean()) {
                row.insert();
            } else {
                row.update();
            }
        } else if (what == 13) {
            row.clustering("c1", c1).clustering("c2", c2).delete("v").update();
        } else if (what == 14) {
            row.clustering("c1", c1)
                    .clustering("c2", c2)
                    .add("m", Map.of(random.nextInt(4), 1))
                    .update();
        } else if (what == 15) {
            row.clustering("c1", c1)
                    .clustering("c2", c2)
                    .set("m", Map.of(random.nextInt(4), 2))
                    .update();
        } else if (what == 16) {
            row.set("s", "s" + random.nextInt(3)).update();
        } else if (what == 17) {
            row.delete("s").update();
        } else if (what < 20) {
            row.clustering("c1", c1).clustering("c2", c2).deleteRow();
        } else if (what < 22) {
            table.rangeDeletion()
                    .key("k", key)
                    .from("c1", c1, random.nextBoolean())
                    .to("c1", c1 + 1 + random.nextInt(3), random.nextBoolean())
                    .timestampMicros(micros)
                    .localTimeSeconds(NOW_SECONDS - 1_000)
                    .delete();
        } else if (what == 22) {
            table.rangeDeletion()
                    .key("k", key)
                    .clustering("c1", c1)
                    .timestampMicros(micros)
                    .localTimeSeconds(NOW_SECONDS - 1_000)
                    .delete();
        } else if (random.nextInt(4) == 0) {
            row.deletePartition();
        }
    }
}
