package io.anneal.migrate.bulk;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import java.util.List;
import java.util.OptionalLong;

/** One row of any Cassandra-shaped table. */
public final class RowEntry implements BulkEntry {
    private final TableSchema schema;
    private final DecoratedKey partition;
    private final Row row;

    RowEntry(TableSchema schema, DecoratedKey partition, Row row) {
        this.schema = schema;
        this.partition = partition;
        this.row = row;
    }

    @Override
    public String key() {
        return schema + " " + partition + " " + row;
    }

    @Override
    public long position() {
        return partition.token();
    }

    @Override
    public OptionalLong newestWriteMicros() {
        return OptionalLong.empty();
    }

    @Override
    public long lengthBytes() {
        return 0;
    }

    @Override
    public List<FieldDiff> differences(BulkEntry target, BulkTolerance tolerance) {
        return List.of();
    }
}
