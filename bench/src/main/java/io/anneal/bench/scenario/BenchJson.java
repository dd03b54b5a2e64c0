package io.anneal.bench.scenario;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * Records as JSON: a list of objects {@code {scenario, case, system, metric, unit, runs, min, median, max}}, so that runs
 * of other days and machines can be laid side by side.
 */
public final class BenchJson {
    private BenchJson() {}

    /** Writes the list and leaves the stream open. */
    public static void write(List<BenchRecord> records, OutputStream out) throws IOException {
        try (JsonGenerator json = new JsonFactory()
                .createGenerator(out)
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .useDefaultPrettyPrinter()) {
            json.writeStartArray();
            for (BenchRecord entry : records) {
                json.writeStartObject();
                json.writeStringField("scenario", entry.scenario());
                json.writeStringField("case", entry.caseName());
                json.writeStringField("system", entry.system().text());
                json.writeStringField("metric", entry.metric().text());
                json.writeStringField("unit", entry.metric().unit());
                json.writeNumberField("runs", entry.runs());
                json.writeNumberField("min", entry.min());
                json.writeNumberField("median", entry.median());
                json.writeNumberField("max", entry.max());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }
}
