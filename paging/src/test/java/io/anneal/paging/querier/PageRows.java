package io.anneal.paging.querier;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.ItemKind;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.merge.SelectCursor;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Rows as text, of pages and of one read without pages: key with clustering, static row, row, each as it is encoded. */
final class PageRows {
    private static final String NONE = "-";

    private PageRows() {}

    /** What of a row's text tells it from other rows. */
    static String place(String row) {
        return row.substring(0, row.indexOf('|'));
    }

    /** The rows of a page; a partition's static row that no row follows is one. */
    static List<String> of(Page page) throws IOException {
        EncodedItem item = new EncodedItem(page.schema());
        Clustering clustering = new Clustering();
        List<String> rows = new ArrayList<>();
        DecoratedKey key = null;
        String staticRow = NONE;
        boolean hasRow = true;
        for (ByteBuffer buffer : page.items()) {
            int end = buffer.arrayOffset() + buffer.limit();
            for (int at = buffer.arrayOffset() + buffer.position(); at < end; at = item.endOffset()) {
                item.wrap(buffer.array(), at, end);
                DecoratedKey next = item.key().toDecoratedKey();
                if (!next.equals(key)) {
                    if (!hasRow) {
                        rows.add(key + "|" + staticRow + "|" + NONE);
                    }
                    key = next;
                    staticRow = NONE;
                    hasRow = true;
                }
                String text = HexFormat.of().formatHex(item.buffer(), at, item.endOffset());
                if (item.kind() == ItemKind.STATIC_ROW) {
                    staticRow = text;
                    hasRow = false;
                } else {
                    hasRow = true;
                    item.readPosition(clustering);
                    rows.add(key + text(clustering) + "|" + staticRow + "|" + text);
                }
            }
        }
        if (!hasRow) {
            rows.add(key + "|" + staticRow + "|" + NONE);
        }
        return rows;
    }

    /** The same of a whole query. */
    static List<String> of(Table table, ReadQuery query, long nowSeconds) throws IOException {
        return of(cursors(table, query), query, nowSeconds);
    }

    /** All that a query reads, one after the other. */
    static List<FragmentCursor> cursors(Table table, ReadQuery query) throws IOException {
        List<FragmentCursor> cursors = new ArrayList<>();
        for (TokenRange.Linear range : query.ranges()) {
            cursors.add(table.scan(range));
        }
        for (DecoratedKey key : query.keys()) {
            cursors.add(table.read(key, query.slices(), query.reversed()));
        }
        return cursors;
    }

    /** What of these is shown; closes them. */
    static List<String> of(List<FragmentCursor> cursors, ReadQuery query, long nowSeconds) throws IOException {
        boolean isWhole = query.slices().size() == 1
                && query.slices().get(0).from().size() == 0
                && query.slices().get(0).to().size() == 0;
        List<String> rows = new ArrayList<>();
        for (FragmentCursor cursor : cursors) {
            add(cursor, isWhole, nowSeconds, rows);
        }
        return rows;
    }

    private static void add(FragmentCursor cursor, boolean wantsStaticOnly, long nowSeconds, List<String> rows)
            throws IOException {
        TableSchema schema = cursor.schema();
        CanonicalEncoder encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
        try (SelectCursor shown = new SelectCursor(cursor, nowSeconds)) {
            String staticRow = NONE;
            boolean hasRow = false;
            for (FragmentKind kind = shown.advance(); kind != null; kind = shown.advance()) {
                ByteWriter out = new ByteWriter(64);
                String key = shown.key().toDecoratedKey().toString();
                switch (kind) {
                    case PARTITION_START -> {
                        staticRow = NONE;
                        hasRow = false;
                    }
                    case STATIC_ROW -> {
                        encoder.row(shown.key(), shown.row(), out);
                        staticRow = hex(out);
                    }
                    case CLUSTERING_ROW -> {
                        encoder.row(shown.key(), shown.row(), out);
                        hasRow = true;
                        rows.add(key + text(shown.row().clustering()) + "|" + staticRow + "|" + hex(out));
                    }
                    case PARTITION_END -> {
                        if (!hasRow && wantsStaticOnly) {
                            rows.add(key + "|" + staticRow + "|" + NONE);
                        }
                    }
                    case RANGE_TOMBSTONE_CHANGE -> throw new AssertionError();
                }
            }
        }
    }

    private static String text(Clustering clustering) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < clustering.size(); i++) {
            int offset = clustering.offset(i);
            text.append(',')
                    .append(HexFormat.of()
                            .formatHex(clustering.buffer(), offset, offset + Math.max(0, clustering.lengthBytes(i))));
        }
        return text.toString();
    }

    private static String hex(ByteWriter out) {
        return HexFormat.of().formatHex(Arrays.copyOf(out.array(), out.lengthBytes()));
    }
}
