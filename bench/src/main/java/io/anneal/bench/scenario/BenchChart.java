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

/**
 * Bars of the medians, a picture for each scenario and rate: {@code sstable-rows-per-second.png}; and what was published of repair
 * and of paging beside what was measured, if it was.
 */
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
                    written.add(save(
                            directory.resolve(scenario + "-" + metric.text() + ".png"),
                            "anneal bench " + scenario,
                            "million " + metric.text() + ", median",
                            medians(bars)));
                }
            }
        }
        Map<String, Map<String, Double>> ratios = RepairSeed.ratios(records);
        if (!ratios.isEmpty()) {
            written.add(save(
                    directory.resolve("repair-ratios.png"),
                    "repair of rows: how many times faster than of partitions, by how much is synced",
                    "times",
                    ratios));
        }
        Map<String, Map<String, Double>> wire = RepairSeed.wire(records);
        if (!wire.isEmpty()) {
            written.add(save(
                    directory.resolve("repair-wire.png"),
                    "repair of rows at 99.9 % synced: bytes sent, of those of partitions",
                    "%",
                    wire));
        }
        Map<String, Map<String, Double>> paging = PagingSeed.bars(records);
        if (!paging.isEmpty()) {
            written.add(save(
                    directory.resolve("paging-percents.png"),
                    "range scans in pages of 5,000: what keeping readers between pages made of 100",
                    "%",
                    paging));
        }
        return written;
    }

    private static Map<String, Map<String, Double>> medians(List<BenchRecord> bars) {
        Map<String, Map<String, Double>> series = new LinkedHashMap<>();
        for (BenchRecord bar : bars) {
            series.computeIfAbsent(bar.system().text(), key -> new LinkedHashMap<>())
                    .put(bar.caseName(), bar.median() / MILLION);
        }
        return series;
    }

    /** @param series bars by their place on the axis, by the series' name */
    private static Path save(Path file, String title, String axis, Map<String, Map<String, Double>> series)
            throws IOException {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH_PIXELS)
                .height(HEIGHT_PIXELS)
                .title(title)
                .yAxisTitle(axis)
                .build();
        chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setXAxisLabelRotation(LABEL_ROTATION_DEGREES);
        Set<String> places = new LinkedHashSet<>();
        series.values().forEach(bars -> places.addAll(bars.keySet()));
        // Every series has all places, as the chart wants it; a bar that nobody measured has no height.
        series.forEach((name, bars) -> chart.addSeries(
                name,
                List.copyOf(places),
                places.stream().map(place -> bars.getOrDefault(place, 0.0)).toList()));
        try (OutputStream out = Files.newOutputStream(file)) {
            ChartEncoder.saveChart(chart, out, "png");
        }
        return file;
    }
}
