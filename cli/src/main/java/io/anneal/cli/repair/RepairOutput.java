package io.anneal.cli.repair;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.Counted;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.ShellWord;
import io.anneal.key.TokenRange;
import io.anneal.repair.RepairReport;
import io.anneal.repair.Unkept;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.RepairCounts;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** How a repair's report looks to a person, and as JSON. */
final class RepairOutput {
    /** What is told of a session beside what it found: as JSON fields of the same names. */
    private static final List<RepairCount> OF_SESSION = List.of(
            RepairCount.ROWS_KNOWN,
            RepairCount.WINDOWS_DELETIONS,
            RepairCount.WINDOWS_RANGE_SUMS,
            RepairCount.WINDOWS_SKETCH,
            RepairCount.WINDOWS_LIST,
            RepairCount.RANGE_SUMS,
            RepairCount.SYMBOLS,
            RepairCount.HASHES,
            RepairCount.READ_NANOS,
            RepairCount.WAIT_NANOS,
            RepairCount.RECONCILE_NANOS,
            RepairCount.WRITE_NANOS);

    private static final List<RepairCount> OF_REPLICA = List.of(
            RepairCount.DELETIONS_READ,
            RepairCount.ITEMS_SENT,
            RepairCount.ITEM_BYTES_SENT,
            RepairCount.ITEMS_RECEIVED,
            RepairCount.ITEM_BYTES_RECEIVED,
            RepairCount.BYTES_WRITTEN,
            RepairCount.READ_NANOS,
            RepairCount.WRITE_NANOS);

    private RepairOutput() {}

    /** Whether something was written that must not be imported any more. */
    static boolean isTooLate(RepairReport report, Instant now) {
        return report.replicas().stream().anyMatch(replica -> isTooLate(replica, now));
    }

    private static boolean isTooLate(RepairReport.ReplicaReport replica, Instant now) {
        return !replica.sstables().isEmpty()
                && replica.importDeadline()
                        .filter(deadline -> !now.isBefore(deadline))
                        .isPresent();
    }

    /**
     * @param run by whose id {@code --staged} counts what it wrote
     * @param share how much of the ring was compared
     */
    static void print(PrintStream out, UUID run, QualifiedTable table, RepairReport report, String share, Instant now) {
        printFound(out, table, report, share);
        printImports(out, run, table, report, now);
    }

    /** The same without what an operator is to do with what was written. */
    static void printFound(PrintStream out, QualifiedTable table, RepairReport report, String share) {
        out.printf(Locale.ROOT, "%s: %s%n", table, verdict(report));
        out.printf(
                Locale.ROOT,
                "  compared %s of %s%s; the replicas read %s%n",
                Counted.of(report.rowsCompared(), "row"),
                share,
                known(report),
                Counted.of(
                        report.replicas().stream()
                                .mapToLong(RepairReport.ReplicaReport::bytesRead)
                                .sum(),
                        "byte"));
        out.println("  " + counts(report));
        printSteps(out, report);
        printLeftOut(out, report);
        for (RepairReport.ReplicaReport replica : report.replicas()) {
            out.printf(
                    Locale.ROOT,
                    report.dryRun()
                            ? "  %s: read %s; has not, or has another version of, %s; has not %s; lacks %s%n"
                            : "  %s: read %s, received %s and %s; lacked %s%n",
                    replica.name(),
                    Counted.of(replica.rowsRead(), "row"),
                    Counted.of(replica.rowsWritten(), "row"),
                    Counted.of(replica.deletionsWritten(), "deletion"),
                    Counted.of(report.bytesLacking(replica), "byte"));
            printWritten(out, replica);
        }
        RangeLines.print(out, report);
    }

    private static String known(RepairReport report) {
        return report.rowsKnown() == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        ", %,d of them by sums of an earlier repair, as nothing has changed there since (--read-all reads them)",
                        report.rowsKnown());
    }

    /** What replicas kept of a table that is not done: it is right, and may wait for import; and what one of them did not keep. */
    static void printKept(PrintStream out, UUID run, QualifiedTable table, RepairReport kept, Instant now) {
        if (hasStaged(kept) || !kept.isKept() || !kept.dryRun() && !kept.wereEqual()) {
            out.println(table + ": not done, but what was kept is right");
            kept.notes().forEach(note -> out.println("  note: " + note));
            for (RepairReport.ReplicaReport replica : kept.replicas()) {
                out.printf(
                        Locale.ROOT,
                        "  %s: kept %s and %s%n",
                        replica.name(),
                        Counted.of(replica.rowsWritten(), "row"),
                        Counted.of(replica.deletionsWritten(), "deletion"));
                printWritten(out, replica);
            }
            printImports(out, run, table, kept, now);
        }
    }

    private static void printWritten(PrintStream out, RepairReport.ReplicaReport replica) {
        replica.sstables().forEach(sstable -> out.println("    wrote " + sstable));
        replica.unkept().forEach(part -> printUnkept(out, part));
    }

    private static void printUnkept(PrintStream out, Unkept part) {
        out.printf(
                Locale.ROOT,
                "    %s %s that it was sent, in %s: %s%n",
                part.mayBeKept() ? "may not have kept" : "did not keep",
                Counted.of(part.items(), "row or deletion", "rows and deletions"),
                ranges(part),
                part.reason());
    }

    /** One as it is, many by their number: JSON has them all. */
    private static String ranges(Unkept part) {
        return part.ranges().get(0)
                + (part.ranges().size() == 1
                        ? ""
                        : " and " + Counted.of(part.ranges().size() - 1, "more range"));
    }

    private static void printImports(
            PrintStream out, UUID run, QualifiedTable table, RepairReport report, Instant now) {
        report.replicas().forEach(replica -> printImport(out, table, replica, now));
        if (hasStaged(report) && !isTooLate(report, now)) {
            out.println("  run " + run + "; --staged counts what it wrote, before the import");
        }
    }

    /** @param failed tables that are not done: what they have kept is in the sum */
    static void printSum(PrintStream out, RepairReport sum, int tables, int failed) {
        out.printf(
                Locale.ROOT,
                "in all %s%s: %s%n",
                Counted.of(tables, "table"),
                failed == 0 ? "" : String.format(Locale.ROOT, ", %,d of which failed", failed),
                counts(sum));
        printSteps(out, sum);
    }

    /** What was exchanged to find what differs, and where the time went. */
    private static void printSteps(PrintStream out, RepairReport report) {
        RepairCounts counts = report.counts();
        if (!report.wereEqual()) {
            out.printf(
                    Locale.ROOT,
                    "  windows equal %,d, by deletions %,d, range sums %,d, sketch %,d, list %,d;"
                            + " exchanged %s, %s, %s%n",
                    report.windows() - report.windowsDiffering(),
                    counts.of(RepairCount.WINDOWS_DELETIONS),
                    counts.of(RepairCount.WINDOWS_RANGE_SUMS),
                    counts.of(RepairCount.WINDOWS_SKETCH),
                    counts.of(RepairCount.WINDOWS_LIST),
                    Counted.of(counts.of(RepairCount.RANGE_SUMS), "sum"),
                    Counted.of(counts.of(RepairCount.SYMBOLS), "symbol"),
                    Counted.of(counts.of(RepairCount.HASHES), "hash", "hashes"));
        }
        out.printf(
                Locale.ROOT,
                "  time of the master, added up over parts that ran side by side: reading %s, waiting for replicas %s, reconciling %s, writing %s%n",
                seconds(counts.of(RepairCount.READ_NANOS)),
                seconds(counts.of(RepairCount.WAIT_NANOS)),
                seconds(counts.of(RepairCount.RECONCILE_NANOS)),
                seconds(counts.of(RepairCount.WRITE_NANOS)));
    }

    /** What was not compared: silence on it would pass for equality. */
    static void printLeftOut(PrintStream out, RepairReport report) {
        report.cutoff()
                .ifPresent(cutoff -> report.replicas().stream()
                        .filter(replica -> replica.rowsRecent() + replica.deletionsRecent() > 0)
                        .forEach(replica -> out.printf(
                                Locale.ROOT,
                                "  %s: %s and %s newer than %s were left out%s; --include-recent takes them%n",
                                replica.name(),
                                Counted.of(replica.rowsRecent(), "row"),
                                Counted.of(replica.deletionsRecent(), "deletion"),
                                cutoff,
                                replica.rowsRecent() > replica.rowsRead() / 2
                                        ? ", more than half of the rows: they were written just now, or with write times in the"
                                                + " future, or the snapshot's file times are not those of its making"
                                        : "")));
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%,.2f s", nanos / 1e9);
    }

    private static String counts(RepairReport report) {
        return String.format(
                Locale.ROOT,
                "%s and %s differed, in %,d of %s; %s, %s of them%s",
                Counted.of(report.rowsDiffering(), "row"),
                Counted.of(report.deletionsDiffering(), "deletion"),
                report.windowsDiffering(),
                Counted.of(report.windows(), "window"),
                moved(report),
                Counted.of(report.itemBytes(), "byte"),
                report.networkBytes() == 0
                        ? ""
                        : ", " + Counted.of(report.networkBytes(), "byte") + " on the network in all");
    }

    private static String moved(RepairReport report) {
        long items = report.itemsFetched() + report.itemsPushed();
        return report.dryRun()
                ? Counted.of(items, "deletion") + " exchanged to be compared, no rows"
                : Counted.of(items, "item") + " moved";
    }

    private static void printImport(
            PrintStream out, QualifiedTable table, RepairReport.ReplicaReport replica, Instant now) {
        if (isTooLate(replica, now)) {
            out.println("  too late to import on the node of " + replica.name() + ": the deadline was "
                    + replica.importDeadline().orElseThrow()
                    + ", rows deleted since the snapshots would come back; delete what lies in " + directories(replica)
                    + ", take new snapshots and repair again");
            return;
        }
        String before = replica.importDeadline()
                .map(deadline -> "import before " + deadline)
                .orElse("import");
        imports(table, replica)
                .forEach(command -> out.println("  " + before + " on the node of " + replica.name() + ": " + command));
    }

    private static boolean hasStaged(RepairReport report) {
        return report.replicas().stream()
                .anyMatch(replica -> !replica.sstables().isEmpty());
    }

    static String verdict(RepairReport report) {
        if (report.comparedNothing()) {
            return "nothing was compared: all that is there is newer than "
                    + report.cutoff().orElseThrow() + "; --include-recent takes it";
        }
        if (report.wereEqual()) {
            return "the replicas are equal"
                    + report.cutoff().map(cutoff -> " up to " + cutoff).orElse("");
        }
        if (report.dryRun()) {
            return "the replicas differ (dry run, nothing written)";
        }
        return report.isKept()
                ? "the replicas differed; with what was written for each they are equal"
                : "the replicas differed; whether they are equal with what was written for each is not known";
    }

    /** The commands that bring what a replica received into Cassandra: one for each directory. */
    private static List<String> imports(QualifiedTable table, RepairReport.ReplicaReport replica) {
        return directories(replica).stream()
                .map(directory ->
                        "nodetool import " + table.keyspace() + " " + table.table() + " " + ShellWord.of(directory))
                .toList();
    }

    private static List<String> directories(RepairReport.ReplicaReport replica) {
        return replica.sstables().stream()
                .map(sstable -> sstable.substring(0, Math.max(0, sstable.lastIndexOf('/'))))
                .distinct()
                .toList();
    }

    /** @param kept what is done, in parts and by replicas of which another failed, if anything is */
    static void writeError(
            JsonGenerator json,
            UUID run,
            QualifiedTable table,
            ErrorReport error,
            Optional<RepairReport> kept,
            Instant now)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("table", table.toString());
        json.writeObjectFieldStart("error");
        json.writeStringField("code", error.code());
        json.writeStringField("message", error.message());
        json.writeEndObject();
        if (kept.isPresent()) {
            json.writeObjectFieldStart("done-parts");
            writeDone(json, run, table, kept.get(), now);
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    /** Further fields of a table. */
    interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    /** @param known whether it is known if the replicas are equal */
    static void write(
            JsonGenerator json,
            UUID run,
            QualifiedTable table,
            RepairReport report,
            boolean known,
            Instant now,
            Fields more)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("table", table.toString());
        if (known) {
            json.writeBooleanField("were-equal", report.wereEqual());
        }
        writeDone(json, run, table, report, now);
        more.write(json);
        json.writeEndObject();
    }

    private static void writeDone(JsonGenerator json, UUID run, QualifiedTable table, RepairReport report, Instant now)
            throws IOException {
        json.writeBooleanField("dry-run", report.dryRun());
        if (hasStaged(report)) {
            json.writeStringField("run", run.toString());
        }
        writeCounts(json, report);
        json.writeNumberField("rows-compared", report.rowsCompared());
        RangeLines.write(json, report);
        if (report.cutoff().isPresent()) {
            json.writeStringField("compared-up-to", report.cutoff().get().toString());
        }
        writeDeadline(json, report.importDeadline());
        json.writeBooleanField("too-late-to-import", isTooLate(report, now));
        writeTexts(json, "notes", report.notes());
        json.writeArrayFieldStart("replicas");
        for (RepairReport.ReplicaReport replica : report.replicas()) {
            json.writeStartObject();
            writeReplica(json, report, replica);
            writeTexts(json, "sstables", replica.sstables());
            writeDeadline(json, replica.importDeadline());
            json.writeBooleanField("too-late-to-import", isTooLate(replica, now));
            writeTexts(json, "import", isTooLate(replica, now) ? List.of() : imports(table, replica));
            writeUnkept(json, replica.unkept());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** What a replica read, lacked and received. */
    static void writeReplica(JsonGenerator json, RepairReport report, RepairReport.ReplicaReport replica)
            throws IOException {
        json.writeStringField("name", replica.name());
        json.writeNumberField("rows-read", replica.rowsRead());
        json.writeNumberField("bytes-read", replica.bytesRead());
        json.writeNumberField(report.dryRun() ? "rows-lacking-or-differing" : "rows-received", replica.rowsWritten());
        json.writeNumberField(report.dryRun() ? "deletions-lacking" : "deletions-received", replica.deletionsWritten());
        json.writeNumberField("bytes-lacking", report.bytesLacking(replica));
        if (report.cutoff().isPresent()) {
            json.writeNumberField("rows-left-out", replica.rowsRecent());
            json.writeNumberField("deletions-left-out", replica.deletionsRecent());
        }
        writeCounts(json, replica.counts(), OF_REPLICA);
    }

    private static void writeUnkept(JsonGenerator json, List<Unkept> unkept) throws IOException {
        json.writeArrayFieldStart("unkept");
        for (Unkept part : unkept) {
            json.writeStartObject();
            writeTexts(
                    json,
                    "ranges",
                    part.ranges().stream().map(TokenRange::toString).toList());
            json.writeNumberField("items", part.items());
            json.writeBooleanField("may-be-kept", part.mayBeKept());
            json.writeStringField("reason", part.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /**
     * @param failed tables that are not done: what they have kept is in the sum
     * @param known whether something was compared of each table that is done
     */
    static void writeSum(JsonGenerator json, RepairReport sum, int tables, int failed, boolean known)
            throws IOException {
        json.writeObjectFieldStart("sum");
        json.writeNumberField("tables", tables);
        json.writeNumberField("tables-failed", failed);
        if (failed == 0 && known) {
            json.writeBooleanField("were-equal", sum.wereEqual());
        }
        writeCounts(json, sum);
        json.writeEndObject();
    }

    static void writeCounts(JsonGenerator json, RepairReport report) throws IOException {
        json.writeNumberField("windows", report.windows());
        json.writeNumberField("windows-differing", report.windowsDiffering());
        json.writeNumberField("rows-differing", report.rowsDiffering());
        json.writeNumberField("deletions-differing", report.deletionsDiffering());
        json.writeNumberField("items-fetched", report.itemsFetched());
        json.writeNumberField("items-pushed", report.itemsPushed());
        json.writeNumberField("item-bytes", report.itemBytes());
        json.writeNumberField("network-bytes", report.networkBytes());
        writeCounts(json, report.counts(), OF_SESSION);
    }

    private static void writeCounts(JsonGenerator json, RepairCounts counts, List<RepairCount> wanted)
            throws IOException {
        for (RepairCount count : wanted) {
            json.writeNumberField(count.text(), counts.of(count));
        }
    }

    private static void writeDeadline(JsonGenerator json, Optional<Instant> deadline) throws IOException {
        json.writeStringField("import-before", deadline.map(Instant::toString).orElse(null));
    }

    static void writeTexts(JsonGenerator json, String field, List<String> texts) throws IOException {
        json.writeArrayFieldStart(field);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }
}
