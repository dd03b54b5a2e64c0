package io.anneal.faults;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.store.Store;
import io.anneal.store.StoreBatch;
import io.anneal.store.Table;
import io.anneal.store.TableMutation;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/**
 * A store in a small heap to which large mutations are written. Says on its standard output, a line each: what it did, a colon,
 * and what came of it, with the store's failure if there is one.
 */
final class SmallHeapChild {
    static final String DONE = "done";
    static final int VALUE_BYTES = 50 << 20;
    static final int CELLS = 400_000;

    private static final int MIB = 1 << 20;
    private static final int BUDGET_BYTES = 32 * MIB;
    private static final int BATCH_WRITES = 6;

    private final Store store;
    private final Path acknowledged;
    private final Table table;
    private final Table maps;

    /** What a child does. */
    enum Scenario {
        /** All are larger than an eighth of the heap. */
        TOO_LARGE {
            @Override
            void run(SmallHeapChild child) {
                byte[] value = new byte[VALUE_BYTES];
                child.say("row", () -> child.insert(1, value));
                child.say("mutation", () -> {
                    TableMutation mutation = child.table.mutation();
                    mutation.row().key("k", 1).set("v", value).insert();
                });
                child.say("encoded", () -> child.table.apply(child.encoded(value)));
                child.say(
                        "async",
                        () -> child.table.applyAsync(child.encoded(value)).join());
                child.say("batch", () -> child.batch(BATCH_WRITES).apply());
                child.say(
                        "cells",
                        () -> child.maps.row().key("k", 1).set("m", map(CELLS)).insert());
                child.say("encoded cells", () -> child.maps.apply(child.encodedCells()));
                child.say("rows", () -> child.table.apply(child.encodedRows()));
            }
        },
        /** Again and again to the same rows: each is there in several versions. */
        LARGEST {
            @Override
            void run(SmallHeapChild child) {
                byte[] value = new byte[BUDGET_BYTES - 1024];
                for (int i = 0; i < 12; i++) {
                    int k = i % 3;
                    child.say("row " + i, () -> child.insert(k, value));
                }
                for (int i = 0; i < 6; i++) {
                    child.say(
                            "cells " + i,
                            () -> child.maps
                                    .row()
                                    .key("k", 1)
                                    .add("m", map(CELLS / 2))
                                    .update());
                }
                child.say("flush", child.store::flush);
            }
        },
        /** The record of a batch is made once the caller has all its writes, and here does not fit. */
        BATCH_WITHOUT_MEMORY {
            @Override
            void run(SmallHeapChild child) {
                List<byte[]> ballast = new ArrayList<>();
                child.say("batch", () -> {
                    StoreBatch batch = child.batch(BATCH_WRITES);
                    fill(ballast);
                    batch.apply();
                });
                ballast.clear();
            }
        },
        /** Maps that take most of the heap while they are made, and small rows of somebody else. */
        BESIDE {
            @Override
            void run(SmallHeapChild child) throws IOException {
                List<Integer> acknowledged = new ArrayList<>();
                Map<Integer, Integer> map = map(30_000);
                Thread large = new Thread(() -> {
                    for (int k = 1; k <= 150; k++) {
                        int key = -k;
                        acknowledge(
                                acknowledged,
                                key,
                                () -> child.maps
                                        .row()
                                        .key("k", key)
                                        .set("m", map)
                                        .insert());
                    }
                });
                large.start();
                for (int k = 0; large.isAlive(); k++) {
                    int key = k;
                    acknowledge(acknowledged, key, () -> child.insert(key, new byte[100]));
                }
                child.say("acknowledged", () -> Files.writeString(child.acknowledged, acknowledged.toString()));
            }
        },
        /** What was acknowledged before, in a heap that has room for it. */
        READ_ACKNOWLEDGED {
            @Override
            void run(SmallHeapChild child) {
                child.say("acknowledged", () -> {
                    String text = Files.readString(child.acknowledged);
                    String[] keys = text.substring(1, text.length() - 1).split(", ");
                    require(keys.length > 10);
                    for (String key : keys) {
                        int k = Integer.parseInt(key);
                        require((k < 0 ? child.maps : child.table)
                                .row(Map.of("k", k))
                                .isPresent());
                    }
                });
            }
        },
        WRITE {
            @Override
            void run(SmallHeapChild child) {
                child.say("row", () -> child.insert(1, new byte[VALUE_BYTES]));
                child.say(
                        "cells",
                        () -> child.maps.row().key("k", 1).set("m", map(CELLS)).insert());
                Runtime.getRuntime().halt(0);
            }
        },
        READ {
            @Override
            void run(SmallHeapChild child) {
                child.say("row", () -> {
                    ByteBuffer value =
                            child.table.row(Map.of("k", 1)).orElseThrow().value("v", ByteBuffer.class);
                    require(value.remaining() == VALUE_BYTES);
                });
                child.say("cells", () -> {
                    Map<?, ?> map = child.maps.row(Map.of("k", 1)).orElseThrow().value("m", Map.class);
                    require(map.size() == CELLS);
                });
            }
        };

        abstract void run(SmallHeapChild child) throws IOException;
    }

    private interface Write {
        void run() throws IOException;
    }

    private static void acknowledge(List<Integer> acknowledged, int key, Write write) {
        try {
            write.run();
            synchronized (acknowledged) {
                acknowledged.add(key);
            }
        } catch (IOException | RuntimeException | OutOfMemoryError refused) {
            // What it says is another test's: here each call has to return.
        }
    }

    private SmallHeapChild(Store store, Path acknowledged) throws IOException {
        this.store = store;
        this.acknowledged = acknowledged;
        table = table("ks.t", "v blob");
        maps = table("ks.m", "m map<int, int>");
    }

    private Table table(String name, String column) throws IOException {
        return store.findTable(name).isPresent()
                ? store.table(name)
                : store.createTable("CREATE TABLE " + name + " (k int PRIMARY KEY, " + column + ")");
    }

    private static Map<Integer, Integer> map(int size) {
        Map<Integer, Integer> map = new HashMap<>();
        for (int i = 0; i < size; i++) {
            map.put(i, i);
        }
        return map;
    }

    private void insert(int k, byte[] value) throws IOException {
        table.row().key("k", k).set("v", value).insert();
    }

    private StoreBatch batch(int writes) throws IOException {
        StoreBatch batch = store.batch();
        for (int k = 0; k < writes; k++) {
            batch.row(table).key("k", k).set("v", new byte[10 * MIB]).insert();
        }
        return batch;
    }

    private static DecoratedKey key() {
        return DecoratedKey.of(new byte[] {0, 0, 0, 1});
    }

    /** As somebody else encodes it, who knows nothing of the store. */
    private Mutation encoded(byte[] value) {
        Row row = new Row();
        row.clustering().wrap(Clustering.of(new byte[0][]));
        cell(row, value);
        return Mutation.builder(table.schema(), key()).row(row).build();
    }

    private static void cell(Row row, byte[] value) {
        row.addCell(0, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(value, 0, value.length);
    }

    private Mutation encodedCells() {
        Row row = new Row();
        row.clustering().wrap(Clustering.of(new byte[0][]));
        for (int i = 0; i < CELLS; i++) {
            byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
            cell(row, bytes);
            row.path(bytes, 0, bytes.length);
        }
        return Mutation.builder(maps.schema(), key()).row(row).build();
    }

    private Mutation encodedRows() {
        Row row = new Row();
        row.clustering().wrap(Clustering.of(new byte[0][]));
        Mutation.Builder rows = Mutation.builder(table.schema(), key());
        for (int i = 0; i < CELLS; i++) {
            rows.row(row);
        }
        return rows.build();
    }

    /** Leaves half of what the batch's record takes. */
    private static void fill(List<byte[]> ballast) {
        try {
            while (true) {
                ballast.add(new byte[MIB]);
            }
        } catch (OutOfMemoryError full) {
            ballast.subList(0, BATCH_WRITES * 10 / 2).clear();
        }
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new IllegalStateException("not what was written");
        }
    }

    private void say(String name, Write write) {
        String outcome = DONE;
        try {
            write.run();
        } catch (CompletionException e) {
            outcome = e.getCause().toString();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            outcome = e.toString();
        }
        System.out.println(name + ": " + outcome
                + store.failure().map(failure -> ", FAILURE " + failure).orElse(""));
    }

    /**
     * @param arguments directory, scenario, mutationMaxBytes
     */
    public static void main(String[] arguments) throws IOException {
        StoreConfig config = StoreConfig.defaults()
                .withShardCount(2)
                .withCompactionThreads(0)
                .withMemtableBudgetBytes(
                        Math.min(BUDGET_BYTES, Runtime.getRuntime().maxMemory() / 3))
                .withMutationMaxBytes(Long.parseLong(arguments[2]));
        try (Store store = Store.open(Path.of(arguments[0]), config)) {
            SmallHeapChild child = new SmallHeapChild(store, Path.of(arguments[0] + ".acknowledged"));
            Scenario.valueOf(arguments[1]).run(child);
            child.say("small", () -> {
                child.insert(100, new byte[1000]);
                require(child.table.row(Map.of("k", 100)).isPresent());
            });
        }
        System.out.println("close: " + DONE);
    }
}
