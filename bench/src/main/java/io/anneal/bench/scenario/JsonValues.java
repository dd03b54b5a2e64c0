package io.anneal.bench.scenario;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Values of fields of one name, wherever they are in what a command wrote as JSON. */
final class JsonValues {
    private JsonValues() {}

    /** @throws IOException when there is none, or no JSON */
    static List<String> of(String json, String field) throws IOException {
        List<String> values = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            JsonToken token;
            while ((token = parser.nextToken()) != null) {
                if (token == JsonToken.FIELD_NAME && parser.currentName().equals(field)) {
                    parser.nextToken();
                    values.add(parser.getText());
                }
            }
        }
        if (values.isEmpty()) {
            throw new IOException("command did not tell, field=" + field + ", output=" + json);
        }
        return values;
    }

    /** @throws IOException when there is none, or no JSON */
    static List<Long> numbers(String json, String field) throws IOException {
        return of(json, field).stream().map(Long::valueOf).toList();
    }
}
