package io.anneal.cli.rows;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonStreamContext;
import io.anneal.cli.command.Counted;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.JsonResult;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.command.TableErrors;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.DataNotFoundException;
import io.anneal.store.directory.TableDirectories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code anneal diff}: the cells in which two directories differ, as a repair would find them. */
@Command(
        name = "diff",
        description = "Prints the cells in which two directories differ, a JSON object a line: key, cell, what either"
                + " side has, when it was written. Exits with 1 if there are any, with 5 if an error"
                + " stopped it before that was known.")
public final class DiffCommand extends Subcommand {
    private static final int PARTITIONS_PER_UPDATE = 64;

    @Parameters(
            paramLabel = "DIR",
            arity = "2",
            description = "Two data directories, snapshots or directories of one table. Only read.")
    private List<Path> directories;

    @Option(
            names = "--table",
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description = "What to compare; repeatable, KS.* for a keyspace; every table by default.")
    private List<QualifiedTable> tables = List.of();

    @Option(
            names = "--range",
            paramLabel = "(A,B]",
            description = "Only these tokens, as (A,B] or A:B; wraps around. Write --range='(A,B]'.")
    private String range;

    @Option(
            names = "--schema",
            paramLabel = "FILE.cql",
            description = "The schema text, instead of that beside the SSTables.")
    private Path schemaFile;

    @Option(
            names = "--now",
            paramLabel = "SECONDS",
            description = "The time that decides what has expired and what is past gc_grace.")
    private Long nowSeconds;

    /** One table, by name and by where it lies on either side. */
    private record Pair(String name, Side left, Side right) {}

    /** One side's directories of a table; asked for late, so that a table which is not there does not end the others. */
    private interface Side {
        TableDirectories find() throws IOException;
    }

    private final TableErrors errors = new TableErrors();
    private long rowsDiffering;
    private long deletionsDiffering;
    private long rowsCompared;

    @Override
    public int errorExitCode() {
        return ExitCode.UNANSWERED;
    }

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add("--range", this::tokens);
    }

    private List<TokenRange.Linear> tokens() {
        return range == null
                ? List.of(TokenRange.Linear.ALL)
                : read("--range", () -> TokenRange.parse(range)).unwrap();
    }

    @Override
    protected int execute() throws IOException {
        // Only the tokens of one partitioner have ranges.
        List<TokenRange.Linear> tokens = tokens();
        List<Pair> pairs = pairs();
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeArrayFieldStart("differences");
            compare(pairs, tokens, json, this::checkOutput);
            json.writeEndArray();
            errors.write(json);
            json.writeNumberField("rowsCompared", rowsCompared);
            json.writeNumberField("rowsDiffering", rowsDiffering);
            json.writeNumberField("deletionsDiffering", deletionsDiffering);
        } else {
            JsonGenerator lines =
                    new JsonFactory().createGenerator(out()).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            lines.setRootValueSeparator(null);
            try (lines) {
                compare(pairs, tokens, lines, () -> {
                    lines.writeRaw('\n');
                    checkOutput();
                });
            }
            out().flush();
        }
        if (errors.tables().size() < pairs.size()) {
            say(Counted.of(rowsDiffering, "row") + " and " + Counted.of(deletionsDiffering, "deletion") + " differ, of "
                    + Counted.of(rowsCompared, "row") + " compared");
        }
        if (!errors.isEmpty()) {
            say("not compared, or not to the end: " + String.join(", ", errors.tables()));
            return errorExitCode();
        }
        return rowsDiffering + deletionsDiffering == 0 ? ExitCode.YES : ExitCode.NO;
    }

    private List<Pair> pairs() throws IOException {
        CassandraDirectory left = CassandraDirectory.of(directories.get(0));
        CassandraDirectory right = CassandraDirectory.of(directories.get(1));
        List<Pair> pairs = new ArrayList<>();
        if (tables.isEmpty() && left.tables().size() == 1 && right.tables().size() == 1) {
            // Directories outside of Cassandra's layout have no names that could tell them apart.
            return List.of(new Pair(left.onlyTable().qualifiedName(), left::onlyTable, right::onlyTable));
        }
        for (QualifiedTable table : names(left, right)) {
            pairs.add(new Pair(
                    table.toString(),
                    () -> left.table(table.keyspace(), table.table()),
                    () -> right.table(table.keyspace(), table.table())));
        }
        if (pairs.isEmpty()) {
            throw new DataNotFoundException(
                    DataNotFoundException.Sought.TABLE, directories.toString(), "no such table here, table=" + tables);
        }
        return pairs;
    }

    private List<QualifiedTable> names(CassandraDirectory left, CassandraDirectory right) throws IOException {
        Set<String> seen = new TreeSet<>();
        List<QualifiedTable> names = new ArrayList<>();
        for (CassandraDirectory directory : List.of(left, right)) {
            for (TableDirectories found : directory.tables()) {
                boolean wanted = tables.isEmpty()
                        || tables.stream()
                                .anyMatch(
                                        t -> t.isWholeKeyspace() && t.keyspace().equals(found.keyspace()));
                if (wanted && seen.add(found.qualifiedName())) {
                    names.add(new QualifiedTable(found.keyspace(), found.table()));
                }
            }
        }
        tables.stream()
                .filter(t -> !t.isWholeKeyspace() && seen.add(t.toString()))
                .forEach(names::add);
        return names;
    }

    /** Compares every table; an error of one is told, and the others are still compared. */
    private void compare(
            List<Pair> pairs, List<TokenRange.Linear> tokens, JsonGenerator json, DifferenceLines.LineEnd lineEnd)
            throws IOException {
        for (Pair pair : pairs) {
            JsonStreamContext context = json.getOutputContext();
            try {
                compare(pair, tokens, json, lineEnd);
            } catch (IOException | RuntimeException e) {
                checkOutput();
                JsonResult.endAllBelow(context, json);
                errors.add(pair.name(), tell(e));
            }
        }
    }

    private void compare(Pair pair, List<TokenRange.Linear> tokens, JsonGenerator json, DifferenceLines.LineEnd lineEnd)
            throws IOException {
        try (TablePair opened =
                        TablePair.open(pair.left().find(), pair.right().find(), Optional.ofNullable(schemaFile));
                Progress progress = progress(pair.name())) {
            DifferenceLines lines = new DifferenceLines(json, lineEnd, pair.name(), opened.schema());
            SessionPurgeRule rule = new SessionPurgeRule(
                    nowSeconds == null ? nowSeconds() : nowSeconds,
                    opened.schema().options().gcGraceSeconds());
            long ceiling = ceiling(opened);
            for (TokenRange.Linear part : tokens) {
                try (FragmentCursor left = purged(opened.left().scan(part, ceiling), rule);
                        FragmentCursor right = purged(opened.right().scan(part, ceiling), rule)) {
                    TableComparison comparison = new TableComparison(opened.schema(), left, right, lines);
                    compare(comparison, progress);
                }
            }
        }
    }

    /** What a repair of the two would clamp to, so that both find the same. */
    private static long ceiling(TablePair pair) {
        return Math.min(
                pair.left().newestWrittenVersion().localDeletionTimeMaxSeconds(),
                pair.right().newestWrittenVersion().localDeletionTimeMaxSeconds());
    }

    private static FragmentCursor purged(FragmentCursor merged, SessionPurgeRule rule) {
        return new PurgeCursor(merged, rule);
    }

    private void compare(TableComparison comparison, Progress progress) throws IOException {
        long partitions = 0;
        while (comparison.nextPartition()) {
            if (++partitions % PARTITIONS_PER_UPDATE == 0) {
                progress.update(0, rowsCompared + comparison.rowsCompared());
            }
        }
        rowsCompared += comparison.rowsCompared();
        rowsDiffering += comparison.rowsDiffering();
        deletionsDiffering += comparison.deletionsDiffering();
    }
}
