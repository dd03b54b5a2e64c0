package io.anneal.cli.repair;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.CellJson;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.repair.DeletionDifference;
import io.anneal.repair.RowDifference;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Rows that differ as JSON objects, one behind the other, into an array that is open. */
final class RowJson implements RowLines.Format {
    private final JsonGenerator json;

    RowJson(JsonGenerator json) {
        this.json = json;
    }

    private void start(TableSchema schema, DecoratedKey key, String kind) throws IOException {
        json.writeStartObject();
        json.writeStringField("table", schema.qualifiedName());
        CellJson.key(json, schema, new KeyView().wrap(key));
        json.writeStringField("kind", kind);
    }

    private void names(String field, List<String> names) throws IOException {
        json.writeArrayFieldStart(field);
        for (String name : names) {
            json.writeString(name);
        }
        json.writeEndArray();
    }

    @Override
    public void deletion(TableSchema schema, DeletionDifference difference, List<String> lacking) throws IOException {
        start(schema, difference.key(), difference.range().isPresent() ? "range-deletion" : "partition-deletion");
        if (difference.range().isPresent()) {
            RangeDeletion range = difference.range().get();
            CellJson.clustering(json, "from", schema, range.start());
            json.writeBooleanField("fromInclusive", range.startWeight() == ClusteringComparator.BEFORE);
            CellJson.clustering(json, "to", schema, range.end());
            json.writeBooleanField("toInclusive", range.endWeight() == ClusteringComparator.AFTER);
        }
        CellJson.deletion(
                json,
                difference.deletion().timestampMicros(),
                difference.deletion().localDeletionTimeSeconds());
        names("lacking", lacking);
        json.writeEndObject();
    }

    @Override
    public void row(TableSchema schema, RowDifference difference, List<String> lacking, Optional<RowLines.Found> found)
            throws IOException {
        start(schema, difference.place().key().orElseThrow(), "row");
        PositionInPartition place = difference.place().position();
        if (place.region() == PositionInPartition.Region.STATIC) {
            json.writeBooleanField("static", true);
        } else {
            CellJson.clustering(json, "clustering", schema, place.prefix());
        }
        names("lacking", lacking);
        if (found.isPresent()) {
            RowLines.Found row = found.get();
            json.writeBooleanField("equal-by-now", row.isEqual(schema));
            json.writeBooleanField("ghost", row.isGhost());
            names("without", row.without());
            json.writeArrayFieldStart("differences");
            List<RowParts.Difference> parts =
                    row.views().isEmpty() ? List.of() : RowParts.differences(schema, row.views());
            for (RowParts.Difference part : parts) {
                part(part, row.holders());
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private void part(RowParts.Difference part, List<String> names) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", part.kind().text());
        if (part.column().isPresent()) {
            CellJson.name(
                    json, part.column().get(), part.any().row(), part.any().entry());
        }
        json.writeObjectFieldStart("replicas");
        for (int i = 0; i < names.size(); i++) {
            if (part.parts().get(i).isEmpty()) {
                json.writeNullField(names.get(i));
                continue;
            }
            json.writeObjectFieldStart(names.get(i));
            version(part, part.parts().get(i).get());
            json.writeEndObject();
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private void version(RowParts.Difference part, RowParts.Part version) throws IOException {
        Row row = version.row();
        switch (part.kind()) {
            case LIVENESS -> CellJson.liveness(json, row);
            case DELETION -> CellJson.deletion(json, row.deletionTimestampMicros(), row.deletionLocalTimeSeconds());
            case COLLECTION_DELETION, CELL -> CellJson.entry(json, part.column().orElseThrow(), row, version.entry());
        }
    }
}
