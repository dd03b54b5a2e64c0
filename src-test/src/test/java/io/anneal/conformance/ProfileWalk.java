package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.control.PhaseControl;
import io.anneal.faults.Commands;
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
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import javax.tools.ToolProvider;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.tools.Server;

/** The service of {@code docs/migrate-jdbc}, compiled as it stands there, in processes of its own, and the commands that walk it. */
final class ProfileWalk implements AutoCloseable {
    static final int BEFORE = 300;

    private static final Path SERVICE = Path.of("../docs/migrate-jdbc");
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final int LOOKS_MAX = 300;
    private static final int GATE = 3;

    static {
        // Before a class of H2 is loaded, which else listens on all addresses.
        System.setProperty("h2.bindAddress", "127.0.0.1");
    }

    private final Path directory;
    private final Path classes;
    private final Server server;
    private final String url;
    private final JdbcConnectionPool database;
    private final List<Service> services = new ArrayList<>();

    ProfileWalk(Path directory) throws Exception {
        this.directory = directory;
        classes = Files.createDirectories(directory.resolve("classes"));
        List<String> arguments = new ArrayList<>(List.of(
                "-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-Xlint:all", "-proc:none"));
        try (Stream<Path> sources = Files.list(SERVICE)) {
            sources.map(Path::toString).forEach(arguments::add);
        }
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, System.out, System.err, arguments.toArray(String[]::new)))
                .isZero();
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        url = "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:shop;DB_CLOSE_DELAY=-1";
        database = JdbcConnectionPool.create(url, "sa", "");
        execute("create table profiles (id bigint primary key, name varchar, changed_at timestamp)");
        execute("insert into profiles select x, 'name-' || x, now() from system_range(1, " + BEFORE + ")");
        Files.writeString(directory.resolve("conf"), "user=sa\npassword=\n");
    }

    DataSource database() {
        return database;
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** What the command says, which must have gone well. */
    String done(String verb, Object... more) {
        Commands.Result result = command(verb, more);
        assertThat(result.exitCode())
                .as(verb + ": " + result.out() + result.err())
                .isZero();
        return result.out();
    }

    Commands.Result command(String verb, Object... more) {
        List<String> all = new ArrayList<>(List.of("migrate", verb, "--name", "profiles", "--phase-store", url));
        all.addAll(List.of("--phase-store-conf", directory.resolve("conf").toString()));
        for (Object each : more) {
            all.add(each.toString());
        }
        return Commands.run(all.toArray(String[]::new));
    }

    /** Takes a step as soon as its gates allow it. A quiet minute nobody waits for: where that alone is missing it is forced. */
    void step(String... more) throws InterruptedException {
        gated("advance", more);
    }

    /** Waits until all act by the phase alone: what they have not seen they can't remember. */
    void settle() throws InterruptedException {
        for (int looks = 0; done("status").contains("does not act by it alone yet"); looks++) {
            assertThat(looks).isLessThan(LOOKS_MAX);
            PhaseControl.Sleeper.THREAD.sleep(LOOK);
        }
    }

    /** The end of the migration, as soon as its gates allow it. */
    String finish() throws InterruptedException {
        return gated("finish", "--who", "ada");
    }

    private String gated(String verb, String... more) throws InterruptedException {
        Commands.Result result = command(verb, (Object[]) more);
        for (int looks = 0; result.exitCode() == GATE; looks++) {
            assertThat(looks).as(result.err()).isLessThan(LOOKS_MAX);
            PhaseControl.Sleeper.THREAD.sleep(LOOK);
            String err = result.err();
            boolean quietAlone = err.contains("quiet (")
                    && Stream.of("instances (", "verification (", "share (", "dirty-target (")
                            .noneMatch(err::contains);
            result = quietAlone ? command(verb, "--force-gates") : command(verb, (Object[]) more);
        }
        assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
        return result.out();
    }

    Service start(String type, String... more) throws IOException {
        Service service = new Service(services.size(), type, List.of(more));
        services.add(service);
        service.start();
        return service;
    }

    Path memory(Service service) {
        return directory.resolve("dual-" + service.number);
    }

    @Override
    public void close() {
        services.forEach(service -> service.process.destroyForcibly());
        database.dispose();
        server.stop();
    }

    /** One process, again and again. */
    final class Service {
        private final int number;
        private final String type;
        private final List<String> more;
        private Process process;
        private BufferedReader answers;

        private Service(int number, String type, List<String> more) {
            this.number = number;
            this.type = type;
            this.more = more;
        }

        void start() throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx128m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                    "-cp",
                    classes + System.getProperty("path.separator") + System.getProperty("java.class.path"),
                    type,
                    url,
                    memory(this).toString()));
            command.addAll(more);
            Path complaints = directory.resolve("complaints-" + number);
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(complaints.toFile()))
                    .start();
            answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            assertThat(answers.readLine()).as(Files.readString(complaints)).isEqualTo("ready");
        }

        private void say(String line) throws IOException {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }

        void save(long id, String name) throws IOException {
            say("save " + id + " " + name);
            assertThat(name(id)).isEqualTo("Profile[id=" + id + ", name=" + name + "]");
        }

        void remove(long id) throws IOException {
            say("remove " + id);
            assertThat(name(id)).isEqualTo("null");
        }

        String name(long id) throws IOException {
            say("find " + id);
            return answers.readLine();
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
