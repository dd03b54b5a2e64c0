package io.anneal.conformance;

import com.sun.management.ThreadMXBean;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.HashSum;
import io.anneal.fragment.ItemHash;
import io.anneal.io.ByteWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * A program of its own, since assertions, which allocate by intent, must be off: prints for each table and each way to
 * read it the bytes that this thread allocated and the rows it read meanwhile, {@code what rows bytes} a line.
 */
final class AllocationProbe {
    private static final int ROWS = 150_000;
    /** The first rows may still grow buffers: a window over a file doubles up to 128 KiB while it is read in order. */
    private static final int ROWS_BEFORE = 20_000;

    private static final int SSTABLES = 4;
    private static final List<TableShape> SHAPES =
            List.of(TableShape.KILOBYTE_ROWS, TableShape.RANDOM_ROWS, TableShape.SMALL_ROWS);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final ByteWriter buffer = new ByteWriter(64 * 1024);
    private final ItemHash hash = new ItemHash(1);
    private final HashSum sum = new HashSum();

    private AllocationProbe() {}

    public static void main(String[] arguments) throws IOException {
        AllocationProbe probe = new AllocationProbe();
        for (TableShape shape : SHAPES) {
            try (GeneratedTable table = GeneratedTable.write(shape, ROWS, SSTABLES)) {
                probe.measure("merge-" + shape, table.merge(), null);
            }
            try (GeneratedTable table = GeneratedTable.write(shape, ROWS, 1)) {
                probe.measure("scan-" + shape, table.scan(), null);
                CanonicalEncoder encoder = new CanonicalEncoder(table.schema(), CanonicalEncoder.UNCLAMPED);
                probe.measure("encode-" + shape, table.scan(), encoder);
            }
        }
    }

    private void measure(String what, FragmentCursor cursor, CanonicalEncoder encoder) throws IOException {
        try (cursor) {
            long rows = 0;
            long before = 0;
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                if (kind != FragmentKind.CLUSTERING_ROW) {
                    continue;
                }
                if (encoder != null) {
                    encodeAndHash(cursor, encoder);
                }
                if (++rows == ROWS_BEFORE) {
                    before = threads.getCurrentThreadAllocatedBytes();
                }
            }
            long allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
            System.out.println(what + " " + (rows - ROWS_BEFORE) + " " + allocatedBytes);
        }
    }

    private void encodeAndHash(FragmentCursor cursor, CanonicalEncoder encoder) {
        buffer.clear();
        int lengthBytes = encoder.row(cursor.key(), cursor.row(), buffer);
        hash.hash(buffer.array(), 0, lengthBytes);
        sum.add(hash);
    }
}
