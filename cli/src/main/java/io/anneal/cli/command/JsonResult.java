package io.anneal.cli.command;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonStreamContext;
import java.io.IOException;
import java.io.PrintStream;

/**
 * The result of a command as one JSON object: {@code {"schema": 1, "command": ..., ...}}. The number changes when a field
 * is removed or changes its meaning. A command writes the fields; what runs it ends the object, with an error if one stopped the
 * command, wherever that was. The stream stays open.
 */
public final class JsonResult {
    private static final int SCHEMA = 1;

    private final PrintStream out;
    private final JsonGenerator fields;
    private final JsonStreamContext object;

    /** @param command as users name it, without {@code anneal} */
    public JsonResult(PrintStream out, String command) throws IOException {
        this.out = out;
        fields = new JsonFactory().createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        fields.writeStartObject();
        object = fields.getOutputContext();
        fields.writeNumberField("schema", SCHEMA);
        fields.writeStringField("command", command);
    }

    /** Writes the fields of the object. */
    public JsonGenerator fields() {
        return fields;
    }

    /** Says that the command was interrupted: some of the fields are not there. */
    public void interrupted() throws IOException {
        endAllBelow(object, fields);
        fields.writeBooleanField("interrupted", true);
    }

    /** Adds what stopped the command, after what it had written. */
    public void error(ErrorReport error) throws IOException {
        endAllBelow(object, fields);
        fields.writeObjectFieldStart("error");
        error.write(fields);
        fields.writeEndObject();
    }

    /** Ends the object and its line. */
    public void end() throws IOException {
        endAllBelow(object, fields);
        fields.writeEndObject();
        fields.close();
        out.println();
    }

    /** Ends all arrays and objects that were begun within another one, as after an error. */
    public static void endAllBelow(JsonStreamContext context, JsonGenerator json) throws IOException {
        while (json.getOutputContext() != context) {
            if (json.getOutputContext().inArray()) {
                json.writeEndArray();
            } else {
                json.writeEndObject();
            }
        }
    }
}
