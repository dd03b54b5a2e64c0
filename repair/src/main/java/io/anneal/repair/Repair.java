package io.anneal.repair;

import static io.anneal.io.Arguments.notNegative;
import static io.anneal.io.Arguments.positive;
import static java.util.Objects.requireNonNull;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.job.CheckpointRefusedException;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.job.JobFailedException;
import io.anneal.job.JobProgress;
import io.anneal.job.RangeJob;
import io.anneal.job.RangeUnit;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.net.PeerException;
import io.anneal.node.FailureText;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaException;
import io.anneal.node.Ring;
import io.anneal.node.Waiver;
import io.anneal.repair.message.ReadRate;
import io.anneal.repair.message.RepairVerb;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FileContent;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * A repair of tables: says between which replicas, and of what, and then runs as a {@link RangeJob}, whose units are slices of
 * each table's ranges. A replica of this process is its master; without one, the first node is. Session ids, hash seeds, purge times and
 * the ceiling of deletion times are chosen inside. One thread.
 */
public final class Repair {
    /** The most parts that are repaired at once: each has a thread, and a share of the memory. */
    public static final int PARALLEL_MAX = 256;

    private static final Duration PATIENCE_DEFAULT = Duration.ofHours(1);
    /** To open one more session takes a tenth of it, over a long way. */
    private static final Duration SPLIT_LEAST = Duration.ofSeconds(2);

    /**
     * Before a session with a checkpoint ends to be recorded: one more session costs a hundredth of it, or less.
     */
    private static final Duration SESSION_LEAST = Duration.ofSeconds(5);
    /** Facts of the first run of a checkpoint: its id, and when it began. */
    static final String RUN_FACT = "run";

    static final String BEGAN_FACT = "began";

    private final List<String> tables;
    private final Set<Waiver> waivers = EnumSet.noneOf(Waiver.class);
    private List<RepairMember> members = List.of();
    private Optional<TokenRanges> owned = Optional.empty();
    private Optional<Ring> ring = Optional.empty();
    private List<String> nodes = List.of();
    private boolean dryRun;
    private boolean readsAll;
    private boolean allReplicas;
    private Optional<UUID> staged = Optional.empty();
    private Optional<Integer> bufferBytes = Optional.empty();
    private int units = 1;
    private int parallel = 1;
    private ReadRate rate = ReadRate.UNLIMITED;
    private Duration patience = PATIENCE_DEFAULT;
    private Optional<Path> checkpoint = Optional.empty();
    private boolean checkpointStays;
    private JobControl control = new JobControl();
    private Optional<JobProgress.Listener> progress = Optional.empty();
    private Optional<DifferenceListener> differences = Optional.empty();
    private BiConsumer<RangeUnit, RepairReport> reports = (unit, report) -> {};
    private BiConsumer<String, RepairReport> tableReports = (table, report) -> {};
    private BiConsumer<String, RepairReport> unfinishedReports = (table, report) -> {};
    private Duration splitLeast = SPLIT_LEAST;
    private Duration sessionLeast = SESSION_LEAST;
    private Optional<UUID> runId = Optional.empty();
    private Optional<Duration> recent = Optional.empty();

    private Repair(List<String> tables) {
        this.tables = List.copyOf(tables);
    }

    /** @param qualifiedTables each as {@code keyspace.table} */
    public static Repair of(String... qualifiedTables) {
        requireNonNull(qualifiedTables, "qualifiedTables");
        return of(List.of(qualifiedTables));
    }

    /** @param qualifiedTables each as {@code keyspace.table} */
    public static Repair of(List<String> qualifiedTables) {
        requireNonNull(qualifiedTables, "qualifiedTables");
        if (qualifiedTables.isEmpty()) {
            throw new IllegalArgumentException("a repair needs a table");
        }
        qualifiedTables.forEach(Repair::dot);
        Set<String> once = new HashSet<>();
        for (String table : qualifiedTables) {
            if (!once.add(table)) {
                throw new IllegalArgumentException("table is given twice, table=" + table);
            }
        }
        return new Repair(qualifiedTables);
    }

    private static int dot(String qualifiedTable) {
        int dot = qualifiedTable.indexOf('.');
        if (dot <= 0 || dot == qualifiedTable.length() - 1) {
            throw new IllegalArgumentException("table is not keyspace.table, table=" + qualifiedTable);
        }
        return dot;
    }

    /** The replicas that shall become equal, two at least. */
    public Repair between(RepairMember... replicas) {
        requireNonNull(replicas, "replicas");
        return between(List.of(replicas));
    }

    /** The replicas that shall become equal, two at least. */
    public Repair between(List<RepairMember> replicas) {
        requireNonNull(replicas, "replicas");
        members = List.copyOf(replicas);
        return this;
    }

    /** The tokens that every replica owns. */
    public Repair range(TokenRange tokens) {
        return ranges(List.of(requireNonNull(tokens, "tokens")));
    }

    /**
     * The tokens that every replica owns, in ranges apart from each other, as vnodes. There may be thousands. With a
     * {@link #ring} they say what of it is repaired.
     *
     * @throws IllegalArgumentException when there is none, or two overlap
     */
    public Repair ranges(List<TokenRange> tokens) {
        owned = Optional.of(new TokenRanges(requireNonNull(tokens, "tokens")));
        return this;
    }

    /**
     * Which replica owns what, where not all own the same. Ranges are compared among those of the replicas that own them, and no
     * replica is sent what it does not own, nor asked for it. Ranges that fewer than two of them own are left out.
     *
     * @param names the replicas' names in the ring, in the order of {@link #between}
     * @throws IllegalArgumentException when a name is not in the ring, or is there twice
     */
    public Repair ring(Ring ring, List<String> names) {
        requireNonNull(ring, "ring").byOwners(requireNonNull(names, "names"));
        this.ring = Optional.of(ring);
        nodes = List.copyOf(names);
        return this;
    }

    /** Whether differences are only found and counted, and nothing is written. */
    public Repair dryRun(boolean value) {
        dryRun = value;
        return this;
    }

    /**
     * Whether there are no other replicas of the range. Then each deletion in it is known to all of them afterwards, and a store
     * whose table has {@code tombstone_gc = {'mode': 'repair'}} may purge what was deleted before. Not where one of them only
     * stages what it receives.
     */
    public Repair allReplicas(boolean value) {
        allReplicas = value;
        return this;
    }

    /**
     * In a dry run: counts what this run staged, although it is not imported yet.
     *
     * @param sessionId one of the run's, as its report has them
     */
    public Repair staged(UUID sessionId) {
        staged = Optional.of(requireNonNull(sessionId, "sessionId"));
        return this;
    }

    /**
     * Leaves out rows and deletions that were written later than so long before a session's start, by their write times, or before
     * the moment from which the oldest replica's data dates: they may be on their way still. The report says how many, and up to
     * when the replicas were compared. A write time in the future is left out always. Nothing is left out by default.
     *
     * <p>A repair that leaves something out does not count as one of all replicas: what it left out may be a deletion.
     */
    public Repair leaveOutRecent(Duration window) {
        recent = Optional.of(notNegative("window", window));
        return this;
    }

    /**
     * Whether rows are read of which replicas know from an earlier repair that they are equal, and that nothing has changed since. Only
     * replicas with a place for such knowledge have it, see {@link io.anneal.node.Replica#known}; they are read unless this is said not to.
     */
    public Repair readsAll(boolean value) {
        readsAll = value;
        return this;
    }

    /** Goes on where it would else refuse. */
    public Repair allow(Set<Waiver> waivers) {
        this.waivers.addAll(requireNonNull(waivers, "waivers"));
        return this;
    }

    /** Size of each replica's row buffer, instead of one that the budget gives. */
    public Repair bufferBytes(int value) {
        bufferBytes = Optional.of(positive("bufferBytes", value));
        return this;
    }

    /**
     * Into how many units each table's ranges are cut: a unit is repaired by one session, tried again and recorded as one. 1 by
     * default: what takes long is cut while it runs, if there may be several at once.
     */
    public Repair units(int count) {
        units = positive("units", count);
        return this;
    }

    /**
     * How many units are repaired at once; they share the memory. 1 by default, on the caller's thread: inside one data centre that
     * keeps the processors busy, and each further session costs some. Over a long way, where a session waits for answers most of the
     * time, 16 do.
     *
     * @param count from 1 to {@link #PARALLEL_MAX}
     */
    public Repair parallel(int count) {
        if (count > PARALLEL_MAX) {
            throw new IllegalArgumentException(
                    "parallel is too large, parallel=" + count + ", parallelMax=" + PARALLEL_MAX);
        }
        parallel = positive("parallel", count);
        return this;
    }

    /**
     * Rows a second that masters read, over all ranges; 0 for as fast as it goes. What only the other replicas hold is not
     * counted. A master reads a window at once, and the next one meanwhile; each is about a second's share of its range, so that all
     * replicas go at this pace, but for two seconds' rows at the start.
     */
    public Repair rowsPerSecond(long value) {
        rate = new ReadRate(value, rate.bytesPerSecond());
        return this;
    }

    /** Bytes a second that masters read, over all ranges; 0 for as fast as it goes. Counted as rows are. */
    public Repair bytesPerSecond(long value) {
        rate = new ReadRate(rate.rowsPerSecond(), value);
        return this;
    }

    /** How long to try again while a node has no room for another session; an hour by default. */
    public Repair patience(Duration patience) {
        this.patience = notNegative("patience", patience);
        return this;
    }

    /**
     * Records in a file which ranges are done, and what was found there, so that the next run with it goes on with the others and its
     * report is of all. A session then ends after some seconds, or a hundredth of the time that the run has taken so far where that is
     * more, and another one takes the rest: about so much is lost with a run that is killed. A partition is not cut, nor a range that
     * goes around the ring. Replicas of this process need a name then.
     */
    public Repair checkpoint(Path file) {
        checkpoint = Optional.of(requireNonNull(file, "file"));
        return this;
    }

    /** Leaves the checkpoint when all is done, for a caller that has steps of its own after it: a run with it reports all of it again. */
    public Repair checkpointStays() {
        checkpointStays = true;
        return this;
    }

    /** What pauses, resumes and aborts it. */
    public Repair control(JobControl control) {
        this.control = requireNonNull(control, "control");
        return this;
    }

    /** Hears about once a second how far it is, on a thread of the environment's. */
    public Repair progress(JobProgress.Listener progress) {
        this.progress = Optional.of(requireNonNull(progress, "progress"));
        return this;
    }

    /** Hears in what the replicas differ, of each range once: when it is done. */
    public Repair differences(DifferenceListener differences) {
        this.differences = Optional.of(requireNonNull(differences, "differences"));
        return this;
    }

    /** Hears the report of each range when it is done, by what of the given ranges is in it, one call at a time. */
    public Repair reports(BiConsumer<RangeUnit, RepairReport> reports) {
        this.reports = requireNonNull(reports, "reports");
        return this;
    }

    /** Hears the report of each table when all its ranges are done, one call at a time; not of one of which a range failed. */
    public Repair tableReports(BiConsumer<String, RepairReport> tableReports) {
        this.tableReports = requireNonNull(tableReports, "tableReports");
        return this;
    }

    /**
     * Hears, when the repair ends, of each table of which something is done and something is not, the sum of its parts that are done,
     * also by earlier runs of the checkpoint; and of what replicas kept, and did not keep, where the last step failed at one of them.
     * What replicas kept is right, and waits for import where that is their way.
     */
    public Repair unfinishedReports(BiConsumer<String, RepairReport> unfinishedReports) {
        this.unfinishedReports = requireNonNull(unfinishedReports, "unfinishedReports");
        return this;
    }

    /** What has less time left is not split. */
    Repair splitLeast(Duration least) {
        splitLeast = least;
        return this;
    }

    /** With a checkpoint: how long a session runs at least before it ends so that it is recorded; 5 s by default. */
    public Repair sessionLeast(Duration least) {
        requireNonNull(least, "least");
        sessionLeast = notNegative("sessionLeast", least);
        return this;
    }

    /**
     * By which the run is known: the ids of all its sessions have the same upper half. One is made up by default. A run that goes on
     * at a checkpoint has the id of the first.
     */
    public Repair runId(UUID id) {
        runId = Optional.of(requireNonNull(id, "id"));
        return this;
    }

    /**
     * Reads rows of a table from its replicas, as {@link DifferenceListener} was told of them. The caller closes it.
     *
     * @param replicas by their names, as {@link DifferenceListener#begins} had them
     * @throws IOException when a replica of this process can't be opened
     */
    public ReplicaRows rows(TableSchema schema, List<String> replicas) throws IOException {
        requireNonNull(schema, "schema");
        requireNonNull(replicas, "replicas");
        Map<String, RepairMember> byName = RepairOwners.members(members).stream()
                .collect(Collectors.toMap(RepairOwners.Member::name, RepairOwners.Member::replica));
        return ReplicaRows.open(schema, replicas.stream().map(byName::get).toList(), staged);
    }

    /**
     * Runs until all replicas hold the same in the range; or, in a dry run, until it is known in what they differ. What may pass,
     * as a node that is lost, is tried again; the other ranges and tables are repaired all the same. An interrupt aborts it.
     *
     * @return what this run did with all ranges of all tables
     * @throws RepairException when it is refused or cannot go on; nothing of what was received in that range is kept then, but
     *     what {@link #unfinishedReports} tells
     * @throws PeerException when a node cannot be reached, or has no room for so long
     * @throws JobFailedException naming all ranges that failed, where there are several
     * @throws JobAbortedException after {@link JobControl#abort}
     */
    public RepairReport run(RepairEnvironment environment) throws IOException {
        requireNonNull(environment, "environment");
        if (members.size() < 2) {
            throw new IllegalArgumentException("a repair needs two replicas at least, replicas=" + members.size());
        }
        RepairOwners owners = RepairOwners.of(members, owned, ring, nodes);
        RangeJob.Builder<RangeUnit> job = RangeJob.builder(
                        "repair",
                        text -> RangeUnit.parse(text, names -> owners.of(names).ranges()),
                        environment.host())
                .parallel(parallel)
                .rowsPerSecond(rate.rowsPerSecond())
                .bytesPerSecond(rate.bytesPerSecond())
                .control(control);
        if (parallel > 1) {
            job.splits(splitLeast);
        }
        progress.ifPresent(job::listener);
        checkpoint.ifPresent(file -> job.checkpoint(file, identity(owners)));
        if (checkpointStays) {
            job.checkpointStays();
        }
        job.facts(facts(environment.host()), this::isThisRun);
        SessionRunner sessions = new SessionRunner(options(), Optional.empty(), environment);
        RepairJob repair = new RepairJob(
                (unit, terms, listener) -> sessions.run(
                        part(unit, terms, listener), owners.of(unit.replicas()).replicas()),
                owners.names(),
                owners.ranges(),
                differences,
                reports,
                tableReports,
                (table, report) -> lookedAgain(owners, table, report),
                unfinishedReports,
                dryRun,
                checkpoint,
                sessionLeast,
                environment.host().nanoTime());
        return repair.run(job, patience, () -> owners.units(tables, units));
    }

    /**
     * What an earlier run read and staged in this process may have changed since: why what a replica was given is not there as it was
     * written, by the replica's place. Where one has nothing any more of what was compared, that it was compared says nothing.
     */
    private static Map<Integer, String> lookedAgain(RepairOwners owners, String table, RepairReport report)
            throws IOException {
        Map<Integer, String> changed = new HashMap<>();
        for (RepairReport.ReplicaReport replica : report.replicas()) {
            if (owners.replica(replica.member()) instanceof RepairMember.Here here) {
                if (replica.rowsRead() > 0) {
                    requireData(here, table, replica.name());
                }
                Optional<String> reason = replica.sstables().isEmpty()
                        ? Optional.empty()
                        : againstStaged(here, table, report.sessionIds().get(0), replica.sstables());
                reason.ifPresent(text -> changed.put(
                        replica.member(),
                        "what an earlier part of the run staged is not there as it was written, or can't be checked;"
                                + " look before you import it, and repair again where it was not imported; reason="
                                + text));
            }
        }
        return changed;
    }

    private static void requireData(RepairMember.Here here, String table, String name) throws IOException {
        try (Replica replica = open(here, table, Optional.empty())) {
            for (TokenRange.Linear range : TokenRange.FULL.unwrap()) {
                try (FragmentCursor cursor = replica.scan(range, replica.localDeletionTimeMaxSeconds())) {
                    if (cursor.advance() != null) {
                        return;
                    }
                }
            }
        }
        throw new ReplicaException("replica has nothing any more of what an earlier part of the run compared: mend its"
                + " directory, or start another run, replica=" + name + ", table=" + table);
    }

    private static Optional<String> againstStaged(
            RepairMember.Here here, String table, UUID run, List<String> sstables) {
        try {
            open(here, table, Optional.of(run)).close();
            for (String sstable : sstables) {
                requireAsWritten(Descriptor.of(Path.of(sstable + "-" + Component.DATA.fileSuffix()))
                        .filter(Descriptor::hasKnownName)
                        .orElseThrow(() -> new IllegalStateException("it is no SSTable, file=" + sstable)));
            }
            return Optional.empty();
        } catch (IOException | IllegalStateException failure) {
            return Optional.of(FailureText.of(failure));
        }
    }

    private static void requireAsWritten(Descriptor sstable) throws IOException {
        try (FileChannel digest = FileChannel.open(sstable.file(Component.DIGEST));
                FileChannel data = FileChannel.open(sstable.file(Component.DATA))) {
            FileContent.requireAsDigestTells(sstable, digest, data);
        }
    }

    private static Replica open(RepairMember.Here here, String table, Optional<UUID> staged) throws IOException {
        int dot = dot(table);
        return here.tables().open(table.substring(0, dot), table.substring(dot + 1), staged);
    }

    private SessionRunner.Options options() {
        return new SessionRunner.Options(
                bufferBytes.orElse(RepairConfig.BUFFER_MAX_BYTES),
                dryRun,
                allReplicas,
                staged,
                parallel,
                rate,
                recent,
                readsAll);
    }

    /** Of what is waived for all, and for this attempt, nothing is refused. */
    private SessionRunner.Part part(RangeUnit unit, RepairJob.Try terms, RepairListener listener) {
        Set<Waiver> allowed = EnumSet.noneOf(Waiver.class);
        allowed.addAll(waivers);
        allowed.addAll(terms.waived());
        int dot = dot(unit.table());
        return new SessionRunner.Part(
                unit.table().substring(0, dot),
                unit.table().substring(dot + 1),
                unit.ranges().ranges(),
                terms.runId(),
                allowed,
                listener);
    }

    private Map<String, String> facts(HostEnvironment host) {
        Map<String, String> facts = new HashMap<>();
        facts.put(RUN_FACT, runId.orElseGet(host::newId).toString());
        checkpoint.ifPresent(file -> facts.put(
                BEGAN_FACT,
                host.clock().instant().truncatedTo(ChronoUnit.SECONDS).toString()));
        return facts;
    }

    private boolean isThisRun(Map<String, String> facts) {
        String first = facts.getOrDefault(RUN_FACT, "");
        if (runId.isPresent() && !first.equals(runId.get().toString())) {
            throw new CheckpointRefusedException(
                    "checkpoint is of a run with another id, name another file or remove this one, file="
                            + checkpoint.orElseThrow() + ", wanted=" + runId.get() + ", found=" + first,
                    checkpoint.orElseThrow());
        }
        return true;
    }

    private Map<String, String> identity(RepairOwners owners) {
        for (RepairMember member : members) {
            if (member instanceof RepairMember.Here here && here.name().isEmpty()) {
                throw new IllegalArgumentException("a checkpoint needs a name of each replica of this process");
            }
        }
        return Map.of(
                "kind",
                dryRun ? "repair-dry-run" : "repair",
                "tables",
                String.join(" ", tables),
                "ranges",
                owners.brief(),
                "replicas",
                String.join(" ", owners.names()),
                "recent",
                recent.map(window -> "left out, window=" + window).orElse("compared"),
                "reports",
                // What it keeps of ranges that are done.
                String.valueOf(RepairVerb.VERSION));
    }
}
