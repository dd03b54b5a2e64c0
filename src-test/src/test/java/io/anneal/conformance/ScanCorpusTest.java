package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.faults.Commands;
import io.anneal.paging.PagedTable;
import io.anneal.paging.Paging;
import io.anneal.paging.Scan;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.schema.Column;
import io.anneal.store.SSTables;
import io.anneal.store.TableRow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pages of tables that Cassandra wrote, against the rows that it read from them itself. */
final class ScanCorpusTest {
    private static final int PAGE_ROWS = 3;

    static List<Path> tables() throws IOException {
        return CorpusRowsTest.tables();
    }

    private static Clock clock(Path table) throws IOException {
        return Clock.fixed(Instant.ofEpochSecond(Corpus.atSeconds(table)), ZoneOffset.UTC);
    }

    private static String scan(Path table, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("scan", "--quiet", "--data", Corpus.ROOT.resolve(table).toString()));
        arguments.addAll(List.of(options));
        Commands.Result result = Commands.run(clock(table), arguments.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.err()).isZero();
        return result.out();
    }

    @ParameterizedTest
    @MethodSource("tables")
    void shouldPrintTheRowsThatCassandraReads(Path table) throws IOException {
        String printed = scan(table, "--page-size", String.valueOf(PAGE_ROWS));

        List<String> expected = Corpus.rows(table);
        Differences.assertSame(
                table.toString(),
                JsonRows.sorted(JsonRows.ofDocuments(printed.lines().toList())),
                JsonRows.sorted(JsonRows.ofDocuments(expected)));
        assertThat(scan(table, "--stateless", "--page-size", "7")).isEqualTo(printed);
        assertThat(scan(table, "--format", "count")).isEqualTo(expected.size() + "\n");
    }

    /** What stands above holds for the rows forwards; here the same ones come in the other order. */
    @ParameterizedTest
    @MethodSource("tables")
    void shouldReadPartitionsAgainstTheirOrder(Path table) throws IOException {
        HostEnvironment environment = HostEnvironment.system().withClock(clock(table));
        try (SSTables sstables = SSTables.open(Corpus.ROOT.resolve(table));
                Paging paging = Paging.open(QuerierLimits.DEFAULT, environment)) {
            PagedTable paged = paging.table(sstables);
            Map<List<Object>, List<Map<String, Object>>> forwards = partitions(paged, paged.scan());
            if (forwards.isEmpty()) {
                return;
            }

            Scan named = paged.partitions(List.copyOf(forwards.keySet())).pageSize(PAGE_ROWS);
            assertThat(partitions(paged, named)).isEqualTo(forwards);
            forwards.values().forEach(Collections::reverse);
            assertThat(partitions(paged, named.reversed())).isEqualTo(forwards);
            assertThat(partitions(paged, named.reversed().stateless())).isEqualTo(forwards);
        }
    }

    /** Rows by the values of their key, in the order in which they come. */
    private static Map<List<Object>, List<Map<String, Object>>> partitions(PagedTable table, Scan scan) {
        List<String> names =
                table.schema().partitionKey().stream().map(Column::name).toList();
        Map<List<Object>, List<Map<String, Object>>> partitions = new LinkedHashMap<>();
        for (TableRow row : scan) {
            Map<String, Object> values = row.values();
            partitions
                    .computeIfAbsent(names.stream().map(values::get).toList(), key -> new ArrayList<>())
                    .add(values);
        }
        return partitions;
    }
}
