package io.anneal.simulation;

import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.route.OutcomePerSide;
import io.anneal.harness.load.LoggedOperation;
import io.anneal.harness.load.OperationLog;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.Partition;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/**
 * What clients call, drawn from a seed and logged: each kind of operation, on keys as few as that
 * calls meet. To the log a
 * compare-and-set is a write or a delete, which failed if it said no; what is added to an item is an item of its own; and
 * what expires is deleted, at a time that is not known exactly.
 */
final class RandomCalls {
    private static final List<String> NAMES = List.of("b/1", "b/2", "c/1");
    private static final String ADDED_TO = "n/1";

    /** Never deleted: a deletion would be between two additions to a store that orders them otherwise than by their times. */
    private static final long ADDED_TO_KEY = 3;

    private static final String EXPIRING = "t/1";
    /** Longer than any decision takes. */
    private static final Duration DECIDED_WITHIN = Duration.ofMillis(200);

    private static final long MOMENT_NANOS = 3_000_000;
    private static final Duration TTL_MAX = Duration.ofMillis(100);

    private final MigrationWorld.Draws draws;
    private final SplittableRandom random;
    private final VirtualTime time;
    private final OperationLog log;
    private final Map<VirtualTime.Process, Integer> adding = new HashMap<>();

    /** When each key was decided about last. */
    private final Map<String, Long> decidedNanos = new HashMap<>();

    /** Keys that two sides may have decided about. */
    private final Set<String> disputed = new HashSet<>();

    /** What was read last of each item of each key. */
    private final Map<String, String> seen = new HashMap<>();

    private long nextValue;

    /** @param draws how many keys, and whether to call what depends on what is there or on time */
    RandomCalls(MigrationWorld.Draws draws, SplittableRandom random, VirtualTime time, OperationLog log) {
        this.draws = draws;
        this.random = random;
        this.time = time;
        this.log = log;
    }

    /** How many additions are under way. */
    int adding() {
        return adding.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Another side is right now: what is being decided may be decided at both. */
    void authorityChanges() {
        decidedNanos.forEach((key, nanos) -> {
            if (time.nanoTime() - nanos < DECIDED_WITHIN.toNanos()) {
                disputed.add(key);
            }
        });
    }

    /** Whether two sides may have decided about a key at one moment, so that each may hold what beats the other's. */
    boolean disputed(long a) {
        return disputed.contains(Long.toString(a));
    }

    /** What a killed process sent has arrived by now. */
    void forget(VirtualTime.Process killed) {
        adding.remove(killed);
    }

    /** What a partition holds, to the log. */
    static Map<String, String> items(Partition partition) {
        Map<String, String> items = new HashMap<>();
        if (partition != null) {
            for (Item item : partition.items()) {
                String name = item.b() + "/" + item.c();
                if (name.equals(ADDED_TO)) {
                    for (String added : item.d().split("\\" + SimulatedDao.AND)) {
                        items.merge(name + "/" + added, added, (once, twice) -> "added twice: " + added);
                    }
                } else {
                    items.put(name, item.d());
                }
            }
        }
        return items;
    }

    /**
     * Calls something.
     *
     * @param onlyRead a key of which the instance knows nothing but what it reads
     * @param oneSideDecides whether all instances take the same side for right; nothing is added unless they do
     */
    CompletionStage<?> next(SimulatedDao dao, VirtualTime.Process process, long onlyRead, boolean oneSideDecides) {
        long a = random.nextInt(draws.keys());
        String key = Long.toString(a);
        String name = NAMES.get(random.nextInt(NAMES.size()));
        String value = "v" + nextValue++;
        int dice = random.nextInt(100);
        if (!draws.times()) {
            return plain(dao, name, value, dice);
        } else if (a == ADDED_TO_KEY && dice >= 66 && dice < 86) {
            return oneSideDecides ? add(dao, process, a, value) : read(dao, a);
        } else if (dice < 48 || a == onlyRead) {
            return read(dao, a);
        } else if (dice < 66) {
            String written = random.nextInt(4) == 0 ? EXPIRING : name;
            LoggedOperation logged = log.write(key, Map.of(written, value), time.nanoTime());
            return ended(logged, dao.write(a, List.of(item(written, value))));
        } else if (dice < 70) {
            LoggedOperation logged = log.replace(key, Map.of(name, value), time.nanoTime());
            return ended(logged, dao.replace(a, List.of(item(name, value))));
        } else if (dice < 75) {
            return replaceFor(dao, a, value);
        } else if (dice < 86) {
            LoggedOperation logged = log.delete(key, time.nanoTime());
            return ended(logged, dao.delete(a));
        } else if (dice < 91) {
            LoggedOperation logged = log.deleteItem(key, name, time.nanoTime());
            Item item = item(name, "");
            return ended(logged, dao.deleteItem(a, item.b(), item.c()));
        }
        decidedNanos.put(key, time.nanoTime());
        if (!oneSideDecides) {
            disputed.add(key);
        }
        return compareAndSet(dao, a, name, value);
    }

    /** Of many keys, so that most are left alone for long; but several often write the same one at the same moment. */
    private CompletionStage<?> plain(SimulatedDao dao, String name, String value, int dice) {
        long moment = time.nanoTime() / MOMENT_NANOS;
        long a = random.nextBoolean() ? moment % draws.keys() : random.nextInt(draws.keys());
        String key = Long.toString(a);
        if (dice < 30) {
            return read(dao, a);
        }
        LoggedOperation logged = log.write(key, Map.of(name, value), time.nanoTime());
        return ended(logged, dao.write(a, List.of(item(name, value))));
    }

    private CompletionStage<?> read(SimulatedDao dao, long a) {
        String key = Long.toString(a);
        LoggedOperation logged = log.read(key, time.nanoTime());
        return dao.read(a).whenComplete((partition, failure) -> {
            if (failure == null) {
                Map<String, String> items = items(partition);
                NAMES.forEach(name -> seen.put(key + "/" + name, items.get(name)));
                logged.answered(items, time.nanoTime());
            } else {
                logged.failed(time.nanoTime());
            }
        });
    }

    private CompletionStage<?> replaceFor(SimulatedDao dao, long a, String value) {
        String key = Long.toString(a);
        Duration ttl = Duration.ofNanos(1 + random.nextLong(TTL_MAX.toNanos()));
        LoggedOperation logged = log.replace(key, Map.of(EXPIRING, value), time.nanoTime());
        // Explains that it is gone from now on, if need be, and forbids nothing.
        log.deleteItem(key, EXPIRING, time.nanoTime() + ttl.toNanos());
        return ended(logged, dao.replaceFor(a, List.of(item(EXPIRING, value)), ttl));
    }

    private CompletionStage<?> compareAndSet(SimulatedDao dao, long a, String name, String value) {
        String key = Long.toString(a);
        boolean takesAway = random.nextInt(3) == 0;
        LoggedOperation logged = takesAway
                ? log.deleteItem(key, name, time.nanoTime())
                : log.write(key, Map.of(name, value), time.nanoTime());
        Item place = item(name, "");
        String expected = seen.get(key + "/" + name);
        return dao.compareAndSet(a, place.b(), place.c(), expected, takesAway ? null : value)
                .whenComplete((decided, failure) -> {
                    if (failure == null && !decided) {
                        logged.failed(time.nanoTime());
                    } else {
                        end(logged, failure);
                    }
                });
    }

    private CompletionStage<?> add(SimulatedDao dao, VirtualTime.Process process, long a, String value) {
        LoggedOperation logged = log.write(Long.toString(a), Map.of(ADDED_TO + "/" + value, value), time.nanoTime());
        adding.merge(process, 1, Integer::sum);
        return ended(logged, dao.add(a, item(ADDED_TO, value)))
                .whenComplete((done, failure) -> adding.computeIfPresent(process, (same, count) -> count - 1));
    }

    private CompletionStage<?> ended(LoggedOperation logged, CompletionStage<?> stage) {
        return stage.whenComplete((done, failure) -> end(logged, failure));
    }

    private void end(LoggedOperation logged, Throwable failure) {
        end(logged, failure, time.nanoTime());
    }

    static void end(LoggedOperation logged, Throwable failure, long nanos) {
        if (failure == null) {
            logged.acknowledged(nanos);
        } else if (nothingHappened(failure)) {
            logged.failed(nanos);
        } else {
            logged.unknown(nanos);
        }
    }

    private static boolean nothingHappened(Throwable failure) {
        return OutcomePerSide.of(failure)
                .map(outcome -> nothing(outcome.origin()) && nothing(outcome.target()))
                .orElse(false);
    }

    private static boolean nothing(SideOutcome outcome) {
        return outcome == SideOutcome.FAILED || outcome == SideOutcome.NOT_ATTEMPTED;
    }

    private static Item item(String name, String value) {
        return new Item(name.substring(0, 1), name.substring(2), value);
    }
}
