package io.anneal.repair;

import com.google.common.util.concurrent.Uninterruptibles;
import io.anneal.key.LinearRanges;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import io.anneal.repair.hashes.HashRanges;
import io.anneal.repair.hashes.RangeSums;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.hashes.Wanted;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.PlacesFound;
import io.anneal.repair.message.PlacesWanted;
import io.anneal.repair.message.PushAnswer;
import io.anneal.repair.message.SessionFinished;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.SyncVote;
import io.anneal.repair.message.TokenSum;
import io.anneal.repair.message.WindowAnswer;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica in this process. Its session runs on the executor it is given, which must run one task at a time; while the
 * master compares a window, it reads on. Safe for the threads of a server that passes requests on.
 */
public final class LocalParticipant implements Participant {
    private static final Logger LOG = LoggerFactory.getLogger(LocalParticipant.class);

    private static final long CLOSE_CHECK_MS = 500;

    /** A step of a session. */
    private interface Step<T> {
        T run(ReplicaSession session) throws IOException;
    }

    private final ReplicaSource tables;
    private final String name;
    private final Executor executor;
    private final RepairMetrics metrics;

    /** A table that is open, and for what. */
    private record OpenTable(Replica table, OpenSession parameters) {}

    /** Held by whoever runs a step: an executor that is shut down leaves the last one to the thread that closes. */
    private final Object turn = new Object();

    /** Touched in turn only, as the session, which starts when its terms are agreed. */
    private Optional<OpenTable> opened = Optional.empty();

    private Optional<ReplicaSession> session = Optional.empty();

    /** By the session that has finished. Touched in turn only. */
    private LinearRanges repaired = LinearRanges.NONE;

    /** For any thread. */
    private volatile Optional<Replica> replica = Optional.empty();

    /** Set by {@link #close()}; an open that was still waiting then must not start a session that nobody ends. */
    private boolean closed;

    private final CompletableFuture<Void> closing = new CompletableFuture<>();

    /** What stopped the session; reading on may fail before anybody asks. Touched in turn only. */
    private Optional<Exception> broken = Optional.empty();

    /**
     * @param name for errors and reports, until the table is opened
     * @param executor serial; it belongs to the caller
     */
    public LocalParticipant(String name, ReplicaSource tables, Executor executor) {
        this(name, tables, executor, RepairMetrics.unseen());
    }

    /**
     * @param name for errors and reports, until the table is opened
     * @param executor serial; it belongs to the caller
     * @param metrics of the process that the replica is in
     */
    LocalParticipant(String name, ReplicaSource tables, Executor executor, RepairMetrics metrics) {
        this.metrics = metrics;
        this.name = name;
        this.tables = tables;
        this.executor = executor;
    }

    @Override
    public String name() {
        return name;
    }

    /** Runs a step of the session; one that fails ends it. */
    private <T> CompletableFuture<T> on(Step<T> step) {
        return run(() -> {
            if (broken.isPresent()) {
                throw broken.get();
            }
            try {
                return step.run(session.orElseThrow(
                        () -> new IllegalStateException("no repair session is open, replica=" + name)));
            } catch (IOException | RuntimeException failure) {
                broken = Optional.of(failure);
                throw failure;
            }
        });
    }

    private <T> CompletableFuture<T> run(Callable<T> task) {
        CompletableFuture<T> future = new CompletableFuture<>();
        try {
            executor.execute(() -> {
                try {
                    future.complete(inTurn(task));
                } catch (Exception failure) {
                    future.completeExceptionally(failure);
                } catch (Throwable error) {
                    future.completeExceptionally(stopped(error));
                }
            });
        } catch (RuntimeException | Error notTaken) {
            future.completeExceptionally(notTaken);
        }
        return future;
    }

    private <T> T inTurn(Callable<T> task) throws Exception {
        synchronized (turn) {
            return task.call();
        }
    }

    /** An {@link Error}, as used up memory is, ends the session, and fails the step for its caller. */
    private RepairException stopped(Throwable error) {
        if (error instanceof OutOfMemoryError) {
            RepairException full = new RepairException(
                    "memory is used up, replica=" + name + ", table="
                            + opened.map(open -> open.table().schema().qualifiedName())
                                    .orElse(""),
                    error,
                    Optional.of(RepairCode.TOO_LARGE));
            LOG.error(full.getMessage());
            broken = Optional.of(full);
            return full;
        }
        LOG.error("replica was stopped by an error, replica={}", name, error);
        RepairException stopped = new RepairException(
                "replica was stopped by an error, see its log, replica=" + name + ", cause=" + error, error);
        broken = Optional.of(stopped);
        return stopped;
    }

    @Override
    public CompletableFuture<SessionOpened> open(OpenSession parameters) {
        return run(() -> openNow(parameters));
    }

    private SessionOpened openNow(OpenSession parameters) throws IOException {
        if (closed) {
            throw new IllegalStateException("replica is closed, replica=" + name);
        }
        if (opened.isPresent()) {
            throw new IllegalStateException("a repair session is open already, replica=" + name);
        }
        Replica table = tables.open(parameters.keyspace(), parameters.table(), parameters.staged());
        try {
            refuseOtherSchema(table, parameters);
            SessionOpened answer = ReplicaSession.opened(table, parameters);
            opened = Optional.of(new OpenTable(table, parameters));
            replica = Optional.of(table);
            return answer;
        } finally {
            if (opened.isEmpty()) {
                table.close();
            }
        }
    }

    @Override
    public CompletableFuture<Void> agree(SessionTerms terms) {
        return run(() -> {
            OpenTable open =
                    opened.orElseThrow(() -> new IllegalStateException("no repair session is open, replica=" + name));
            if (session.isPresent()) {
                throw new IllegalStateException("the session has its terms already, replica=" + name);
            }
            if (terms.bufferBytes() > open.parameters().bufferBytes()) {
                throw new RepairException(
                        "row buffer of the session is larger than this replica has memory for, replica="
                                + name + ", bufferBytes=" + terms.bufferBytes() + ", maxBytes="
                                + open.parameters().bufferBytes());
            }
            if (terms.localDeletionTimeMaxSeconds() > open.table().localDeletionTimeMaxSeconds()) {
                throw new RepairException(
                        "deletion times of the session are later than this replica can write, replica="
                                + name + ", maxSeconds=" + terms.localDeletionTimeMaxSeconds() + ", ownMaxSeconds="
                                + open.table().localDeletionTimeMaxSeconds());
            }
            session = Optional.of(new ReplicaSession(open.table(), open.parameters(), terms, new RepairMeter(metrics)));
            return null;
        });
    }

    private static void refuseOtherSchema(Replica table, OpenSession parameters) throws RepairException {
        TableSchema wanted = CqlSchema.parse(parameters.schemaText(), "schema of the repair master")
                .table(parameters.keyspace(), parameters.table())
                .orElseThrow(() -> new RepairException("repair master sent no schema of the table, table="
                        + parameters.keyspace() + "." + parameters.table()));
        Optional<String> difference = table.schema().differenceFrom(wanted);
        if (difference.isPresent()) {
            throw new RepairException("schema differs from the repair master's, replica=" + table.name() + ", table="
                    + parameters.keyspace() + "." + parameters.table() + ", difference=" + difference.get());
        }
    }

    @Override
    public CompletableFuture<List<TokenSum>> kept() {
        return on(ReplicaSession::kept);
    }

    @Override
    public CompletableFuture<Void> start(List<TokenRange> ranges) {
        return on(open -> {
            LinearRanges wanted = LinearRanges.of(ranges);
            // Others may be older than what the replica said of these.
            if (!LinearRanges.of(opened.orElseThrow().parameters().ranges()).covers(wanted)) {
                throw new RepairException(
                        "ranges are not those that the session was opened for, replica=" + name + ", ranges=" + ranges);
            }
            open.start(wanted);
            return null;
        });
    }

    @Override
    public CompletableFuture<SyncVote> read() {
        return on(ReplicaSession::read);
    }

    @Override
    public CompletableFuture<WindowAnswer> window(RingPosition boundary, int symbols) {
        return on(open -> new WindowAnswer(open.window(boundary), open.sketch(symbols)));
    }

    @Override
    public CompletableFuture<long[]> hashes(Phase phase) {
        return on(open -> open.hashes(phase));
    }

    @Override
    public CompletableFuture<RangeSums> sums() {
        return on(ReplicaSession::rangeSums);
    }

    @Override
    public CompletableFuture<Sketch> sketch(HashRanges ranges, int first, int end) {
        return on(open -> open.sketch(ranges, first, end));
    }

    @Override
    public CompletableFuture<byte[]> fetch(Phase phase, Wanted wanted, int skipped, int roomBytes) {
        return on(open -> open.fetch(phase, wanted, skipped, roomBytes));
    }

    @Override
    public CompletableFuture<PlacesFound> places(PlacesWanted wanted) {
        return on(open -> open.places(wanted));
    }

    @Override
    public CompletableFuture<byte[]> recent() {
        return on(ReplicaSession::recent);
    }

    @Override
    public CompletableFuture<PushAnswer> push(byte[] items) {
        return on(open -> open.receive(items));
    }

    @Override
    public CompletableFuture<SessionFinished> finish() {
        return on(open -> {
            SessionFinished done = open.finish();
            repaired = open.repaired();
            endSession();
            return done;
        });
    }

    /** Its table stays open; its buffers are free. */
    private void endSession() {
        try (ReplicaSession ending = session.orElse(null)) {
            session = Optional.empty();
            LOG.debug("repair session ends, replica={}, started={}", name, ending != null);
        } catch (IOException | RuntimeException | Error failure) {
            warnOfClose("repair session", failure);
        }
    }

    @Override
    public CompletableFuture<Void> repaired(List<TokenRange> ranges, long seconds) {
        return run(() -> {
            OpenTable open =
                    opened.orElseThrow(() -> new IllegalStateException("no repair session is open, replica=" + name));
            if (!repaired.covers(LinearRanges.of(ranges))) {
                throw new RepairException(
                        "ranges were not repaired by this session, replica=" + name + ", ranges=" + ranges);
            }
            open.table().repaired(ranges, seconds);
            return null;
        });
    }

    @Override
    public boolean isGone() {
        return replica.map(Replica::isGone).orElse(false);
    }

    @Override
    public long bytesSent() {
        return 0;
    }

    @Override
    public long bytesReceived() {
        return 0;
    }

    @Override
    public long placeBytes() {
        return 0;
    }

    /** Done when the session is closed, and what it left unfinished removed. */
    CompletableFuture<Void> closing() {
        return closing.copy();
    }

    /**
     * After {@link #close}: returns when the session is closed, and what it left unfinished removed. An interrupt does not end
     * the wait.
     *
     * @param isShutDown whether the executor may have dropped the step that closes: then this thread closes
     */
    void awaitClosed(BooleanSupplier isShutDown) {
        while (!closing.isDone()) {
            try {
                Uninterruptibles.getUninterruptibly(closing, CLOSE_CHECK_MS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException notYet) {
                if (isShutDown.getAsBoolean()) {
                    closeNow();
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException("closing never fails", e);
            }
        }
    }

    /** Ends the session on the executor, after what runs there; on this thread, when the executor takes no more work. */
    @Override
    public void close() {
        try {
            executor.execute(this::closeNow);
        } catch (RejectedExecutionException shutDown) {
            LOG.debug("repair session is closed by its caller, its executor is shut down, replica={}", name);
            closeNow();
        } catch (RuntimeException | Error broken) {
            LOG.warn("repair session is closed by its caller, its executor fails, replica={}", name, broken);
            closeNow();
        }
    }

    private void closeNow() {
        try {
            synchronized (turn) {
                release();
            }
        } finally {
            closing.complete(null);
        }
    }

    private void release() {
        closed = true;
        endSession();
        try (Replica table = opened.map(OpenTable::table).orElse(null)) {
            opened = Optional.empty();
            LOG.debug("replica is closed, replica={}, opened={}", name, table != null);
        } catch (IOException | RuntimeException | Error failure) {
            warnOfClose("replica", failure);
        }
    }

    private void warnOfClose(String what, Throwable failure) {
        LOG.warn("{} did not close cleanly, replica={}, cause={}", what, name, failure.toString());
        LOG.debug("{} did not close cleanly, replica={}", what, name, failure);
    }
}
