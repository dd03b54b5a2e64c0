package io.anneal.cli.repair;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.anneal.net.PeerAddress;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What a serving node counts, for a Prometheus that asks: {@code GET /metrics}. It shows numbers and ids of peers, no data, to
 * everybody who reaches its address. A few requests at a time, each with a few seconds to arrive: a client that stops in the
 * middle of one holds up nobody. Closing it ends its threads.
 */
final class MetricsServer implements Closeable {
    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final int WAITING_MAX = 16;
    /** A client that does not go on holds one until its time is over. */
    static final int THREADS = 4;

    private static final int REQUEST_SECONDS_MAX = 3;
    private static final int ANSWER_SECONDS_MAX = 10;
    private static final int CONNECTIONS_MAX = 64;

    static {
        // The JDK's server has no other way to say it, and reads it once for the process, which is the command's.
        limit("sun.net.httpserver.maxReqTime", REQUEST_SECONDS_MAX);
        limit("sun.net.httpserver.maxRspTime", ANSWER_SECONDS_MAX);
        limit("jdk.httpserver.maxConnections", CONNECTIONS_MAX);
    }

    private static void limit(String property, int value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, Integer.toString(value));
        }
    }

    private final HttpServer server;
    private final ExecutorService executor;
    private final List<Supplier<String>> texts;

    private MetricsServer(HttpServer server, ExecutorService executor, List<Supplier<String>> texts) {
        this.server = server;
        this.executor = executor;
        this.texts = texts;
    }

    /** @param texts each in Prometheus' text format, with names of its own */
    static MetricsServer start(InetSocketAddress address, List<Supplier<String>> texts) throws IOException {
        HttpServer server = listen(address);
        MetricsServer started =
                new MetricsServer(server, Executors.newFixedThreadPool(THREADS, MetricsServer::thread), texts);
        server.setExecutor(started.executor);
        server.createContext("/metrics", started::answer);
        server.start();
        return started;
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "anneal-metrics");
        thread.setDaemon(true);
        return thread;
    }

    private static HttpServer listen(InetSocketAddress address) throws IOException {
        try {
            return HttpServer.create(address, WAITING_MAX);
        } catch (BindException | UnresolvedAddressException failed) {
            BindException failure =
                    new BindException("cannot listen for metrics, address=" + PeerAddress.text(address));
            failure.initCause(failed);
            throw failure;
        }
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals("/metrics")) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            String method = exchange.getRequestMethod();
            if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                exchange.sendResponseHeaders(405, -1);
                return;
            }
            byte[] text = texts.stream()
                    .map(Supplier::get)
                    .collect(Collectors.joining())
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", TYPE);
            if (method.equals("HEAD")) {
                exchange.sendResponseHeaders(200, -1);
                return;
            }
            exchange.sendResponseHeaders(200, text.length);
            try (OutputStream body = exchange.getResponseBody()) {
                body.write(text);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
