package io.anneal.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.key.TokenRange;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairReport;
import io.anneal.repair.message.Waiver;
import io.anneal.store.CassandraDirectory;
import io.anneal.store.TableDirectories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code anneal repair}: makes replicas equal, row by row; over directories of this machine or over servers. */
@Command(
        name = "repair",
        description = "Finds the rows in which replicas differ and gives each replica what it lacks. Over Cassandra"
                + " directories it only looks, unless told to --apply.")
final class RepairCommand extends Subcommand {
    @Option(names = "--dir", paramLabel = "DIR", description = "A replica's data directory or snapshot; two at least.")
    private List<Path> directories = List.of();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "A replica's name, as often as --dir and in its order; instead of that in which the paths"
                    + " differ.")
    private List<String> names = List.of();

    @Option(
            names = "--replica",
            paramLabel = "HOST:PORT",
            description = "A replica's 'anneal serve'; two at least, the first is the master.")
    private List<String> replicas = List.of();

    @Option(
            names = "--table",
            required = true,
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description = "What to repair; repeatable. KS.* takes a keyspace's tables, with --dir.")
    private List<QualifiedTable> tables;

    @Option(
            names = "--range",
            paramLabel = "(A,B]",
            description = "The tokens that every replica owns, as (A,B] or A:B; wraps around. Write --range='(A,B]'.")
    private String range;

    @Option(names = "--full-replicas", description = "Every replica owns everything: replication factor = nodes.")
    private boolean fullReplicas;

    @Option(
            names = "--dry-run",
            description = "Find and count differences, write nothing; exit with 1 if there are any.")
    private boolean dryRun;

    @Option(names = "--rows", description = "With --dry-run and --dir: name the rows that differ.")
    private boolean namesRows;

    @Option(names = "--apply", description = "With --dir: write what each replica lacks to --out.")
    private boolean apply;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Where new SSTables go: DIR/<replica>/<keyspace>/<table>/, to be imported.")
    private Path out;

    @Option(
            names = "--staged",
            paramLabel = "RUN",
            description = "In a dry run: count what this run staged, before it is imported; with --dir from --out.")
    private UUID staged;

    @Option(
            names = "--allow-empty",
            description = "Go on when a replica holds nothing where others hold much: it lost its data.")
    private boolean allowEmpty;

    @Option(
            names = "--buffer",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            description = "Row buffer of a replica.")
    private Long bufferBytes;

    @Option(names = "--schema", paramLabel = "FILE.cql", description = "The schema text, instead of the snapshots'.")
    private Path schemaFile;

    @Option(names = "--token-file", paramLabel = "FILE", description = "With --replica: the secret shared with it.")
    private Path tokenFile;

    @Override
    int execute() throws IOException, InterruptedException {
        check();
        boolean equal = true;
        try (JsonResult result = json() ? new JsonResult(out(), "repair") : null) {
            if (result != null) {
                result.fields().writeArrayFieldStart("tables");
            }
            for (QualifiedTable table : expand()) {
                equal &= repair(table, result == null ? null : result.fields());
            }
            if (result != null) {
                result.fields().writeEndArray();
            }
        }
        return equal || !isDryRun() ? ExitCode.YES : ExitCode.NO;
    }

    private void check() {
        if (directories.isEmpty() == replicas.isEmpty()) {
            throw usage("give the replicas either as --dir or as --replica");
        }
        if (directories.size() + replicas.size() < 2) {
            throw usage("a repair needs two replicas at least");
        }
        if ((range == null) != fullReplicas) {
            throw usage("say what the replicas own: --range='(A,B]', or --full-replicas when each owns everything");
        }
        if (apply && (out == null || directories.isEmpty())) {
            throw usage("--apply goes with --dir and needs --out DIR for the new SSTables");
        }
        if (out != null && !apply && staged == null) {
            throw usage("--out goes with --apply, or with --staged");
        }
        if (staged != null && (!isDryRun() || (out == null && replicas.isEmpty()))) {
            throw usage("--staged RUN goes with a dry run, and with --dir needs the --out DIR of that run");
        }
        if (!names.isEmpty() && directories.isEmpty()) {
            throw usage("--name goes with --dir");
        }
        if (apply && dryRun) {
            throw usage("--apply and --dry-run contradict each other");
        }
        if (namesRows && json()) {
            throw usage("--rows prints lines, --json an object: choose one");
        }
        if (!replicas.isEmpty() && (tokenFile == null || schemaFile != null || namesRows)) {
            throw usage("--replica needs --token-file FILE; --schema and --rows go with --dir");
        }
    }

    private Set<Waiver> waivers() {
        Set<Waiver> waivers = EnumSet.noneOf(Waiver.class);
        if (allowEmpty) {
            waivers.add(Waiver.EMPTY_REPLICA);
        }
        return waivers;
    }

    private boolean isDryRun() {
        return directories.isEmpty() ? dryRun : !apply;
    }

    private List<QualifiedTable> expand() throws IOException {
        List<QualifiedTable> expanded = new ArrayList<>();
        for (QualifiedTable table : tables) {
            if (!table.isWholeKeyspace()) {
                expanded.add(table);
            } else if (directories.isEmpty()) {
                throw usage("KS.* goes with --dir");
            } else {
                CassandraDirectory.of(directories.get(0)).tables().stream()
                        .filter(found -> found.keyspace().equals(table.keyspace()))
                        .map(TableDirectories::table)
                        .distinct()
                        .forEach(name -> expanded.add(new QualifiedTable(table.keyspace(), name)));
            }
        }
        return expanded;
    }

    private boolean repair(QualifiedTable table, JsonGenerator json) throws IOException, InterruptedException {
        TokenRange tokens = fullReplicas ? TokenRange.FULL : TokenRange.parse(range);
        int participants = Math.max(directories.size(), replicas.size());
        int buffer = bufferBytes == null
                ? RepairConfig.bufferBytes(bufferBudgetBytes(), participants)
                : (int) Math.min(Integer.MAX_VALUE / 2, bufferBytes);
        RepairTask task = new RepairTask(
                UUID.randomUUID(), table, tokens, buffer, isDryRun(), Optional.ofNullable(staged), waivers());
        RepairReport report;
        try (Progress progress = progress(table.toString())) {
            if (directories.isEmpty()) {
                report = new RepairOverServers(task).run(replicas, tokenFile, progress);
            } else {
                NamedReplica.refuseNested(directories);
                RepairOverDirectories repair =
                        new RepairOverDirectories(task, environment().clock(), Optional.ofNullable(schemaFile));
                report = repair.run(
                        NamedReplica.of(directories, names),
                        Optional.ofNullable(out),
                        progress,
                        namesRows ? out() : null);
            }
        }
        if (json == null) {
            RepairOutput.print(out(), task, report);
        } else {
            RepairOutput.write(json, task, report);
        }
        return report.wereEqual();
    }
}
