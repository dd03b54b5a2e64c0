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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The tables that sources have: drawn, imported, and never compacted. */
final class StreamingTables {
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

    /** One SSTable for each of so many equal parts of the ring. */
    static Drawn make(Path directory, TableShape shape, long rowCount, SSTableVersion version, int parts)
            throws IOException {
        try (GeneratedTable drawn = GeneratedTable.write(shape, rowCount, 1, version);
                Store store = Store.open(directory)) {
            Table table = store.createTable(schema(shape));
            if (parts == 1) {
                table.importSSTables(drawn.readers().get(0).descriptor().file(Component.DATA));
            } else {
                Path target = Files.createDirectory(drawn.directory().path().resolve("parts"));
                List<Path> files = new ArrayList<>();
                for (TokenRange range : parts(parts)) {
                    Descriptor part = part(drawn, version, range, parts, target, files.size() + 1);
                    files.add(part.file(Component.DATA));
                }
                table.importSSTables(files.toArray(Path[]::new));
            }
            try (LiveFiles live = table.liveFiles()) {
                return drawn(directory, shape, live, drawn.dataLengthBytes());
            }
        }
    }

    /** Each of them is the range of one SSTable. */
    static List<TokenRange> parts(int count) {
        return TokenRange.FULL.split(count);
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
            GeneratedTable drawn, SSTableVersion version, TokenRange range, int parts, Path target, int number)
            throws IOException {
        SSTableWriterConfig config =
                SSTableWriterConfig.defaults(drawn.rowCount() / parts + 1).withVersion(version);
        TokenRange.Linear tokens = range.unwrap().get(0);
        try (FragmentCursor cursor = drawn.readers().get(0).scan(drawn.schema(), tokens);
                FragmentWriter writer = Formats.write(target, Integer.toString(number), drawn.schema(), config)) {
            writer.append(cursor);
            return writer.finish();
        }
    }
}
