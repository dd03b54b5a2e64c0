package io.anneal.cli.stream;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.Counted;
import io.anneal.cli.command.ShellWord;
import io.anneal.node.Receiving;
import io.anneal.streaming.StreamReport;
import io.anneal.streaming.StreamUnit;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What came of each table from each source to each target, for a person and as JSON. Hears of one at a time. */
final class StreamResults {
    private static final double BYTES_PER_MIB = 1 << 20;

    /** A source that could not give a table whole, and was done without. */
    private record Damage(String node, String table, String reason) {}

    private final Map<StreamUnit, StreamReport> reports = new LinkedHashMap<>();
    private final List<Damage> damages = new ArrayList<>();

    synchronized void add(StreamUnit unit, StreamReport report) {
        reports.put(unit, report);
    }

    synchronized void addDamage(String node, String table, String reason) {
        damages.add(new Damage(node, table, reason));
    }

    synchronized void print(PrintStream out) {
        out.println("streamed " + counts(sum()));
        reports.forEach((unit, report) -> out.println(
                "  " + unit.table() + " from " + unit.source() + " to " + unit.target() + ": " + counts(report)));
        targets()
                .forEach((target, report) -> imports(target.table(), report)
                        .forEach(command -> out.println(
                                "  import on the node of " + target.node() + before(report) + ": " + command)));
    }

    private record Target(String table, String node) {}

    /** An import takes all that lies in a directory, whichever source it came from. */
    private Map<Target, StreamReport> targets() {
        Map<Target, StreamReport> targets = new LinkedHashMap<>();
        reports.forEach(
                (unit, report) -> targets.merge(new Target(unit.table(), unit.target()), report, StreamReport::plus));
        return targets;
    }

    private StreamReport sum() {
        return reports.values().stream().reduce(StreamReport.NOTHING, StreamReport::plus);
    }

    private static String counts(StreamReport report) {
        return String.format(
                Locale.ROOT,
                "%s, %,d in part, and %s, %.1f MiB",
                Counted.of(report.sstables(), "SSTable as it is", "SSTables as they are"),
                report.parts(),
                Counted.of(report.rows(), "row"),
                report.bytes() / BYTES_PER_MIB);
    }

    /** The commands that bring what a target received into Cassandra: one for each directory. */
    private static List<String> imports(String table, StreamReport report) {
        return report.stagedIn().stream()
                .map(directory -> "nodetool import " + table.replace('.', ' ') + " " + ShellWord.of(directory))
                .toList();
    }

    private static String before(StreamReport report) {
        return deadline(report).map(deadline -> " before " + deadline).orElse("");
    }

    private static Optional<Instant> deadline(StreamReport report) {
        return Optional.of(report.importDeadlineSeconds())
                .filter(seconds -> seconds != Receiving.NO_DEADLINE)
                .map(Instant::ofEpochSecond);
    }

    synchronized void write(JsonGenerator json) throws IOException {
        writeCounts(json, sum());
        json.writeArrayFieldStart("streams");
        for (Map.Entry<StreamUnit, StreamReport> each : reports.entrySet()) {
            json.writeStartObject();
            json.writeStringField("table", each.getKey().table());
            json.writeStringField("from", each.getKey().source());
            json.writeStringField("to", each.getKey().target());
            writeCounts(json, each.getValue());
            json.writeArrayFieldStart("import");
            for (String command : imports(each.getKey().table(), each.getValue())) {
                json.writeString(command);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("damaged");
        for (Damage damage : damages) {
            json.writeStartObject();
            json.writeStringField("node", damage.node());
            json.writeStringField("table", damage.table());
            json.writeStringField("reason", damage.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void writeCounts(JsonGenerator json, StreamReport report) throws IOException {
        json.writeNumberField("sstables", report.sstables());
        json.writeNumberField("parts", report.parts());
        json.writeNumberField("rows", report.rows());
        json.writeNumberField("bytes", report.bytes());
        Optional<Instant> deadline = deadline(report);
        if (deadline.isPresent()) {
            json.writeStringField("importDeadline", deadline.get().toString());
        }
    }
}
