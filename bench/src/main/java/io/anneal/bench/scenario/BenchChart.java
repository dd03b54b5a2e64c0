package io.anneal.bench.scenario;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Bars of the medians, a picture for each scenario and rate: {@code sstable-rows-per-second.png}. */
public final class BenchChart {
    private static final int WIDTH_PIXELS = 1200;
    private static final int HEIGHT_PIXELS = 600;
    private static final int LABEL_ROTATION_DEGREES = 30;
    private static final double MILLION = 1e6;
    private static final List<BenchMetric> SHOWN =
            List.of(BenchMetric.ROWS_PER_SECOND, BenchMetric.BYTES_PER_SECOND, BenchMetric.BYTES_PER_CPU_SECOND);

    private final List<BenchRecord> records;

    public BenchChart(List<BenchRecord> records) {
        this.records = List.copyOf(records);
    }

    /** Writes the pictures, over those of an earlier run, and returns them. No display is needed. */
    public List<Path> write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Set<String> scenarios = new LinkedHashSet<>();
        records.forEach(entry -> scenarios.add(entry.scenario()));
        List<Path> written = new ArrayList<>();
        for (String scenario : scenarios) {
            for (BenchMetric metric : SHOWN) {
                List<BenchRecord> bars = records.stream()
                        .filter(entry -> entry.scenario().equals(scenario) && entry.metric() == metric)
                        .toList();
                if (!bars.isEmpty()) {
                    Path file = directory.resolve(scenario + "-" + metric.text() + ".png");
                    try (OutputStream out = Files.newOutputStream(file)) {
                        ChartEncoder.saveChart(chart(scenario, metric, bars), out, "png");
                    }
                    written.add(file);
                }
            }
        }
        return written;
    }

    private static CategoryChart chart(String scenario, BenchMetric metric, List<BenchRecord> bars) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH_PIXELS)
                .height(HEIGHT_PIXELS)
                .title("anneal bench " + scenario)
                .yAxisTitle("million " + metric.text() + ", median")
                .build();
        chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setXAxisLabelRotation(LABEL_ROTATION_DEGREES);
        Set<String> cases = new LinkedHashSet<>();
        Map<BenchSystem, Map<String, Double>> series = new LinkedHashMap<>();
        for (BenchRecord bar : bars) {
            cases.add(bar.caseName());
            series.computeIfAbsent(bar.system(), key -> new LinkedHashMap<>())
                    .put(bar.caseName(), bar.median() / MILLION);
        }
        // Every series has all cases, as the chart wants it; a bar that nobody measured has no height.
        series.forEach((system, medians) -> chart.addSeries(
                system.text(),
                List.copyOf(cases),
                cases.stream().map(name -> medians.getOrDefault(name, 0.0)).toList()));
        return chart;
    }
}
