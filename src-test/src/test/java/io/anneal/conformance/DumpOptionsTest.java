package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.sstable.DumpOptions;
import io.anneal.cli.sstable.SSTableDump;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.big.BigFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every option of the dump against what sstabledump of Cassandra 5.0.9 printed with it. */
class DumpOptionsTest {
    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final long NOW_SECONDS = 1_795_226_000;

    private static void assertDump(String table, DumpOptions options, String golden) throws IOException {
        Path data = RESOURCES.resolve("corpus/nb").resolve(table).resolve("nb-1-big-Data.db");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SSTableReader reader = new BigFormat().open(Descriptor.of(data).orElseThrow())) {
            SSTableDump.dump(reader, options, NOW_SECONDS, out);
        }
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo(Files.readString(RESOURCES.resolve("dump").resolve(golden)));
    }

    @Test
    void shouldPrintTimesAsDates() throws IOException {
        DumpOptions dates = new DumpOptions(false, false, false, List.of(), List.of());
        assertDump("clustered", dates, "clustered.json");
        assertDump("deletions", dates, "deletions.json");
    }

    @Test
    void shouldPrintKeysOnly() throws IOException {
        assertDump("clustered", new DumpOptions(true, false, false, List.of(), List.of()), "clustered.e.json");
    }

    @Test
    void shouldIgnoreChoiceOfKeysWhenPrintingKeysOnly() throws IOException {
        DumpOptions options = new DumpOptions(true, true, true, List.of("0:p0"), List.of("1:p1"));
        assertDump("clustered", options, "clustered.e.json");
    }

    @Test
    void shouldPrintAPartitionALine() throws IOException {
        assertDump("clustered", new DumpOptions(false, true, false, List.of(), List.of()), "clustered.l.json");
        assertDump("clustered", new DumpOptions(false, true, true, List.of(), List.of()), "clustered.lt.json");
        assertDump("deletions", new DumpOptions(false, true, false, List.of(), List.of()), "deletions.l.json");
    }

    @Test
    void shouldPrintChosenKeys() throws IOException {
        DumpOptions options = new DumpOptions(false, false, false, List.of("0:p0", "2:p2"), List.of());
        assertDump("clustered", options, "clustered.k.json");
    }

    @Test
    void shouldLeaveOutExcludedKeys() throws IOException {
        DumpOptions options = new DumpOptions(false, false, false, List.of(), List.of("0:p0", "1:p1"));
        assertDump("clustered", options, "clustered.x.json");
    }
}
