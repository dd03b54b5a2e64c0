package io.anneal.cli.store;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.command.TableErrors;
import io.anneal.io.Directories;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.table.ListedSSTable;
import io.anneal.table.ManifestContent;
import io.anneal.table.RepairTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code anneal store info}: what a store holds, read from its directory; it may be open elsewhere. */
@Command(
        name = "info",
        description = "Prints a store's tables, shards, SSTables and commit log; another process may have it open.")
final class StoreInfoCommand extends Subcommand {
    /** A file of the commit log. */
    private record Segment(Path file, long lengthBytes) {}

    @Parameters(paramLabel = "DIR", description = "The store's directory.")
    private Path directory;

    @Override
    protected int execute() throws IOException {
        StoreDirectory store = StoreDirectory.of(directory);
        List<Segment> segments = segments(store);
        List<StoreTableInfo> tables = new ArrayList<>();
        TableErrors errors = new TableErrors();
        for (Path table : store.tables()) {
            try {
                tables.add(StoreTableInfo.of(table));
            } catch (IOException e) {
                errors.add(table.toString(), tell(e));
            }
        }
        if (json()) {
            printJson(store, segments, tables, errors);
        } else {
            print(store, segments, tables);
        }
        return errors.isEmpty() ? ExitCode.YES : ExitCode.NO;
    }

    private static List<Segment> segments(StoreDirectory store) throws IOException {
        List<Segment> segments = new ArrayList<>();
        if (Files.isDirectory(store.commitLog())) {
            for (Path file : Directories.list(store.commitLog())) {
                // A lock lies beside them.
                if (file.toString().endsWith(".log")) {
                    segments.add(new Segment(file, Files.size(file)));
                }
            }
        }
        return segments;
    }

    private void print(StoreDirectory store, List<Segment> segments, List<StoreTableInfo> tables) throws IOException {
        line("store %s", store.directory());
        line("  id            %s", store.file().storeId());
        line("  ignored bits  %d", store.file().ignoredBits());
        line("  open by       %s", store.owner().orElse("nobody"));
        StoreDirectory.failedSync(store.directory())
                .read()
                .ifPresent(text -> line("  failed sync   not acknowledged, %s", text));
        line(
                "  commit log    %,d bytes in %d files",
                segments.stream().mapToLong(Segment::lengthBytes).sum(), segments.size());
        for (Segment segment : segments) {
            line("    %s  %,d bytes", segment.file().getFileName(), segment.lengthBytes());
        }
        for (StoreTableInfo table : tables) {
            print(table);
        }
    }

    private void print(StoreTableInfo table) {
        ManifestContent manifest = table.manifest();
        line("table %s", manifest.qualifiedName());
        line("  directory     %s", table.directory());
        line("  shards        %d", manifest.shards().shardCount());
        new TreeMap<>(manifest.flushed())
                .forEach((shard, position) -> line(
                        "    shard %d flushed to segment %d, position %d",
                        shard, position.segmentId(), position.position()));
        line("  SSTables      %d, %,d bytes", table.sstables().size(), table.lengthBytes());
        for (StoreTableInfo.SSTable sstable : table.sstables()) {
            line(
                    "    %s  %s, level %d, %,d bytes, %,d uncompressed, about %,d partitions",
                    sstable.descriptor().baseName(),
                    sstable.shard() == ListedSSTable.SHARED ? "shared" : "shard " + sstable.shard(),
                    sstable.level(),
                    sstable.lengthBytes(),
                    sstable.dataLengthBytes(),
                    sstable.estimatedPartitions());
        }
        for (RepairTime time : manifest.repairTimes()) {
            line("  repaired      %s at %d s", time.range(), time.seconds());
        }
        manifest.staleSeconds().ifPresent(seconds -> line("  stale         since %s", Instant.ofEpochSecond(seconds)));
        for (String snapshot : table.snapshots()) {
            line("  snapshot      %s", snapshot);
        }
    }

    private void line(String format, Object... facts) {
        out().println(String.format(Locale.ROOT, format, facts));
    }

    private void printJson(
            StoreDirectory store, List<Segment> segments, List<StoreTableInfo> tables, TableErrors errors)
            throws IOException {
        JsonGenerator json = resultFields();
        json.writeStringField("directory", store.directory().toString());
        json.writeStringField("id", store.file().storeId().toString());
        json.writeNumberField("ignoredBits", store.file().ignoredBits());
        json.writeStringField("openBy", store.owner().orElse(null));
        json.writeStringField(
                "failedSync",
                StoreDirectory.failedSync(store.directory()).read().orElse(null));
        json.writeArrayFieldStart("commitLog");
        for (Segment segment : segments) {
            json.writeStartObject();
            json.writeStringField("file", segment.file().getFileName().toString());
            json.writeNumberField("lengthBytes", segment.lengthBytes());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("tables");
        for (StoreTableInfo table : tables) {
            write(table, json);
        }
        json.writeEndArray();
        errors.write(json);
    }

    private static void write(StoreTableInfo table, JsonGenerator json) throws IOException {
        ManifestContent manifest = table.manifest();
        json.writeStartObject();
        json.writeStringField("table", manifest.qualifiedName());
        json.writeStringField("id", manifest.tableId().toString());
        json.writeStringField("directory", table.directory().toString());
        json.writeNumberField("shards", manifest.shards().shardCount());
        json.writeArrayFieldStart("flushed");
        for (int shard : new TreeMap<>(manifest.flushed()).keySet()) {
            json.writeStartObject();
            json.writeNumberField("shard", shard);
            json.writeNumberField("segmentId", manifest.flushed(shard).segmentId());
            json.writeNumberField("position", manifest.flushed(shard).position());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberField("lengthBytes", table.lengthBytes());
        json.writeArrayFieldStart("sstables");
        for (StoreTableInfo.SSTable sstable : table.sstables()) {
            write(sstable, json);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("repaired");
        for (RepairTime time : manifest.repairTimes()) {
            json.writeStartObject();
            json.writeStringField("range", time.range().toString());
            json.writeNumberField("seconds", time.seconds());
            json.writeEndObject();
        }
        json.writeEndArray();
        if (manifest.staleSeconds().isPresent()) {
            json.writeNumberField("staleSeconds", manifest.staleSeconds().getAsLong());
        } else {
            json.writeNullField("staleSeconds");
        }
        json.writeArrayFieldStart("snapshots");
        for (String snapshot : table.snapshots()) {
            json.writeString(snapshot);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void write(StoreTableInfo.SSTable sstable, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("sstable", sstable.descriptor().baseName());
        // Null for an SSTable that has tokens of several shards.
        if (sstable.shard() == ListedSSTable.SHARED) {
            json.writeNullField("shard");
        } else {
            json.writeNumberField("shard", sstable.shard());
        }
        json.writeNumberField("level", sstable.level());
        json.writeNumberField("lengthBytes", sstable.lengthBytes());
        json.writeNumberField("dataLengthBytes", sstable.dataLengthBytes());
        json.writeNumberField("estimatedPartitions", sstable.estimatedPartitions());
        json.writeNumberField("minTimestampMicros", sstable.minTimestampMicros());
        json.writeNumberField("maxTimestampMicros", sstable.maxTimestampMicros());
        json.writeNumberField("repairedAtMillis", sstable.repairedAtMillis());
        json.writeEndObject();
    }
}
