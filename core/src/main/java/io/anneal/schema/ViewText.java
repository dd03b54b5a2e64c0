package io.anneal.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A materialized view as {@code CREATE MATERIALIZED VIEW} tells it. The types of its columns are its base's, which a snapshot
 * of the view does not name; its SSTables do. Immutable.
 *
 * @param base its table's name, in the same keyspace
 * @param id in Cassandra, when the text names it
 * @param partitionKey names of columns
 * @param clustering names of columns
 */
public record ViewText(
        String keyspace,
        String name,
        String base,
        Optional<String> id,
        List<String> partitionKey,
        List<String> clustering,
        TableOptions options) {
    public ViewText {
        partitionKey = List.copyOf(partitionKey);
        clustering = List.copyOf(clustering);
    }

    /** {@code keyspace.view}. */
    public String qualifiedName() {
        return keyspace + "." + name;
    }

    /**
     * Whether the key has a column that the base's key has not: a row is there only while its liveness is, which is that of the
     * value in this column.
     */
    public boolean needsLiveness(TableSchema baseTable) {
        List<String> baseKey = Stream.concat(baseTable.partitionKey().stream(), baseTable.clustering().stream())
                .map(Column::name)
                .toList();
        return !baseKey.containsAll(partitionKey) || !baseKey.containsAll(clustering);
    }

    /**
     * The view's columns, those of the key under their names.
     *
     * @param headers what the headers of its SSTables tell together
     * @throws SchemaException when they have other columns in their key
     */
    public TableSchema over(TableSchema headers, boolean needsLiveness) {
        if (headers.partitionKey().size() != partitionKey.size()
                || headers.clustering().size() != clustering.size()) {
            throw new SchemaException("SSTables are not the view's, view=" + qualifiedName() + ", partitionKey="
                    + partitionKey + ", clustering=" + clustering + ", columns="
                    + headers.partitionKey().size() + " and "
                    + headers.clustering().size());
        }
        TableSchema.Builder builder =
                TableSchema.builder(keyspace, name).options(options).view(needsLiveness);
        id.ifPresent(builder::id);
        List<String> names = new ArrayList<>(partitionKey);
        names.addAll(clustering);
        List<Column> keys = Stream.concat(headers.partitionKey().stream(), headers.clustering().stream())
                .toList();
        for (int i = 0; i < keys.size(); i++) {
            builder.column(names.get(i), keys.get(i).type(), keys.get(i).kind());
        }
        headers.regularColumns().forEach(c -> builder.column(c.name(), c.type(), c.kind()));
        return builder.build();
    }
}
