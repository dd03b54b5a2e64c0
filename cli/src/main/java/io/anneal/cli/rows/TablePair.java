package io.anneal.cli.rows;

import io.anneal.key.Partitioner;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.store.SSTables;
import io.anneal.store.directory.TableDirectories;
import io.anneal.store.directory.TableSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One table of two directories, read under one schema: that of the text which either has, else what the headers of all
 * SSTables tell together.
 */
record TablePair(SSTables left, SSTables right) implements Closeable {
    /** @throws SchemaException when the two have schema texts that differ: says in what */
    static TablePair open(TableDirectories leftTable, TableDirectories rightTable, Optional<Path> schemaFile)
            throws IOException {
        // In the order in which they are given: where both are wrong the first one is named.
        List<Descriptor> ofLeft = leftTable.liveSSTables();
        List<Descriptor> ofRight = rightTable.liveSSTables();
        TableSource leftSource = TableSource.ofTableOrView(leftTable, schemaFile, ofRight, view -> {});
        TableSource rightSource = TableSource.ofTableOrView(rightTable, schemaFile, ofLeft, view -> {});
        TableSchema schema = schema(leftSource, rightSource);
        SSTables left = SSTables.open(described(leftSource, schema));
        SSTables right = null;
        boolean opened = false;
        try {
            right = SSTables.open(described(rightSource, schema));
            TablePair pair = new TablePair(left, right);
            pair.requireOnePartitioner();
            opened = true;
            return pair;
        } finally {
            if (!opened) {
                try (left) {
                    if (right != null) {
                        right.close();
                    }
                }
            }
        }
    }

    /** Partitions of different order cannot be walked side by side. */
    private void requireOnePartitioner() {
        Set<Partitioner> partitioners = new HashSet<>();
        left.readers().forEach(reader -> partitioners.add(reader.partitioner()));
        right.readers().forEach(reader -> partitioners.add(reader.partitioner()));
        if (partitioners.size() > 1) {
            throw new SchemaException("directories have different partitioners, table=" + schema().qualifiedName()
                    + ", partitioners=" + partitioners);
        }
    }

    private static TableSource described(TableSource source, TableSchema schema) {
        return new TableSource(source.directories(), source.descriptors(), Optional.of(schema));
    }

    private static TableSchema schema(TableSource left, TableSource right) throws IOException {
        if (left.schemaText().isPresent() && right.schemaText().isPresent()) {
            TableSchema schema = left.schemaText().get();
            Optional<String> difference =
                    schema.differenceFrom(right.schemaText().get());
            if (difference.isPresent()) {
                throw new SchemaException("schemas of the directories differ, table=" + schema.qualifiedName()
                        + ", difference=" + difference.get() + ", left="
                        + left.directories().directories() + ", right="
                        + right.directories().directories());
            }
            return schema;
        }
        Optional<TableSchema> text = left.schemaText().or(right::schemaText);
        if (text.isPresent()) {
            return text.get();
        }
        List<Descriptor> all = new ArrayList<>(left.descriptors());
        all.addAll(right.descriptors());
        try (SSTables together = SSTables.open(new TableSource(left.directories(), all, Optional.empty()))) {
            return together.schema();
        }
    }

    TableSchema schema() {
        return left.schema();
    }

    @Override
    public void close() throws IOException {
        try (left) {
            right.close();
        }
    }
}
