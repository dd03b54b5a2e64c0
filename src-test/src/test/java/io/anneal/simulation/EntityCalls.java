package io.anneal.simulation;

import io.anneal.dualdao.phase.Side;
import io.anneal.harness.load.LoggedOperation;
import io.anneal.harness.load.OperationLog;
import io.anneal.simulation.SimulatedDao.Entity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;

/**
 * What clients of a service with entities call, drawn from a seed and logged: finds, lists by a column that is no key, deletions
 * by a mark, and transactions of the origin over some keys in any order, committed or not. To the log an entity is an
 * item of its key, and once more an item of its key in its city, which is taken away by whatever moves it elsewhere.
 */
final class EntityCalls {
    static final long FIRST = 1_000;

    private static final int COUNT = 3;
    private static final List<String> CITIES = List.of("Bern", "Rome", "Oslo");
    private static final String ITEM = "entity";
    private static final int STEPS_MAX = 3;
    private static final long STEP_NANOS_MAX = 2_000_000;

    private final SplittableRandom random;
    private final VirtualTime time;
    private final OperationLog log;
    private final SimulatedTransactions transactions;
    private final Set<Script> open = new HashSet<>();
    private long nextName;

    EntityCalls(SplittableRandom random, VirtualTime time, OperationLog log, SimulatedTransactions transactions) {
        this.random = random;
        this.time = time;
        this.log = log;
        this.transactions = transactions;
    }

    static long[] keys() {
        return LongStream.range(FIRST, FIRST + COUNT).toArray();
    }

    private static String inCity(long a, String city) {
        return a + "@" + city;
    }

    private static Map<String, String> items(Entity entity) {
        return entity == null ? Map.of() : Map.of(ITEM, entity.name());
    }

    private long key() {
        return FIRST + random.nextInt(COUNT);
    }

    private String city() {
        return CITIES.get(random.nextInt(CITIES.size()));
    }

    /**
     * Calls something.
     *
     * @param authority the side that is right for the process that calls
     * @param kill kills that process
     */
    CompletionStage<?> next(SimulatedDao dao, VirtualTime.Process process, Side authority, Runnable kill) {
        int dice = random.nextInt(100);
        if (dice < 30) {
            return find(dao, key(), false);
        } else if (dice < 55) {
            return list(dao, city(), false);
        } else if (dice < 75) {
            alone(dao);
            return CompletableFuture.completedFuture(null);
        }
        return new Script(dao, process, authority, kill).begin();
    }

    /** Reads everything that the log knows of once more; a read that fails is an error. */
    void readAll(SimulatedDao dao) {
        for (long key : keys()) {
            find(dao, key, true).whenComplete(EntityCalls::mustNotFail);
        }
        for (String city : CITIES) {
            list(dao, city, true).whenComplete(EntityCalls::mustNotFail);
        }
    }

    private static void mustNotFail(Object answer, Throwable failure) {
        if (failure != null) {
            throw new AssertionError("a read failed in a quiet world", failure);
        }
    }

    private CompletionStage<Entity> find(SimulatedDao dao, long a, boolean last) {
        LoggedOperation logged = log.read(Long.toString(a), time.nanoTime());
        return dao.find(a).whenComplete((found, failure) -> {
            if (failure != null) {
                logged.failed(time.nanoTime());
                return;
            }
            logged.answered(items(found), time.nanoTime());
            if (last) {
                log.holdsAtLast(Long.toString(a), items(found), time.nanoTime());
            }
        });
    }

    private CompletionStage<Map<Long, Entity>> list(SimulatedDao dao, String city, boolean last) {
        List<LoggedOperation> logged = new ArrayList<>();
        for (long key : keys()) {
            logged.add(log.read(inCity(key, city), time.nanoTime()));
        }
        return dao.livingIn(city).whenComplete((found, failure) -> {
            for (int i = 0; i < logged.size(); i++) {
                if (failure != null) {
                    logged.get(i).failed(time.nanoTime());
                    continue;
                }
                Map<String, String> items = items(found.get(FIRST + i));
                logged.get(i).answered(items, time.nanoTime());
                if (last) {
                    log.holdsAtLast(inCity(FIRST + i, city), items, time.nanoTime());
                }
            }
        });
    }

    /** A write without a transaction. */
    private void alone(SimulatedDao dao) {
        List<LoggedOperation> logged = new ArrayList<>();
        try {
            write(dao, key(), logged);
            end(logged, null);
        } catch (RuntimeException failure) {
            end(logged, failure);
        }
    }

    private void write(SimulatedDao dao, long a, List<LoggedOperation> logged) {
        String name = "e" + nextName++;
        String city = city();
        int dice = random.nextInt(100);
        boolean stays = dice < 60;
        String key = Long.toString(a);
        logged.add(
                stays
                        ? log.write(key, Map.of(ITEM, name), time.nanoTime())
                        : log.deleteItem(key, ITEM, time.nanoTime()));
        for (String each : CITIES) {
            logged.add(
                    stays && each.equals(city)
                            ? log.write(inCity(a, each), Map.of(ITEM, name), time.nanoTime())
                            : log.deleteItem(inCity(a, each), ITEM, time.nanoTime()));
        }
        if (dice < 90) {
            dao.save(a, new Entity(name, city, !stays));
        } else {
            dao.remove(a);
        }
    }

    private void end(List<LoggedOperation> logged, Throwable failure) {
        logged.forEach(operation -> RandomCalls.end(operation, failure, time.nanoTime()));
    }

    private void rolledBack(List<LoggedOperation> logged) {
        logged.forEach(operation -> operation.failed(time.nanoTime()));
    }

    /** A database takes back what those who died had not committed. */
    void killed(VirtualTime.Process process) {
        for (Script script : List.copyOf(open)) {
            if (script.process == process) {
                open.remove(script);
                script.transaction.rollback();
                if (script.authority == Side.ORIGIN) {
                    rolledBack(script.logged);
                }
            }
        }
    }

    /**
     * A transaction, step by step. All its calls go by the phase of the first. The target has none, so that it keeps what was
     * written once it is right.
     */
    private final class Script {
        private final SimulatedDao dao;
        private final VirtualTime.Process process;
        private final Side authority;
        private final Runnable kill;
        private final SimulatedTransactions.Transaction transaction = transactions.begin();
        private final List<LoggedOperation> logged = new ArrayList<>();
        private final CompletableFuture<Void> over = new CompletableFuture<>();
        private int steps = 1 + random.nextInt(STEPS_MAX);

        Script(SimulatedDao dao, VirtualTime.Process process, Side authority, Runnable kill) {
            this.dao = dao;
            this.process = process;
            this.authority = authority;
            this.kill = kill;
        }

        CompletionStage<Void> begin() {
            open.add(this);
            step();
            return over;
        }

        private void step() {
            List<LoggedOperation> now = new ArrayList<>();
            try {
                transaction.within(() -> write(dao, key(), now));
            } catch (RuntimeException failed) {
                if (authority == Side.ORIGIN) {
                    rolledBack(now);
                } else {
                    EntityCalls.this.end(now, failed);
                }
                end(false);
                return;
            }
            logged.addAll(now);
            steps--;
            process.after(random.nextLong(STEP_NANOS_MAX), steps > 0 ? this::step : this::decide);
        }

        private void decide() {
            end(random.nextInt(100) < 70);
        }

        private void end(boolean commits) {
            open.remove(this);
            if (commits) {
                transaction.commit();
            } else {
                transaction.rollback();
            }
            if (random.nextInt(40) == 0) {
                if (!commits && authority == Side.ORIGIN) {
                    rolledBack(logged);
                }
                kill.run();
                return;
            }
            Throwable failure = null;
            try {
                process.atOnce(() -> transaction.tell(commits));
            } catch (RuntimeException thrown) {
                failure = thrown;
            }
            if (commits) {
                EntityCalls.this.end(logged, failure);
            } else if (authority == Side.ORIGIN) {
                rolledBack(logged);
            } else {
                logged.forEach(operation -> operation.unknown(time.nanoTime()));
            }
            over.complete(null);
        }
    }
}
