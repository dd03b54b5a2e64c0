package io.anneal.migrate.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.token.TokenRange;
import io.anneal.key.Clustering;
import io.anneal.migrate.bulk.BulkCursor;
import io.anneal.migrate.bulk.BulkRange;
import io.anneal.migrate.bulk.BulkSource;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The rows of a table in Cassandra or ScyllaDB, read through the Java driver: {@code SELECT} with {@code WRITETIME} and {@code TTL} of
 * every cell, by ranges of tokens that do not cross from one set of replicas to another, page by page. Wide partitions come row by
 * row. The session stays its opener's. Any thread.
 *
 * <p>A TTL is told in whole seconds that are left, so expiries are exact to a second or two, and the clocks of this machine and of
 * the cluster must agree that well. Row markers are not told: {@link RowEntry} says what is made of it.
 */
public final class CassandraSource implements BulkSource<RowEntry> {
    private final CassandraTable table;
    private final CassandraRows decoder;
    private final InstantSource clock;
    private final PreparedStatement range;
    private final PreparedStatement row;
    private final PreparedStatement statics;

    private CassandraSource(CassandraTable table, InstantSource clock) {
        this.table = table;
        this.clock = clock;
        decoder = new CassandraRows(table.rows(), table.config().rowMarkers());
        TableSchema schema = table.rows().stored();
        String select = "SELECT " + columns() + " FROM " + table.name() + " WHERE ";
        String token = "token(" + CassandraTable.names(schema.partitionKey()) + ")";
        range = table.prepared(select + token + " > ? AND " + token + " <= ?");
        row = table.prepared(select + CassandraTable.equal(table.primaryKey(), " AND "));
        statics = table.prepared(select + CassandraTable.equal(schema.partitionKey(), " AND ") + " LIMIT 1");
    }

    /**
     * Takes a table of the session's cluster.
     *
     * @param clock what a TTL that is left counts from
     * @throws IllegalArgumentException when there is no such table; when it has collections that are not frozen or counters, of which
     *     CQL tells too little; when its partitioner is not Murmur3
     */
    public static CassandraSource open(
            CqlSession session, String keyspace, String table, CassandraBulkConfig config, InstantSource clock)
            throws IOException {
        try {
            return new CassandraSource(CassandraTable.of(session, keyspace, table, config), clock);
        } catch (DriverException e) {
            throw new IOException(
                    "table can't be read, table=" + keyspace + "." + table + ", reason=" + e.getMessage(), e);
        }
    }

    /** The table as the cluster describes it: to make the same in an embedded store. */
    public TableSchema schema() {
        return table.rows().stored();
    }

    private String columns() {
        TableSchema schema = table.rows().stored();
        Stream<String> values = Stream.of(true, false)
                .flatMap(ofStatic -> table.rows().columns(ofStatic).stream())
                .map(Column::name)
                .map(CassandraTable::quoted)
                .flatMap(name -> Stream.of(name, "WRITETIME(" + name + ")", "TTL(" + name + ")"));
        return Stream.concat(
                        Stream.concat(schema.partitionKey().stream(), schema.clustering().stream())
                                .map(column -> CassandraTable.quoted(column.name())),
                        values)
                .collect(Collectors.joining(", "));
    }

    @Override
    public String identity() {
        return table.identity();
    }

    @Override
    public String shape() {
        return table.rows().shape();
    }

    @Override
    public List<BulkRange> ranges(int count) {
        TreeSet<Long> bounds = new TreeSet<>(List.of(Long.MAX_VALUE));
        tokens().ifPresent(tokens -> tokens.getTokenRanges().stream()
                .map(TokenRange::getEnd)
                .map(tokens::format)
                .map(Long::valueOf)
                .filter(bound -> bound != Long.MIN_VALUE)
                .forEach(bounds::add));
        double widthMax = BulkRange.ALL.width() / count;
        List<BulkRange> ranges = new ArrayList<>();
        long after = Long.MIN_VALUE;
        for (long through : bounds) {
            BulkRange owned = new BulkRange(after, through);
            ranges.addAll(owned.split((int) Math.max(1, Math.round(owned.width() / widthMax))));
            after = through;
        }
        return List.copyOf(ranges);
    }

    private Optional<TokenMap> tokens() {
        return table.session().getMetadata().getTokenMap();
    }

    @Override
    public BulkCursor<RowEntry> open(BulkRange wanted) throws IOException {
        BoundStatement bound = range.bind(wanted.after(), wanted.through());
        Optional<TokenMap> tokens = tokens();
        if (tokens.isPresent()) {
            bound = bound.setRoutingKeyspace(table.keyspace())
                    .setRoutingToken(tokens.get().parse(Long.toString(wanted.through())));
        }
        return CassandraCursor.open(table.session(), bound, decoder, clock, table.identity() + " " + wanted);
    }

    @Override
    public Comparator<? super RowEntry> order() {
        return table.rows().order();
    }

    @Override
    public Optional<RowEntry> reread(RowEntry like) throws IOException {
        List<byte[]> key = new ArrayList<>(table.rows().keyParts(like.partition()));
        boolean ofStatic = like.row().isStatic();
        if (!ofStatic) {
            key.addAll(components(like.row().clustering()));
        }
        BoundStatement bound = (ofStatic ? statics : row).bind();
        for (int i = 0; i < key.size(); i++) {
            bound = bound.setBytesUnsafe(i, ByteBuffer.wrap(key.get(i)));
        }
        try (CassandraCursor found =
                CassandraCursor.open(table.session(), bound, decoder, clock, table.identity() + " " + like.key())) {
            for (RowEntry entry = found.next(); entry != null; entry = found.next()) {
                if (entry.row().isStatic() == ofStatic) {
                    return Optional.of(entry);
                }
            }
            return Optional.empty();
        }
    }

    static List<byte[]> components(Clustering clustering) {
        List<byte[]> components = new ArrayList<>();
        for (int i = 0; i < clustering.size(); i++) {
            int offset = clustering.offset(i);
            components.add(
                    Arrays.copyOfRange(clustering.buffer(), offset, offset + Math.max(0, clustering.lengthBytes(i))));
        }
        return components;
    }

    @Override
    public void close() {
        // The session is not ours.
    }
}
