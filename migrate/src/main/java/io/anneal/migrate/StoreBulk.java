package io.anneal.migrate;

import io.anneal.migrate.bulk.BulkSource;
import io.anneal.migrate.bulk.BulkTarget;
import io.anneal.migrate.bulk.CassandraBulkConfig;
import io.anneal.migrate.bulk.CassandraSource;
import io.anneal.migrate.bulk.CassandraTarget;
import io.anneal.migrate.bulk.RowEntry;
import io.anneal.migrate.bulk.StoreSource;
import io.anneal.migrate.bulk.StoreTarget;
import io.anneal.migrate.store.CassandraPartitionDao;
import io.anneal.migrate.store.EmbeddedPartitionDao;
import io.anneal.migrate.store.OpenStore;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;

/** The example's table in an open store as something that is copied in bulk. */
final class StoreBulk {
    private static final String TABLE = "items";
    /** The example's rows have no marker: nobody could tell its time, and a copy must not add what a delete then leaves. */
    private static final CassandraBulkConfig CASSANDRA = CassandraBulkConfig.DEFAULTS.withRowMarkers(false);

    private StoreBulk() {}

    static boolean possible(OpenStore store) {
        return store.dao() instanceof EmbeddedPartitionDao || store.dao() instanceof CassandraPartitionDao;
    }

    /** Empty for a store whose keys nobody can list. */
    static Optional<BulkSource<RowEntry>> source(OpenStore store, InstantSource clock) throws IOException {
        if (store.dao() instanceof EmbeddedPartitionDao embedded) {
            return Optional.of(
                    StoreSource.of(embedded.store(), embedded.table().schema().qualifiedName(), clock));
        } else if (store.dao() instanceof CassandraPartitionDao cassandra) {
            return Optional.of(
                    CassandraSource.open(cassandra.session(), cassandra.keyspace(), TABLE, CASSANDRA, clock));
        }
        return Optional.empty();
    }

    /** Empty for a store that takes no times of writes. */
    static Optional<BulkTarget<RowEntry>> target(OpenStore store, InstantSource clock) throws IOException {
        if (store.dao() instanceof EmbeddedPartitionDao embedded) {
            return Optional.of(
                    StoreTarget.of(embedded.store(), embedded.table().schema().qualifiedName(), clock));
        } else if (store.dao() instanceof CassandraPartitionDao cassandra) {
            return Optional.of(
                    CassandraTarget.open(cassandra.session(), cassandra.keyspace(), TABLE, CASSANDRA, clock));
        }
        return Optional.empty();
    }
}
