package io.anneal.bench.peer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * A CQL statement with a value for each of its markers, as a driver binds them.
 *
 * @param values serialized as the type of the marker says; null for null
 */
public record BoundStatement(String text, List<byte[]> values) {
    public BoundStatement {
        // Not List.copyOf, which takes no null.
        values = Collections.unmodifiableList(new ArrayList<>(values));
    }

    public static BoundStatement of(String text, byte[]... values) {
        return new BoundStatement(text, Arrays.asList(values));
    }
}
