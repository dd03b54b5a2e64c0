package io.anneal.faults;

import io.anneal.cli.AnnealCommand;
import io.anneal.cli.command.Environment;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs the command: in this process with its output kept, or in one of its own. */
public final class Commands {
    private static final String HEAP = "256m";
    private static final String MAIN = AnnealCommand.class.getName();

    /** Of all commands that tests run, in this process or in their own. */
    private static final Path HOME = Path.of("target", "home").toAbsolutePath();

    private Commands() {}

    /** What a command ended with. */
    public record Result(int exitCode, String out, String err) {}

    public static Result run(String... arguments) {
        return run(Clock.systemUTC(), arguments);
    }

    /** By a clock of the test's. */
    public static Result run(Clock clock, String... arguments) {
        return run(clock, line -> {}, arguments);
    }

    /** The command waits while each line that it has printed is looked at: so a test can step in between. */
    public static Result runWatched(Consumer<String> lines, String... arguments) {
        return run(Clock.systemUTC(), lines, arguments);
    }

    private static Result run(Clock clock, Consumer<String> lines, String... arguments) {
        ByteArrayOutputStream out = new WatchedLines(lines);
        ByteArrayOutputStream err = new WatchedLines(lines);
        Environment environment = new Environment(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                clock,
                System::nanoTime,
                false,
                HOME);
        int exitCode = AnnealCommand.commandLine(environment, arguments).execute(arguments);
        return new Result(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** What was printed, each line of which is looked at when it is whole. */
    private static final class WatchedLines extends ByteArrayOutputStream {
        private final Consumer<String> lines;
        private int lineStart;

        WatchedLines(Consumer<String> lines) {
            this.lines = lines;
        }

        @Override
        public synchronized void write(int one) {
            super.write(one);
            if (one == '\n') {
                String line = new String(buf, lineStart, count - 1 - lineStart, StandardCharsets.UTF_8);
                lineStart = count;
                lines.accept(line);
            }
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
            for (int i = 0; i < length; i++) {
                write(bytes[offset + i]);
            }
        }
    }

    /** A file of the mode that tokens need. */
    public static Path tokenFile(Path directory) throws IOException {
        Path file = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, "a secret of more than sixteen bytes\n");
    }

    /** Starts the command in a process of its own; it answers into the log, too. */
    public static Process start(Path log, String... arguments) throws IOException {
        return startWithHeap(HEAP, log, arguments);
    }

    /** As {@link #start}, but its output is for the caller to read; errors go into the log. */
    public static Process startPiped(Path log, String... arguments) throws IOException {
        return process(HEAP, arguments).redirectError(log.toFile()).start();
    }

    private static Process startWithHeap(String heap, Path log, String... arguments) throws IOException {
        return process(heap, arguments)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    /** As {@link #start}; when it ends it says in {@code peaks} how much memory it had in use. */
    public static Process startMeasured(String heap, Path peaks, Path log, String... arguments) throws IOException {
        return measured(process(heap, arguments), peaks)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    private static ProcessBuilder measured(ProcessBuilder process, Path peaks) {
        List<String> command = process.command();
        command.set(command.indexOf(MAIN), MeasuredCommand.class.getName());
        command.add(1, "-D" + MeasuredCommand.FILE_PROPERTY + "=" + peaks);
        return process;
    }

    private static ProcessBuilder process(String heap, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-XX:+UseSerialGC",
                // Much of what so short a process does would be compiling.
                "-XX:TieredStopAtLevel=1",
                "-Duser.home=" + HOME,
                "-cp",
                System.getProperty("java.class.path"),
                MAIN));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    /** An {@code anneal serve} or {@code agent} in a process of its own. */
    public static final class Server implements AutoCloseable {
        private final Process process;
        private final String address;

        private Server(Process process, String address) {
            this.process = process;
            this.address = address;
        }

        public static Server start(Path log, String... arguments) throws IOException {
            return startWithHeap(HEAP, log, arguments);
        }

        /** An {@code anneal agent}; the arguments say where it listens. */
        public static Server startAgent(Path log, String... arguments) throws IOException {
            return startAgent(log, Map.of(), arguments);
        }

        /** The same with more in its environment. */
        public static Server startAgent(Path log, Map<String, String> environment, String... arguments)
                throws IOException {
            List<String> all = new ArrayList<>(List.of(arguments));
            all.add(0, "agent");
            ProcessBuilder command = process(HEAP, all.toArray(String[]::new));
            command.environment().putAll(environment);
            return start(command, log);
        }

        public static Server startWithHeap(String heap, Path log, String... arguments) throws IOException {
            return start(process(heap, serving(arguments)), log);
        }

        /** When it is closed it says in {@code peaks} how much memory it had in use. */
        public static Server startMeasured(String heap, Path peaks, Path log, String... arguments) throws IOException {
            return start(measured(process(heap, serving(arguments)), peaks), log);
        }

        private static String[] serving(String... arguments) {
            List<String> all = new ArrayList<>(List.of(arguments));
            all.add(0, "serve");
            if (!all.contains("--listen")) {
                all.addAll(List.of("--listen", "127.0.0.1:0"));
            }
            return all.toArray(String[]::new);
        }

        private static Server start(ProcessBuilder command, Path log) throws IOException {
            Process process = command.redirectError(log.toFile()).start();
            // Read to its first line and no further: the server prints no more.
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            String line = out.readLine();
            if (line == null || !line.startsWith("listening on ")) {
                process.destroyForcibly();
                throw new IOException("server did not start, line=" + line + ", log=" + Files.readString(log));
            }
            return new Server(process, line.substring("listening on ".length()));
        }

        public String address() {
            return address;
        }

        public long pid() {
            return process.pid();
        }

        /** SIGKILL. */
        public void kill() throws InterruptedException {
            process.destroyForcibly();
            process.waitFor();
        }

        /** SIGTERM, and waits until it has ended by itself. */
        public void end() throws InterruptedException {
            process.destroy();
            process.waitFor();
        }

        @Override
        public void close() {
            process.destroy();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
