package io.anneal.store;

import io.anneal.store.directory.CorruptSnapshotException;
import io.anneal.store.directory.SnapshotManifest;
import io.anneal.table.StoreSnapshots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A snapshot as it lies on the disk.
 *
 * @param createdAt of several tables that of the last
 * @param tables by name, those that were dropped meanwhile too
 * @param sizeBytes of all its files
 * @param ownBytes of files that no table uses any more: what the disk gets back at most when it is deleted, less what other
 *     snapshots share
 */
public record StoreSnapshot(String name, Instant createdAt, List<String> tables, long sizeBytes, long ownBytes) {
    public StoreSnapshot {
        tables = List.copyOf(tables);
    }

    /** By name. */
    static List<StoreSnapshot> of(List<StoreSnapshots.Entry> entries) throws IOException {
        SortedMap<String, List<StoreSnapshots.Entry>> byName = new TreeMap<>();
        entries.forEach(entry ->
                byName.computeIfAbsent(entry.name(), name -> new ArrayList<>()).add(entry));
        List<StoreSnapshot> snapshots = new ArrayList<>();
        for (List<StoreSnapshots.Entry> ofTables : byName.values()) {
            snapshots.add(ofTables(ofTables));
        }
        return snapshots;
    }

    private static StoreSnapshot ofTables(List<StoreSnapshots.Entry> entries) throws IOException {
        Instant createdAt = Instant.MIN;
        long sizeBytes = 0;
        long ownBytes = 0;
        for (StoreSnapshots.Entry entry : entries) {
            Instant created = createdAt(entry.directory());
            createdAt = created.isAfter(createdAt) ? created : createdAt;
            for (Path file : files(entry.directory())) {
                long lengthBytes = Files.size(file);
                sizeBytes += lengthBytes;
                Path live = entry.tableDirectory().resolve(file.getFileName().toString());
                if (!Files.exists(live) || !Files.isSameFile(live, file)) {
                    ownBytes += lengthBytes;
                }
            }
        }
        List<String> tables =
                entries.stream().map(StoreSnapshots.Entry::table).sorted().toList();
        return new StoreSnapshot(entries.get(0).name(), createdAt, tables, sizeBytes, ownBytes);
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> entries = Files.walk(directory)) {
            return entries.filter(Files::isRegularFile).toList();
        }
    }

    /** One whose manifest cannot be read is there all the same. */
    private static Instant createdAt(Path directory) throws IOException {
        Instant fileTime = Files.getLastModifiedTime(directory).toInstant();
        try {
            return SnapshotManifest.read(directory)
                    .flatMap(SnapshotManifest::createdAt)
                    .orElse(fileTime);
        } catch (CorruptSnapshotException e) {
            return fileTime;
        }
    }
}
