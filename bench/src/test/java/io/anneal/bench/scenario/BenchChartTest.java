package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BenchChartTest {
    @TempDir
    private Path directory;

    @Test
    void shouldDrawAPictureForEachScenarioAndRate() throws IOException {
        List<BenchRecord> records = List.of(
                new BenchRecord(
                        "sstable", "scan-1k", BenchSystem.ANNEAL, BenchMetric.ROWS_PER_SECOND, 1, 2e6, 2e6, 2e6),
                new BenchRecord("sstable", "merge-4", BenchSystem.LIMIT, BenchMetric.ROWS_PER_SECOND, 1, 4e6, 4e6, 4e6),
                new BenchRecord("limits", "crc32", BenchSystem.LIMIT, BenchMetric.BYTES_PER_SECOND, 1, 7e9, 7e9, 7e9),
                new BenchRecord("limits", "crc32", BenchSystem.LIMIT, BenchMetric.WALL, 1, 1, 1, 1),
                new BenchRecord(
                        "repair", "synced-99.9", BenchSystem.BASELINE, BenchMetric.BYTES_SENT, 1, 300, 300, 300),
                new BenchRecord("repair", "synced-99.9", BenchSystem.ANNEAL, BenchMetric.BYTES_SENT, 1, 3, 3, 3),
                new BenchRecord("repair", "synced-0", BenchSystem.BASELINE, BenchMetric.CPU, 1, 8, 8, 8),
                new BenchRecord("repair", "synced-0", BenchSystem.ANNEAL, BenchMetric.CPU, 1, 3, 3, 3));

        List<Path> pictures = new BenchChart(records).write(directory.resolve("charts"));

        assertThat(pictures)
                .containsExactly(
                        directory.resolve("charts/sstable-rows-per-second.png"),
                        directory.resolve("charts/limits-bytes-per-second.png"),
                        directory.resolve("charts/repair-ratios.png"),
                        directory.resolve("charts/repair-wire.png"));
        for (Path picture : pictures) {
            BufferedImage image = ImageIO.read(picture.toFile());
            assertThat(image.getWidth()).isEqualTo(1200);
        }
    }
}
