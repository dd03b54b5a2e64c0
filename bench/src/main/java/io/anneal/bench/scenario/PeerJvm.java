package io.anneal.bench.scenario;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A second process of a benchmark, of this one's class path: it says its ports, and works until its standard input ends. */
final class PeerJvm implements Closeable {
    private static final long CLOSE_SECONDS = 10;

    private final Process process;
    private final List<InetSocketAddress> addresses;

    private PeerJvm(Process process, List<InetSocketAddress> addresses) {
        this.process = process;
        this.addresses = addresses;
    }

    /** @param mainClass calls {@link #announce} */
    static PeerJvm start(OwnCommand command, Class<?> mainClass, List<String> arguments) throws IOException {
        return start(command, List.of("-XX:+UseParallelGC"), mainClass, arguments);
    }

    /** @param options of the JVM */
    static PeerJvm start(OwnCommand command, List<String> options, Class<?> mainClass, List<String> arguments)
            throws IOException {
        List<String> words = new ArrayList<>(List.of(command.java().toString()));
        words.addAll(options);
        words.addAll(List.of(
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-cp",
                command.classPath(),
                mainClass.getName()));
        words.addAll(arguments);
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String ports = out.readLine();
        if (ports == null) {
            process.destroyForcibly();
            throw new IOException("the second process of the benchmark does not start, its error is above");
        }
        List<InetSocketAddress> addresses = new ArrayList<>();
        for (String port : ports.split(" ")) {
            addresses.add(NetSide.loopback(Integer.parseInt(port)));
        }
        return new PeerJvm(process, addresses);
    }

    /** In the second process: tells its ports, and waits until the first one is gone. */
    static void announce(List<Integer> ports) throws IOException {
        System.out.println(String.join(" ", ports.stream().map(String::valueOf).toList()));
        while (System.in.read() >= 0) {
            // Nothing comes.
        }
    }

    /** Of the port that it announced at this place. */
    InetSocketAddress address(int place) {
        return addresses.get(place);
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() throws IOException {
        try {
            process.getOutputStream().close();
            process.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the second process of the benchmark ends");
        } finally {
            process.destroyForcibly();
        }
    }
}
