package io.anneal.cli.sstable;

import io.anneal.cli.sstable.MetadataScan.Leader;
import io.anneal.key.KeyText;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import io.anneal.schema.TypeParser;
import io.anneal.sstable.CoveredClusterings;
import io.anneal.sstable.SSTableMetadata;
import io.anneal.sstable.SSTableMetadata.CommitLogInterval;
import io.anneal.sstable.SSTableMetadata.CommitLogPosition;
import io.anneal.sstable.SSTableMetadata.EncodingMinima;
import io.anneal.sstable.SSTableMetadata.KeyRange;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableStatistics;
import java.io.IOException;
import java.io.PrintStream;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** What an SSTable tells about itself, line by line as Cassandra's sstablemetadata prints it without colours, in UTC. */
final class MetadataText {
    private static final String COMPRESSOR_PACKAGE = "org.apache.cassandra.io.compress.";
    private static final String NONE = "--";

    private final SSTableReader reader;
    private final SSTableMetadata metadata;
    private final long nowSeconds;
    private final PrintStream out;
    private final SimpleDateFormat dateFormat = new SimpleDateFormat("MM/dd/yyyy HH:mm:ss", Locale.ROOT);

    /** @param nowSeconds up to when what was deleted or expired can be dropped */
    MetadataText(SSTableReader reader, long nowSeconds, PrintStream out) {
        this.reader = reader;
        this.nowSeconds = nowSeconds;
        this.out = out;
        metadata = reader.metadata();
        dateFormat.setTimeZone(TimeZone.getTimeZone("UTC"));
    }

    void print(Optional<MetadataScan> scan) throws IOException {
        field("SSTable", reader.descriptor());
        scan.ifPresent(this::printScan);
        field("Partitioner", metadata.partitioner().className());
        field("Bloom Filter FP chance", metadata.bloomFilterFpChance());
        printStatistics();
        printHistograms();
        printHeader();
        field("IsTransient", metadata.repairState().isTransient());
    }

    private void field(String name, Object value) {
        out.println(name + ": " + Objects.requireNonNullElse(value, NONE));
    }

    private void field(String name, Object value, String comment) {
        field(name, Objects.requireNonNullElse(value, NONE) + (comment == null ? "" : " (" + comment + ")"));
    }

    private void printScan(MetadataScan scan) {
        field("Size", scan.lengthBytes());
        field("Partitions", scan.partitionCount());
        field("Rows", scan.rowCount());
        field("Tombstones", scan.tombstoneCount());
        field("Cells", scan.cellCount());
        field("Widest Partitions", "");
        printLeaders(scan.widest(), false);
        field("Largest Partitions", "");
        printLeaders(scan.largest(), true);
        if (!scan.tombstones().isEmpty()) {
            field("Tombstone Leaders", "");
            printLeaders(scan.tombstones(), false);
        }
    }

    private void printLeaders(List<Leader> leaders, boolean bytes) {
        for (Leader leader : leaders) {
            String size = bytes ? " (" + Objects.requireNonNullElse(byteText(leader.value()), "null") + ")" : "";
            out.println("  [" + leader.key() + "] " + leader.value() + size);
        }
    }

    private void printStatistics() throws IOException {
        SSTableStatistics statistics = metadata.statistics();
        long min = statistics.minTimestampMicros();
        long max = statistics.maxTimestampMicros();
        field("Minimum timestamp", date(min, TimeUnit.MICROSECONDS), Long.toString(min));
        field("Maximum timestamp", date(max, TimeUnit.MICROSECONDS), Long.toString(max));
        field("Duration", duration(max - min));
        deletionField("SSTable min local deletion time", statistics.minLocalDeletionTimeSeconds());
        deletionField("SSTable max local deletion time", statistics.maxLocalDeletionTimeSeconds());
        field("Compressor", reader.compressor().map(c -> COMPRESSOR_PACKAGE + c).orElse("-"));
        if (reader.compressor().isPresent()) {
            field("Compression ratio", metadata.compressionRatio());
        }
        field("TTL min", statistics.minTtlSeconds(), words(statistics.minTtlSeconds()));
        field("TTL max", statistics.maxTtlSeconds(), words(statistics.maxTtlSeconds()));
        Optional<KeyRange> keys = reader.keyRange();
        if (keys.isPresent()) {
            keyField("First token", keys.get().first());
            keyField("Last token", keys.get().last());
        }
        field(
                "Covered clusterings",
                metadata.coveredClusterings().map(CoveredClusterings::toString).orElse("ALL"));
        field("Estimated droppable tombstones", metadata.droppableRatio(nowSeconds));
        field("SSTable Level", statistics.level());
        long repairedAtMillis = metadata.repairState().repairedAtMillis();
        field("Repaired at", repairedAtMillis, date(repairedAtMillis, TimeUnit.MILLISECONDS));
        field("Originating host id", metadata.originatingHost().orElse(null));
        field("Pending repair", metadata.repairState().pendingRepair().orElse(null));
        field(
                "Replay positions covered",
                metadata.commitLogIntervals().stream()
                        .map(MetadataText::text)
                        .collect(Collectors.joining(", ", "{", "}")));
        field("totalColumnsSet", statistics.totalColumnsSet());
        field("totalRows", statistics.totalRows());
    }

    private void deletionField(String name, long seconds) {
        boolean none = seconds == 0 || seconds == Long.MAX_VALUE;
        field(name, none ? "no tombstones" : date(seconds, TimeUnit.SECONDS), Long.toString(seconds));
    }

    private void keyField(String name, byte[] key) {
        field(name, metadata.partitioner().tokenText(key), KeyText.joined(reader.headerSchema(), key));
    }

    private static String text(CommitLogInterval interval) {
        return text(interval.start()) + "=" + text(interval.end());
    }

    private static String text(CommitLogPosition position) {
        return "CommitLogPosition(segmentId=" + position.segment() + ", position=" + position.position() + ")";
    }

    private void printHistograms() {
        field("Estimated tombstone drop times", "");
        HistogramText.of(
                        metadata.dropTimes(),
                        "Drop Time",
                        seconds -> seconds + " " + inBrackets(date(seconds, TimeUnit.SECONDS)))
                .print(out);
        field("Partition Size", "");
        HistogramText.of(
                        metadata.partitionSizesBytes(),
                        "Size (bytes)",
                        bytes -> bytes + " " + inBrackets(byteText(bytes)))
                .print(out);
        field("Column Count", "");
        HistogramText.of(metadata.cellsPerPartition(), "Columns", Long::toString)
                .print(out);
        field("Local token space coverage", metadata.tokenSpaceCoverage());
        metadata.estimatedKeyCount().ifPresent(count -> field("Estimated cardinality", count));
    }

    private void printHeader() {
        EncodingMinima minima = metadata.encodingMinima();
        TableSchema schema = reader.headerSchema();
        field("EncodingStats minTTL", minima.ttlSeconds(), words(minima.ttlSeconds()));
        field(
                "EncodingStats minLocalDeletionTime",
                date(minima.localDeletionTimeSeconds(), TimeUnit.SECONDS),
                Long.toString(minima.localDeletionTimeSeconds()));
        field(
                "EncodingStats minTimestamp",
                date(minima.timestampMicros(), TimeUnit.MICROSECONDS),
                Long.toString(minima.timestampMicros()));
        field("KeyType", TypeParser.compositeClassName(types(schema.partitionKey())));
        field(
                "ClusteringTypes",
                types(schema.clustering()).stream().map(CqlType::className).toList());
        field("StaticColumns", text(schema.staticColumns()));
        field("RegularColumns", text(schema.regularColumns()));
    }

    private static List<CqlType> types(List<Column> columns) {
        return columns.stream().map(Column::type).toList();
    }

    private static String text(List<Column> columns) {
        return columns.stream().map(c -> c.name() + ":" + c.type().className()).collect(Collectors.joining(", "));
    }

    private static String inBrackets(String text) {
        return text == null ? "" : "(" + text + ")";
    }

    /** Null for 1970, which stands for none. */
    private String date(long time, TimeUnit unit) {
        return time == 0 ? null : dateFormat.format(new Date(unit.toMillis(time)));
    }

    private static String duration(long micros) {
        long seconds = TimeUnit.MICROSECONDS.toSeconds(micros);
        long hours = TimeUnit.SECONDS.toHours(seconds);
        long minutes = TimeUnit.SECONDS.toMinutes(seconds);
        return "Days: " + TimeUnit.SECONDS.toDays(seconds) + " Hours: "
                + (hours - 24 * TimeUnit.SECONDS.toDays(seconds)) + " Minutes: " + (minutes - 60 * hours)
                + " Seconds: " + (seconds - 60 * minutes);
    }

    /** As {@code 1 day 0 hours 5 minutes}: without zeros at the ends; null for nothing. */
    private static String words(int seconds) {
        if (seconds == 0) {
            return null;
        }
        if (seconds == Integer.MAX_VALUE) {
            return "never";
        }
        long[] parts = {seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60};
        String[] names = {"day", "hour", "minute", "second"};
        int first = 0;
        while (first < 3 && parts[first] == 0) {
            first++;
        }
        int last = 3;
        while (last > first && parts[last] == 0) {
            last--;
        }
        StringBuilder text = new StringBuilder();
        for (int i = first; i <= last; i++) {
            text.append(i == first ? "" : " ").append(parts[i]).append(' ').append(names[i]);
            text.append(parts[i] == 1 ? "" : "s");
        }
        return text.toString();
    }

    /** As {@code 1.5 kB} with powers of 1024; null for nothing. */
    private static String byteText(long bytes) {
        if (bytes == 0) {
            return null;
        }
        if (bytes < 1024) {
            return bytes + " B";
        }
        int exponent = (int) (Math.log(bytes) / Math.log(1024));
        return String.format(Locale.ROOT, "%.1f %sB", bytes / Math.pow(1024, exponent), "kMGTPE".charAt(exponent - 1));
    }
}
