package io.anneal.cli.sstable;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.sstable.MetadataScan.Leader;
import io.anneal.key.KeyText;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import io.anneal.schema.TypeParser;
import io.anneal.sstable.CoveredClusterings;
import io.anneal.sstable.EstimatedHistogram;
import io.anneal.sstable.SSTableMetadata;
import io.anneal.sstable.SSTableMetadata.CommitLogInterval;
import io.anneal.sstable.SSTableMetadata.EncodingMinima;
import io.anneal.sstable.SSTableMetadata.KeyRange;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableStatistics;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What an SSTable tells about itself as one JSON object. What it does not tell is null. */
final class MetadataJson {
    private final SSTableReader reader;
    private final SSTableMetadata metadata;
    private final long nowSeconds;
    private final JsonGenerator json;

    MetadataJson(SSTableReader reader, long nowSeconds, JsonGenerator json) {
        this.reader = reader;
        this.nowSeconds = nowSeconds;
        this.json = json;
        metadata = reader.metadata();
    }

    void write(Optional<MetadataScan> scan) throws IOException {
        json.writeStartObject();
        json.writeStringField("sstable", reader.descriptor().toString());
        json.writeStringField("version", reader.descriptor().version());
        json.writeStringField("format", reader.descriptor().format());
        json.writeStringField("partitioner", metadata.partitioner().className());
        json.writeNumberField("bloomFilterFpChance", metadata.bloomFilterFpChance());
        writeRanges();
        writeKeys();
        text("coveredClusterings", metadata.coveredClusterings().map(CoveredClusterings::toString));
        json.writeNumberField("droppableTombstoneRatio", metadata.droppableRatio(nowSeconds));
        writeOrigin();
        writeHistograms();
        writeHeader();
        if (scan.isPresent()) {
            write(scan.get());
        }
        json.writeEndObject();
    }

    private void text(String name, Optional<String> value) throws IOException {
        json.writeStringField(name, value.orElse(null));
    }

    private void writeRanges() throws IOException {
        SSTableStatistics statistics = metadata.statistics();
        json.writeNumberField("minTimestampMicros", statistics.minTimestampMicros());
        json.writeNumberField("maxTimestampMicros", statistics.maxTimestampMicros());
        deletion("minLocalDeletionTimeSeconds", statistics.minLocalDeletionTimeSeconds());
        deletion("maxLocalDeletionTimeSeconds", statistics.maxLocalDeletionTimeSeconds());
        json.writeNumberField("minTtlSeconds", statistics.minTtlSeconds());
        json.writeNumberField("maxTtlSeconds", statistics.maxTtlSeconds());
        text("compressor", reader.compressor());
        if (reader.compressor().isPresent()) {
            json.writeNumberField("compressionRatio", metadata.compressionRatio());
        } else {
            json.writeNullField("compressionRatio");
        }
        json.writeNumberField("dataBytes", reader.dataLengthBytes());
        json.writeNumberField("rows", statistics.totalRows());
        json.writeNumberField("columnsSet", statistics.totalColumnsSet());
        json.writeBooleanField("hasLegacyCounterShards", statistics.hasLegacyCounterShards());
        json.writeBooleanField("hasPartitionDeletions", metadata.hasPartitionDeletions());
    }

    /** Null when nothing was deleted and nothing expires. */
    private void deletion(String name, long seconds) throws IOException {
        if (seconds == Long.MAX_VALUE) {
            json.writeNullField(name);
        } else {
            json.writeNumberField(name, seconds);
        }
    }

    private void writeKeys() throws IOException {
        Optional<KeyRange> keys = reader.keyRange();
        text("firstKey", keys.map(k -> KeyText.joined(reader.headerSchema(), k.first())));
        text("firstToken", keys.map(k -> metadata.partitioner().tokenText(k.first())));
        text("lastKey", keys.map(k -> KeyText.joined(reader.headerSchema(), k.last())));
        text("lastToken", keys.map(k -> metadata.partitioner().tokenText(k.last())));
        if (metadata.estimatedKeyCount().isPresent()) {
            json.writeNumberField("estimatedKeys", metadata.estimatedKeyCount().getAsLong());
        } else {
            json.writeNullField("estimatedKeys");
        }
        if (Double.isNaN(metadata.tokenSpaceCoverage())) {
            json.writeNullField("tokenSpaceCoverage");
        } else {
            json.writeNumberField("tokenSpaceCoverage", metadata.tokenSpaceCoverage());
        }
    }

    private void writeOrigin() throws IOException {
        json.writeNumberField("level", metadata.statistics().level());
        json.writeNumberField("repairedAtMillis", metadata.repairState().repairedAtMillis());
        text("pendingRepair", metadata.repairState().pendingRepair().map(UUID::toString));
        json.writeBooleanField("isTransient", metadata.repairState().isTransient());
        text("originatingHost", metadata.originatingHost().map(UUID::toString));
        json.writeArrayFieldStart("commitLogIntervals");
        for (CommitLogInterval interval : metadata.commitLogIntervals()) {
            json.writeStartObject();
            json.writeNumberField("startSegment", interval.start().segment());
            json.writeNumberField("startPosition", interval.start().position());
            json.writeNumberField("endSegment", interval.end().segment());
            json.writeNumberField("endPosition", interval.end().position());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void writeHistograms() throws IOException {
        json.writeArrayFieldStart("dropTimes");
        for (int i = 0; i < metadata.dropTimes().counts().length; i++) {
            json.writeStartObject();
            json.writeNumberField("seconds", metadata.dropTimes().pointsSeconds()[i]);
            json.writeNumberField("count", metadata.dropTimes().counts()[i]);
            json.writeEndObject();
        }
        json.writeEndArray();
        histogram("partitionSizesBytes", metadata.partitionSizesBytes());
        histogram("cellsPerPartition", metadata.cellsPerPartition());
    }

    /** The buckets that hold anything; the one without a bound has null. */
    private void histogram(String name, EstimatedHistogram histogram) throws IOException {
        json.writeArrayFieldStart(name);
        for (int i = 0; i < histogram.counts().length; i++) {
            if (histogram.counts()[i] == 0) {
                continue;
            }
            json.writeStartObject();
            if (i < histogram.upperBounds().length) {
                json.writeNumberField("upTo", histogram.upperBounds()[i]);
            } else {
                json.writeNullField("upTo");
            }
            json.writeNumberField("count", histogram.counts()[i]);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void writeHeader() throws IOException {
        EncodingMinima minima = metadata.encodingMinima();
        TableSchema schema = reader.headerSchema();
        json.writeObjectFieldStart("header");
        json.writeNumberField("minTimestampMicros", minima.timestampMicros());
        json.writeNumberField("minLocalDeletionTimeSeconds", minima.localDeletionTimeSeconds());
        json.writeNumberField("minTtlSeconds", minima.ttlSeconds());
        json.writeStringField(
                "keyType",
                TypeParser.compositeClassName(
                        schema.partitionKey().stream().map(Column::type).toList()));
        json.writeArrayFieldStart("clusteringTypes");
        for (Column column : schema.clustering()) {
            json.writeString(column.type().className());
        }
        json.writeEndArray();
        columns("staticColumns", schema.staticColumns());
        columns("regularColumns", schema.regularColumns());
        json.writeEndObject();
    }

    private void columns(String name, List<Column> columns) throws IOException {
        json.writeObjectFieldStart(name);
        for (Column column : columns) {
            json.writeStringField(column.name(), column.type().className());
        }
        json.writeEndObject();
    }

    private void write(MetadataScan scan) throws IOException {
        json.writeObjectFieldStart("scan");
        json.writeNumberField("partitions", scan.partitionCount());
        json.writeNumberField("rows", scan.rowCount());
        json.writeNumberField("cells", scan.cellCount());
        json.writeNumberField("tombstones", scan.tombstoneCount());
        leaders("widestPartitions", "rows", scan.widest());
        leaders("largestPartitions", "bytes", scan.largest());
        leaders("mostTombstones", "tombstones", scan.tombstones());
        json.writeEndObject();
    }

    private void leaders(String name, String valueName, List<Leader> leaders) throws IOException {
        json.writeArrayFieldStart(name);
        for (Leader leader : leaders) {
            json.writeStartObject();
            json.writeStringField("key", leader.key());
            json.writeNumberField(valueName, leader.value());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
