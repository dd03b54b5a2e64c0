package io.anneal.faults;

import io.anneal.compaction.CompactionCancelledException;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.simulation.RefusedTables;
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
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The process that is to be killed: opens a store and writes {@link NumberedWrites} to it while another thread flushes,
 * compacts, takes snapshots, makes {@link ScratchSteps} and asks for tables that are refused. Some of the writes empty their
 * table instead: they truncate it, or drop it and make it again. Says on its standard output, a line each: {@code A n} write n
 * is acknowledged; {@code P phase} what it begins; {@code C n} step n on the scratch table is acknowledged; {@code S path} a
 * snapshot is taken; {@code X text} something failed, which nothing here may.
 */
final class StoreCrashChild {
    static final String REFUSED = "two.refused";

    private static final String DROPPED = "closed or dropped";

    private final Round round;
    private final NumberedWrites writes;
    private final ScratchSteps scratch;
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private final AtomicBoolean done = new AtomicBoolean();

    /**
     * What the parent tells.
     *
     * @param first number of the first write
     * @param count of writes, after which the store is closed; with none of them it is only opened
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
        scratch = new ScratchSteps(round.seed());
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
            if (round.count() > 0) {
                use(store);
            }
            say("P close");
        }
        say("P closed");
    }

    private void use(Store store) throws Exception {
        say("P create");
        createMissing(store);
        Thread upkeep = new Thread(() -> keepUp(store));
        upkeep.start();
        say("P write");
        write(store);
        done.set(true);
        upkeep.join();
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

    private static void createMissing(Store store) throws IOException {
        for (String create : NumberedWrites.CREATE) {
            if (store.findTable(NumberedWrites.name(create)).isEmpty()) {
                store.createTable(create);
            }
        }
    }

    private void write(Store store) throws Exception {
        CompletableFuture<?>[] inFlight = new CompletableFuture<?>[round.window()];
        for (long n = round.first(); n < round.first() + round.count(); n++) {
            int slot = (int) (n % round.window());
            if (inFlight[slot] != null) {
                inFlight[slot].join();
            }
            long number = n;
            Optional<TableSchema> emptied = writes.emptied(number);
            if (emptied.isPresent()) {
                join(inFlight);
                say("P empty");
                empty(store, emptied.get().qualifiedName(), number);
                say("A " + number);
                continue;
            }
            NumberedWrites.Write write = writes.write(number);
            inFlight[slot] = store.table(write.schema().qualifiedName())
                    .applyAsync(write.mutation())
                    .whenComplete((nothing, failure) -> {
                        if (failure == null) {
                            say("A " + number);
                        } else {
                            failed(failure);
                        }
                    });
        }
        join(inFlight);
    }

    private static void empty(Store store, String name, long number) throws IOException {
        if (number % 2 == 0) {
            store.table(name).truncate();
        } else {
            store.dropTable(name);
            createMissing(store);
        }
    }

    private static void join(CompletableFuture<?>[] futures) {
        for (CompletableFuture<?> future : futures) {
            if (future != null) {
                future.join();
            }
        }
    }

    private void keepUp(Store store) {
        SplittableRandom random = new SplittableRandom(round.seed() + round.number());
        long step = round.firstStep();
        try {
            for (int i = 0; !done.get(); i++) {
                if (random.nextInt(3) == 0) {
                    say("P scratch");
                    scratch.make(step, store, round.directory().getParent());
                    say("C " + step++);
                } else {
                    keepUp(store, random, "round" + round.number() + "-" + i);
                }
                say("P write");
            }
        } catch (Exception e) {
            failed(e);
        }
    }

    private void keepUp(Store store, SplittableRandom random, String snapshot) throws IOException {
        List<Table> tables = store.tables();
        Table table = tables.get(random.nextInt(tables.size()));
        try {
            switch (random.nextInt(7)) {
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
                    compact(table);
                }
                case 5 -> {
                    say("P refuse");
                    refuse(store, RefusedTables.OPTIONS.get(random.nextInt(RefusedTables.OPTIONS.size())));
                }
                default -> {
                    if (random.nextInt(4) == 0) {
                        say("P snapshot");
                        Path taken = table.snapshot(snapshot);
                        say("S " + round.directory().relativize(taken));
                    }
                }
            }
        } catch (IllegalStateException e) {
            // The writer may have dropped it meanwhile.
            if (!e.getMessage().contains(DROPPED)) {
                throw e;
            }
        }
    }

    private static void compact(Table table) throws IOException {
        try {
            table.compact();
        } catch (CompactionCancelledException e) {
            // The writer has dropped the table meanwhile.
        }
    }

    private void refuse(Store store, String options) throws IOException {
        try {
            store.createTable("CREATE TABLE " + REFUSED + " (k int PRIMARY KEY, v text) WITH " + options);
        } catch (SchemaException e) {
            return;
        }
        say("X table was made, options=" + options);
    }

    static DecoratedKey key(long k) {
        return DecoratedKey.of(ByteBuffer.allocate(Long.BYTES).putLong(k).array());
    }

    static List<TableSchema> schemas(Round round) {
        return new NumberedWrites(round.seed(), round.nowSeconds()).schemas();
    }
}
