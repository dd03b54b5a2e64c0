package io.anneal.cli.command;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;

/**
 * The result of a command as one JSON object: {@code {"schema": 1, "command": ..., ...}}. The number changes when a field
 * is removed or changes its meaning. The caller writes the fields; closing ends the object and leaves the stream open.
 */
public final class JsonResult implements Closeable {
    private static final int SCHEMA = 1;

    private final JsonGenerator generator;
    private final PrintStream out;

    public JsonResult(PrintStream out, String command) throws IOException {
        this.out = out;
        generator = new JsonFactory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        generator.writeStartObject();
        generator.writeNumberField("schema", SCHEMA);
        generator.writeStringField("command", command);
    }

    public JsonGenerator fields() {
        return generator;
    }

    /** Ends the object wherever it is: what would have followed is not there. */
    public void cut() throws IOException {
        generator.close();
        out.println();
    }

    @Override
    public void close() throws IOException {
        generator.writeEndObject();
        generator.close();
        out.println();
    }
}
