package io.anneal.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.anneal.conformance.LiveRows.LiveRow;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Rows as JSON objects in a form that makes equal rows equal texts: names sorted, spaces gone, numbers exact. */
final class JsonRows {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private JsonRows() {}

    /** Documents that a {@code SELECT JSON} answered, in their order. */
    static List<String> ofDocuments(Collection<String> documents) {
        return documents.stream().map(document -> line(parse(document))).toList();
    }

    /** Rows that {@link LiveRows} found, in their order. */
    static List<String> of(Collection<LiveRow> rows) {
        return rows.stream().map(JsonRows::line).toList();
    }

    /** Rows of which the order is no contract. */
    static List<String> sorted(List<String> lines) {
        return lines.stream().sorted().toList();
    }

    private static String line(LiveRow row) {
        Map<String, JsonNode> nodes = new TreeMap<>();
        row.values().forEach((name, json) -> nodes.put(name, parse(json)));
        return nodes.toString();
    }

    private static String line(JsonNode row) {
        Map<String, JsonNode> nodes = new TreeMap<>();
        row.properties().forEach(entry -> nodes.put(entry.getKey(), entry.getValue()));
        return nodes.toString();
    }

    private static JsonNode parse(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON, text=" + json, e);
        }
    }
}
