package io.anneal.streaming;

import static io.anneal.io.Arguments.given;
import static io.anneal.io.Arguments.notNegative;
import static io.anneal.io.Arguments.positive;

import io.anneal.environment.HostEnvironment;
import io.anneal.job.JobControl;
import io.anneal.job.JobFailedException;
import io.anneal.job.JobProgress;
import io.anneal.job.RangeJob;
import io.anneal.job.UnitRun;
import io.anneal.key.TokenRange;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.PeerException;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Data of tables that a target shall have from other nodes: which ranges from which source. Each byte comes from one source. What
 * breaks off is gone on with where it ended. One thread builds and runs it.
 *
 * <pre>{@code
 * StreamReport report = StreamPlan.into(new StoreReplicas(store))
 *         .add("shop.orders", StreamSource.at(node.peers(), address), TokenRange.FULL)
 *         .run(environment);
 * }</pre>
 */
public final class StreamPlan {
    private static final int ATTEMPTS = 5;
    private static final Duration WAIT_FIRST = Duration.ofSeconds(1);
    private static final Duration WAIT_LONGEST = Duration.ofSeconds(30);

    private final ReplicaSource target;
    private final Map<String, StreamSource> sources = new HashMap<>();
    private final List<StreamUnit> units = new ArrayList<>();
    private final Map<StreamUnit, Incoming> incoming = new HashMap<>();

    private int parallel = 1;
    private long bytesPerSecond;
    private Duration patience = Duration.ofHours(1);
    private JobControl control = new JobControl();
    private Optional<JobProgress.Listener> progress = Optional.empty();
    private StreamReport report = StreamReport.NOTHING;

    private StreamPlan(ReplicaSource target) {
        this.target = target;
    }

    /** For a replica of this process, which may have some of the data already: nothing of it is lost. */
    public static StreamPlan into(ReplicaSource target) {
        return new StreamPlan(given("target", target));
    }

    /** Ranges of a table from a source; no two units should want the same. */
    public StreamPlan add(String qualifiedTable, StreamSource source, TokenRange... ranges) {
        int dot = qualifiedTable.indexOf('.');
        if (dot <= 0 || dot == qualifiedTable.length() - 1) {
            throw new IllegalArgumentException("table is not keyspace.table, table=" + qualifiedTable);
        }
        sources.put(source.name(), source);
        units.add(new StreamUnit(qualifiedTable, source.name(), List.of(ranges)));
        return this;
    }

    /** How many sources are read at once. 1 by default. */
    public StreamPlan parallel(int count) {
        parallel = positive("parallel", count);
        return this;
    }

    /** Bytes a second that come over the network, over all sources; 0 for as fast as it goes. */
    public StreamPlan bytesPerSecond(long rate) {
        bytesPerSecond = notNegative("bytesPerSecond", rate);
        return this;
    }

    /** How long to come again while a node has no room. */
    public StreamPlan patience(Duration value) {
        patience = notNegative("patience", value);
        return this;
    }

    /** What pauses, resumes and aborts it. */
    public StreamPlan control(JobControl value) {
        control = given("control", value);
        return this;
    }

    /** Hears about once a second how far it is. */
    public StreamPlan progress(JobProgress.Listener value) {
        progress = Optional.of(given("progress", value));
        return this;
    }

    /**
     * Fetches everything. What a unit brings is the target's as a whole when the unit is done; what did not come to its end is
     * removed.
     *
     * @throws JobFailedException naming all units that failed, where there are several; of one its own failure
     */
    public StreamReport run(HostEnvironment environment) throws IOException {
        report = StreamReport.NOTHING;
        RangeJob.Builder<StreamUnit> builder = RangeJob.builder("streaming", StreamUnit::parse, environment)
                .parallel(parallel)
                .bytesPerSecond(bytesPerSecond)
                .control(control)
                .retries(ATTEMPTS, WAIT_FIRST, WAIT_LONGEST)
                .retriesOnly(StreamPlan::mayPass)
                .patience(StreamPlan::isBusy, patience);
        progress.ifPresent(builder::listener);
        try (RangeJob<StreamUnit> job = builder.open(() -> units)) {
            try {
                job.run(unit -> fetch(unit, environment));
            } catch (JobFailedException e) {
                throw units.size() == 1 && e.failures().get(0).cause() instanceof IOException own ? own : e;
            }
            job.finish();
            job.complete();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("streaming was interrupted");
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            closeIncoming();
        }
        return report;
    }

    private void closeIncoming() throws IOException {
        for (Incoming left : incoming.values()) {
            left.close();
        }
        incoming.clear();
    }

    /** A unit's data with the replica that it goes to, over all attempts. */
    private record Incoming(Replica replica, IncomingTable table) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            try (replica) {
                table.close();
            }
        }
    }

    private RangeJob.Outcome fetch(UnitRun<StreamUnit> run, HostEnvironment environment) throws IOException {
        StreamUnit unit = run.unit();
        StreamSource source = sources.get(unit.source());
        Incoming into = incoming(unit, environment);
        into.table().fetch(source.connector().open(source.address()), source.replica(), run::pace);
        long deadline = into.table().complete();
        run.add(into.table().rows(), into.table().bytes());
        synchronized (this) {
            report = report.plus(new StreamReport(
                    into.table().sstables(), into.table().rows(), into.table().bytes(), deadline));
            incoming.remove(unit);
        }
        into.close();
        return RangeJob.Outcome.DONE;
    }

    private synchronized Incoming incoming(StreamUnit unit, HostEnvironment environment) throws IOException {
        Incoming known = incoming.get(unit);
        if (known == null) {
            int dot = unit.table().indexOf('.');
            Replica replica =
                    target.open(unit.table().substring(0, dot), unit.table().substring(dot + 1), Optional.empty());
            boolean ready = false;
            try {
                replica.checkReceiving();
                long nowSeconds = environment.clock().instant().getEpochSecond();
                long deadline = nowSeconds + replica.schema().options().gcGraceSeconds();
                known = new Incoming(
                        replica,
                        new IncomingTable(replica, unit.ranges(), replica.receive(environment.newId(), deadline)));
                incoming.put(unit, known);
                ready = true;
            } finally {
                if (!ready) {
                    replica.close();
                }
            }
        }
        return known;
    }

    private static boolean isBusy(Exception failure) {
        return failure instanceof PeerException peer && peer.code().equals(PeerException.BUSY);
    }

    private static boolean mayPass(Exception failure) {
        return failure instanceof CorruptFrameException
                || failure instanceof PeerException peer
                        && (peer.mayPass() || peer.code().equals(StreamCode.NO_SESSION));
    }
}
