package io.anneal.simulation;

import io.anneal.dualdao.route.WriteTime;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.Partition;
import io.anneal.harness.store.TimedItem;
import io.anneal.harness.store.TimedPartitions;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A store somewhere in the network of a {@link VirtualTime}: the newest write of an item counts, if it keeps
 * their times. Requests take random times to get there
 * and back; some are refused, some get lost on the way, some are done and their answer is lost. What a process sent before it
 * was killed arrives all the same.
 */
final class SimulatedPartitions {
    private static final long LATENCY_MAX_NANOS = 2_000_000;
    private static final long TIMEOUT_NANOS = 10_000_000;

    private static final Place NAME = new Place("entity", "name");
    private static final Place CITY = new Place("entity", "city");
    private static final Place GONE = new Place("entity", "gone");

    /** An item's newest write; data is null for a deletion, and as good as null once it has expired. */
    private record Cell(String data, long micros, long expiresAtMicros) {}

    private record Place(String b, String c) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int byB = b.compareTo(other.b);
            return byB != 0 ? byB : c.compareTo(other.c);
        }
    }

    private final String name;
    private final boolean keepsTimes;
    private final VirtualTime time;
    private final SplittableRandom random;
    private final Map<Long, TreeMap<Place, Cell>> cells = new HashMap<>();
    private final Map<Long, Long> partitionDeletions = new HashMap<>();
    private final Map<Long, Long> changedNanos = new HashMap<>();
    private final SimulatedTransactions transactions = new SimulatedTransactions();
    private final List<Runnable> heldBack = new ArrayList<>();
    private boolean holdsBack;
    private int faultPercent;

    /** @param keepsTimes whether the newest write counts, and not the last that arrived */
    SimulatedPartitions(String name, boolean keepsTimes, VirtualTime time, SplittableRandom random) {
        this.name = name;
        this.keepsTimes = keepsTimes;
        this.time = time;
        this.random = random;
    }

    /** How many of a hundred requests go wrong from now on. */
    void faultPercent(int percent) {
        faultPercent = percent;
    }

    /** Whether what is sent from now on gets here only with {@link #letIn}. */
    void holdBack(boolean on) {
        holdsBack = on;
    }

    void letIn() {
        heldBack.forEach(Runnable::run);
        heldBack.clear();
    }

    SimulatedTransactions transactions() {
        return transactions;
    }

    /** What is there, be it gone; null for nothing. */
    private SimulatedDao.Entity entity(long key) {
        String entityName = data(key, NAME);
        return entityName == null
                ? null
                : new SimulatedDao.Entity(entityName, data(key, CITY), Boolean.parseBoolean(data(key, GONE)));
    }

    private SimulatedDao.Entity living(long key) {
        SimulatedDao.Entity entity = entity(key);
        return entity == null || entity.gone() ? null : entity;
    }

    SimulatedDao client(VirtualTime.Process process) {
        return new Client(process);
    }

    /** When somebody last wrote a key. */
    long changedNanos(long key) {
        return changedNanos.getOrDefault(key, Long.MIN_VALUE);
    }

    List<TimedItem> held(long key) {
        List<TimedItem> live = new ArrayList<>();
        cells.getOrDefault(key, new TreeMap<>()).forEach((place, cell) -> {
            if (lives(cell)) {
                // Times of expiry are microseconds here, since a simulation is over within seconds.
                live.add(new TimedItem(place.b, place.c, cell.data, cell.micros, cell.expiresAtMicros));
            }
        });
        return live;
    }

    private boolean lives(Cell cell) {
        return cell != null
                && cell.data != null
                && (cell.expiresAtMicros == TimedItem.NEVER || cell.expiresAtMicros > time.nowMicros());
    }

    private void put(long key, String b, String c, String data, long micros) {
        put(key, new Place(b, c), new Cell(data, micros, TimedItem.NEVER));
    }

    private void put(long key, Place place, Cell cell) {
        changedNanos.put(key, time.nanoTime());
        if (!keepsTimes) {
            cells.computeIfAbsent(key, k -> new TreeMap<>()).put(place, cell);
        } else if (cell.micros > partitionDeletions.getOrDefault(key, Long.MIN_VALUE)) {
            cells.computeIfAbsent(key, k -> new TreeMap<>()).merge(place, cell, SimulatedPartitions::newer);
        }
    }

    /** Puts what depends on what is there, and so is newer than that. */
    private void decide(long key, Place place, String data, long micros) {
        Cell known = cells.getOrDefault(key, new TreeMap<>()).get(place);
        long newest = Math.max(
                known == null ? Long.MIN_VALUE : known.micros, partitionDeletions.getOrDefault(key, Long.MIN_VALUE));
        put(key, place, new Cell(data, Math.max(micros, newest + 1), TimedItem.NEVER));
    }

    /** What an item holds, null for nothing. */
    private String data(long key, Place place) {
        Cell cell = cells.getOrDefault(key, new TreeMap<>()).get(place);
        return lives(cell) ? cell.data : null;
    }

    /** Of two writes at one time the deletion counts, as in Cassandra. */
    private static Cell newer(Cell left, Cell right) {
        if (left.micros != right.micros) {
            return left.micros > right.micros ? left : right;
        }
        return left.data == null ? left : right;
    }

    private void deletePartition(long key, long micros) {
        changedNanos.put(key, time.nanoTime());
        if (!keepsTimes) {
            cells.remove(key);
            return;
        }
        partitionDeletions.merge(key, micros, Math::max);
        cells.getOrDefault(key, new TreeMap<>()).values().removeIf(cell -> cell.micros <= micros);
    }

    /** Makes a key what another store holds, both locked meanwhile. */
    void become(long key, SimulatedPartitions other) {
        cells.put(key, new TreeMap<>(other.cells.getOrDefault(key, new TreeMap<>())));
        changedNanos.put(key, time.nanoTime());
    }

    private final class Client implements SimulatedDao, TimedPartitions {
        private final VirtualTime.Process process;

        Client(VirtualTime.Process process) {
            this.process = process;
        }

        private <T> CompletionStage<T> request(Supplier<T> work) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            int dice = random.nextInt(100);
            long there = random.nextLong(LATENCY_MAX_NANOS);
            long back = random.nextLong(LATENCY_MAX_NANOS);
            boolean wrong = dice < faultPercent;
            if (wrong && dice % 3 == 0) {
                process.after(
                        there, () -> answer.completeExceptionally(new ConnectException("refused, store=" + name)));
            } else if (wrong && dice % 3 == 1) {
                late(answer);
            } else {
                Runnable arrival = () -> {
                    T result = work.get();
                    if (wrong) {
                        late(answer);
                    } else {
                        process.after(back, () -> answer.complete(result));
                    }
                };
                if (holdsBack) {
                    heldBack.add(arrival);
                } else {
                    time.after(there, arrival);
                }
            }
            return answer;
        }

        /** Over when it returns, as what a thread waits for. */
        private <T> T waitedFor(Supplier<T> work) {
            int dice = random.nextInt(100);
            boolean wrong = dice < faultPercent;
            if (wrong && dice % 3 == 0) {
                throw new IllegalStateException("refused, store=" + name);
            }
            T result = wrong && dice % 3 == 1 ? null : work.get();
            if (wrong) {
                throw new IllegalStateException(
                        "no answer, store=" + name, new TimeoutException("no answer, store=" + name));
            }
            return result;
        }

        /** What copies ask for: of an entity at once, since whoever writes one waits for its copies on the only thread there is. */
        private <T> CompletionStage<T> copying(long key, Supplier<T> work) {
            if (key < EntityCalls.FIRST) {
                return request(work);
            }
            try {
                return CompletableFuture.completedFuture(waitedFor(work));
            } catch (IllegalStateException wrong) {
                return CompletableFuture.failedFuture(wrong);
            }
        }

        private void late(CompletableFuture<?> answer) {
            process.after(
                    TIMEOUT_NANOS,
                    () -> answer.completeExceptionally(new TimeoutException("no answer, store=" + name)));
        }

        private long micros() {
            return WriteTime.currentMicros().orElseThrow();
        }

        @Override
        public CompletionStage<Partition> read(long a) {
            return copying(a, () -> {
                List<TimedItem> items = held(a);
                return items.isEmpty()
                        ? null
                        : new Partition(a, items.stream().map(TimedItem::item).toList());
            });
        }

        @Override
        public CompletionStage<Void> write(long a, List<Item> items) {
            long micros = micros();
            return request(() -> {
                items.forEach(item -> put(a, item.b(), item.c(), item.d(), micros));
                return null;
            });
        }

        @Override
        public CompletionStage<Void> replace(long a, List<Item> items) {
            long micros = micros();
            return request(() -> {
                deletePartition(a, micros - 1);
                items.forEach(item -> put(a, item.b(), item.c(), item.d(), micros));
                return null;
            });
        }

        @Override
        public CompletionStage<Void> replaceFor(long a, List<Item> items, Duration ttl) {
            long micros = micros();
            return request(() -> {
                deletePartition(a, micros - 1);
                long expiresAtMicros = micros + ttl.toNanos() / 1_000;
                items.forEach(
                        item -> put(a, new Place(item.b(), item.c()), new Cell(item.d(), micros, expiresAtMicros)));
                return null;
            });
        }

        @Override
        public CompletionStage<Boolean> compareAndSet(long a, String b, String c, String expected, String value) {
            long micros = micros();
            return request(() -> {
                boolean decided = Objects.equals(data(a, new Place(b, c)), expected);
                if (decided) {
                    decide(a, new Place(b, c), value, micros);
                }
                return decided;
            });
        }

        @Override
        public CompletionStage<Void> add(long a, Item item) {
            long micros = micros();
            return request(() -> {
                Place place = new Place(item.b(), item.c());
                String known = data(a, place);
                decide(a, place, known == null ? item.d() : known + AND + item.d(), micros);
                return null;
            });
        }

        @Override
        public CompletionStage<Void> delete(long a) {
            long micros = micros();
            return request(() -> {
                deletePartition(a, micros);
                return null;
            });
        }

        @Override
        public CompletionStage<Void> deleteItem(long a, String b, String c) {
            long micros = micros();
            return request(() -> {
                put(a, b, c, null, micros);
                return null;
            });
        }

        @Override
        public void save(long a, Entity entity) {
            long micros = micros();
            waitedFor(() -> {
                transactions.write(a, () -> {
                    put(a, NAME, new Cell(entity.name(), micros, TimedItem.NEVER));
                    put(a, CITY, new Cell(entity.city(), micros, TimedItem.NEVER));
                    put(a, GONE, new Cell(Boolean.toString(entity.gone()), micros, TimedItem.NEVER));
                });
                return null;
            });
        }

        @Override
        public void remove(long a) {
            long micros = micros();
            waitedFor(() -> {
                transactions.write(a, () -> deletePartition(a, micros));
                return null;
            });
        }

        @Override
        public CompletionStage<Entity> find(long a) {
            return request(() -> living(a));
        }

        @Override
        public CompletionStage<Map<Long, Entity>> livingIn(String city) {
            return request(() -> {
                Map<Long, Entity> found = new TreeMap<>();
                for (long key : EntityCalls.keys()) {
                    Entity entity = living(key);
                    if (entity != null && entity.city().equals(city)) {
                        found.put(key, entity);
                    }
                }
                return found;
            });
        }

        @Override
        public CompletionStage<List<TimedItem>> readTimed(long a) {
            return copying(a, () -> held(a));
        }

        @Override
        public CompletionStage<Void> writeTimed(long a, List<TimedItem> items) {
            return copying(a, () -> {
                items.forEach(item -> put(
                        a,
                        new Place(item.b(), item.c()),
                        new Cell(item.d(), item.writeTimeMicros(), item.expiresAtSeconds())));
                return null;
            });
        }

        @Override
        public CompletionStage<Void> deleteTimed(long a, List<TimedItem> seen) {
            return copying(a, () -> {
                seen.forEach(item -> put(a, item.b(), item.c(), null, item.writeTimeMicros()));
                return null;
            });
        }

        @Override
        public String identity() {
            return name;
        }

        @Override
        public void close() {}
    }
}
