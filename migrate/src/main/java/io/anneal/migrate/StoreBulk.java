package io.anneal.migrate;

import io.anneal.migrate.bulk.BulkSource;
import io.anneal.migrate.bulk.BulkTarget;
import io.anneal.migrate.bulk.RowEntry;
import io.anneal.migrate.bulk.StoreSource;
import io.anneal.migrate.bulk.StoreTarget;
import io.anneal.migrate.store.EmbeddedPartitionDao;
import io.anneal.migrate.store.OpenStore;
import java.time.InstantSource;
import java.util.Optional;

/** The example's table in an open store as something that is copied in bulk. */
final class StoreBulk {
    private StoreBulk() {}

    /** Empty for a store whose keys nobody can list. */
    static Optional<BulkSource<RowEntry>> source(OpenStore store, InstantSource clock) {
        if (store.dao() instanceof EmbeddedPartitionDao embedded) {
            return Optional.of(
                    StoreSource.of(embedded.store(), embedded.table().schema().qualifiedName(), clock));
        }
        return Optional.empty();
    }

    /** Empty for a store that takes no times of writes. */
    static Optional<BulkTarget<RowEntry>> target(OpenStore store, InstantSource clock) {
        if (store.dao() instanceof EmbeddedPartitionDao embedded) {
            return Optional.of(
                    StoreTarget.of(embedded.store(), embedded.table().schema().qualifiedName(), clock));
        }
        return Optional.empty();
    }
}
