package io.anneal.cli.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.KeyText;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.CounterShards;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;

/** Keys, places, deletions and cells as JSON, alike in all commands that speak of single cells. */
public final class CellJson {
    private CellJson() {}

    public static void key(JsonGenerator json, TableSchema schema, KeyView key) throws IOException {
        texts(json, "key", KeyText.of(schema, key));
    }

    /** As an array of JSON values, shorter for a prefix. */
    public static void clustering(JsonGenerator json, String field, TableSchema schema, Clustering clustering)
            throws IOException {
        json.writeArrayFieldStart(field);
        for (int i = 0; i < clustering.size(); i++) {
            if (clustering.isAbsent(i)) {
                json.writeNull();
            } else {
                StringBuilder text = new StringBuilder();
                schema.clustering()
                        .get(i)
                        .type()
                        .appendJson(clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i), text);
                json.writeRawValue(text.toString());
            }
        }
        json.writeEndArray();
    }

    private static void texts(JsonGenerator json, String field, List<String> texts) throws IOException {
        json.writeArrayFieldStart(field);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    /** Into the current object. */
    public static void deletion(JsonGenerator json, long timestampMicros, long localSeconds) throws IOException {
        json.writeBooleanField("deleted", true);
        json.writeNumberField("writeTimeMicros", timestampMicros);
        json.writeNumberField("localDeletionTimeSeconds", localSeconds);
    }

    /** Into the current object. */
    public static void liveness(JsonGenerator json, Row row) throws IOException {
        json.writeNumberField("writeTimeMicros", row.livenessTimestampMicros());
        expiry(json, row.livenessTtlSeconds(), row.livenessExpirySeconds());
    }

    private static void expiry(JsonGenerator json, int ttlSeconds, long expirySeconds) throws IOException {
        if (ttlSeconds != Row.NO_TTL) {
            json.writeNumberField("ttlSeconds", ttlSeconds);
            json.writeNumberField("expirySeconds", expirySeconds);
        }
    }

    /** A cell, or the deletion of a collection, into the current object. */
    public static void entry(JsonGenerator json, Column column, Row row, int entry) throws IOException {
        if (row.isComplexDeletion(entry) || row.isTombstone(entry)) {
            deletion(json, row.timestampMicros(entry), row.localDeletionTimeSeconds(entry));
            return;
        }
        json.writeFieldName("value");
        json.writeRawValue(valueJson(column, row, entry));
        if (column.type().isCounter()) {
            json.writeStringField("shards", hex(row, entry));
        }
        json.writeNumberField("writeTimeMicros", row.timestampMicros(entry));
        expiry(json, row.ttlSeconds(entry), row.localDeletionTimeSeconds(entry));
    }

    private static String hex(Row row, int entry) {
        int offset = row.valueOffset(entry);
        return HexFormat.of().formatHex(row.valueBuffer(entry), offset, offset + row.valueLengthBytes(entry));
    }

    /** A live cell's value; of a counter the total. */
    public static String valueJson(Column column, Row row, int entry) {
        byte[] buffer = row.valueBuffer(entry);
        int offset = row.valueOffset(entry);
        int lengthBytes = row.valueLengthBytes(entry);
        if (lengthBytes == Row.ABSENT) {
            return "null";
        }
        if (column.type().isCounter()) {
            return Long.toString(new CounterShards().total(buffer, offset, lengthBytes));
        }
        CqlType type = column.isComplex()
                ? column.type().cellType(row.pathBuffer(entry), row.pathOffset(entry), row.pathLengthBytes(entry))
                : column.type();
        StringBuilder text = new StringBuilder();
        type.appendJson(buffer, offset, lengthBytes, text);
        return text.toString();
    }

    /** The column's name, and the path of a cell in a collection. */
    public static void name(JsonGenerator json, Column column, Row row, int entry) throws IOException {
        json.writeStringField("column", column.name());
        if (row.pathLengthBytes(entry) != Row.ABSENT) {
            json.writeStringField("path", pathText(column, row, entry));
        }
    }

    public static String pathText(Column column, Row row, int entry) {
        return column.type().pathText(row.pathBuffer(entry), row.pathOffset(entry), row.pathLengthBytes(entry));
    }
}
