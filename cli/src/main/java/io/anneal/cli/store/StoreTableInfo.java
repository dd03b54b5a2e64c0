package io.anneal.cli.store;

import io.anneal.io.Directories;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.table.ListedSSTable;
import io.anneal.table.Manifest;
import io.anneal.table.ManifestContent;
import io.anneal.table.TableDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One table of a store as its directory tells.
 *
 * @param snapshots names
 */
record StoreTableInfo(Path directory, ManifestContent manifest, List<SSTable> sstables, List<String> snapshots) {
    /** A process that has the store open may delete what the manifest listed a moment ago: so often it is read again. */
    private static final int ATTEMPTS = 5;

    /**
     * One live SSTable.
     *
     * @param lengthBytes of all its files
     * @param dataLengthBytes uncompressed
     */
    record SSTable(
            Descriptor descriptor,
            int shard,
            int level,
            long lengthBytes,
            long dataLengthBytes,
            long estimatedPartitions,
            long minTimestampMicros,
            long maxTimestampMicros,
            long repairedAtMillis) {}

    static StoreTableInfo of(Path directory) throws IOException {
        for (int attempt = 1; ; attempt++) {
            ManifestContent manifest = Manifest.read(directory);
            try {
                List<SSTable> sstables = new ArrayList<>();
                for (Map.Entry<ListedSSTable, Descriptor> live :
                        TableDirectory.sstables(directory, manifest).entrySet()) {
                    sstables.add(sstable(live.getValue(), live.getKey().shard()));
                }
                for (Descriptor unread : StoreDirectory.unread(directory, manifest)) {
                    Formats.requireRead(unread);
                }
                return new StoreTableInfo(directory, manifest, sstables, snapshots(directory));
            } catch (CorruptSSTableException | NoSuchFileException e) {
                if (attempt == ATTEMPTS || Manifest.read(directory).equals(manifest)) {
                    throw e;
                }
            }
        }
    }

    private static SSTable sstable(Descriptor descriptor, int shard) throws IOException {
        long lengthBytes = 0;
        for (Component component : Component.values()) {
            if (descriptor.has(component)) {
                lengthBytes += Files.size(descriptor.file(component));
            }
        }
        try (SSTableReader reader = Formats.open(descriptor)) {
            return new SSTable(
                    descriptor,
                    shard,
                    reader.statistics().level(),
                    lengthBytes,
                    reader.dataLengthBytes(),
                    reader.statistics().estimatedPartitionCount(),
                    reader.statistics().minTimestampMicros(),
                    reader.statistics().maxTimestampMicros(),
                    reader.statistics().repairedAtMillis());
        }
    }

    private static List<String> snapshots(Path directory) throws IOException {
        Path snapshots = directory.resolve("snapshots");
        if (!Files.isDirectory(snapshots)) {
            return List.of();
        }
        return Directories.list(snapshots).stream()
                .map(snapshot -> snapshot.getFileName().toString())
                .filter(name -> !name.startsWith("."))
                .toList();
    }

    long lengthBytes() {
        return sstables.stream().mapToLong(SSTable::lengthBytes).sum();
    }
}
