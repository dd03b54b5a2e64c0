package io.anneal.cli.demo;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.repair.RepairReport;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** The table in which the demo ends. */
record DemoTable(RepairReport report, List<ReplicaReading> before, List<ReplicaReading> after, double repairSeconds) {
    void print(PrintStream out) {
        long rangeBytes = rangeRepairBytes();
        out.println();
        for (int i = 0; i < before.size(); i++) {
            line(
                    out,
                    "rows in replica-" + (i + 1) + " before",
                    "%,d",
                    before.get(i).rows());
        }
        line(out, "rows that differed", "%,d", report.rowsDiffering());
        line(out, "deletions that differed", "%,d", report.deletionsDiffering());
        line(out, "bytes moved, row by row", "%,d", report.networkBytes());
        line(out, "  of them rows and deletions", "%,d", report.itemBytes());
        line(out, "bytes moved, ranges of 100 partitions", "%,d", rangeBytes);
        if (report.networkBytes() > 0) {
            line(out, "ratio", "%.1f times less", rangeBytes / (double) report.networkBytes());
        }
        line(out, "time", "%.2f s", repairSeconds);
        out.println();
    }

    void write(JsonGenerator json, boolean areEqual) throws IOException {
        json.writeBooleanField("equal", areEqual);
        json.writeArrayFieldStart("rowsBefore");
        for (ReplicaReading replica : before) {
            json.writeNumber(replica.rows());
        }
        json.writeEndArray();
        json.writeNumberField("rowsDiffering", report.rowsDiffering());
        json.writeNumberField("deletionsDiffering", report.deletionsDiffering());
        json.writeNumberField("networkBytes", report.networkBytes());
        json.writeNumberField("itemBytes", report.itemBytes());
        json.writeNumberField("rangeRepairBytes", rangeRepairBytes());
        json.writeNumberField("seconds", repairSeconds);
    }

    /**
     * What fetching each range in which something differed from every follower, and sending the merge back to each,
     * would have moved: encoded rows alone, without checksums.
     */
    private long rangeRepairBytes() {
        int followers = after.size() - 1;
        return after.get(0).dirtyRangeBytes() * followers * 2;
    }

    private static void line(PrintStream out, String what, String format, Object value) {
        out.printf(Locale.ROOT, "  %-40s %20s%n", what, String.format(Locale.ROOT, format, value));
    }
}
