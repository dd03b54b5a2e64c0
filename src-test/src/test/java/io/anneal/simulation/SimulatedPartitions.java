package io.anneal.simulation;

import io.anneal.dualdao.WriteTime;
import io.anneal.migrate.store.Item;
import io.anneal.migrate.store.Partition;
import io.anneal.migrate.store.PartitionDao;
import io.anneal.migrate.store.TimedItem;
import io.anneal.migrate.store.TimedPartitions;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A store somewhere in the network of a {@link VirtualTime}: the newest write of an item counts. Requests take random times to get there
 * and back; some are refused, some get lost on the way, some are done and their answer is lost. What a process sent before it
 * was killed arrives all the same.
 */
final class SimulatedPartitions {
    private static final long LATENCY_MAX_NANOS = 2_000_000;
    private static final long TIMEOUT_NANOS = 10_000_000;

    /** An item's newest write; data is null for a deletion. */
    private record Cell(String data, long micros) {}

    private record Place(String b, String c) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            int byB = b.compareTo(other.b);
            return byB != 0 ? byB : c.compareTo(other.c);
        }
    }

    private final String name;
    private final VirtualTime time;
    private final SplittableRandom random;
    private final Map<Long, TreeMap<Place, Cell>> cells = new HashMap<>();
    private final Map<Long, Long> partitionDeletions = new HashMap<>();
    private int faultPercent;

    SimulatedPartitions(String name, VirtualTime time, SplittableRandom random) {
        this.name = name;
        this.time = time;
        this.random = random;
    }

    /** How many of a hundred requests go wrong from now on. */
    void faultPercent(int percent) {
        faultPercent = percent;
    }

    PartitionDao client(VirtualTime.Process process) {
        return new Client(process);
    }

    List<TimedItem> held(long key) {
        List<TimedItem> live = new ArrayList<>();
        cells.getOrDefault(key, new TreeMap<>()).forEach((place, cell) -> {
            if (cell.data != null) {
                live.add(new TimedItem(place.b, place.c, cell.data, cell.micros, TimedItem.NEVER));
            }
        });
        return live;
    }

    private void put(long key, String b, String c, String data, long micros) {
        if (micros <= partitionDeletions.getOrDefault(key, Long.MIN_VALUE)) {
            return;
        }
        cells.computeIfAbsent(key, k -> new TreeMap<>())
                .merge(new Place(b, c), new Cell(data, micros), SimulatedPartitions::newer);
    }

    /** Of two writes at one time the deletion counts, as in Cassandra. */
    private static Cell newer(Cell left, Cell right) {
        if (left.micros != right.micros) {
            return left.micros > right.micros ? left : right;
        }
        return left.data == null ? left : right;
    }

    private void deletePartition(long key, long micros) {
        partitionDeletions.merge(key, micros, Math::max);
        cells.getOrDefault(key, new TreeMap<>()).values().removeIf(cell -> cell.micros <= micros);
    }

    private final class Client implements PartitionDao, TimedPartitions {
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
                time.after(there, () -> {
                    T result = work.get();
                    if (wrong) {
                        late(answer);
                    } else {
                        process.after(back, () -> answer.complete(result));
                    }
                });
            }
            return answer;
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
            return request(() -> {
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
        public CompletionStage<List<TimedItem>> readTimed(long a) {
            return request(() -> held(a));
        }

        @Override
        public CompletionStage<Void> writeTimed(long a, List<TimedItem> items) {
            return request(() -> {
                items.forEach(item -> put(a, item.b(), item.c(), item.d(), item.writeTimeMicros()));
                return null;
            });
        }

        @Override
        public CompletionStage<Void> deleteTimed(long a, List<TimedItem> seen) {
            return request(() -> {
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
