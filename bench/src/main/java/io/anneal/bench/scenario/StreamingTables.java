package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.LiveFiles;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The tables that sources have: drawn, imported, and never compacted. */
final class StreamingTables {
    private static final List<TokenRange.Linear> HALVES =
            List.of(new TokenRange.Linear(Long.MIN_VALUE, 0), new TokenRange.Linear(1, Long.MAX_VALUE));

    private StreamingTables() {}

    /** As in Cassandra, but that what came stays as it came; with an id, which source and target must share. */
    static TableSchema schema(TableShape shape) {
        TableSchema drawn = shape.schema();
        return drawn.withOptions(drawn.options()
                        .withCompaction(Map.of("class", "SizeTieredCompactionStrategy", "enabled", "false")))
                .withId(new UUID(1, shape.ordinal()).toString());
    }

    /**
     * What was drawn, as it lies in a store that is closed again.
     *
     * @param files of all components that are sent
     * @param dataBytes as readers see it, uncompressed
     */
    record Drawn(
            Path directory, TableShape shape, Descriptor sstable, List<Path> files, long fileBytes, long dataBytes) {}

    /** One SSTable with all rows, or one for each half of the ring. */
    static Drawn make(Path directory, TableShape shape, long rowCount, SSTableVersion version, boolean halves)
            throws IOException {
        try (GeneratedTable drawn = GeneratedTable.write(shape, rowCount, 1, version);
                Store store = Store.open(directory)) {
            Table table = store.createTable(schema(shape));
            if (halves) {
                Path parts = Files.createDirectory(drawn.directory().path().resolve("halves"));
                for (int i = 0; i < HALVES.size(); i++) {
                    Descriptor part = part(drawn, version, HALVES.get(i), parts, i + 1);
                    table.importSSTables(part.file(Component.DATA));
                }
            } else {
                table.importSSTables(drawn.readers().get(0).descriptor().file(Component.DATA));
            }
            try (LiveFiles live = table.liveFiles()) {
                return drawn(directory, shape, live, drawn.dataLengthBytes());
            }
        }
    }

    private static Drawn drawn(Path directory, TableShape shape, LiveFiles live, long dataBytes) {
        Descriptor first = live.sstables().get(0).descriptor();
        List<Path> files = live.sstables().get(0).files().keySet().stream()
                .filter(component -> component != Component.TOC)
                .map(first::file)
                .toList();
        return new Drawn(directory, shape, first, files, live.lengthBytes(), dataBytes);
    }

    private static Descriptor part(
            GeneratedTable drawn, SSTableVersion version, TokenRange.Linear range, Path target, int number)
            throws IOException {
        SSTableWriterConfig config =
                SSTableWriterConfig.defaults(drawn.rowCount()).withVersion(version);
        try (FragmentCursor cursor = drawn.readers().get(0).scan(drawn.schema(), range);
                FragmentWriter writer = Formats.write(target, Integer.toString(number), drawn.schema(), config)) {
            writer.append(cursor);
            return writer.finish();
        }
    }
}
