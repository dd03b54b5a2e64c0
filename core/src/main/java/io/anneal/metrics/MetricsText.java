package io.anneal.metrics;

import com.codahale.metrics.Counting;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Metric;
import com.codahale.metrics.Sampling;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Metrics in Prometheus' text format, version 0.0.4: a name for each type and metric, and what tells one of the type from
 * others as labels.
 *
 * <pre>
 *   anneal_network_bytes_sent{node="n1"} 17
 *   anneal_verb_request_latency_nanos{node="n1",verb="repair.session",quantile="0.99"} 120000
 * </pre>
 */
final class MetricsText {
    private final String ownerLabel;
    /** Lines by name: those of one name have to follow one another. */
    private final Map<String, StringBuilder> lines = new TreeMap<>();

    MetricsText(String ownerKey, String owner) {
        ownerLabel = label(ownerKey, owner);
    }

    private static String label(String key, String value) {
        return key + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    void add(MetricName name, Metric metric) {
        StringBuilder labels = new StringBuilder(ownerLabel);
        new TreeMap<>(name.keys()).forEach((key, value) -> {
            if (!key.equals(MetricName.TYPE)) {
                labels.append(',').append(label(key, value.replaceAll("^\"|\"$", "")));
            }
        });
        String text = ("anneal_" + name.keys().get(MetricName.TYPE) + "_" + name.name())
                .toLowerCase(Locale.ROOT)
                .replace('-', '_');
        if (metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number number) {
            line(text, text, labels, number);
        } else if (metric instanceof Sampling sampling) {
            String sampled = metric instanceof Timer ? text + "_nanos" : text;
            Snapshot snapshot = sampling.getSnapshot();
            line(sampled, sampled, labels + ",quantile=\"0.5\"", (long) snapshot.getMedian());
            line(sampled, sampled, labels + ",quantile=\"0.99\"", (long) snapshot.get99thPercentile());
            line(sampled, sampled, labels + ",quantile=\"0.999\"", (long) snapshot.get999thPercentile());
            line(sampled, sampled, labels + ",quantile=\"1\"", snapshot.getMax());
            line(sampled, sampled + "_count", labels, ((Counting) metric).getCount());
        }
    }

    private void line(String group, String name, CharSequence labels, Number value) {
        lines.computeIfAbsent(group, first -> new StringBuilder())
                .append(name)
                .append('{')
                .append(labels)
                .append("} ")
                .append(value)
                .append('\n');
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        lines.values().forEach(text::append);
        return text.toString();
    }
}
