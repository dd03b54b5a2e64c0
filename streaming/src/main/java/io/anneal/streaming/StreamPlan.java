package io.anneal.streaming;

import static io.anneal.io.Arguments.notNegative;
import static io.anneal.io.Arguments.positive;
import static java.util.Objects.requireNonNull;

import io.anneal.environment.HostEnvironment;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.job.JobFailedException;
import io.anneal.job.JobProgress;
import io.anneal.job.JobRefusedException;
import io.anneal.job.RangeJob;
import io.anneal.job.UnitRun;
import io.anneal.key.TokenRange;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.PeerException;
import io.anneal.node.DistinctReplicas;
import io.anneal.node.FailureText;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Ring;
import io.anneal.node.Waiver;
import io.anneal.streaming.message.Survey;
import io.anneal.table.TableTruncatedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * Data of tables that targets shall have from other nodes: which ranges from which source. Each byte comes from one source. What
 * breaks off is gone on with where it ended. One thread builds and runs it.
 *
 * <pre>{@code
 * StreamReport report = StreamPlan.into(new StoreReplicas(store))
 *         .add("shop.orders", StreamSource.at(node.peers(), address), TokenRange.FULL)
 *         .run(environment);
 * }</pre>
 */
public final class StreamPlan {
    private static final long KEEP_BYTES = 64 << 20;
    /** Two minutes in all, in which a node is started again. */
    private static final int ATTEMPTS = 9;

    private static final Duration LEFT_FOR = Duration.ofDays(1);
    private static final Duration WAIT_FIRST = Duration.ofSeconds(1);
    private static final Duration WAIT_LONGEST = Duration.ofSeconds(30);

    private final Optional<StreamTarget> target;
    private final Map<String, StreamSource> sources = new HashMap<>();
    private final Map<String, StreamTarget> targets = new HashMap<>();
    private final List<StreamUnit> units = new ArrayList<>();

    private final Set<Waiver> waivers = EnumSet.noneOf(Waiver.class);
    private Optional<DistinctReplicas.Named> ownReplica = Optional.empty();
    private BiConsumer<StreamUnit, StreamReport> reports = (unit, report) -> {};
    private int parallel = 1;
    private long bytesPerSecond;
    private final AtomicBoolean running = new AtomicBoolean();
    private Duration patience = Duration.ofHours(1);
    private JobControl control = new JobControl();
    private Optional<JobProgress.Listener> progress = Optional.empty();
    private Optional<Duration> keptFor = Optional.empty();
    private long keepBytes = KEEP_BYTES;
    private Optional<UUID> leftAs = Optional.empty();
    private StreamListener listener = (rows, bytes, covered) -> {};
    private StreamReport report = StreamReport.NOTHING;
    /** Whether all nodes were there once: what can't be reached then has gone, and may come back. */
    private volatile boolean begun;

    private StreamPlan(Optional<StreamTarget> target) {
        this.target = target;
    }

    /** For replicas that each unit names. */
    public static StreamPlan of() {
        return new StreamPlan(Optional.empty());
    }

    /** For a replica of this process, which may have some of the data already: nothing of it is lost. */
    public static StreamPlan into(ReplicaSource target) {
        return into(StreamTarget.here(requireNonNull(target, "target")));
    }

    /** For one replica. */
    public static StreamPlan into(StreamTarget target) {
        return new StreamPlan(Optional.of(requireNonNull(target, "target")));
    }

    /**
     * The ring for {@link Ring#fill}, where the target has fewer ranges than there are sources: they are cut, so that all sources
     * give about the same, and at places where few of their SSTables are cut, since what is whole goes as it is.
     */
    public static Ring cut(Ring ring, String target, List<StreamSource> sources, String qualifiedTable)
            throws IOException {
        requireNonNull(ring, "ring");
        requireNonNull(target, "target");
        requireNonNull(sources, "sources");
        requireNonNull(qualifiedTable, "qualifiedTable");
        Ring joined = ring.joined();
        long wanted = joined.parts().stream()
                .filter(part -> part.owners().contains(target))
                .count();
        if (wanted >= sources.size()) {
            return joined;
        }
        List<Survey> surveys = new ArrayList<>();
        for (StreamSource source : sources) {
            surveys.add(SourceSurvey.ask(source, qualifiedTable));
        }
        RangeCuts cuts = new RangeCuts(surveys);
        List<Ring.Part> cut = new ArrayList<>();
        for (Ring.Part part : joined.parts()) {
            List<TokenRange> ranges =
                    part.owners().contains(target) ? cuts.cut(part.range(), sources.size()) : List.of(part.range());
            ranges.forEach(range -> cut.add(new Ring.Part(range, part.owners())));
        }
        return new Ring(cut);
    }

    /** Ranges of a table from a source; no two units should want the same. */
    public StreamPlan add(String qualifiedTable, StreamSource source, TokenRange... ranges) {
        requireNonNull(qualifiedTable, "qualifiedTable");
        requireNonNull(source, "source");
        requireNonNull(ranges, "ranges");
        return add(
                qualifiedTable,
                source,
                target.orElseThrow(() -> new IllegalStateException("plan has no target, table=" + qualifiedTable)),
                Arrays.asList(ranges));
    }

    /** The same for a target of its own. */
    public StreamPlan add(String qualifiedTable, StreamSource source, StreamTarget into, List<TokenRange> ranges) {
        int dot = requireNonNull(qualifiedTable, "qualifiedTable").indexOf('.');
        requireNonNull(source, "source");
        requireNonNull(into, "into");
        requireNonNull(ranges, "ranges").forEach(range -> requireNonNull(range, "range"));
        if (dot <= 0 || dot == qualifiedTable.length() - 1) {
            throw new IllegalArgumentException("table is not keyspace.table, table=" + qualifiedTable);
        }
        if (into instanceof StreamTarget.Here here
                && targets.get(into.name()) instanceof StreamTarget.Here other
                && other.tables() != here.tables()) {
            throw new IllegalArgumentException("a plan has one target in this process at most");
        }
        if (source instanceof StreamSource.Here here
                && sources.get(source.name()) instanceof StreamSource.Here other
                && other.tables() != here.tables()) {
            throw new IllegalArgumentException("a plan has one source in this process at most");
        }
        if (source instanceof StreamSource.Here && into instanceof StreamTarget.There) {
            throw new IllegalArgumentException("a node can't ask a source that has no address, target=" + into.name());
        }
        sources.put(source.name(), source);
        targets.put(into.name(), into);
        units.add(new StreamUnit(qualifiedTable, source.name(), into.name(), ranges));
        return this;
    }

    /** What is to be fetched, in its order. */
    public List<StreamUnit> units() {
        return List.copyOf(units);
    }

    /** How many units are worked on at once. 1 by default. */
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
    public StreamPlan patience(Duration patience) {
        this.patience = notNegative("patience", patience);
        return this;
    }

    /** What pauses, resumes and aborts it. */
    public StreamPlan control(JobControl control) {
        this.control = requireNonNull(control, "control");
        return this;
    }

    /** Hears about once a second how far it is. */
    public StreamPlan progress(JobProgress.Listener progress) {
        this.progress = Optional.of(requireNonNull(progress, "progress"));
        return this;
    }

    /**
     * How long what has come of a unit is left to a later run of the same unit, when this one ends early: by an interrupt, a lost
     * peer, or a crash. Of replicas that are stores of this process; a node that is told to fetch does so by itself. By default it is
     * removed.
     */
    public StreamPlan keptFor(Duration keptFor) {
        this.keptFor = Optional.of(notNegative("keptFor", keptFor));
        return this;
    }

    /**
     * Leaves what comes under an id instead of making it the target's: whoever has the target receive under this id within a day
     * goes on with it, or removes it. Of a plan of one unit, to a replica that can ({@link Replica#keepsReceived}).
     *
     * @param id empty, as by default, where it becomes the target's
     */
    public StreamPlan leave(Optional<UUID> id) {
        leftAs = requireNonNull(id, "id");
        return this;
    }

    /** What is not refused: a source without data, or whose data is older than gc_grace, or a table without gc_grace. */
    public StreamPlan allow(Set<Waiver> meant) {
        waivers.addAll(requireNonNull(meant, "meant"));
        return this;
    }

    /** Hears the report of each unit when it is done, one call at a time. */
    public StreamPlan reports(BiConsumer<StreamUnit, StreamReport> reports) {
        this.reports = requireNonNull(reports, "reports");
        return this;
    }

    /** The replica of this process has a name for others, by which it must not be its own source. */
    StreamPlan ownReplica(DistinctReplicas.Named value) {
        ownReplica = Optional.of(value);
        return this;
    }

    /** After how many bytes what has come is made last. */
    StreamPlan keepBytes(long value) {
        keepBytes = value;
        return this;
    }

    /** Hears of each piece that comes, of any unit; while it waits, no more is to come. A node that fetches itself tells ten times a second. */
    public StreamPlan listener(StreamListener listener) {
        this.listener = requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Fetches everything. What a unit brings is the target's as a whole when the unit is done; what did not come to its end is
     * removed. An interrupt aborts it.
     *
     * @throws IllegalStateException while another run of this plan goes on
     * @throws ReplicaException when the target refuses a source, or can't take part
     * @throws StreamException when a target failed
     * @throws PeerException when a node cannot be reached, has no room for so long, or has a damaged SSTable
     * @throws TableTruncatedException when a table of this process was truncated meanwhile
     * @throws JobAbortedException after {@link JobControl#abort}
     * @throws JobFailedException naming all units that failed, where there are several; of one its own failure
     */
    public StreamReport run(HostEnvironment environment) throws IOException {
        if (!running.compareAndSet(false, true)) {
            throw new IllegalStateException("plan runs already");
        }
        try {
            return runAlone(environment);
        } finally {
            running.set(false);
        }
    }

    private StreamReport runAlone(HostEnvironment environment) throws IOException {
        if (leftAs.isPresent() && units.size() != 1) {
            throw new IllegalStateException("only one unit can be left, units=" + units.size());
        }
        report = StreamReport.NOTHING;
        begun = false;
        RangeJob.Builder<StreamUnit> builder = RangeJob.builder("streaming", StreamUnit::parse, environment)
                .parallel(parallel)
                .bytesPerSecond(bytesPerSecond)
                .control(control)
                .retries(ATTEMPTS, WAIT_FIRST, WAIT_LONGEST)
                .retriesOnly(this::mayPass)
                .patience(StreamPlan::isBusy, patience);
        progress.ifPresent(builder::listener);
        try (IncomingTables incoming = new IncomingTables(
                        environment,
                        new SourceTerms(waivers, ownReplica, environment.clock()),
                        keptFor.or(() -> leftAs.map(id -> LEFT_FOR)),
                        keepBytes,
                        leftAs);
                RangeJob<StreamUnit> job = builder.open(() -> units)) {
            IncomingDisks disks = new IncomingDisks(incoming);
            try {
                job.run(unit -> fetch(unit, disks));
            } catch (JobFailedException e) {
                throw units.size() == 1 ? single(e) : e;
            }
            job.finish();
            job.complete();
        } catch (InterruptedException e) {
            throw UnitWatch.interrupted(e);
        }
        return report;
    }

    /** What a replica of this process says in its own words; anything else is a mistake of this program. */
    private static IOException refused(RuntimeException failure) {
        if (failure instanceof CancellationException
                || failure instanceof JobRefusedException
                || failure instanceof TableTruncatedException
                || !FailureText.isRefusal(failure)) {
            throw failure;
        }
        return new StreamException(FailureText.of(failure), failure);
    }

    /** Of one unit the failure speaks for itself. */
    private static IOException single(JobFailedException failed) {
        Exception cause = failed.failures().get(0).cause();
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return cause instanceof IOException known ? known : failed;
    }

    private RangeJob.Outcome fetch(UnitRun<StreamUnit> run, IncomingDisks incoming) throws IOException {
        StreamUnit unit = run.unit();
        StreamSource source = sources.get(unit.source());
        StreamReport fetched;
        if (targets.get(unit.target()) instanceof StreamTarget.There there) {
            try (RemoteTarget remote = RemoteTarget.open(there)) {
                fetched = remote.fetch(
                        unit, (StreamSource.There) source, waivers, bytesPerSecond, leftAs, watch(run, remote::isGone));
            }
        } else {
            StreamTarget.Here here = (StreamTarget.Here) targets.get(unit.target());
            try {
                fetched = incoming.fetch(here.tables(), unit, source, watch(run, () -> false));
            } catch (RuntimeException failure) {
                throw refused(failure);
            }
        }
        synchronized (this) {
            report = report.plus(fetched);
            reports.accept(unit, fetched);
        }
        return RangeJob.Outcome.DONE;
    }

    private StreamListener watch(UnitRun<StreamUnit> run, BooleanSupplier gone) {
        UnitWatch watch = new UnitWatch(run, gone);
        return (rows, bytes, covered) -> {
            begun = true;
            watch.progress(rows, bytes, covered);
            listener.progress(rows, bytes, covered);
        };
    }

    static boolean isBusy(Exception failure) {
        return failure instanceof PeerException peer && peer.code().equals(PeerException.BUSY);
    }

    private boolean mayPass(Exception failure) {
        if (failure instanceof StreamException remote) {
            // It has come again as often itself; but if it was started again meanwhile, it knew of no source.
            return begun && remote.peerCode().equals(Optional.of(PeerException.CONNECT_FAILED));
        }
        return failure instanceof CorruptFrameException
                || failure instanceof PeerException peer
                        && (peer.mayPass()
                                || peer.code().equals(StreamCode.NO_SESSION)
                                || begun && peer.code().equals(PeerException.CONNECT_FAILED));
    }
}
