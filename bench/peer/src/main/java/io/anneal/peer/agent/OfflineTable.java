package io.anneal.peer.agent;

import java.nio.file.Path;
import org.apache.cassandra.cql3.CQLFragmentParser;
import org.apache.cassandra.cql3.CqlParser;
import org.apache.cassandra.cql3.statements.schema.CreateTableStatement;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;

/** A table known by the statement that creates it, and its SSTables, without a node. */
record OfflineTable(TableMetadata metadata) {
    static OfflineTable of(String createTable) {
        CreateTableStatement.Raw parsed =
                CQLFragmentParser.parseAny(CqlParser::createTableStatement, createTable, "CREATE TABLE");
        return new OfflineTable(CreateTableStatement.parse(createTable, parsed.keyspace())
                .partitioner(Murmur3Partitioner.instance)
                .build());
    }

    /** Opens an SSTable by the path of its Data component; whoever opens it releases its reference. */
    SSTableReader open(String data) {
        Descriptor descriptor =
                Descriptor.fromFileWithComponent(new File(Path.of(data)), metadata.keyspace, metadata.name).left;
        return SSTableReader.openNoValidation(null, descriptor, TableMetadataRef.forOfflineTools(metadata));
    }
}
