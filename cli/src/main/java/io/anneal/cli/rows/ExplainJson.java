package io.anneal.cli.rows;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.CellJson;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.key.ClusteringComparator;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;

/** An explanation as JSON: an object for each place, in it an object for each cell, in it one for each source. One thread. */
final class ExplainJson implements KeyExplanation.Listener {
    private interface Fields {
        void write(KeyExplanation.Said said) throws IOException;
    }

    private final JsonGenerator json;
    private final TableSchema schema;

    ExplainJson(JsonGenerator json, TableSchema schema) {
        this.json = json;
        this.schema = schema;
    }

    private void versions(List<KeyExplanation.Said> said, Fields fields) throws IOException {
        json.writeArrayFieldStart("versions");
        for (KeyExplanation.Said each : said) {
            json.writeStartObject();
            json.writeStringField("replica", each.source().replica());
            json.writeStringField("sstable", each.source().sstable());
            json.writeBooleanField("wins", each.wins());
            fields.write(each);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void deletion(DeletionTime deletion) throws IOException {
        if (deletion.isLive()) {
            json.writeBooleanField("deleted", false);
        } else {
            CellJson.deletion(json, deletion.timestampMicros(), deletion.localDeletionTimeSeconds());
        }
    }

    @Override
    public void partitionDeletion(List<KeyExplanation.Said> said) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", "partition-deletion");
        versions(said, each -> deletion(each.deletion()));
        json.writeEndObject();
    }

    @Override
    public void rangeChange(List<KeyExplanation.Said> said) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", "range-deletion-change");
        KeySource first = said.get(0).source();
        CellJson.clustering(json, "prefix", schema, first.prefix());
        json.writeBooleanField("before", first.weight() == ClusteringComparator.BEFORE);
        versions(said, each -> deletion(each.deletion()));
        json.writeEndObject();
    }

    @Override
    public void startRow(Row place, Row merged) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", place.isStatic() ? "static-row" : "row");
        if (!place.isStatic()) {
            CellJson.clustering(json, "clustering", schema, place.clustering());
        }
        json.writeBooleanField("remains", merged != null);
        json.writeArrayFieldStart("cells");
    }

    @Override
    public void liveness(List<KeyExplanation.Said> said) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", "liveness");
        versions(said, each -> CellJson.liveness(json, each.row()));
        json.writeEndObject();
    }

    @Override
    public void rowDeletion(List<KeyExplanation.Said> said) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", "row-deletion");
        versions(said, each -> deletion(each.deletion()));
        json.writeEndObject();
    }

    @Override
    public void entry(Column column, List<KeyExplanation.Said> said, Row merged, int mergedEntry) throws IOException {
        Row first = said.get(0).row();
        json.writeStartObject();
        json.writeStringField("kind", first.isComplexDeletion(said.get(0).entry()) ? "collection-deletion" : "cell");
        CellJson.name(json, column, first, said.get(0).entry());
        versions(said, each -> CellJson.entry(json, column, each.row(), each.entry()));
        if (mergedEntry >= 0 && said.stream().noneMatch(KeyExplanation.Said::wins)) {
            json.writeObjectFieldStart("merged");
            CellJson.entry(json, column, merged, mergedEntry);
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    @Override
    public void endRow() throws IOException {
        json.writeEndArray();
        json.writeEndObject();
    }
}
