package io.anneal.cli.repair;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.Counted;
import io.anneal.key.TokenRange;
import io.anneal.repair.RangeReport;
import io.anneal.repair.RepairReport;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** In which ranges the replicas of a table differed, and what each of them lacked there. */
final class RangeLines {
    private static final int LINES_MAX = 20;

    private RangeLines() {}

    /** Those ranges in which most differs, a line each, and the rest together; nothing where there is but one range. */
    static void print(PrintStream out, RepairReport report) {
        if (report.ranges().size() < 2) {
            return;
        }
        List<RangeReport> differing = report.rangesDiffering().stream()
                .sorted(Comparator.comparingLong(RangeLines::differing).reversed())
                .toList();
        differing.stream().limit(LINES_MAX).forEach(range -> print(out, range));
        if (differing.size() > LINES_MAX) {
            List<RangeReport> rest = differing.subList(LINES_MAX, differing.size());
            out.printf(
                    Locale.ROOT,
                    "  and %s: %s and %s differ%n",
                    Counted.of(rest.size(), "more range"),
                    Counted.of(
                            rest.stream().mapToLong(RangeReport::rowsDiffering).sum(), "row"),
                    Counted.of(
                            rest.stream()
                                    .mapToLong(RangeReport::deletionsDiffering)
                                    .sum(),
                            "deletion"));
        }
    }

    private static long differing(RangeReport range) {
        return range.rowsDiffering() + range.deletionsDiffering();
    }

    private static void print(PrintStream out, RangeReport range) {
        out.printf(
                Locale.ROOT,
                "  in %s %,d of %s and %s differ; %s%n",
                text(range.range()),
                range.rowsDiffering(),
                Counted.of(range.rowsCompared(), "row"),
                Counted.of(range.deletionsDiffering(), "deletion"),
                range.replicas().stream()
                        .filter(replica -> replica.rows() + replica.deletions() > 0)
                        .map(replica -> String.format(
                                Locale.ROOT,
                                "%s lacks %s, %s, %s",
                                replica.name(),
                                Counted.of(replica.rows(), "row"),
                                Counted.of(replica.deletions(), "deletion"),
                                Counted.of(replica.bytes(), "byte")))
                        .collect(Collectors.joining("; ")));
    }

    private static String text(TokenRange range) {
        return range.left() == range.right() ? "the whole ring" : range.toString();
    }

    /** All that differ. */
    static void write(JsonGenerator json, RepairReport report) throws IOException {
        json.writeArrayFieldStart("ranges-differing");
        for (RangeReport range : report.rangesDiffering()) {
            json.writeStartObject();
            json.writeStringField("range", range.range().toString());
            json.writeNumberField("rows-compared", range.rowsCompared());
            json.writeNumberField("rows-differing", range.rowsDiffering());
            json.writeNumberField("deletions-differing", range.deletionsDiffering());
            json.writeArrayFieldStart("replicas");
            for (RangeReport.Lacking replica : range.replicas()) {
                json.writeStartObject();
                json.writeStringField("name", replica.name());
                json.writeNumberField("rows-lacking", replica.rows());
                json.writeNumberField("deletions-lacking", replica.deletions());
                json.writeNumberField("bytes-lacking", replica.bytes());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
