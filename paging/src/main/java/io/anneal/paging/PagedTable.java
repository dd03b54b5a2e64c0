package io.anneal.paging;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** A table that is read page by page. Safe for any thread. */
public final class PagedTable {
    private final Pager pager;
    private final HostEnvironment environment;

    PagedTable(Pager pager, HostEnvironment environment) {
        this.pager = pager;
        this.environment = environment;
    }

    public TableSchema schema() {
        return pager.schema();
    }

    /** All rows, in the order of the ring. */
    public Scan scan() {
        return new Scan(pager, environment, ReadPlan.ofRanges(List.of(TokenRange.FULL)));
    }

    /** Rows of token ranges, which must not overlap, one range after the other. */
    public Scan scan(TokenRange... ranges) {
        Objects.requireNonNull(ranges, "ranges");
        if (ranges.length == 0) {
            throw new IllegalArgumentException("no range is given, table=" + schema().qualifiedName());
        }
        return new Scan(pager, environment, ReadPlan.ofRanges(List.of(ranges)));
    }

    /**
     * Rows of a partition.
     *
     * @param keyValues of the key's columns in order, as {@link io.anneal.schema.JavaValues} lists them
     * @throws IllegalArgumentException when values do not fit the key
     */
    public Scan partition(Object... keyValues) {
        Objects.requireNonNull(keyValues, "keyValues");
        return partitions(List.of(Arrays.asList(keyValues)));
    }

    /**
     * Rows of partitions, in the order of the ring.
     *
     * @param keys of each the values of the key's columns in order
     * @throws IllegalArgumentException when there are none, or values do not fit the key
     */
    public Scan partitions(List<? extends List<?>> keys) {
        Objects.requireNonNull(keys, "keys");
        return new Scan(pager, environment, ReadPlan.ofKeys(schema(), keys));
    }
}
