package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.net.NetTimeouts;
import io.anneal.node.Node;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamService;
import io.anneal.streaming.StreamSource;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store streams to another while both are written, flushed and compacted: after each plan the target has at least what the source
 * had acknowledged before it, each row once, nothing that was deleted, and all that is its own. {@code -Danneal.seed=N} for others.
 */
@Timeout(120)
class LiveStreamTest {
    private static final String SCHEMA = "CREATE TABLE ks.t (k int PRIMARY KEY, n int, padding blob)"
            + " WITH id = 11111111-2222-3333-4444-555555555555"
            + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '2'}";
    private static final StoreConfig CONFIG = StoreConfig.defaults()
            .withShardCount(2)
            .withMemtableBudgetBytes(2 << 20)
            .withSyncMode(SyncMode.PERIODIC);
    private static final int KEYS = 300;
    /** Each third change of a key deletes it. */
    private static final int DELETES_EVERY = 3;

    private static final int PLANS = 8;
    private static final int PADDING_BYTES = 400;

    @TempDir
    private Path directory;

    private final AtomicBoolean done = new AtomicBoolean();

    /** One side's keys, whose changes are counted: before each, and once it is acknowledged. */
    private static final class Side {
        private final Table table;
        private final int firstKey;
        private final Random random;
        private final AtomicIntegerArray begun = new AtomicIntegerArray(KEYS);
        private final AtomicIntegerArray acknowledged = new AtomicIntegerArray(KEYS);

        Side(Table table, int firstKey, long seed) {
            this.table = table;
            this.firstKey = firstKey;
            random = new Random(seed);
        }

        void change() throws IOException {
            int key = random.nextInt(KEYS);
            int number = begun.incrementAndGet(key);
            if (isDeletion(number)) {
                table.row().key("k", firstKey + key).deletePartition();
            } else {
                byte[] padding = new byte[PADDING_BYTES];
                random.nextBytes(padding);
                table.row()
                        .key("k", firstKey + key)
                        .set("n", number)
                        .set("padding", padding)
                        .insert();
            }
            acknowledged.set(key, number);
        }

        int[] acknowledged() {
            return IntStream.range(0, KEYS).map(acknowledged::get).toArray();
        }

        /** What a key shows must be one of the changes from what was acknowledged to what has begun. */
        void assertShown(Map<Integer, Integer> shown, int[] atLeast) {
            for (int key = 0; key < KEYS; key++) {
                int latest = begun.get(key);
                Integer number = shown.get(firstKey + key);
                boolean right = number == null
                        ? atLeast[key] == 0
                                || IntStream.rangeClosed(atLeast[key], latest).anyMatch(Side::isDeletion)
                        : number >= atLeast[key] && number <= latest;
                assertThat(right)
                        .as("key=%d, shown=%s, acknowledged=%d, begun=%d", firstKey + key, number, atLeast[key], latest)
                        .isTrue();
            }
        }

        private static boolean isDeletion(int number) {
            return number % DELETES_EVERY == 0;
        }
    }

    private static Map<Integer, Integer> shown(Table table) throws IOException {
        Map<Integer, Integer> shown = new HashMap<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                Integer before = shown.put(row.value("k", Integer.class), row.value("n", Integer.class));
                assertThat(before).as("row comes twice, row=%s", row).isNull();
            }
        }
        return shown;
    }

    private Callable<Void> until(Work work) {
        return () -> {
            while (!done.get()) {
                work.run();
            }
            return null;
        };
    }

    private interface Work {
        void run() throws IOException;
    }

    @Test
    void shouldLoseNothingWhileBothAreWrittenFlushedAndCompacted() throws Exception {
        long seed = Long.getLong("anneal.seed", new Random().nextLong());
        System.out.println("seed=" + seed);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Store from = Store.open(directory.resolve("from"), CONFIG);
                Store to = Store.open(directory.resolve("to"), CONFIG);
                Node giving = StreamedTable.node(1, NetTimeouts.DEFAULT);
                Node taking = StreamedTable.node(2, NetTimeouts.DEFAULT)) {
            Side source = new Side(from.createTable(SCHEMA), 0, seed);
            Side target = new Side(to.createTable(SCHEMA), KEYS, seed + 1);
            giving.replicas().add("data", new StoreReplicas(from));
            StreamService.of(giving, HostEnvironment.system()).register(giving.handlers());
            InetSocketAddress address = giving.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            List<Future<Void>> running = new ArrayList<>();
            for (Side side : List.of(source, target)) {
                running.add(threads.submit(until(side::change)));
                running.add(threads.submit(until(() -> {
                    side.table.flush();
                    side.table.compact();
                })));
            }
            try {
                for (int i = 0; i < PLANS; i++) {
                    int[] sent = source.acknowledged();
                    StreamPlan.into(new StoreReplicas(to))
                            .add("ks.t", StreamSource.at(taking.peers(), address), TokenRange.FULL)
                            .run(HostEnvironment.system());
                    int[] own = target.acknowledged();
                    Map<Integer, Integer> shown = shown(target.table);
                    source.assertShown(shown, sent);
                    target.assertShown(shown, own);
                }
            } finally {
                done.set(true);
                for (Future<Void> each : running) {
                    each.get();
                }
            }
            assertThat(IntStream.of(source.acknowledged()).sum()).isPositive();
        } finally {
            threads.shutdown();
        }
    }
}
