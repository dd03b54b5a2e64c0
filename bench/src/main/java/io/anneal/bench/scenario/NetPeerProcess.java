package io.anneal.bench.scenario;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A running {@link NetPeer}. */
final class NetPeerProcess implements Closeable {
    private static final long CLOSE_SECONDS = 10;

    private final Process process;
    private final InetSocketAddress plain;
    private final InetSocketAddress bare;
    private final Optional<InetSocketAddress> secured;

    private NetPeerProcess(Process process, List<InetSocketAddress> addresses) {
        this.process = process;
        plain = addresses.get(0);
        bare = addresses.get(1);
        secured = addresses.size() > 2 ? Optional.of(addresses.get(2)) : Optional.empty();
    }

    static NetPeerProcess start(OwnCommand command, Optional<Path> certificate) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                command.java().toString(), "-XX:+UseParallelGC", "-cp", command.classPath(), NetPeer.class.getName()));
        certificate.ifPresent(directory -> words.add(directory.toString()));
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
        return new NetPeerProcess(process, addresses);
    }

    InetSocketAddress plain() {
        return plain;
    }

    InetSocketAddress bare() {
        return bare;
    }

    InetSocketAddress secured() {
        return secured.orElseThrow();
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
