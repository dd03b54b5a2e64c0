package io.anneal.net;

import io.anneal.environment.FutureFailure;
import io.anneal.io.UnsupportedVersionException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * A connection to one address that is made when it is needed, and anew after it has ended. Between tries that fail it
 * waits, longer each time; what no try can mend fails at once, and for a second with what it failed with, so that the
 * work of many units is refused, and logged, once. Safe for any thread.
 */
public final class KeptConnection implements AutoCloseable {
    static final long WAIT_MIN_MS = 100;
    static final long WAIT_MAX_MS = 30_000;
    static final long REFUSED_MS = 1_000;
    private static final String STEP = "connect";

    /** What the client that made it lends. */
    interface Host {
        CompletableFuture<Connection> newFuture();

        /** Runs work after so long, not on an event loop; false if nothing runs any more. */
        boolean schedule(Runnable work, long delayMs);
    }

    private final Connector connector;
    private final InetSocketAddress address;
    private final Host host;
    private final RandomGenerator random;

    private final Object lock = new Object();
    private final List<CompletableFuture<Connection>> waiting = new ArrayList<>();
    /** Whose time was over while a try ran. */
    private final List<CompletableFuture<Connection>> overdue = new ArrayList<>();

    private Connection current;
    /** A try runs or is scheduled. */
    private boolean trying;

    private boolean dialling;
    private long waitMs = WAIT_MIN_MS;
    private IOException lastFailure;
    /** What the peer has just said that stays so. */
    private IOException refusal;

    private boolean closed;

    KeptConnection(Connector connector, InetSocketAddress address, Host host, RandomGenerator random) {
        this.connector = connector;
        this.address = address;
        this.host = host;
        this.random = random;
    }

    /**
     * The connection, open at this moment.
     *
     * @param timeoutMs after which no try is begun for it; a try that runs then is awaited, which has limits of its
     *                  own, and the future fails with what the last try failed with
     */
    public CompletableFuture<Connection> get(long timeoutMs) {
        CompletableFuture<Connection> result = host.newFuture();
        Connection open;
        IOException refused;
        boolean start;
        synchronized (lock) {
            open = current != null && current.isOpen() ? current : null;
            refused = closed ? closedHere() : refusal;
            start = open == null && refused == null && !trying;
            if (open == null && refused == null) {
                waiting.add(result);
            }
            trying |= start;
        }
        if (refused != null) {
            result.completeExceptionally(refused);
        } else if (open != null) {
            result.complete(open);
        } else {
            if (!host.schedule(() -> expire(result, timeoutMs), timeoutMs)) {
                expire(result, timeoutMs);
            }
            if (start) {
                tryNow();
            }
        }
        return result;
    }

    private void expire(CompletableFuture<Connection> result, long timeoutMs) {
        IOException failure;
        synchronized (lock) {
            boolean waited = waiting.remove(result);
            if (waited && dialling) {
                overdue.add(result);
                return;
            }
            failure = lastFailure;
        }
        if (failure == null) {
            failure = failure(PeerException.CONNECT_FAILED, "peer cannot be reached in time, timeoutMs=" + timeoutMs);
        }
        result.completeExceptionally(failure);
    }

    private void tryNow() {
        synchronized (lock) {
            dialling = true;
        }
        dial().whenComplete((connection, failed) -> {
            if (failed == null) {
                connected(connection);
            } else {
                failed(FutureFailure.cause(failed));
            }
        });
    }

    private CompletableFuture<Connection> dial() {
        try {
            return connector.connect(address);
        } catch (RuntimeException | Error failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }

    private void connected(Connection connection) {
        List<CompletableFuture<Connection>> served;
        boolean late;
        synchronized (lock) {
            late = closed;
            trying = false;
            dialling = false;
            waitMs = WAIT_MIN_MS;
            lastFailure = null;
            current = late ? null : connection;
            served = takeWaiting();
        }
        if (late) {
            connection.close();
        }
        served.forEach(result -> result.complete(connection));
    }

    private void failed(Throwable cause) {
        boolean again;
        boolean isRefused;
        long delayMs;
        List<CompletableFuture<Connection>> refused;
        synchronized (lock) {
            dialling = false;
            lastFailure = cause instanceof IOException failure ? failure : new IOException(cause);
            again = !closed && mayPass(cause);
            refusal = cause instanceof PeerException told && told.isRefusal() ? told : null;
            isRefused = refusal != null;
            // Half of it is random, so that many do not come back at one moment.
            delayMs = waitMs / 2 + random.nextLong(waitMs / 2 + 1);
            waitMs = Math.min(2 * waitMs, WAIT_MAX_MS);
            trying = again;
            refused = again ? take(overdue) : takeWaiting();
        }
        refused.forEach(result -> result.completeExceptionally(cause));
        if (isRefused && !host.schedule(this::forgetRefusal, REFUSED_MS)) {
            forgetRefusal();
        }
        // Even if nobody waits now: who comes meanwhile waits for the next try.
        if (again && !host.schedule(this::tryAgain, delayMs)) {
            giveUp(cause);
        }
    }

    private void forgetRefusal() {
        synchronized (lock) {
            refusal = null;
        }
    }

    private void tryAgain() {
        synchronized (lock) {
            trying = !closed && !waiting.isEmpty();
            if (!trying) {
                return;
            }
        }
        tryNow();
    }

    private void giveUp(Throwable cause) {
        List<CompletableFuture<Connection>> refused;
        synchronized (lock) {
            trying = false;
            refused = takeWaiting();
        }
        refused.forEach(result -> result.completeExceptionally(cause));
    }

    private List<CompletableFuture<Connection>> takeWaiting() {
        List<CompletableFuture<Connection>> taken = new ArrayList<>(take(waiting));
        taken.addAll(take(overdue));
        return taken;
    }

    private static List<CompletableFuture<Connection>> take(List<CompletableFuture<Connection>> futures) {
        List<CompletableFuture<Connection>> taken = List.copyOf(futures);
        futures.clear();
        return taken;
    }

    /** Whether another try may succeed without a change on either side's command line. */
    private boolean mayPass(Throwable cause) {
        return !address.isUnresolved()
                && !(cause instanceof UnsupportedVersionException)
                && !(cause instanceof PeerException failure && failure.isLasting())
                && cause instanceof IOException;
    }

    private PeerException closedHere() {
        return failure(PeerException.CLOSED_HERE, "connection is not kept any more");
    }

    private PeerException failure(String code, String reason) {
        return new PeerException(PeerAddress.text(address), STEP, code, reason);
    }

    /** Keeps the connection no longer than what is open on it lasts. */
    void drain() {
        Connection open;
        synchronized (lock) {
            open = current;
        }
        if (open != null) {
            open.drain();
        }
    }

    /** Closes the connection too. */
    @Override
    public void close() {
        List<CompletableFuture<Connection>> refused;
        Connection open;
        synchronized (lock) {
            closed = true;
            open = current;
            current = null;
            refused = takeWaiting();
        }
        if (open != null) {
            open.close();
        }
        refused.forEach(result -> result.completeExceptionally(closedHere()));
    }
}
