package io.anneal.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Rows as JSON objects in a form that makes equal rows equal texts: names sorted, spaces gone, numbers exact. */
final class JsonRows {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private JsonRows() {}

    /** What a {@code SELECT JSON} answered, sorted. */
    static List<String> ofDocuments(Collection<String> documents, Set<String> ignoredColumns) {
        return documents.stream()
                .map(document -> line(parse(document), ignoredColumns))
                .sorted()
                .toList();
    }

    /** What {@link LiveRows} found, sorted. */
    static List<String> of(Collection<Map<String, String>> rows, Set<String> ignoredColumns) {
        return rows.stream()
                .map(row -> {
                    Map<String, JsonNode> nodes = new TreeMap<>();
                    row.forEach((name, json) -> nodes.put(name, parse(json)));
                    return line(MAPPER.valueToTree(nodes), ignoredColumns);
                })
                .sorted()
                .toList();
    }

    private static String line(JsonNode row, Set<String> ignoredColumns) {
        Map<String, String> sorted = new TreeMap<>();
        row.properties()
                .forEach(entry -> sorted.put(entry.getKey(), entry.getValue().toString()));
        ignoredColumns.forEach(sorted::remove);
        return sorted.toString();
    }

    private static JsonNode parse(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON, text=" + json, e);
        }
    }
}
