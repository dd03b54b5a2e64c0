package io.anneal.store.directory;

import io.anneal.schema.Column;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableReader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A schema out of the headers of SSTables: each names only the columns that it holds, so a table's columns are the union.
 * Where they know a column by different types, the one that reads the others is taken.
 */
public final class HeaderSchemas {
    private HeaderSchemas() {}

    public static TableSchema union(TableDirectories table, List<SSTableReader> readers) {
        if (readers.isEmpty()) {
            throw new SchemaException("no schema text and no SSTable whose header could tell, table="
                    + table.qualifiedName() + ", directories=" + table.directories());
        }
        TableSchema first = readers.get(0).headerSchema();
        Map<String, Column> columns = new LinkedHashMap<>();
        for (SSTableReader reader : readers) {
            TableSchema header = reader.headerSchema();
            for (List<Column> kind : List.of(
                    header.partitionKey(), header.clustering(), header.staticColumns(), header.regularColumns())) {
                for (Column column : kind) {
                    Column known = columns.putIfAbsent(column.name(), column);
                    if (known != null && isReadBy(column, known)) {
                        // Written before the column's type was altered or its user type grew.
                        columns.put(column.name(), column);
                    } else if (known != null && !isReadBy(known, column)) {
                        throw new SchemaException("SSTables disagree about a column, give the schema text, column="
                                + column.name() + ", type=" + known.type().cqlName() + ", other="
                                + column.type().cqlName() + ", sstable=" + reader.descriptor());
                    }
                }
            }
            if (header.clustering().size() != first.clustering().size()) {
                throw new SchemaException("SSTables disagree about the clustering, sstable=" + reader.descriptor());
            }
        }
        TableSchema.Builder union = TableSchema.builder(table.keyspace(), table.table());
        columns.values().forEach(c -> union.column(c.name(), c.type(), c.kind()));
        return union.build();
    }

    private static boolean isReadBy(Column newer, Column older) {
        if (newer.kind() != older.kind()) {
            return false;
        }
        boolean inOrder = newer.kind() == Column.Kind.PARTITION_KEY || newer.kind() == Column.Kind.CLUSTERING;
        return inOrder ? newer.type().sorts(older.type()) : newer.type().reads(older.type());
    }
}
