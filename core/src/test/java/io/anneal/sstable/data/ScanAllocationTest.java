package io.anneal.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentKind;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Measures what a scan allocates. With assertions every fragment gets a row of its own, so that stale rows are found;
 * the measurement therefore runs in a class loader that turns assertions off.
 */
class ScanAllocationTest {
    private static final int PARTITIONS = 100;
    private static final int ROWS = 1000;

    @Test
    void shouldAllocateNothingPerRow() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(System.getProperty("path.separator"))) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        try (URLClassLoader loader =
                new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            loader.setDefaultAssertionStatus(false);
            Class<?> measurement = loader.loadClass(Measurement.class.getName());
            long bytes = (long) measurement.getMethod("allocatedBytes").invoke(null);
            assertThat((double) bytes / (PARTITIONS * ROWS)).isLessThan(1.0);
        }
    }

    /** What runs without assertions. */
    public static final class Measurement {
        private Measurement() {}

        private static int fragments(DataCursor cursor) throws IOException {
            int fragments = 0;
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                fragments += kind == FragmentKind.CLUSTERING_ROW ? cursor.row().entryCount() : 1;
            }
            return fragments;
        }

        /** Of the second scan, since the first one loads classes and compiles. */
        public static long allocatedBytes() throws IOException {
            byte[] data = SyntheticData.data(PARTITIONS, ROWS, row -> 20 + row % 50);
            try (DataCursor warm = SyntheticData.cursor(data, 16 * 1024)) {
                fragments(warm);
            }
            com.sun.management.ThreadMXBean threads =
                    (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            try (DataCursor cursor = SyntheticData.cursor(data, 16 * 1024)) {
                cursor.advance();
                cursor.advance();
                long before = threads.getCurrentThreadAllocatedBytes();
                int fragments = fragments(cursor);
                long bytes = threads.getCurrentThreadAllocatedBytes() - before;
                if (fragments < PARTITIONS * ROWS * 3) {
                    throw new IllegalStateException("rows are missing, fragments=" + fragments);
                }
                return bytes;
            }
        }
    }
}
