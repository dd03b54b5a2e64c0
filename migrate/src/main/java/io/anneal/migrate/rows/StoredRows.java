package io.anneal.migrate.rows;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.merge.SelectCursor;
import io.anneal.migrate.bulk.BulkCursor;
import io.anneal.migrate.bulk.BulkRange;
import java.io.IOException;
import java.util.Optional;

/** The rows of a stream of fragments that exist at a time, as entries. Closes the stream. One thread. */
final class StoredRows implements BulkCursor<RowEntry> {
    private final RowTable table;
    private final SelectCursor shown;
    private DecoratedKey partition;

    StoredRows(RowTable table, FragmentCursor fragments, long nowSeconds) {
        this.table = table;
        shown = new SelectCursor(fragments, nowSeconds);
    }

    @Override
    public RowEntry next() throws IOException {
        for (FragmentKind kind = shown.advance(); kind != null; kind = shown.advance()) {
            if (kind == FragmentKind.PARTITION_START) {
                partition = shown.key().toDecoratedKey();
            } else if (kind != FragmentKind.PARTITION_END) {
                return new RowEntry(table, partition, table.ofEntry(shown.row()), true);
            }
        }
        return null;
    }

    /** Which rows to read to find an entry again. */
    static Slices slices(RowEntry like) {
        return like.row().isStatic()
                ? Slices.NONE
                : Slices.of(Slice.of(like.row().clustering()));
    }

    /** The entry in a partition that was read by {@link #slices}. */
    Optional<RowEntry> find(RowEntry like) throws IOException {
        for (RowEntry entry = next(); entry != null; entry = next()) {
            if (entry.row().isStatic() == like.row().isStatic()) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }

    static TokenRange.Linear tokens(BulkRange range) {
        return new TokenRange.Linear(range.after() + 1, range.through());
    }

    @Override
    public void close() throws IOException {
        shown.close();
    }
}
