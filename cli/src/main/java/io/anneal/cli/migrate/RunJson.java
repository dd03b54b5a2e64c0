package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import io.anneal.harness.PhaseStretch;
import io.anneal.harness.RunResult;
import io.anneal.harness.load.HistoryVerdict;
import io.anneal.harness.load.Violation;
import java.io.IOException;
import java.util.Locale;

/** A run's result as JSON. */
record RunJson(String name, RunResult result) {
    void write(JsonGenerator json) throws IOException {
        json.writeStringField("name", name);
        PhaseJson.write(json, result.last());
        json.writeStringField(
                "outcome",
                result.walk()
                        .map(walk -> walk.outcome().name().toLowerCase(Locale.ROOT))
                        .orElse("followed"));
        json.writeStringField("reason", result.walk().map(walk -> walk.reason()).orElse(""));
        json.writeArrayFieldStart("phases");
        for (PhaseStretch stretch : result.stretches()) {
            write(json, stretch);
        }
        json.writeEndArray();
        if (result.verdict().isPresent()) {
            write(json, result.verdict().get());
            json.writeNumberField("unread", result.unread());
            json.writeNumberField("failed", result.failed());
        }
    }

    private static void write(JsonGenerator json, PhaseStretch stretch) throws IOException {
        json.writeStartObject();
        PhaseJson.write(json, stretch.phase());
        json.writeNumberField("lastedMillis", stretch.lasted().toMillis());
        write(json, "originReads", stretch.latencies().originReads());
        write(json, "targetReads", stretch.latencies().targetReads());
        write(json, "originWrites", stretch.latencies().originWrites());
        write(json, "targetWrites", stretch.latencies().targetWrites());
        json.writeObjectFieldStart("counted");
        for (Counter counter : Counter.values()) {
            json.writeNumberField(counter.name(), stretch.counted(counter));
        }
        json.writeEndObject();
        json.writeArrayFieldStart("works");
        for (String work : stretch.works()) {
            json.writeString(work);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, String field, Distribution distribution) throws IOException {
        json.writeObjectFieldStart(field);
        json.writeNumberField("count", distribution.count());
        json.writeNumberField("p50Nanos", distribution.p50Nanos());
        json.writeNumberField("p99Nanos", distribution.p99Nanos());
        json.writeNumberField("p999Nanos", distribution.p999Nanos());
        json.writeNumberField("maxNanos", distribution.maxNanos());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, HistoryVerdict verdict) throws IOException {
        json.writeObjectFieldStart("check");
        json.writeNumberField("operations", verdict.operations());
        json.writeNumberField("lostWrites", verdict.lostWrites());
        json.writeNumberField("resurrectedDeletes", verdict.resurrectedDeletes());
        json.writeNumberField("staleReads", verdict.staleReads());
        json.writeNumberField("neverWritten", verdict.neverWritten());
        json.writeArrayFieldStart("samples");
        for (Violation sample : verdict.samples()) {
            json.writeString(sample.toString());
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
