package io.anneal.migrate.bulk;

import io.anneal.migrate.store.CassandraPartitionDao;
import io.anneal.migrate.store.EmbeddedPartitionDao;
import io.anneal.migrate.store.MemoryPartitionDao;
import io.anneal.migrate.store.PartitionDao;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Collection;
import java.util.function.Supplier;

/** The source and the target over each of the ready-made stores of the worked example, and over any other DAO of it. */
public final class BulkStores {
    private static final String CASSANDRA_TABLE = "items";
    /** The example's rows are written by UPDATE alone. */
    private static final CassandraBulkConfig CASSANDRA = CassandraBulkConfig.DEFAULTS.withRowMarkers(false);

    private BulkStores() {}

    /** Whether all that a store holds can be found there; else its keys are told. */
    public static boolean listsKeys(PartitionDao dao) {
        return dao instanceof EmbeddedPartitionDao
                || dao instanceof CassandraPartitionDao
                || dao instanceof MemoryPartitionDao;
    }

    /**
     * A source over the store of a DAO, which stays the caller's and is closed after it.
     *
     * @param keys all that a DAO of the caller's own may hold; a ready-made store knows its keys itself
     * @throws IllegalArgumentException when a DAO of the caller's own does not tell write times
     */
    public static BulkSource<RowEntry> source(
            PartitionDao dao, Supplier<? extends Collection<Long>> keys, InstantSource clock) throws IOException {
        if (dao instanceof EmbeddedPartitionDao embedded) {
            return StoreSource.of(embedded.store(), embedded.table().schema().qualifiedName(), clock);
        }
        if (dao instanceof CassandraPartitionDao cassandra) {
            return CassandraSource.open(cassandra.session(), cassandra.keyspace(), CASSANDRA_TABLE, CASSANDRA, clock);
        }
        return DaoSource.of(dao, dao instanceof MemoryPartitionDao memory ? memory::keys : keys, clock);
    }

    /**
     * A target over the store of a DAO, which stays the caller's and is closed after it.
     *
     * @throws IllegalArgumentException when a DAO of the caller's own does not take write times
     */
    public static BulkTarget<RowEntry> target(PartitionDao dao, InstantSource clock) throws IOException {
        if (dao instanceof EmbeddedPartitionDao embedded) {
            return StoreTarget.of(embedded.store(), embedded.table().schema().qualifiedName(), clock);
        }
        if (dao instanceof CassandraPartitionDao cassandra) {
            return CassandraTarget.open(cassandra.session(), cassandra.keyspace(), CASSANDRA_TABLE, CASSANDRA, clock);
        }
        return DaoTarget.of(dao);
    }
}
