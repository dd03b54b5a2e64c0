package io.anneal.cli.runs;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.anneal.cli.command.Counted;
import io.anneal.cli.command.ShellWord;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How runs and what tables are covered until look to a person, and as JSON. */
public final class RunsOutput {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int TABLES_NAMED = 3;

    private final PrintStream out;
    private final Instant now;
    private final Function<RunRecord, String> resumeCommand;

    /** @param resumeCommand what goes on with a run */
    public RunsOutput(PrintStream out, Instant now, Function<RunRecord, String> resumeCommand) {
        this.out = out;
        this.now = now;
        this.resumeCommand = resumeCommand;
    }

    /** What to do before a run goes on whose checkpoint is damaged. */
    public static String anew(Path checkpoint) {
        return "remove " + ShellWord.of(checkpoint.toString()) + ", then do all of it again";
    }

    /** Enough of an id to name it. */
    public static String shortId(RunRecord run) {
        return run.id().toString().substring(0, RunRecords.PREFIX_LEAST);
    }

    /** @param runs that are not finished, or for which agents may hold */
    public void printStatus(List<KnownRun> runs) {
        for (KnownRun run : runs) {
            RunRecord record = run.record();
            String since = record.wasResumed()
                    ? record.firstStarted() + ", resumed " + last(record.started())
                    : record.firstStarted().toString();
            out.println("run " + shortId(record) + " "
                    + switch (run.state()) {
                        case RUNNING ->
                            "is running since " + since + " (" + run.owner().orElseThrow() + ")";
                        case STOPPED -> "has stopped, and is not finished; started " + since;
                        case ENDED -> "has ended, and agents may hold for it still; started " + since;
                        case TOO_OLD -> "has stopped, and is too old to go on with; started " + since;
                    });
            out.println("  " + what(record));
            out.println("  " + progress(run));
            record.hold().filter(hold -> record.isUnfinished()).ifPresent(hold -> printHold(run, hold));
            switch (run.state()) {
                case STOPPED ->
                    out.println("  " + run.unusable().map(RunsOutput::anew).orElse("go on") + " before "
                            + record.resumableUntil() + " with: " + resume(record));
                case TOO_OLD ->
                    out.println("  it could be gone on with until " + record.resumableUntil() + ": start another run"
                            + (run.mayBeHeld() ? ", but first have agents let go with: " + abandon(record) : ""));
                case ENDED -> out.println("  " + notLetGo(record) + "; ask again with: " + abandon(record));
                case RUNNING -> {}
            }
        }
        if (runs.isEmpty()) {
            out.println("no run is unfinished");
        }
    }

    private void printHold(KnownRun run, HoldState hold) {
        out.println("  " + hold.snapshotAt().map(at -> "snapshots of " + at).orElse("no snapshots yet")
                + hold.importBefore()
                        .map(until -> ", may be imported before " + until)
                        .orElse("")
                + (now.isBefore(hold.heldUntil())
                        ? ", agents hold until " + hold.heldUntil() + " at least"
                        : ", agents held until " + hold.heldUntil()));
        if (run.state() == KnownRun.State.RUNNING) {
            out.println("  "
                    + switch (hold.step()) {
                        case HOLD -> "it asks the agents to hold";
                        case SNAPSHOT -> "nodes take their snapshots";
                        case REPAIR -> "it compares: " + hold.settings();
                        case IMPORT -> "nodes import";
                    }
                    + hold.waitsUntil().map(until -> "; waits until " + until).orElse(""));
        }
    }

    private static Instant last(List<Instant> moments) {
        return moments.get(moments.size() - 1);
    }

    private String resume(RunRecord run) {
        return resumeCommand.apply(run);
    }

    private String abandon(RunRecord run) {
        return abandoning(resume(run));
    }

    /** What has agents let go of the run with which a command goes on. */
    public static String abandoning(String resumeCommand) {
        return resumeCommand.replace(" --resume ", " --abandon ");
    }

    /** Which agents may hold, and how long. */
    private static String notLetGo(RunRecord run) {
        return "not let go by " + String.join(", ", run.hold().orElseThrow().left())
                + ", which could not be asked: an agent does when its lease ends, or, if it is not running, when it is"
                + " started again";
    }

    private static String what(RunRecord run) {
        List<String> tables = run.wantedTables();
        String named = tables.size() <= TABLES_NAMED
                ? String.join(", ", tables)
                : String.join(", ", tables.subList(0, TABLES_NAMED)) + " and "
                        + Counted.of(tables.size() - TABLES_NAMED, "more table");
        return (run.dryRun() ? "dry run of " : "") + (named.isEmpty() ? "no table that is there" : named) + " between "
                + run.replicas().stream().map(RecordedReplica::name).collect(Collectors.joining(", "));
    }

    private String progress(KnownRun run) {
        Optional<RecordedProgress> known = run.record().progress();
        if (known.isEmpty()) {
            return "nothing is known of its progress yet";
        }
        RecordedProgress progress = known.get();
        String done = String.format(
                Locale.ROOT,
                "%s read, %s/s, %,d of %s done",
                Counted.of(progress.rows(), "row"),
                Counted.of(progress.rowsPerSecond(), "row"),
                progress.unitsDone(),
                Counted.of(progress.unitsTotal(), "part"));
        if (run.state() != KnownRun.State.RUNNING) {
            return done + ", last heard of " + progress.at();
        }
        return done
                + (progress.unitsRunning() > 0
                        ? String.format(Locale.ROOT, ", %,d at work now", progress.unitsRunning())
                        : "")
                + left(progress.secondsLeft()) + ", as of " + progress.at();
    }

    private static String left(OptionalLong seconds) {
        return seconds.isPresent() ? ", " + duration(Duration.ofSeconds(seconds.getAsLong())) + " left" : "";
    }

    /** In two units at most, as {@code 9 d 23 h} or {@code 12 min 5 s}. */
    static String duration(Duration duration) {
        long seconds = Math.abs(duration.toSeconds());
        if (seconds < 60) {
            return seconds + " s";
        } else if (seconds < 3_600) {
            return two(seconds / 60, "min", seconds % 60, "s");
        } else if (seconds < 86_400) {
            return two(seconds / 3_600, "h", seconds / 60 % 60, "min");
        }
        return two(seconds / 86_400, "d", seconds / 3_600 % 24, "h");
    }

    private static String two(long large, String largeUnit, long small, String smallUnit) {
        return large + " " + largeUnit + (small == 0 ? "" : " " + small + " " + smallUnit);
    }

    /** @param runs that are over */
    public void printHistory(List<KnownRun> runs, List<Coverage> coverage) {
        for (KnownRun run : runs) {
            RunRecord record = run.record();
            out.println("run " + shortId(record) + " " + record.firstStarted() + " " + outcome(run));
            out.println("  " + what(record));
            record.hold()
                    .flatMap(HoldState::failure)
                    .filter(why -> record.outcome() != RunRecord.Outcome.DONE)
                    .ifPresent(why -> out.println("  " + why));
        }
        if (runs.isEmpty()) {
            out.println("no run has ended");
        }
        if (!coverage.isEmpty()) {
            out.println();
            out.println("covered until: everything written before was compared on the whole ring, and repaired");
            coverage.forEach(table -> out.println("  " + line(table)));
        }
    }

    private static String outcome(KnownRun run) {
        RunRecord record = run.record();
        return switch (record.outcome()) {
            case UNFINISHED -> "not finished, and too old to go on with";
            case FAILED -> record.hold().map(RunsOutput::letGo).orElse("failed before anything was done");
            case DONE ->
                String.format(
                        Locale.ROOT,
                        "%s in %s%s: %s and %s differed",
                        record.dryRun() ? "compared" : "repaired",
                        duration(Duration.between(
                                record.firstStarted(), record.ended().orElseThrow())),
                        record.wasResumed() ? ", started " + record.started().size() + " times" : "",
                        Counted.of(
                                record.tables().stream()
                                        .mapToLong(RecordedTable::rowsDiffering)
                                        .sum(),
                                "row"),
                        Counted.of(
                                record.tables().stream()
                                        .mapToLong(RecordedTable::deletionsDiffering)
                                        .sum(),
                                "deletion"));
        };
    }

    private static String letGo(HoldState hold) {
        if (hold.step() == HoldState.Step.HOLD) {
            return "failed before anything was held";
        }
        return "ended before all was done, and was "
                + (hold.left().isEmpty() ? "let go" : "not let go by " + String.join(", ", hold.left()));
    }

    private String line(Coverage table) {
        String name = table.table()
                + (table.replicas().isEmpty() ? "" : " between " + String.join(", ", table.replicas())) + ": ";
        String waits = table.waiting().isEmpty() ? "" : "; " + waits(table);
        if (table.until().isEmpty()) {
            return name + "never"
                    + (table.ringShare() > 0 && table.ringShare() < 1
                            ? String.format(Locale.ROOT, ", %.1f %% of the ring were repaired", 100 * table.ringShare())
                            : "")
                    + waits;
        }
        if (table.gcGrace().isZero()) {
            return name + table.until().get() + ", no gc_grace" + waits;
        }
        Duration left = table.left(now).orElseThrow();
        return name + table.until().get() + ", "
                + (table.isOverdue(now) ? "OVERDUE for " + duration(left) : duration(left) + " left")
                + " of gc_grace " + duration(table.gcGrace()) + waits;
    }

    private String waits(Coverage table) {
        String until = table.untilOnceImported().map(Instant::toString).orElse("more");
        return table.importBefore()
                .filter(deadline -> !now.isBefore(deadline))
                .map(deadline -> until + " if what " + runs(table) + " wrote was imported before " + deadline
                        + "; it must not be any more")
                .orElseGet(() -> until + " once what " + runs(table) + " wrote is imported"
                        + table.importBefore()
                                .map(deadline -> ", before " + deadline)
                                .orElse(""));
    }

    private static String runs(Coverage table) {
        return table.waiting().stream()
                .map(id -> "run " + id.toString().substring(0, RunRecords.PREFIX_LEAST))
                .collect(Collectors.joining(", "));
    }

    /** @param unreadable why other records can't be read */
    public void writeStatus(JsonGenerator json, List<KnownRun> runs, List<String> unreadable) throws IOException {
        write(json, runs, unreadable);
    }

    /** @param unreadable why other records can't be read */
    public void writeHistory(JsonGenerator json, List<KnownRun> runs, List<Coverage> coverage, List<String> unreadable)
            throws IOException {
        write(json, runs, unreadable);
        json.writeArrayFieldStart("tables");
        for (Coverage table : coverage) {
            JSON.writeTree(json, tree(table));
        }
        json.writeEndArray();
    }

    private void write(JsonGenerator json, List<KnownRun> runs, List<String> unreadable) throws IOException {
        json.writeArrayFieldStart("unreadable");
        for (String reason : unreadable) {
            json.writeString(reason);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("runs");
        for (KnownRun run : runs) {
            ObjectNode tree = RunJson.tree(run.record());
            tree.remove("schema");
            tree.put("state", run.state().name().toLowerCase(Locale.ROOT).replace('_', '-'));
            if (run.state() == KnownRun.State.STOPPED) {
                run.unusable().ifPresent(checkpoint -> tree.put("remove-first", checkpoint.toString()));
                tree.put("resume", resume(run.record()));
                tree.put("resumable-until", run.record().resumableUntil().toString());
            }
            if (run.mayBeHeld()) {
                tree.put("abandon", abandon(run.record()));
            }
            JSON.writeTree(json, tree);
        }
        json.writeEndArray();
    }

    private ObjectNode tree(Coverage table) {
        ObjectNode tree = JSON.createObjectNode();
        tree.put("table", table.table());
        table.replicas().forEach(tree.putArray("replicas")::add);
        tree.put("covered-until", table.until().map(Instant::toString).orElse(null));
        tree.put(
                "covered-until-once-imported",
                table.untilOnceImported().map(Instant::toString).orElse(null));
        tree.put("ring-share", table.ringShare());
        tree.put("gc-grace-seconds", table.gcGrace().toSeconds());
        tree.put("seconds-left", table.left(now).map(Duration::toSeconds).orElse(null));
        tree.put("overdue", table.isOverdue(now));
        table.waiting().forEach(id -> tree.withArray("runs-to-import").add(id.toString()));
        tree.put("import-before", table.importBefore().map(Instant::toString).orElse(null));
        return tree;
    }
}
