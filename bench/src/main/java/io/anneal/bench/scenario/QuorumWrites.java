package io.anneal.bench.scenario;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Clients that write new rows of {@link TableShape#RANDOM_ROWS} at a steady rate, at quorum, until closed; by a thread of its own. Where
 * the nodes can't keep up it is less, and not made up for later: else all of their time would go into the queue of writes, and whatever
 * else they are asked would never end.
 */
final class QuorumWrites implements Closeable {
    private static final int PAYLOAD_BYTES = 1000;
    /** More would stand in line at nodes that share their processors with all else that is measured. */
    private static final int UNDER_WAY_MAX = 32;
    /** Above all keys that are drawn. */
    private static final long FIRST_KEY = 1L << 40;

    /** On a machine that does other things, too, the driver's two seconds are short. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final long PAUSE_NANOS = 2_000_000;
    /** What is made up for: longer than a node collects garbage. */
    private static final long LATE_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final CqlSession session;
    private final PreparedStatement insert;
    private final LongSupplier nanoTime;
    private final InstantSource clock;
    private final int perSecond;
    private final long seed;
    private final Semaphore underWay = new Semaphore(UNDER_WAY_MAX);
    private final AtomicLong acknowledged = new AtomicLong();
    /** By the millisecond of the answer. */
    private final ConcurrentSkipListMap<Long, LongAdder> acknowledgedAt = new ConcurrentSkipListMap<>();

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean ends;

    private QuorumWrites(
            CqlSession session,
            TableSchema schema,
            int perSecond,
            long seed,
            LongSupplier nanoTime,
            InstantSource clock) {
        this.session = session;
        this.nanoTime = nanoTime;
        this.clock = clock;
        this.perSecond = perSecond;
        this.seed = seed;
        insert = session.prepare("INSERT INTO " + schema.qualifiedName() + " (id, payload) VALUES (?, ?)");
        thread = new Thread(this::write, "bench-writes");
    }

    /**
     * @param seed of the values; other writes of the same table have another one
     * @param clock of the same machine as those that {@link #countBetween} is asked by
     */
    static QuorumWrites start(
            CassandraPeer node,
            TableSchema schema,
            int perSecond,
            long seed,
            LongSupplier nanoTime,
            InstantSource clock) {
        CqlSession session = CqlSession.builder()
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, PATIENCE)
                        .build())
                .addContactPoint(new InetSocketAddress(node.config().address(), node.cqlPort()))
                .withLocalDatacenter("datacenter1")
                .build();
        QuorumWrites writes = new QuorumWrites(session, schema, perSecond, seed, nanoTime, clock);
        writes.thread.start();
        return writes;
    }

    private void write() {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] payload = new byte[PAYLOAD_BYTES];
        long apartNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        long dueNanos = nanoTime.getAsLong();
        long sent = 0;
        try {
            while (!ends && failure.get() == null) {
                long now = nanoTime.getAsLong();
                dueNanos = Math.max(dueNanos, now - LATE_MAX_NANOS);
                for (; dueNanos - now <= 0; dueNanos += apartNanos) {
                    random.nextBytes(payload);
                    underWay.acquire();
                    session.executeAsync(insert.bind(FIRST_KEY * seed + sent, ByteBuffer.wrap(payload.clone()))
                                    .setConsistencyLevel(ConsistencyLevel.QUORUM))
                            .whenComplete(this::answered);
                    sent++;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            underWay.acquire(UNDER_WAY_MAX);
        } catch (InterruptedException e) {
            failure.compareAndSet(null, e);
        }
    }

    private void answered(Object result, Throwable failed) {
        if (failed == null) {
            acknowledged.incrementAndGet();
            acknowledgedAt
                    .computeIfAbsent(clock.millis(), moment -> new LongAdder())
                    .increment();
        } else {
            failure.compareAndSet(null, failed);
        }
        underWay.release();
    }

    /** Rows so far. */
    long count() {
        return acknowledged.get();
    }

    /** Rows whose writing was acknowledged between two moments, both included. */
    long countBetween(Instant from, Instant to) {
        return acknowledgedAt.subMap(from.toEpochMilli(), true, to.toEpochMilli(), true).values().stream()
                .mapToLong(LongAdder::sum)
                .sum();
    }

    /** Waits while they write; fails when a row was not written. */
    void await(Duration time) {
        long from = nanoTime.getAsLong();
        while (nanoTime.getAsLong() - from < time.toNanos() && thread.isAlive()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        requireSound();
    }

    /** Fails when a row was not written. */
    void requireSound() {
        if (failure.get() != null) {
            throw new IllegalStateException("a client could not write", failure.get());
        }
    }

    @Override
    public void close() throws IOException {
        ends = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while clients end");
        } finally {
            session.close();
        }
        requireSound();
    }
}
