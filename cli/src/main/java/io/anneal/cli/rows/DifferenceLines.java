package io.anneal.cli.rows;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.CellJson;
import io.anneal.cli.command.Entries;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;

/**
 * Differences as JSON objects, one for each cell, liveness or deletion: where it is, and what either side has there, null for
 * nothing. One thread.
 */
final class DifferenceLines implements TableComparison.Listener {
    /** What is written behind each object, and what stands for a closed output. */
    interface LineEnd {
        void end() throws IOException;
    }

    private interface Fields {
        void write() throws IOException;
    }

    private final JsonGenerator json;
    private final LineEnd lineEnd;
    private final String table;
    private final TableSchema schema;

    DifferenceLines(JsonGenerator json, LineEnd lineEnd, String table, TableSchema schema) {
        this.json = json;
        this.lineEnd = lineEnd;
        this.table = table;
        this.schema = schema;
    }

    private void start(KeyView key, String kind) throws IOException {
        json.writeStartObject();
        json.writeStringField("table", table);
        CellJson.key(json, schema, key);
        json.writeStringField("kind", kind);
    }

    private void end() throws IOException {
        json.writeEndObject();
        lineEnd.end();
    }

    private void side(String name, boolean present, Fields fields) throws IOException {
        if (!present) {
            json.writeNullField(name);
            return;
        }
        json.writeObjectFieldStart(name);
        fields.write();
        json.writeEndObject();
    }

    private void deletions(DeletionTime left, DeletionTime right) throws IOException {
        side("left", !left.isLive(), () -> deletion(left));
        side("right", !right.isLive(), () -> deletion(right));
    }

    private void deletion(DeletionTime deletion) throws IOException {
        CellJson.deletion(json, deletion.timestampMicros(), deletion.localDeletionTimeSeconds());
    }

    @Override
    public void partitionDeletion(KeyView key, DeletionTime left, DeletionTime right) throws IOException {
        start(key, "partition-deletion");
        deletions(left, right);
        end();
    }

    @Override
    public void range(
            KeyView key, TableComparison.Place from, TableComparison.Place to, DeletionTime left, DeletionTime right)
            throws IOException {
        start(key, "range-deletion");
        bound("from", from, ClusteringComparator.BEFORE);
        bound("to", to, ClusteringComparator.AFTER);
        deletions(left, right);
        end();
    }

    private void bound(String name, TableComparison.Place place, int inclusive) throws IOException {
        CellJson.clustering(json, name, schema, place.prefix());
        json.writeBooleanField(name + "Inclusive", place.weight() == inclusive);
    }

    @Override
    public void bytes(KeyView key, Clustering left, Clustering right) throws IOException {
        start(key, "clustering-bytes");
        CellJson.clustering(json, "clustering", schema, left);
        side("left", true, () -> json.writeStringField("bytes", hex(left)));
        side("right", true, () -> json.writeStringField("bytes", hex(right)));
        end();
    }

    private static String hex(Clustering clustering) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < clustering.size(); i++) {
            int offset = clustering.offset(i);
            int end = offset + Math.max(0, clustering.lengthBytes(i));
            text.append(i == 0 ? "" : ":").append(HexFormat.of().formatHex(clustering.buffer(), offset, end));
        }
        return text.toString();
    }

    @Override
    public void row(KeyView key, Row left, Row right) throws IOException {
        Row present = left == null ? right : left;
        Row one = left == null ? new Row() : left;
        Row other = right == null ? new Row() : right;
        boolean sameLiveness = one.livenessTimestampMicros() == other.livenessTimestampMicros()
                && one.livenessTtlSeconds() == other.livenessTtlSeconds()
                && one.livenessExpirySeconds() == other.livenessExpirySeconds();
        if (!sameLiveness) {
            startRow(key, "liveness", present);
            side("left", one.hasLiveness(), () -> CellJson.liveness(json, one));
            side("right", other.hasLiveness(), () -> CellJson.liveness(json, other));
            end();
        }
        boolean sameDeletion =
                deletionOf(one).equals(deletionOf(other)) && one.isDeletionShadowable() == other.isDeletionShadowable();
        if (!sameDeletion) {
            startRow(key, "row-deletion", present);
            deletions(deletionOf(one), deletionOf(other));
            end();
        }
        List<Column> columns = present.isStatic() ? schema.staticColumns() : schema.regularColumns();
        int i = 0;
        int j = 0;
        while (i < one.entryCount() || j < other.entryCount()) {
            int order = compare(columns, one, i, other, j);
            if (order != 0 || !Entries.areSame(one, i, other, j)) {
                entry(key, present, columns, one, order <= 0 ? i : -1, other, order >= 0 ? j : -1);
            }
            i += order <= 0 ? 1 : 0;
            j += order >= 0 ? 1 : 0;
        }
    }

    private static DeletionTime deletionOf(Row row) {
        return new DeletionTime(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds());
    }

    private void startRow(KeyView key, String kind, Row row) throws IOException {
        start(key, kind);
        if (row.isStatic()) {
            json.writeBooleanField("static", true);
        } else {
            CellJson.clustering(json, "clustering", schema, row.clustering());
        }
    }

    /** Canonical order of two entries, of which either may be behind its row's last. */
    private static int compare(List<Column> columns, Row left, int i, Row right, int j) {
        if (i == left.entryCount() || j == right.entryCount()) {
            return i == left.entryCount() ? 1 : -1;
        }
        return Entries.compare(columns, left, i, right, j);
    }

    /** Entry -1 for the side that has none. */
    private void entry(KeyView key, Row place, List<Column> columns, Row left, int i, Row right, int j)
            throws IOException {
        Row present = i >= 0 ? left : right;
        int at = i >= 0 ? i : j;
        Column column = columns.get(present.columnIndex(at));
        startRow(key, present.isComplexDeletion(at) ? "collection-deletion" : "cell", place);
        CellJson.name(json, column, present, at);
        side("left", i >= 0, () -> CellJson.entry(json, column, left, i));
        side("right", j >= 0, () -> CellJson.entry(json, column, right, j));
        end();
    }
}
