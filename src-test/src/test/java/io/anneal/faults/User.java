package io.anneal.faults;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.compare.TypedComparison;
import io.anneal.migrate.bulk.BulkEntry;
import io.anneal.migrate.bulk.BulkTolerance;
import java.util.List;
import java.util.OptionalLong;

/** A row of a service's table. */
record User(long id, String name, String city, int visits, boolean deleted) implements BulkEntry {
    private static final int ROW_BYTES = 64;

    @Override
    public String key() {
        return Long.toString(id);
    }

    @Override
    public long position() {
        return id;
    }

    /** Its table keeps no times. */
    @Override
    public OptionalLong newestWriteMicros() {
        return OptionalLong.empty();
    }

    @Override
    public long lengthBytes() {
        return ROW_BYTES;
    }

    @Override
    public List<FieldDiff> differences(BulkEntry target, BulkTolerance tolerance) {
        return TypedComparison.builder().build().differences(this, target);
    }
}
