package io.anneal.cli.runs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.anneal.key.TokenRange;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;

/** A {@link RunRecord} as {@code run.json} has it. The schema number changes when a field is removed or changes its meaning. */
final class RunJson {
    static final int SCHEMA = 1;

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private RunJson() {}

    static byte[] print(RunRecord run) throws IOException {
        return JSON.writeValueAsBytes(tree(run));
    }

    static ObjectNode tree(RunRecord run) {
        ObjectNode tree = JSON.createObjectNode();
        tree.put("schema", SCHEMA);
        tree.put("run", run.id().toString());
        tree.put("outcome", run.outcome().name().toLowerCase(Locale.ROOT));
        texts(tree, "arguments", run.arguments());
        texts(tree, "wanted-tables", run.wantedTables());
        ArrayNode replicas = tree.putArray("replicas");
        run.replicas()
                .forEach(replica ->
                        replicas.addObject().put("name", replica.name()).put("place", replica.place()));
        texts(tree, "ranges", run.ranges().stream().map(TokenRange::toString).toList());
        tree.put("dry-run", run.dryRun());
        texts(tree, "started", run.started().stream().map(Instant::toString).toList());
        put(tree, "ended", run.ended());
        run.progress().ifPresent(progress -> put(tree.putObject("progress"), progress));
        ArrayNode tables = tree.putArray("tables");
        run.tables().forEach(table -> put(tables.addObject(), table));
        run.hold().ifPresent(hold -> put(tree.putObject("cluster"), hold));
        return tree;
    }

    private static void put(ObjectNode tree, HoldState hold) {
        tree.put("step", hold.step().name().toLowerCase(Locale.ROOT));
        tree.put("plan", hold.plan());
        tree.put("held-until", hold.heldUntil().toString());
        tree.put("skew-ms", hold.skew().toMillis());
        put(tree, "snapshot", hold.snapshotAt());
        put(tree, "import-before", hold.importBefore());
        put(tree, "waits-until", hold.waitsUntil());
        put(tree, hold.settings());
        texts(tree, "not-let-go", hold.left());
        tree.put("failure", hold.failure().orElse(null));
    }

    private static void put(ObjectNode tree, RunSettings settings) {
        tree.put("parallel", settings.parallel());
        tree.put("rows-per-second", settings.rowsPerSecond());
        tree.put("window", settings.window().map(RepairWindow::toString).orElse(null));
    }

    static byte[] print(RunSettings settings) throws IOException {
        ObjectNode tree = JSON.createObjectNode();
        put(tree, settings);
        return JSON.writeValueAsBytes(tree);
    }

    /** @throws IllegalArgumentException when it is no such file */
    static RunSettings parseSettings(byte[] bytes) {
        try {
            return settings(JSON.readTree(bytes));
        } catch (IOException e) {
            throw new IllegalArgumentException("it is no JSON", e);
        }
    }

    private static RunSettings settings(JsonNode tree) {
        return new RunSettings(
                Math.toIntExact(number(tree, "parallel")),
                number(tree, "rows-per-second"),
                tree.hasNonNull("window") ? Optional.of(RepairWindow.parse(text(tree, "window"))) : Optional.empty());
    }

    private static HoldState hold(JsonNode tree) {
        return new HoldState(
                HoldState.Step.valueOf(text(tree, "step").toUpperCase(Locale.ROOT)),
                text(tree, "plan"),
                Instant.parse(text(tree, "held-until")),
                Duration.ofMillis(number(tree, "skew-ms")),
                moment(tree, "snapshot"),
                moment(tree, "import-before"),
                moment(tree, "waits-until"),
                settings(tree),
                // Earlier records know neither.
                tree.hasNonNull("not-let-go") ? all(tree, "not-let-go", JsonNode::asText) : List.of(),
                tree.hasNonNull("failure") ? Optional.of(text(tree, "failure")) : Optional.empty());
    }

    private static void texts(ObjectNode tree, String field, List<String> texts) {
        ArrayNode array = tree.putArray(field);
        texts.forEach(array::add);
    }

    private static void put(ObjectNode tree, String field, Optional<Instant> moment) {
        tree.put(field, moment.map(Instant::toString).orElse(null));
    }

    private static void put(ObjectNode tree, RecordedProgress progress) {
        tree.put("at", progress.at().toString());
        tree.put("rows", progress.rows());
        tree.put("rows-per-second", progress.rowsPerSecond());
        tree.put("parts-done", progress.unitsDone());
        tree.put("parts", progress.unitsTotal());
        tree.put("parts-running", progress.unitsRunning());
        if (progress.secondsLeft().isPresent()) {
            tree.put("seconds-left", progress.secondsLeft().getAsLong());
        }
    }

    private static void put(ObjectNode tree, RecordedTable table) {
        tree.put("table", table.table());
        tree.put("rows-differing", table.rowsDiffering());
        tree.put("deletions-differing", table.deletionsDiffering());
        tree.put("rows-written", table.rowsWritten());
        tree.put("deletions-written", table.deletionsWritten());
        put(tree, "covered-until", table.coveredUntil());
        tree.put("gc-grace-seconds", table.gcGrace().map(Duration::toSeconds).orElse(null));
        tree.put("sstables-to-import", table.sstablesToImport());
        put(tree, "import-before", table.importBefore());
    }

    /** @throws IllegalArgumentException when it is no such record, or another release's */
    static RunRecord parse(byte[] bytes) {
        JsonNode tree;
        try {
            tree = JSON.readTree(bytes);
        } catch (IOException e) {
            throw new IllegalArgumentException("it is no JSON", e);
        }
        if (number(tree, "schema") != SCHEMA) {
            throw new IllegalArgumentException(
                    "another release wrote it, schema=" + number(tree, "schema") + ", supported=" + SCHEMA);
        }
        try {
            return run(tree);
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static RunRecord run(JsonNode tree) {
        return new RunRecord(
                UUID.fromString(text(tree, "run")),
                all(tree, "arguments", JsonNode::asText),
                all(tree, "wanted-tables", JsonNode::asText),
                all(tree, "replicas", each -> new RecordedReplica(text(each, "name"), text(each, "place"))),
                all(tree, "ranges", each -> TokenRange.parse(each.asText())),
                flag(tree, "dry-run"),
                all(tree, "started", each -> Instant.parse(each.asText())),
                moment(tree, "ended"),
                RunRecord.Outcome.valueOf(text(tree, "outcome").toUpperCase(Locale.ROOT)),
                Optional.ofNullable(tree.get("progress")).map(RunJson::progress),
                all(tree, "tables", RunJson::table),
                Optional.ofNullable(tree.get("cluster")).map(RunJson::hold));
    }

    private static RecordedProgress progress(JsonNode tree) {
        return new RecordedProgress(
                Instant.parse(text(tree, "at")),
                number(tree, "rows"),
                number(tree, "rows-per-second"),
                Math.toIntExact(number(tree, "parts-done")),
                Math.toIntExact(number(tree, "parts")),
                Math.toIntExact(optional(tree, "parts-running").orElse(0)),
                optional(tree, "seconds-left"));
    }

    private static RecordedTable table(JsonNode tree) {
        OptionalLong gcGraceSeconds = optional(tree, "gc-grace-seconds");
        return new RecordedTable(
                text(tree, "table"),
                number(tree, "rows-differing"),
                number(tree, "deletions-differing"),
                number(tree, "rows-written"),
                number(tree, "deletions-written"),
                moment(tree, "covered-until"),
                gcGraceSeconds.isPresent()
                        ? Optional.of(Duration.ofSeconds(gcGraceSeconds.getAsLong()))
                        : Optional.empty(),
                Math.toIntExact(number(tree, "sstables-to-import")),
                moment(tree, "import-before"));
    }

    private static JsonNode field(JsonNode tree, String name) {
        JsonNode field = tree == null ? null : tree.get(name);
        if (field == null || field.isNull()) {
            throw new IllegalArgumentException("a field is missing, field=" + name);
        }
        return field;
    }

    private static String text(JsonNode tree, String name) {
        return field(tree, name).asText();
    }

    private static long number(JsonNode tree, String name) {
        JsonNode field = field(tree, name);
        if (!field.isIntegralNumber()) {
            throw new IllegalArgumentException("a field is no number, field=" + name);
        }
        return field.asLong();
    }

    private static boolean flag(JsonNode tree, String name) {
        JsonNode field = field(tree, name);
        if (!field.isBoolean()) {
            throw new IllegalArgumentException("a field is neither true nor false, field=" + name);
        }
        return field.asBoolean();
    }

    private static OptionalLong optional(JsonNode tree, String name) {
        return tree.hasNonNull(name) ? OptionalLong.of(number(tree, name)) : OptionalLong.empty();
    }

    private static Optional<Instant> moment(JsonNode tree, String name) {
        return tree.hasNonNull(name) ? Optional.of(Instant.parse(text(tree, name))) : Optional.empty();
    }

    private static <T> List<T> all(JsonNode tree, String name, Function<JsonNode, T> parser) {
        List<T> all = new ArrayList<>();
        field(tree, name).forEach(each -> all.add(parser.apply(each)));
        return all;
    }
}
