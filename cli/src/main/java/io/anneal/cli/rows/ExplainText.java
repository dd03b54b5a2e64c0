package io.anneal.cli.rows;

import io.anneal.cli.command.CellJson;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyText;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** An explanation for people: every version of a cell under its name, one source a line, a star at what counts. One thread. */
final class ExplainText implements KeyExplanation.Listener {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final PrintStream out;
    private final TableSchema schema;
    private final long nowSeconds;
    private final int sourceWidth;

    ExplainText(PrintStream out, TableSchema schema, long nowSeconds, List<KeySource> sources) {
        this.out = out;
        this.schema = schema;
        this.nowSeconds = nowSeconds;
        sourceWidth =
                sources.stream().mapToInt(source -> name(source).length()).max().orElse(0);
    }

    private static String name(KeySource source) {
        return source.replica() + " " + source.sstable();
    }

    private void lines(String what, List<KeyExplanation.Said> said, Function<KeyExplanation.Said, String> text) {
        out.println("    " + what);
        for (KeyExplanation.Said each : said) {
            String name = name(each.source());
            out.println("      " + (each.wins() ? "* " : "  ") + name + " ".repeat(sourceWidth - name.length()) + "  "
                    + text.apply(each));
        }
    }

    private static String micros(long micros) {
        long nanos = Math.floorMod(micros, TimeUnit.SECONDS.toMicros(1)) * 1000;
        return Instant.ofEpochSecond(Math.floorDiv(micros, TimeUnit.SECONDS.toMicros(1)), nanos % NANOS_PER_SECOND)
                + " (" + micros + ")";
    }

    private static String deletion(DeletionTime deletion) {
        return deletion.isLive()
                ? "nothing deleted"
                : "deleted   written " + micros(deletion.timestampMicros()) + ", made "
                        + Instant.ofEpochSecond(deletion.localDeletionTimeSeconds());
    }

    private String expiry(int ttlSeconds, long expirySeconds) {
        if (ttlSeconds == Row.NO_TTL) {
            return "";
        }
        return ", TTL " + ttlSeconds + " s, " + (expirySeconds <= nowSeconds ? "expired " : "expires ")
                + Instant.ofEpochSecond(expirySeconds);
    }

    @Override
    public void partitionDeletion(List<KeyExplanation.Said> said) {
        out.println("  partition");
        lines("deletion", said, each -> deletion(each.deletion()));
    }

    @Override
    public void rangeChange(List<KeyExplanation.Said> said) {
        KeySource first = said.get(0).source();
        out.println("  from here on, " + (first.weight() == ClusteringComparator.BEFORE ? "before " : "behind ")
                + KeyText.of(schema, first.prefix()));
        lines("range deletion", said, each -> deletion(each.deletion()));
    }

    @Override
    public void startRow(Row place, Row merged) {
        out.println("  " + (place.isStatic() ? "static row" : "row " + KeyText.of(schema, place.clustering()))
                + (merged == null ? ", of which nothing is left" : ""));
    }

    @Override
    public void liveness(List<KeyExplanation.Said> said) {
        lines(
                "inserted",
                said,
                each -> "written " + micros(each.row().livenessTimestampMicros())
                        + expiry(each.row().livenessTtlSeconds(), each.row().livenessExpirySeconds()));
    }

    @Override
    public void rowDeletion(List<KeyExplanation.Said> said) {
        lines("deletion of the row", said, each -> deletion(each.deletion()));
    }

    @Override
    public void entry(Column column, List<KeyExplanation.Said> said, Row merged, int mergedEntry) {
        KeyExplanation.Said first = said.get(0);
        String path = first.row().pathLengthBytes(first.entry()) == Row.ABSENT
                ? ""
                : "[" + CellJson.pathText(column, first.row(), first.entry()) + "]";
        String what = first.row().isComplexDeletion(first.entry()) ? ", all of it" : "";
        lines(column.name() + path + what, said, each -> entry(column, each.row(), each.entry()));
        if (mergedEntry >= 0 && said.stream().noneMatch(KeyExplanation.Said::wins)) {
            out.println("      * " + " ".repeat(sourceWidth) + "  " + entry(column, merged, mergedEntry) + " together");
        }
    }

    private String entry(Column column, Row row, int entry) {
        if (row.isComplexDeletion(entry) || row.isTombstone(entry)) {
            return deletion(new DeletionTime(row.timestampMicros(entry), row.localDeletionTimeSeconds(entry)));
        }
        return CellJson.valueJson(column, row, entry) + "   written " + micros(row.timestampMicros(entry))
                + expiry(row.ttlSeconds(entry), row.localDeletionTimeSeconds(entry));
    }

    @Override
    public void endRow() {}
}
