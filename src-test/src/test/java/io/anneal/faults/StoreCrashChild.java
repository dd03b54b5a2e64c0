package io.anneal.faults;

import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The process that is to be killed: opens a store and writes {@link NumberedWrites} to it while another thread flushes,
 * compacts and takes snapshots. Says on its standard output, a line each: {@code A n} write n is acknowledged; {@code P
 * phase} what it begins; {@code C n} step n on the scratch table is acknowledged; {@code S name} a snapshot is taken;
 * {@code X text} something failed, which nothing here may.
 */
final class StoreCrashChild {
    static final String SCRATCH = "two.scratch";
    static final String CREATE_SCRATCH = "CREATE TABLE " + SCRATCH + " (k bigint PRIMARY KEY, v bigint)";

    private final Round round;
    private final NumberedWrites writes;
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final AtomicBoolean done = new AtomicBoolean();

    /**
     * What the parent tells.
     *
     * @param first number of the first write
     * @param count of writes, after which the store is closed
     * @param window writes in flight at most
     * @param firstStep of those on the scratch table
     */
    record Round(
            Path directory,
            long seed,
            long nowSeconds,
            int number,
            long first,
            int count,
            int window,
            long firstStep,
            SyncMode mode,
            int shards,
            boolean compressed) {
        List<String> arguments() {
            return List.of(
                    directory.toString(),
                    Long.toString(seed),
                    Long.toString(nowSeconds),
                    Integer.toString(number),
                    Long.toString(first),
                    Integer.toString(count),
                    Integer.toString(window),
                    Long.toString(firstStep),
                    mode.name(),
                    Integer.toString(shards),
                    Boolean.toString(compressed));
        }

        static Round of(String[] arguments) {
            return new Round(
                    Path.of(arguments[0]),
                    Long.parseLong(arguments[1]),
                    Long.parseLong(arguments[2]),
                    Integer.parseInt(arguments[3]),
                    Long.parseLong(arguments[4]),
                    Integer.parseInt(arguments[5]),
                    Integer.parseInt(arguments[6]),
                    Long.parseLong(arguments[7]),
                    SyncMode.valueOf(arguments[8]),
                    Integer.parseInt(arguments[9]),
                    Boolean.parseBoolean(arguments[10]));
        }

        /** Everything small, so that everything happens often. */
        StoreConfig config() {
            return StoreConfig.defaults()
                    .withShardCount(shards)
                    .withSyncMode(mode)
                    .withSyncPeriod(Duration.ofMillis(20))
                    .withGroupWindow(Duration.ofMillis(1))
                    .withMemtableBudgetBytes(2 << 20)
                    .withCommitLogSegmentBytes(128 << 10)
                    .withCommitLogBudgetBytes(1 << 20)
                    .withCommitLogCompression(compressed);
        }
    }

    private StoreCrashChild(Round round) {
        this.round = round;
        writes = new NumberedWrites(round.seed(), round.nowSeconds());
    }

    public static void main(String[] arguments) throws Exception {
        StoreCrashChild child = new StoreCrashChild(Round.of(arguments));
        try {
            child.run();
        } catch (Exception e) {
            child.failed(e);
            throw e;
        }
    }

    private void run() throws Exception {
        say("P open");
        try (Store store = Store.open(round.directory(), round.config())) {
            say("P create");
            Map<String, Table> tables = createMissing(store);
            Thread upkeep = new Thread(() -> keepUp(store, tables.get(SCRATCH)));
            upkeep.start();
            say("P write");
            write(tables);
            done.set(true);
            upkeep.join();
            say("P close");
        }
        say("P closed");
    }

    /** One call of write, so that a line is there whole or not at all. */
    private synchronized void say(String line) {
        try {
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // Nobody listens any more.
            Runtime.getRuntime().halt(1);
        }
    }

    private void failed(Throwable failure) {
        say("X " + String.valueOf(failure).replace('\n', ' '));
    }

    private Map<String, Table> createMissing(Store store) throws IOException {
        Map<String, Table> tables = new HashMap<>();
        store.tables().forEach(table -> tables.put(table.schema().qualifiedName(), table));
        for (String create : NumberedWrites.CREATE) {
            createMissing(store, create, tables);
        }
        createMissing(store, CREATE_SCRATCH, tables);
        return tables;
    }

    private static void createMissing(Store store, String create, Map<String, Table> tables) throws IOException {
        String name = create.split(" ")[2];
        if (!tables.containsKey(name)) {
            tables.put(name, store.createTable(create));
        }
    }

    private void write(Map<String, Table> tables) throws Exception {
        CompletableFuture<?>[] inFlight = new CompletableFuture<?>[round.window()];
        for (long n = round.first(); n < round.first() + round.count(); n++) {
            int slot = (int) (n % round.window());
            if (inFlight[slot] != null) {
                inFlight[slot].join();
            }
            long number = n;
            NumberedWrites.Write write = writes.write(number);
            inFlight[slot] = tables.get(write.schema().qualifiedName())
                    .applyAsync(write.mutation())
                    .whenComplete((nothing, failure) -> {
                        if (failure == null) {
                            say("A " + number);
                        } else {
                            failed(failure);
                        }
                    });
        }
        for (CompletableFuture<?> future : inFlight) {
            if (future != null) {
                future.join();
            }
        }
    }

    private void keepUp(Store store, Table scratch) {
        SplittableRandom random = new SplittableRandom(round.seed() + round.number());
        List<Table> tables = store.tables();
        long step = round.firstStep();
        try {
            for (int i = 0; !done.get(); i++) {
                Table table = tables.get(random.nextInt(tables.size()));
                switch (random.nextInt(8)) {
                    case 0, 1 -> {
                        say("P flush");
                        table.flush();
                    }
                    case 2 -> {
                        say("P flush");
                        store.flush();
                    }
                    case 3, 4 -> {
                        say("P compact");
                        table.compact();
                    }
                    case 5 -> {
                        if (random.nextInt(4) == 0) {
                            String name = "round" + round.number() + "-" + i;
                            say("P snapshot");
                            store.snapshot(name);
                            say("S " + name);
                        }
                    }
                    default -> {
                        say("P scratch");
                        step(scratch, step);
                        say("C " + step++);
                    }
                }
                say("P write");
            }
        } catch (Exception e) {
            failed(e);
        }
    }

    /** Every fifth step empties the table, the others add a row. */
    static void step(Table scratch, long step) throws IOException {
        if (step % 5 == 0) {
            scratch.truncate();
        } else {
            scratch.row().key("k", step).set("v", step).insert();
        }
    }

    static DecoratedKey key(long k) {
        return DecoratedKey.of(ByteBuffer.allocate(Long.BYTES).putLong(k).array());
    }

    static List<TableSchema> schemas(Round round) {
        return new NumberedWrites(round.seed(), round.nowSeconds()).schemas();
    }
}
