package io.anneal.migrate.rows;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.time.Duration;

/**
 * How Cassandra or ScyllaDB is read and written in bulk.
 *
 * @param consistency of reads and writes
 * @param pageRows rows in memory for each range that is read, twice that while a page comes
 * @param timeout of a request
 * @param rowMarkers whether rows that are read get a row marker with the time of their oldest cell, as an {@code INSERT} leaves it; false
 *     for tables that are written by {@code UPDATE} alone, whose rows go with their last cell
 */
public record CassandraBulkConfig(ConsistencyLevel consistency, int pageRows, Duration timeout, boolean rowMarkers) {
    /** {@code LOCAL_QUORUM}, pages of 1,000 rows, 30 s, with row markers. */
    public static final CassandraBulkConfig DEFAULTS =
            new CassandraBulkConfig(DefaultConsistencyLevel.LOCAL_QUORUM, 1_000, Duration.ofSeconds(30), true);

    public CassandraBulkConfig withConsistency(ConsistencyLevel level) {
        return new CassandraBulkConfig(level, pageRows, timeout, rowMarkers);
    }

    public CassandraBulkConfig withPageRows(int rows) {
        return new CassandraBulkConfig(consistency, rows, timeout, rowMarkers);
    }

    public CassandraBulkConfig withTimeout(Duration longest) {
        return new CassandraBulkConfig(consistency, pageRows, longest, rowMarkers);
    }

    public CassandraBulkConfig withRowMarkers(boolean made) {
        return new CassandraBulkConfig(consistency, pageRows, timeout, made);
    }
}
