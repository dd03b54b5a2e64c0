package io.anneal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class StoreMetricsTest {
    private static StoreMetrics filled() {
        StoreMetrics metrics = new StoreMetrics("s", TableSelection.ALL, () -> 0);
        metrics.commitLog(() -> 3, () -> 3_000);
        metrics.memtables(() -> 10, () -> 100);
        metrics.timestampsAhead(() -> 2);
        metrics.failedSync(() -> true);
        metrics.commitLogWritten(5, 500);
        metrics.commitLogSynced(5, 2_000);
        metrics.admissionWaited(7);
        return metrics;
    }

    @Test
    void shouldTellWhatTheStoreDoes() {
        try (StoreMetrics metrics = filled()) {
            assertThat(metrics.values())
                    .containsEntry("store.commit-log-segments", 3L)
                    .containsEntry("store.commit-log-length-bytes", 3_000L)
                    .containsEntry("store.memtable-bytes", 10L)
                    .containsEntry("store.memtable-budget-bytes", 100L)
                    .containsEntry("store.timestamps-ahead", 2L)
                    .containsEntry("store.failed-sync", 1L)
                    .containsEntry("store.commit-log-mutations", 5L)
                    .containsEntry("store.commit-log-bytes-written", 500L)
                    .containsEntry("store.commit-log-sync-latency.count", 1L)
                    .containsEntry("store.commit-log-mutations-per-sync.max", 5L)
                    .containsEntry("store.write-admission-wait.max-nanos", 7L);
        }
    }

    /** The document lists every metric, and none that is not there. */
    @Test
    void shouldBeDescribed() throws IOException {
        Set<String> described = new TreeSet<>();
        Pattern row = Pattern.compile("^\\| `([a-z-]+)` \\|", Pattern.MULTILINE);
        Path document = Path.of("..", "docs", "metrics.md");
        String ofStore = Files.readString(document, StandardCharsets.UTF_8).split("\n# Metrics of the network\n")[0];
        Matcher matcher = row.matcher(ofStore);
        while (matcher.find()) {
            described.add(matcher.group(1));
        }
        try (StoreMetrics metrics = filled()) {
            TableMetrics table = metrics.addTable("ks.t", 1);
            Set<String> names = new TreeSet<>();
            for (String name : metrics.values().keySet()) {
                names.add(name.replaceFirst("^(store|tables|ks\\.t)\\.(shard-0\\.)?", "")
                        .replaceFirst("\\..*$", ""));
            }
            assertThat(names).isEqualTo(described);
            metrics.removeTable(table);
            assertThat(metrics.values().keySet()).allMatch(name -> name.matches("(store|tables)\\..*"));
        }
    }
}
