package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.control.BulkOrders;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.PhaseRecovery;
import io.anneal.dualdao.phase.FilePhaseMark;
import io.anneal.dualdao.phase.FilePhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.faults.UserLog.Outcome;
import io.anneal.faults.UserLogCheck.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two processes of a service are walked from one database to another and back, while now the one and now the other is killed at
 * any moment and started again, and the phase store is lost once. {@code -Danneal.seed=N} repeats the draws.
 */
class JdbcMigrationTest {
    private static final long SEED = Long.getLong("anneal.seed", System.nanoTime());
    private static final String WHO = "test";
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int KILLED_WITHIN_MILLIS = 500;

    static {
        // Before a class of H2 is loaded, which else listens on all addresses.
        System.setProperty("h2.bindAddress", "127.0.0.1");
    }

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final List<Service> services = new ArrayList<>();
    private final List<JdbcConnectionPool> pools = new ArrayList<>();
    private Server server;
    private PhaseStore phases;
    private PhaseControl control;
    private JdbcUsers origin;

    @TempDir
    Path directory;

    @BeforeEach
    void start() throws Exception {
        System.out.println("seed=" + SEED);
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        origin = users("origin");
        users("target");
        phases = new FilePhaseStore(UserServiceChild.phases(directory));
        control = PhaseControl.of(
                phases,
                "users",
                InstantSource.system(),
                new ControlPolicy(Duration.ofMillis(100), Duration.ofSeconds(10), Duration.ofHours(1)));
        control.create(WHO, "begins");
        // There before anybody migrates.
        try (UserLog log = new UserLog(directory.resolve("log-before"))) {
            for (long id : ids().toArray()) {
                String name = "before-" + id + "@" + UserServiceChild.CITIES.get((int) (id % 3));
                long operation = log.start(Kind.SAVE, id, name);
                origin.save(new User(id, name, UserLogCheck.city(name), 0, false));
                log.end(operation, Outcome.DONE, "");
            }
        }
        for (int i = 0; i < UserServiceChild.PROCESSES; i++) {
            Service service = new Service(i);
            services.add(service);
            service.start();
        }
    }

    @AfterEach
    void stop() {
        services.forEach(service -> service.process.destroyForcibly());
        pools.forEach(JdbcConnectionPool::dispose);
        server.stop();
    }

    private static LongStream ids() {
        LongStream ids = UserServiceChild.shared();
        for (int i = 0; i < UserServiceChild.PROCESSES; i++) {
            ids = LongStream.concat(ids, UserServiceChild.own(i));
        }
        return ids;
    }

    private String url(String database) {
        return "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:" + database + ";DB_CLOSE_DELAY=-1";
    }

    private JdbcUsers users(String database) throws SQLException {
        JdbcConnectionPool pool = JdbcConnectionPool.create(url(database), "sa", "");
        pools.add(pool);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(JdbcUsers.TABLE);
        }
        return new JdbcUsers(pool);
    }

    @Test
    @Timeout(value = 3, unit = TimeUnit.MINUTES)
    void shouldKeepItsPromisesToTwoProcessesThatAreKilledOnTheWayThereAndBack() throws Exception {
        Phase losing = random.nextBoolean() ? Phase.READ_TARGET : Phase.WRITE_TARGET;
        advance(Phase.WRITE_BOTH);
        killOne();
        backfill();
        verify();
        advance(Phase.READ_TARGET);
        killOne();
        loseThePhaseStoreIf(losing == Phase.READ_TARGET);
        verify();
        advance(Phase.TARGET_FIRST);
        killOne();
        advance(Phase.WRITE_TARGET);
        killOne();
        loseThePhaseStoreIf(losing == Phase.WRITE_TARGET);
        advance(Phase.TARGET_ONLY);
        killOne();
        reverse();
        killOne();
        rollback(Phase.READ_TARGET);
        rollback(Phase.WRITE_BOTH);
        killOne();
        rollback(Phase.ORIGIN_ONLY);
        for (Service service : services) {
            service.end();
        }

        UserLogCheck.Result result = UserLogCheck.check(entries(), UserServiceChild.CITIES);
        System.out.println(result.writes() + " writes, " + result.reads() + " reads");
        assertThat(result.violations()).as("seed=%d", SEED).isEmpty();
        assertThat(result.writes()).isGreaterThan(1_000);
    }

    private void advance(Phase to) throws InterruptedException {
        step(() -> control.advance(WHO, "forward"), () -> control.current().phase() == to);
    }

    private void rollback(Phase to) throws InterruptedException {
        step(() -> control.rollback(WHO, "back"), () -> control.current().phase() == to);
    }

    /** Takes a step once its gates are met, and waits until all act by it. */
    private void step(Runnable change, BooleanSupplier taken) throws InterruptedException {
        String[] shut = new String[1];
        await(
                () -> {
                    try {
                        change.run();
                    } catch (GateException missing) {
                        shut[0] = missing.getMessage();
                    }
                    return taken.getAsBoolean();
                },
                () -> shut[0]);
        assertThat(control.awaitAcknowledged(PATIENCE, PhaseControl.Sleeper.THREAD))
                .isTrue();
        System.out.println("phase " + control.current().phase().label());
    }

    private static void await(BooleanSupplier condition, Supplier<String> otherwise) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(otherwise).isLessThan(deadline);
            PhaseControl.Sleeper.THREAD.sleep(Duration.ofMillis(20));
        }
    }

    /** One of the instances does it, though one is killed meanwhile. */
    private void order(PhaseNote.Kind kind) throws Exception {
        BulkOrders orders = new BulkOrders(control);
        BulkOrders.Order placed =
                orders.place(BulkOrders.Order.of(kind, kind == PhaseNote.Kind.VERIFICATION, 0, WHO), false);
        killOne();
        PhaseNote done = orders.await(placed, PATIENCE.multipliedBy(2), PhaseControl.Sleeper.THREAD, keys -> {});
        assertThat(done.kind()).isEqualTo(kind);
    }

    private void backfill() throws Exception {
        order(PhaseNote.Kind.BACKFILL);
    }

    private void verify() throws Exception {
        order(PhaseNote.Kind.VERIFICATION);
    }

    private void reverse() throws Exception {
        control.reverseToBoth(WHO, "back", PATIENCE, PhaseControl.Sleeper.THREAD);
        order(PhaseNote.Kind.VERIFICATION);
    }

    /** Nobody who starts without it serves; from what instances remember the record is made again. */
    private void loseThePhaseStoreIf(boolean now) throws Exception {
        if (!now) {
            return;
        }
        Phase phase = control.current().phase();
        Files.move(UserServiceChild.phases(directory), directory.resolve("lost"));
        Service one = any();
        one.kill();
        one.launch();
        assertThat(one.says()).isNull();
        assertThat(one.complaint()).contains("anneal migrate recover");

        List<PhaseMark> marks = new ArrayList<>();
        services.forEach(service -> marks.add(new FilePhaseMark(service.directory())));
        PhaseRecovery.look(phases, "users", marks, InstantSource.system()).run(WHO, "recovered");
        one.start();
        await(() -> phases.heartbeats("users").size() == services.size(), () -> "not all show up");
        assertThat(control.current().phase()).isEqualTo(phase);
        System.out.println("recovered phase " + phase.label());
        if (phase == Phase.READ_TARGET) {
            step(
                    () -> control.readShare(100, WHO, "again"),
                    () -> control.current().readSharePercent() == 100);
        }
    }

    private Service any() {
        return services.get(random.nextInt(services.size()));
    }

    private void killOne() throws Exception {
        Service one = any();
        PhaseControl.Sleeper.THREAD.sleep(Duration.ofMillis(random.nextInt(KILLED_WITHIN_MILLIS)));
        one.kill();
        one.start();
    }

    /** What all processes did, and what is there when all is over. */
    private List<UserLog.Entry> entries() throws IOException {
        try (UserLog log = new UserLog(directory.resolve("log-after"))) {
            for (long id : ids().toArray()) {
                long operation = log.start(Kind.LAST, id, "");
                User user = origin.load(id);
                String name = user == null || user.deleted() ? "" : user.name();
                log.end(operation, Outcome.DONE, user == null ? name : name + " " + user.visits());
            }
        }
        List<UserLog.Entry> entries = new ArrayList<>(UserLog.read(directory.resolve("log-before")));
        for (Service service : services) {
            entries.addAll(UserLog.read(UserServiceChild.log(directory, service.number)));
        }
        entries.addAll(UserLog.read(directory.resolve("log-after")));
        return entries;
    }

    /** One process, again and again. */
    private final class Service {
        private final int number;
        private int run;
        private Process process;

        Service(int number) {
            this.number = number;
        }

        Path directory() {
            return UserServiceChild.directory(directory, number);
        }

        private Path complaints() {
            return directory.resolve("complaints-" + number + "-" + run);
        }

        String complaint() throws IOException {
            return Files.readString(complaints());
        }

        void start() throws IOException {
            launch();
            assertThat(says()).as("%s", complaint()).isEqualTo("ready");
        }

        void launch() throws IOException {
            run++;
            process = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx128m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-ea",
                            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                            "-cp",
                            System.getProperty("java.class.path"),
                            UserServiceChild.class.getName(),
                            Integer.toString(number),
                            Integer.toString(run),
                            Long.toString(random.nextLong()),
                            url("origin"),
                            url("target"),
                            directory.toString()))
                    .redirectError(complaints().toFile())
                    .start();
        }

        /** The next line that it says; null if it has ended. */
        String says() throws IOException {
            return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        }

        void kill() throws InterruptedException {
            process.toHandle().destroyForcibly();
            process.waitFor();
        }

        /** Lets it end by itself. */
        void end() throws Exception {
            process.getOutputStream().close();
            assertThat(process.waitFor()).isZero();
        }
    }
}
