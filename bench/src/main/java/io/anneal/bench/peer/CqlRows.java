package io.anneal.bench.peer;

import java.util.List;

/**
 * What a statement answered: text values as they are, every other value as a CQL literal, null for null. A statement
 * without a result has neither columns nor rows.
 */
public record CqlRows(List<String> columns, List<List<String>> rows) {

    static CqlRows of(List<List<String>> answer) {
        return answer.isEmpty()
                ? new CqlRows(List.of(), List.of())
                : new CqlRows(answer.get(0), answer.subList(1, answer.size()));
    }

    /** The values of one column, from the first row to the last. */
    public List<String> column(String name) {
        int columnIndex = columns.indexOf(name);
        if (columnIndex < 0) {
            throw new IllegalArgumentException("no such column, name=" + name + ", columns=" + columns);
        }
        return rows.stream().map(row -> row.get(columnIndex)).toList();
    }
}
