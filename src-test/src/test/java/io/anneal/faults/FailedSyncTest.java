package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableIntake;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A sync that failed may have lost what it was asked for, and those that follow say nothing of it. Whatever failed, what a
 * store acknowledges afterwards outlasts a loss of power.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedSyncTest {
    private static final String COLUMNS = " (k int PRIMARY KEY, v text)";
    private static final int STEPS_MAX = 200;
    /** Few writes fill a segment of the commit log: what is flushed is soon there no more. */
    private static final int SEGMENT_BYTES = 64 << 10;

    private static final String VALUE = "v".repeat(SEGMENT_BYTES / 4);
    /** Keys from here on come from the table that is copied. */
    private static final int COPIED_FROM = 1_000;

    /** What a sync fails in. */
    private enum Work {
        FLUSH {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.table("ks.t").flush();
            }
        },
        COMPACT {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.table("ks.t").compact();
            }
        },
        IMPORT {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.table("ks.t").importSSTables(snapshot);
            }
        },
        RECEIVE {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                try (TableIntake intake = store.table("ks.t").intake()) {
                    try (StagedWriter writer = intake.newWriter();
                            FragmentCursor rows = store.table("ks.source").scan(TokenRange.Linear.ALL)) {
                        writer.append(rows);
                        writer.finish();
                    }
                    intake.complete();
                }
            }
        },
        SNAPSHOT {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.table("ks.t").snapshot("one");
            }
        },
        SNAPSHOT_OF_ALL {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.snapshot("all");
            }
        },
        DELETE_SNAPSHOT {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.deleteSnapshot("source");
            }
        },
        TRUNCATE {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.table("ks.t").truncate();
            }
        },
        ALTER {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.alterTable("ALTER TABLE ks.t ADD w int");
            }
        },
        CREATE {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.createTable("CREATE TABLE ks.created" + COLUMNS);
            }
        },
        CREATE_IN_ANOTHER_KEYSPACE {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.createTable("CREATE TABLE other.created" + COLUMNS);
            }
        },
        DROP {
            @Override
            void run(Store store, Path snapshot) throws IOException {
                store.dropTable("ks.source");
            }
        };

        abstract void run(Store store, Path snapshot) throws IOException;
    }

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void shouldKeepWhatIsAcknowledgedAfterASyncFailed(Work work) throws IOException {
        int step = 0;
        while (failsAt(work, step)) {
            step++;
            assertThat(step).isLessThan(STEPS_MAX);
        }
        assertThat(step).isPositive();
    }

    /** @return whether there was such a sync */
    private boolean failsAt(Work work, int step) throws IOException {
        try (FaultyDirectory disk = FaultyDirectory.create(directory)) {
            Map<String, Set<Integer>> acknowledged = new TreeMap<>();
            Store store = open(disk);
            for (String name : List.of("ks.t", "ks.source")) {
                store.createTable("CREATE TABLE " + name + COLUMNS);
                for (int k = 1; k <= 2; k++) {
                    insert(store, name, (name.equals("ks.t") ? 0 : COPIED_FROM) + k, acknowledged);
                    store.table(name).flush();
                }
            }
            Path snapshot = store.table("ks.source").snapshot("source");
            insert(store, "ks.t", 3, acknowledged);

            long before = disk.count(Operation.FORCE);
            disk.inject(Fault.on(Operation.FORCE).after(step).times(1));
            boolean done = attempt(() -> work.run(store, snapshot));
            boolean failed = disk.count(Operation.FORCE) > before + step;
            boolean stopped = store.failure().isPresent();
            assertThat(store.failedSync().isPresent()).isEqualTo(stopped);
            disk.heal();

            for (String name : List.of("ks.t", "ks.later", "later.t")) {
                attempt(() -> {
                    if (store.findTable(name).isEmpty()) {
                        store.createTable("CREATE TABLE " + name + COLUMNS);
                    }
                    for (int k = 101; k <= 106; k++) {
                        insert(store, name, k, acknowledged);
                        store.table(name).flush();
                    }
                    store.table(name).compact();
                    insert(store, name, 107, acknowledged);
                });
            }
            disk.crash();
            attempt(store::close);
            try (Store again = open(disk)) {
                assertThat(again.failedSync().isPresent())
                        .as("work=" + work + ", step=" + step)
                        .isEqualTo(stopped);
                for (Map.Entry<String, Set<Integer>> table : acknowledged.entrySet()) {
                    Set<Integer> expected = new TreeSet<>(table.getValue());
                    if (work == Work.TRUNCATE) {
                        expected.removeIf(k -> k < 100);
                    } else if (work == Work.DROP && table.getKey().equals("ks.source")) {
                        continue;
                    } else if (done
                            && Set.of(Work.IMPORT, Work.RECEIVE).contains(work)
                            && table.getKey().equals("ks.t")) {
                        expected.addAll(acknowledged.get("ks.source"));
                    }
                    String what = table.getKey() + ", work=" + work + ", step=" + step + ", done=" + done;
                    Optional<Table> found = again.findTable(table.getKey());
                    assertThat(found).as(what).isPresent();
                    assertThat(keys(found.get())).as(what).containsAll(expected);
                }
            }
            return failed;
        }
    }

    private static Store open(FaultyDirectory disk) throws IOException {
        return Store.open(
                disk.path().resolve("store"),
                StoreConfig.defaults()
                        .withShardCount(1)
                        .withCompactionThreads(0)
                        .withCommitLogSegmentBytes(SEGMENT_BYTES));
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private static boolean attempt(Attempt attempt) {
        try {
            attempt.run();
            return true;
        } catch (IOException | IllegalStateException refused) {
            return false;
        }
    }

    private static void insert(Store store, String table, int key, Map<String, Set<Integer>> acknowledged)
            throws IOException {
        store.table(table).row().key("k", key).set("v", VALUE).insert();
        acknowledged.computeIfAbsent(table, name -> new TreeSet<>()).add(key);
    }

    private static Set<Integer> keys(Table table) throws IOException {
        Set<Integer> keys = new TreeSet<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                keys.add(row.value("k", Integer.class));
            }
        }
        return keys;
    }
}
