package io.anneal.faults;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.jdbc.JdbcKeys;
import io.anneal.dualdao.phase.FilePhaseStore;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.route.OutcomePerSide;
import io.anneal.dualdao.transaction.JdbcTransactions;
import io.anneal.faults.UserLog.Outcome;
import io.anneal.faults.UserLogCheck.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * One process of a service with a dual DAO over two databases: threads that read, list, write, delete, decide, count, and write two rows
 * in a transaction, until its input ends. It says {@code ready} once it serves. It alone writes the ids of its own.
 */
final class UserServiceChild {
    static final int PROCESSES = 2;
    static final List<String> CITIES = List.of("Bern", "Rome", "Oslo");

    private static final int THREADS = 3;
    private static final int OWN_IDS = 24;
    private static final int SHARED_IDS = 4;
    private static final long IDS_EACH = 100_000;
    private static final long IDS_OF_RUN = 1_000;

    private static final Set<Side> TAKES_BACK = EnumSet.of(Side.ORIGIN);

    private final JdbcUsers origin;
    private final UserDao users;
    private final Supplier<Side> authority;
    private final UserLog log;
    private final int number;
    private final int run;
    private final AtomicLong names = new AtomicLong();
    private final AtomicLong once = new AtomicLong();

    /** The writes of this thread that have no outcome yet. */
    private final ThreadLocal<List<Long>> started = ThreadLocal.withInitial(ArrayList::new);

    private volatile boolean over;

    private UserServiceChild(int number, int run, JdbcUsers origin, DualDao<UserDao> dual, UserLog log) {
        this.number = number;
        this.run = run;
        this.origin = origin;
        users = dual.dao();
        authority = () -> dual.phase().phase().authority();
        this.log = log;
    }

    /** {@code NUMBER RUN SEED ORIGIN_URL TARGET_URL DIRECTORY}. */
    public static void main(String[] arguments) throws Exception {
        int number = Integer.parseInt(arguments[0]);
        SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[2]));
        Path directory = Path.of(arguments[5]);
        JdbcConnectionPool originPool = JdbcConnectionPool.create(arguments[3], "sa", "");
        JdbcConnectionPool targetPool = JdbcConnectionPool.create(arguments[4], "sa", "");
        JdbcTransactions transactions = new JdbcTransactions();
        JdbcUsers origin = new JdbcUsers(transactions.wrap(originPool));
        try (UserLog log = new UserLog(log(directory, number));
                DualDao<UserDao> dual = DualDao.builder(UserDao.class)
                        .name("users")
                        .instance("service-" + number)
                        .mode(Mode.MIGRATION)
                        .origin(origin)
                        .target(new JdbcUsers(targetPool))
                        .phases(new FilePhaseStore(phases(directory)))
                        .directory(directory(directory, number))
                        .copy(KeyCodec.LONG, new UserCopy())
                        .keys(
                                JdbcKeys.of(originPool, "users", "id", Long.class),
                                JdbcKeys.of(targetPool, "users", "id", Long.class))
                        .transactions(transactions)
                        .poll(Duration.ofMillis(50))
                        .build()) {
            UserServiceChild service = new UserServiceChild(number, Integer.parseInt(arguments[1]), origin, dual, log);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom own = random.split();
                threads.add(new Thread(() -> service.serve(own)));
            }
            threads.forEach(Thread::start);
            System.out.println("ready");
            while (System.in.read() >= 0) {
                // Whoever started this process says no more than that it ends.
            }
            service.over = true;
            for (Thread thread : threads) {
                thread.join();
            }
        }
        originPool.dispose();
        targetPool.dispose();
    }

    static Path log(Path directory, int number) {
        return directory.resolve("log-" + number);
    }

    /** What a process keeps from one run to the next. */
    static Path directory(Path directory, int number) {
        return directory.resolve("service-" + number);
    }

    static Path phases(Path directory) {
        return directory.resolve("phases");
    }

    /** The ids that a process writes alone, again and again. */
    static LongStream own(int number) {
        return LongStream.range(number * IDS_EACH, number * IDS_EACH + OWN_IDS);
    }

    /** The ids that all processes write. */
    static LongStream shared() {
        return LongStream.range(UserLogCheck.SHARED_FROM, UserLogCheck.SHARED_FROM + SHARED_IDS);
    }

    private void serve(SplittableRandom random) {
        while (!over) {
            int dice = random.nextInt(100);
            if (dice < 40) {
                find(any(random));
            } else if (dice < 46) {
                list(CITIES.get(random.nextInt(CITIES.size())));
            } else if (dice < 66) {
                alone(() -> save(random, own(random)));
            } else if (dice < 76) {
                alone(() -> softDelete(random, own(random)));
            } else if (dice < 82) {
                rename(random, own(random));
            } else if (dice < 88) {
                visit(own(random));
            } else if (dice < 92) {
                alone(() -> save(random, shared(random)));
            } else if (dice < 93) {
                comeAndGo(random);
            } else {
                transaction(random);
            }
        }
    }

    private long own(SplittableRandom random) {
        return number * IDS_EACH + random.nextInt(OWN_IDS);
    }

    private static long shared(SplittableRandom random) {
        return UserLogCheck.SHARED_FROM + random.nextInt(SHARED_IDS);
    }

    private static long any(SplittableRandom random) {
        return random.nextInt(10) == 0
                ? shared(random)
                : random.nextInt(PROCESSES) * IDS_EACH + random.nextInt(OWN_IDS);
    }

    private String name(SplittableRandom random) {
        return number + "-" + run + "-" + names.incrementAndGet() + "@" + CITIES.get(random.nextInt(CITIES.size()));
    }

    private static String name(User user) {
        return user == null ? "" : user.name();
    }

    private void find(long id) {
        long operation = log.start(Kind.FIND, id, "");
        try {
            log.end(operation, Outcome.DONE, name(users.find(id)));
        } catch (RuntimeException failed) {
            log.end(operation, Outcome.UNKNOWN, "");
        }
    }

    private void list(String city) {
        long operation = log.start(Kind.LIST, city, "");
        try {
            StringBuilder found = new StringBuilder();
            for (User user : users.findByCity(city)) {
                found.append(user.id()).append('=').append(user.name()).append(' ');
            }
            log.end(operation, Outcome.DONE, found.toString());
        } catch (RuntimeException failed) {
            log.end(operation, Outcome.UNKNOWN, "");
        }
    }

    private void start(Kind kind, long id, String name) {
        started.get().add(log.start(kind, id, name));
    }

    private void save(SplittableRandom random, long id) {
        String name = name(random);
        start(Kind.SAVE, id, name);
        users.save(new User(id, name, UserLogCheck.city(name), 0, false));
    }

    private void softDelete(SplittableRandom random, long id) {
        String name = name(random);
        start(Kind.DELETE, id, "");
        users.save(new User(id, name, UserLogCheck.city(name), 0, true));
    }

    private void ended(Outcome outcome) {
        started.get().forEach(operation -> log.end(operation, outcome, ""));
        started.get().clear();
    }

    private void alone(Runnable write) {
        try {
            write.run();
            ended(Outcome.DONE);
        } catch (RuntimeException failed) {
            ended(outcome(failed));
        }
    }

    /**
     * Two ids in any order; one transaction of three is rolled back. The target is no part of it, so that it keeps what was written
     * once it is right.
     */
    private void transaction(SplittableRandom random) {
        boolean commits = random.nextInt(3) > 0;
        boolean[] decided = new boolean[1];
        Set<Side> authorities = EnumSet.noneOf(Side.class);
        try {
            origin.inTransaction(() -> {
                authorities.add(authority.get());
                save(random, own(random));
                authorities.add(authority.get());
                if (authorities.equals(TAKES_BACK)) {
                    started.get().forEach(log::within);
                }
                softDelete(random, own(random));
                if (commits) {
                    started.get().forEach(log::commits);
                }
                decided[0] = commits;
                return commits;
            });
            ended(commits ? Outcome.DONE : authorities.equals(TAKES_BACK) ? Outcome.NOT_DONE : Outcome.UNKNOWN);
        } catch (RuntimeException failed) {
            ended(decided[0] || !authorities.equals(TAKES_BACK) ? Outcome.UNKNOWN : Outcome.NOT_DONE);
        }
    }

    /** An id that is used once. */
    private void comeAndGo(SplittableRandom random) {
        long next = once.incrementAndGet();
        if (next >= IDS_OF_RUN) {
            return;
        }
        long id = number * IDS_EACH + (run + 1) * IDS_OF_RUN + next;
        alone(() -> save(random, id));
        find(id);
        alone(() -> {
            start(Kind.DELETE, id, "");
            users.remove(id);
        });
        find(id);
    }

    private void rename(SplittableRandom random, long id) {
        User user;
        try {
            user = users.find(id);
        } catch (RuntimeException failed) {
            return;
        }
        if (user == null) {
            return;
        }
        String name = number + "-" + run + "-" + names.incrementAndGet() + "@" + user.city();
        long operation = log.start(Kind.RENAME, id, name);
        try {
            boolean done = users.rename(id, user.name(), name);
            log.end(operation, done ? Outcome.DONE : Outcome.NOT_DONE, "");
        } catch (RuntimeException failed) {
            log.end(operation, outcome(failed), "");
        }
    }

    private void visit(long id) {
        long operation = log.start(Kind.VISIT, id, "");
        try {
            log.end(operation, users.visit(id) ? Outcome.DONE : Outcome.NOT_DONE, "");
        } catch (RuntimeException failed) {
            log.end(operation, outcome(failed), "");
        }
    }

    private static Outcome outcome(RuntimeException failed) {
        return OutcomePerSide.of(failed)
                        .filter(sides -> nothing(sides.origin()) && nothing(sides.target()))
                        .isPresent()
                ? Outcome.NOT_DONE
                : Outcome.UNKNOWN;
    }

    private static boolean nothing(SideOutcome outcome) {
        return outcome == SideOutcome.FAILED || outcome == SideOutcome.NOT_ATTEMPTED;
    }
}
