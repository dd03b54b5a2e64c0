package io.anneal.cli.command;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What kept a command from tables, by their names, while it went on with the others. */
public final class TableErrors {
    private final Map<String, ErrorReport> errors = new LinkedHashMap<>();

    public void add(String table, ErrorReport error) {
        errors.put(table, error);
    }

    public boolean isEmpty() {
        return errors.isEmpty();
    }

    public Set<String> tables() {
        return errors.keySet();
    }

    public void write(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("errors");
        for (Map.Entry<String, ErrorReport> error : errors.entrySet()) {
            json.writeStartObject();
            json.writeStringField("table", error.getKey());
            json.writeStringField("code", error.getValue().code());
            json.writeStringField("message", error.getValue().message());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
