package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.dualdao.control.Gate;
import io.anneal.dualdao.control.InstanceState;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.control.RollbackPlan;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Phases, gates and notes as JSON, as all commands write them. */
final class PhaseJson {
    private PhaseJson() {}

    static void write(JsonGenerator json, PhaseRecord entry) throws IOException {
        json.writeNumberField("version", entry.version());
        json.writeStringField("phase", entry.phase().label());
        json.writeNumberField("readSharePercent", entry.readSharePercent());
        json.writeStringField("highest", entry.highest().label());
        json.writeStringField("who", entry.who());
        json.writeStringField("at", entry.at().toString());
        json.writeStringField("why", entry.why());
    }

    static void write(JsonGenerator json, PhaseNote note) throws IOException {
        json.writeStringField("at", note.at().toString());
        json.writeStringField("note", note.kind().name().toLowerCase(Locale.ROOT));
        json.writeNumberField("version", note.version());
        json.writeStringField("who", note.who());
        json.writeObjectFieldStart("facts");
        for (Map.Entry<String, String> fact : new TreeMap<>(note.facts()).entrySet()) {
            json.writeStringField(fact.getKey(), fact.getValue());
        }
        json.writeEndObject();
    }

    static void write(JsonGenerator json, Readiness readiness) throws IOException {
        json.writeObjectFieldStart("next");
        json.writeStringField("step", readiness.step());
        json.writeBooleanField("ready", readiness.ready());
        json.writeArrayFieldStart("gates");
        for (Gate gate : readiness.gates()) {
            json.writeStartObject();
            json.writeStringField("gate", gate.name());
            json.writeBooleanField("met", gate.met());
            json.writeStringField("evidence", gate.evidence());
            json.writeBooleanField("forceable", gate.forceable());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    static void write(JsonGenerator json, InstanceState instance) throws IOException {
        json.writeStartObject();
        json.writeStringField("instance", instance.name());
        json.writeBooleanField("serves", instance.serves());
        json.writeNumberField("version", instance.heartbeat().version());
        json.writeBooleanField("acknowledged", instance.acknowledged());
        json.writeNumberField("silentMillis", instance.silentFor().toMillis());
        json.writeBooleanField("silent", instance.silent());
        json.writeEndObject();
    }

    static void write(JsonGenerator json, RollbackPlan plan) throws IOException {
        json.writeStringField("from", plan.from().label());
        json.writeStringField("to", plan.to().map(to -> to.label()).orElse(null));
        json.writeStringField("refusal", plan.refusal().orElse(null));
        json.writeNumberField("keysToCopy", plan.keysToCopy());
        json.writeStringField("lost", plan.whatIsLost());
    }
}
