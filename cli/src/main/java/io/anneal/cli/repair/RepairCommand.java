package io.anneal.cli.repair;

import io.anneal.cli.command.ByteSize;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.OutputDirectory;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.RingFile;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.command.WaiverOptions;
import io.anneal.cli.runs.RecordedReplica;
import io.anneal.cli.runs.RunRecord;
import io.anneal.cli.runs.RunRecords;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.net.Connection;
import io.anneal.net.PeerAddress;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.ReplicaTables;
import io.anneal.node.Replicas;
import io.anneal.node.Ring;
import io.anneal.repair.DriftSample;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairRunner;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.DataNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal repair}: makes replicas equal, row by row; over directories of this machine or over servers. */
@Command(
        name = "repair",
        description =
                "Finds the rows in which replicas differ and gives each replica what it lacks. Over directories it"
                        + " only looks, unless told to --apply. Exits with 1 if replicas differ, with 5 if an error stopped it"
                        + " before that was known.")
public final class RepairCommand extends Subcommand {
    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "A replica's data directory, snapshot, or store of Anneal's; two at least.")
    private List<Path> directories = List.of();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "A replica's name, as often as --dir or --replica and in its order; instead of that in which"
                    + " the paths differ, or of the host.")
    private List<String> names = List.of();

    @Option(
            names = "--replica",
            paramLabel = "HOST:PORT",
            description = "A replica's 'anneal serve'; two at least, the first is the master.")
    private List<String> replicas = List.of();

    @Option(
            names = "--table",
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description = "What to repair; repeatable. KS.* takes every table of a keyspace that any replica has.")
    private List<QualifiedTable> tables = List.of();

    @Option(
            names = "--range",
            paramLabel = "(A,B]",
            description = "The tokens that every replica owns, as (A,B] or A:B; wraps around. Write --range='(A,B]';"
                    + " repeatable, for ranges apart from each other.")
    private List<String> ranges = List.of();

    @Option(
            names = "--ring",
            paramLabel = "FILE",
            description = "Who owns what: the output of 'nodetool describering KEYSPACE'. Replicas go by their names in"
                    + " it: --name, or the host of --replica.")
    private Path ring;

    @Option(names = "--full-replicas", description = "Every replica owns everything: replication factor = nodes.")
    private boolean fullReplicas;

    @Option(
            names = "--all-replicas",
            description = "There are no other replicas of the range: stores among them may then purge deletions by"
                    + " tombstone_gc.")
    private boolean allReplicas;

    @Option(
            names = "--dry-run",
            description = "Find and count differences, write nothing; exit with 1 if there are any.")
    private boolean dryRun;

    @Option(
            names = "--include-recent",
            description =
                    "In a dry run: compare rows and deletions of the last 10 seconds before the oldest snapshot, or"
                            + " before now, too. By default they are left out and counted: they may be on their way still.")
    private boolean includeRecent;

    @Option(
            names = "--rows",
            description =
                    "Name the rows that differ; in a dry run with the cells that differ, and when they were written.")
    private boolean namesRows;

    @Option(
            names = "--sample",
            paramLabel = "PERCENT",
            description =
                    "In a dry run: compare so much of the ranges, in small slices, and estimate from it how far the replicas"
                            + " have drifted apart; as 1%%.")
    private String samplePercent;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "With --sample: take the slices that another sample took.")
    private Long sampleSeed;

    @Option(
            names = "--apply",
            description =
                    "With --dir: write what each replica lacks: into a store, and beside Cassandra's files to --out.")
    private boolean apply;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Where new SSTables go: DIR/<replica>/<keyspace>/<table>/, to be imported.")
    private Path out;

    @Option(
            names = "--staged",
            paramLabel = "RUN",
            description = "In a dry run: count what this run staged, before it is imported; with --dir from --out. The"
                    + " first eight characters of its id do where the run is recorded.")
    private String staged;

    @Mixin
    private WaiverOptions allowed = new WaiverOptions();

    @Option(
            names = "--buffer",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            description = "Row buffer of a replica.")
    private Long bufferBytes;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            defaultValue = "16",
            description = "Parts of the ranges that are repaired at once, of all tables, and share the memory: 1 to "
                    + Repair.PARALLEL_MAX + ", ${DEFAULT-VALUE} by default. A table is cut when it takes long.")
    private int parallel;

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "0",
            description = "Rows a second at most that masters read; 0, the default, is as fast as it goes.")
    private long rowsPerSecond;

    @Option(
            names = "--schema",
            paramLabel = "FILE.cql",
            description = "The schema text, instead of the snapshots'; stores have their own.")
    private Path schemaFile;

    @Mixin
    private PeerSecurity security = new PeerSecurity();

    @Mixin
    private RunOptions runs = new RunOptions();

    private static final Logger LOG = LoggerFactory.getLogger(RepairCommand.class);

    private final JobControl control = new JobControl();

    @Override
    public int errorExitCode() {
        return ExitCode.UNANSWERED;
    }

    @Override
    protected int execute() throws IOException {
        if (runs.isStatus() || runs.isHistory()) {
            return lookBack();
        }
        if (runs.isForget()) {
            return runs.forget(this);
        }
        if (!runs.isResume()) {
            return repair(Optional.empty());
        }
        RunRecord run = runs.resumed(this);
        runs.apply(run);
        checkOptions();
        return repair(Optional.of(run.id()));
    }

    private int lookBack() throws IOException {
        List<String> wanted = new ArrayList<>(names);
        for (Path directory : directories) {
            wanted.add(NamedReplica.place(directory).toString());
        }
        if (runs.isStatus()) {
            // Of history there is "nothing recorded"; nothing unfinished would be an answer.
            runs.requireDirectory();
        }
        replicas.forEach(address -> wanted.add(PeerAddress.text(RepairRunner.address(address))));
        return new PastRuns(this, runs.records(this), runs::resumeCommand, tables, wanted).show(runs.isHistory());
    }

    /** @param resumed the run that is gone on with */
    private int repair(Optional<UUID> resumed) throws IOException {
        requireAll();
        List<QualifiedTable> expanded = expand();
        List<NamedReplica> named = named();
        Optional<DriftSample> sample = sample();
        Ownership owned = owned(named);
        RepairTask task = task(expanded, sample.map(owned::sampled).orElse(owned), sample);
        if (!json()) {
            task.owned().notes().forEach(note -> say("note: " + note));
        }
        try (RepairRun run = resumed.isPresent()
                ? RepairRun.resumed(this, runs, resumed.get())
                : RepairRun.started(this, runs, task, recorded(named))) {
            return repair(task, named, run);
        }
    }

    private int repair(RepairTask task, List<NamedReplica> named, RepairRun run) throws IOException {
        List<QualifiedTable> expanded = task.tables();
        String what = expanded.size() == 1 ? expanded.get(0).toString() : expanded.size() + " tables";
        RepairResults results;
        // What is done up to here is recorded, so that the run loses nothing when it is gone on with.
        if (run.checkpoint().isPresent()) {
            stopOnSignal(() -> control.stop("interrupted"));
        } else {
            stopOnSignal();
        }
        try (Progress progress = progress(what)) {
            results = new RepairResults(this, task, progress, run, nextStep(named));
            repairAll(task, named, results, progress);
        } catch (InterruptedIOException e) {
            say("interrupted: what was not finished is removed");
            run.interrupted();
            return ExitCode.INTERRUPTED;
        }
        List<String> nowhere = nowhere(results.untouched());
        if (!nowhere.isEmpty()) {
            results.leaveOut(nowhere);
        }
        return results.finish();
    }

    /** Returns those that no replica has, as of mistyped names; not those of which a replica can't say. */
    private List<String> nowhere(List<QualifiedTable> untouched) {
        // Many tables fail at once where a server is gone: it is asked once for each keyspace.
        Map<String, Optional<Set<String>>> served = new HashMap<>();
        return untouched.stream()
                .filter(table -> replicas.isEmpty()
                        ? isInNoDirectory(table)
                        : served.computeIfAbsent(table.keyspace(), this::served)
                                .filter(names -> !names.contains(table.table()))
                                .isPresent())
                .map(QualifiedTable::toString)
                .toList();
    }

    private boolean isInNoDirectory(QualifiedTable table) {
        try {
            for (Path directory : directories) {
                if (isIn(directory, table)) {
                    return false;
                }
            }
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.debug("directory can't say whether it has the table, table={}", table, e);
            return false;
        }
    }

    private static boolean isIn(Path directory, QualifiedTable table) throws IOException {
        try {
            CassandraDirectory.of(directory).table(table.keyspace(), table.table());
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private List<RecordedReplica> recorded(List<NamedReplica> named) throws IOException {
        List<RecordedReplica> recorded = new ArrayList<>();
        for (NamedReplica replica : named) {
            recorded.add(new RecordedReplica(
                    replica.name(), NamedReplica.place(replica.directory()).toString()));
        }
        for (int i = 0; i < replicas.size(); i++) {
            String place = PeerAddress.text(RepairRunner.address(replicas.get(i)));
            recorded.add(new RecordedReplica(names.isEmpty() ? place : names.get(i), place));
        }
        return recorded;
    }

    private void repairAll(RepairTask task, List<NamedReplica> named, RepairResults results, Progress progress)
            throws IOException {
        try {
            repair(task, named, results, progress);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (JobAbortedException stopped) {
            throw new InterruptedIOException(stopped.getMessage());
        } catch (IOException | RuntimeException e) {
            progress.aside(() -> results.addFailure(e));
        }
    }

    @Override
    protected void addChecks(OptionChecks checks) {
        runs.addChecks(this, checks);
        checks.add("--parallel", this::checkParallel).add("--rate", this::checkRate);
        checks.add("--replica", () -> replicas.forEach(address -> peerAddress("--replica", address)));
        if (runs.isAboutRuns()) {
            return;
        }
        addChecksOfReplicas(checks);
        addChecksOfOwned(checks);
        addChecksOfWriting(checks);
        addChecksOfLooking(checks);
        checks.add("--buffer", this::checkBuffer);
        security.addChecks(this, checks, !replicas.isEmpty());
    }

    private void addChecksOfReplicas(OptionChecks checks) {
        checks.add(
                        List.of("--dir", "--replica"),
                        () -> require(
                                directories.isEmpty() || replicas.isEmpty(),
                                "give the replicas either as --dir or as --replica"))
                .add("--name", this::checkNames)
                .add("--schema", () -> require(replicas.isEmpty(), "--schema goes with --dir"));
    }

    private void checkNames() {
        if (replicas.isEmpty() && !directories.isEmpty()) {
            read("--name", () -> {
                NamedReplica.requireNames(directories, names);
                return names;
            });
        }
        require(!directories.isEmpty() || ring != null, "--name goes with --dir, or with --ring");
        require(
                replicas.isEmpty() || names.size() == replicas.size(),
                "give --name as often as --replica, in its order, names=" + names.size() + ", replicas="
                        + replicas.size());
    }

    private void addChecksOfOwned(OptionChecks checks) {
        checks.add(List.of("--ring", "--range", "--full-replicas"), () -> {
                    require(
                            ring == null || ranges.isEmpty() && !fullReplicas,
                            "--ring excludes --range and --full-replicas");
                    require(ranges.isEmpty() || !fullReplicas, "--range and --full-replicas exclude each other");
                })
                .add("--range", this::tokens)
                .add(List.of("--ring", "--table"), () -> {
                    List<String> keyspaces = tables.stream()
                            .map(QualifiedTable::keyspace)
                            .distinct()
                            .toList();
                    require(
                            ring == null || keyspaces.size() <= 1,
                            "a ring is of one keyspace: repair each keyspace with its own, keyspaces=" + keyspaces);
                });
    }

    private void addChecksOfWriting(OptionChecks checks) {
        checks.add("--apply", () -> require(!directories.isEmpty(), "--apply goes with --dir"))
                .add(
                        List.of("--apply", "--dry-run"),
                        () -> require(!apply || !dryRun, "--apply and --dry-run contradict each other"))
                .add("--out", () -> require(apply || staged != null, "--out goes with --apply, or with --staged"))
                .add("--staged", () -> {
                    require(
                            isDryRun() && (out != null || !replicas.isEmpty()),
                            "--staged RUN goes with a dry run, and with --dir needs the --out DIR of that run");
                    require(
                            RunId.isStart(staged),
                            "--staged takes a run's id, or its first " + RunRecords.PREFIX_LEAST
                                    + " characters, as the report of the repair names it, given=" + staged);
                });
    }

    private void addChecksOfLooking(OptionChecks checks) {
        checks.add(
                        "--include-recent",
                        () -> require(
                                isDryRun(),
                                "--include-recent goes with a dry run: a repair that writes takes everything"))
                .add("--seed", () -> require(samplePercent != null, "--seed goes with --sample"))
                .add("--sample", () -> require(isDryRun(), "--sample goes with a dry run"))
                .add(
                        List.of("--sample", "--rows"),
                        () -> require(
                                samplePercent == null || !namesRows,
                                "--sample tells how many rows differ, --rows which: choose one"))
                .add("--sample", this::sampleShare);
    }

    private void checkParallel() {
        require(
                parallel >= 1 && parallel <= Repair.PARALLEL_MAX,
                "--parallel takes a number of ranges, 1 to " + Repair.PARALLEL_MAX + ", given=" + parallel);
    }

    private void checkRate() {
        require(
                rowsPerSecond >= 0,
                "--rate takes a number of rows a second, at least 0 (as fast as it goes), given=" + rowsPerSecond);
    }

    /** Refuses a command line that lacks something. */
    private void requireAll() {
        require(!tables.isEmpty(), "say what to repair: --table KS.TABLE");
        require(!directories.isEmpty() || !replicas.isEmpty(), "give the replicas either as --dir or as --replica");
        require(directories.size() + replicas.size() >= 2, "a repair needs two replicas at least");
        require(
                ring != null || !ranges.isEmpty() || fullReplicas,
                "say what the replicas own: --ring FILE, --range='(A,B]', or --full-replicas when each owns"
                        + " everything");
        if (!replicas.isEmpty()) {
            security.require(this);
        }
        require(
                !apply || out != null || directories.stream().anyMatch(Files::exists),
                "--apply needs --out DIR for the new SSTables of all but stores");
    }

    /** Empty for all. */
    private Optional<Double> sampleShare() {
        if (samplePercent == null) {
            return Optional.empty();
        }
        double percent;
        try {
            percent = Double.parseDouble(samplePercent.strip().replaceFirst("\\s*%$", ""));
        } catch (NumberFormatException e) {
            percent = Double.NaN;
        }
        if (!(percent > 0 && percent <= 100)) {
            throw usage("--sample takes more than 0% and at most 100%, as 1% or 0.1, given=" + samplePercent);
        }
        return Optional.of(percent / 100);
    }

    private Optional<DriftSample> sample() {
        return sampleShare()
                .map(share -> new DriftSample(
                        share, sampleSeed == null ? host().random().nextLong() : sampleSeed));
    }

    private Ownership owned(List<NamedReplica> named) throws IOException {
        if (ring == null) {
            return Ownership.ofAll(tokens());
        }
        Ring read = RingFile.read(this, ring);
        if (new HashSet<>(replicas).size() < replicas.size()) {
            throw usage("a server is given as two nodes of the ring, replicas=" + replicas);
        }
        List<String> given = names.isEmpty() ? replicas : names;
        List<String> nodes = (directories.isEmpty()
                        ? given.stream()
                        : named.stream().map(NamedReplica::name))
                .map(name -> node(read, name))
                .toList();
        if (new HashSet<>(nodes).size() < nodes.size()) {
            throw usage("a node of the ring is given twice: name each replica by its endpoint with --name, nodes="
                    + nodes + endpoints(read));
        }
        Ownership owned = Ownership.of(read, nodes);
        if (allReplicas && !owned.isComplete()) {
            throw usage("--all-replicas contradicts --ring, which has nodes that are not here, nodes=" + nodes
                    + endpoints(read));
        }
        if (read.share(owners -> owners.stream().filter(nodes::contains).count() > 1) == 0) {
            throw usage("no range of the ring has two of these replicas, nodes=" + nodes);
        }
        return owned;
    }

    /** By an address with another port than the ring's, too. */
    private String node(Ring read, String name) {
        Set<String> endpoints = read.owners();
        return Stream.of(name, PeerAddress.host(name))
                .filter(endpoints::contains)
                .findFirst()
                .orElseThrow(() -> usage("replica is no endpoint of the ring: name each by its endpoint with --name, in"
                        + " the order of --dir or --replica, given=" + name + endpoints(read)));
    }

    private static String endpoints(Ring ring) {
        return ", endpoints=" + new TreeSet<>(ring.owners());
    }

    private TokenRanges tokens() {
        try {
            return fullReplicas
                    ? TokenRanges.of(TokenRange.FULL)
                    : new TokenRanges(ranges.stream().map(TokenRange::parse).toList());
        } catch (IllegalArgumentException wrong) {
            throw usage("--range: " + wrong.getMessage());
        }
    }

    /** Replicas in this process share its memory. */
    private void checkBuffer() {
        long maxBytes = defaultBufferBytes();
        if (bufferBytes != null && (bufferBytes < 1 || bufferBytes > maxBytes)) {
            throw usage("--buffer is out of bounds, bufferBytes=" + bufferBytes
                    + ", minBytes=1, maxBytes=" + maxBytes
                    + (maxBytes < RepairConfig.BUFFER_MAX_BYTES
                            ? "; more --memory allows more, up to " + RepairConfig.BUFFER_MAX_BYTES
                            : ""));
        }
    }

    private int defaultBufferBytes() {
        return directories.isEmpty()
                ? RepairConfig.BUFFER_MAX_BYTES
                : RepairConfig.bufferBytes(budget(), directories.size());
    }

    private boolean isDryRun() {
        return directories.isEmpty() ? dryRun : !apply;
    }

    /** KS.* stands for the tables that any replica has, so that one which another lacks is not passed over. */
    private List<QualifiedTable> expand() throws IOException {
        Set<QualifiedTable> expanded = new LinkedHashSet<>();
        for (QualifiedTable table : tables) {
            if (!table.isWholeKeyspace()) {
                expanded.add(table);
            } else {
                expanded.addAll(tablesOf(table));
            }
        }
        return List.copyOf(expanded);
    }

    /** The names of a keyspace's tables that any server has. */
    private Set<String> onServers(String keyspace) throws IOException {
        Set<String> found = new TreeSet<>();
        try (CommandNode node = security.node(this)) {
            for (String server : replicas) {
                Connection connection = node.node().peers().open(RepairRunner.address(server));
                found.addAll(ReplicaTables.ask(connection, Replicas.THE_ONLY_ONE, keyspace));
            }
        }
        return found;
    }

    /** Returns the same; empty when a server can't say. */
    private Optional<Set<String>> served(String keyspace) {
        try {
            return Optional.of(onServers(keyspace));
        } catch (IOException | RuntimeException e) {
            LOG.debug("server can't say which tables it has, keyspace={}", keyspace, e);
            return Optional.empty();
        }
    }

    private List<QualifiedTable> tablesOf(QualifiedTable wholeKeyspace) throws IOException {
        String keyspace = wholeKeyspace.keyspace();
        Set<String> found = new TreeSet<>();
        for (Path directory : directories) {
            found.addAll(
                    new CassandraReplicas(List.of(directory), Optional.empty(), Optional.empty()).tables(keyspace));
        }
        if (!replicas.isEmpty()) {
            found.addAll(onServers(keyspace));
        }
        if (found.isEmpty()) {
            throw new DataNotFoundException(
                    DataNotFoundException.Sought.TABLE,
                    (directories.isEmpty() ? replicas : directories).toString(),
                    "no such table here, table=" + wholeKeyspace);
        }
        return found.stream().map(table -> new QualifiedTable(keyspace, table)).toList();
    }

    private List<NamedReplica> named() throws IOException {
        if (directories.isEmpty()) {
            return List.of();
        }
        NamedReplica.refuseNested(directories);
        List<NamedReplica> named = NamedReplica.of(directories, names);
        boolean schemaHasUse = schemaFile == null;
        for (NamedReplica replica : named) {
            boolean isStore = replica.store().isPresent();
            if (apply && out == null && !isStore) {
                throw usage("--apply needs --out DIR for the new SSTables of all but stores, replica="
                        + replica.directory());
            }
            schemaHasUse |= !isStore;
            if (out != null && !isStore) {
                OutputDirectory.refuseAmong(out.resolve(replica.name()), directories);
            }
        }
        if (!schemaHasUse) {
            throw usage("--schema goes with Cassandra's directories: a store knows its tables");
        }
        return named;
    }

    private RepairTask task(List<QualifiedTable> expanded, Ownership owned, Optional<DriftSample> sample)
            throws IOException {
        int buffer = bufferBytes == null ? defaultBufferBytes() : (int) bufferBytes.longValue();
        return new RepairTask(
                expanded,
                owned,
                buffer,
                isDryRun(),
                allReplicas || owned.isComplete(),
                staged == null ? Optional.empty() : Optional.of(RunId.of(staged, runs.records(this))),
                allowed.waivers(),
                parallel,
                rowsPerSecond,
                // What it writes is imported by hand, and by then is no longer on its way.
                includeRecent || !isDryRun(),
                false,
                sample);
    }

    /** What makes equal what a dry run found to differ. */
    private String nextStep(List<NamedReplica> named) throws IOException {
        if (directories.isEmpty()) {
            return "the same without --dry-run makes the replicas equal";
        }
        boolean areStores = true;
        for (NamedReplica replica : named) {
            areStores &= replica.store().isPresent();
        }
        return "the same with --apply" + (areStores ? "" : " --out DIR") + (dryRun ? " instead of --dry-run" : "")
                + " writes what each replica lacks";
    }

    /** Repairs all tables; those that fail do not keep the others from it. */
    private void repair(RepairTask task, List<NamedReplica> named, RepairResults results, Progress progress)
            throws IOException {
        Repair repair = task.repair()
                .progress(done -> {
                    progress.update(done.bytes(), done.rows(), done.secondsLeft());
                    results.run().progressed(done);
                })
                .unfinishedReports(results::addUnfinished)
                .tableReports(results::add);
        repair.runId(results.run().id()).control(control);
        if (task.sample().isPresent()) {
            // It is over soon, and what its rows tell needs all of it: where it goes on, it takes the same slices
            // again.
            Consumer<String> notes = note -> progress.aside(() -> say("note: " + note));
            try (DriftKeys keys = new DriftKeys(repair, this::nowSeconds, notes)) {
                results.sampled(keys);
                run(task, repair.differences(keys), named);
            }
            return;
        }
        results.run().checkpoint().ifPresent(repair::checkpoint);
        if (!namesRows) {
            run(task, repair, named);
            return;
        }
        Consumer<String> notes = note -> progress.aside(() -> say("note: " + note));
        try (RowLines rows = new RowLines(repair, task.dryRun(), this::nowSeconds, notes, results.rowFormat())) {
            run(task, repair.differences(rows), named);
        }
    }

    private void run(RepairTask task, Repair repair, List<NamedReplica> named) throws IOException {
        if (directories.isEmpty()) {
            overServers(repair);
        } else {
            new RepairOverDirectories(task, host(), Optional.ofNullable(schemaFile))
                    .run(repair, named, Optional.ofNullable(out), budget());
        }
    }

    /** Has the first of them repair, and watches it until it is done. */
    private void overServers(Repair repair) throws IOException {
        try (CommandNode node = security.node(this)) {
            List<RepairMember> members = replicas.stream()
                    .map(address -> RepairMember.at(node.node().peers(), RepairRunner.address(address)))
                    .toList();
            repair.between(members)
                    .run(new RepairEnvironment(
                            host(), node.node().executor(), node.node().budget()));
        }
    }
}
