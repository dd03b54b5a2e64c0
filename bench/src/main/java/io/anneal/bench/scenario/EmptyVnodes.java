package io.anneal.bench.scenario;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * What a repair costs that has nothing to do: many virtual nodes, and tables that are equal, of which every other one is empty and the
 * others have a few rows.
 */
final class EmptyVnodes {
    /** All tables at once. */
    static final String NAME = "empty-vnodes";
    /** One of them, with rows: what each further one adds shows beside. */
    static final String ONE = "empty-vnodes-1";
    /** All tables, where nodes have as few tokens as they have by default today: what virtual nodes add shows beside. */
    static final String FEW = "empty-tokens-16";

    /** As nodes had by default before Cassandra 4.0. */
    static final int TOKENS = 256;

    static final int TABLES = 20;
    private static final int ROWS = 10;
    private static final String KEYSPACE = "vnodes";
    /** Of the rows: nothing is left out as too recent. */
    private static final Duration AGE = Duration.ofHours(1);

    private final ClusterSides sides;
    private final List<TableSchema> tables = new ArrayList<>();

    private EmptyVnodes(ClusterSides sides) {
        this.sides = sides;
        for (int i = 0; i < TABLES; i++) {
            tables.add(TableSchema.builder(KEYSPACE, String.format(Locale.ROOT, "t%02d", i))
                    .options(TableOptions.DEFAULTS)
                    .column("id", CqlTypes.BIGINT, Column.Kind.PARTITION_KEY)
                    .column("name", CqlTypes.TEXT, Column.Kind.REGULAR)
                    .build());
        }
    }

    static EmptyVnodes create(ClusterSides sides, InstantSource clock) {
        EmptyVnodes made = new EmptyVnodes(sides);
        sides.nodes().ring().create(KEYSPACE, made.tables);
        long micros = TimeUnit.MILLISECONDS.toMicros(clock.instant().minus(AGE).toEpochMilli());
        CassandraPeer node = sides.nodes().ring().node(0);
        for (int i = 0; i < TABLES; i += 2) {
            List<String> rows = new ArrayList<>();
            for (int id = 0; id < ROWS; id++) {
                rows.add("INSERT INTO " + made.tables.get(i).qualifiedName() + " (id, name) VALUES (" + id + ", 'row "
                        + id + "') USING TIMESTAMP " + micros);
            }
            node.executeAll(rows);
        }
        return made;
    }

    /** What a case repairs. */
    List<TableSchema> tables(String caseName) {
        return caseName.equals(ONE) ? tables.subList(0, 1) : tables;
    }

    ClusterSides.ClusterRun cassandra(String caseName) throws IOException {
        return sides.cassandra(tables(caseName));
    }

    ClusterSides.ClusterRun anneal(String caseName) throws IOException {
        return sides.anneal(tables(caseName));
    }
}
