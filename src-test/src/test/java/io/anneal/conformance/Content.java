package io.anneal.conformance;

import io.anneal.cli.sstable.DumpOptions;
import io.anneal.cli.sstable.SSTableDump;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FragmentList;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What SSTables hold, told in the ways that can be compared. */
final class Content {
    private static final DumpOptions RAW_TIMES = new DumpOptions(false, false, true, List.of(), List.of());

    private static final Pattern POSITION = Pattern.compile(",\n *\"position\" : \\d+");

    private Content() {}

    /** Our dump of an SSTable, which passes every check of ours. */
    static String dump(Path data, long nowSeconds) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SSTableReader reader = open(data)) {
            reader.verify();
            SSTableDump.dump(reader, RAW_TIMES, nowSeconds, out);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /** Dumps without where rows lie, which depends on the version and on the base of times; in an order of its own. */
    static List<String> withoutPositions(List<String> dumps) {
        return dumps.stream()
                .map(dump -> POSITION.matcher(dump).replaceAll(""))
                .sorted()
                .toList();
    }

    /** Writes what an SSTable holds, just as it is, to another one; answers its data component. */
    static Path rewrite(
            SSTableReader reader, TableSchema schema, Path directory, String generation, SSTableWriterConfig config)
            throws IOException {
        try (FragmentWriter writer = Formats.write(directory, generation, schema, config);
                FragmentCursor cursor = reader.scan(schema, TokenRange.Linear.ALL)) {
            writer.append(cursor);
            return writer.finish().file(Component.DATA);
        }
    }

    static SSTableReader open(Path data) throws IOException {
        return Formats.open(Descriptor.of(data).orElseThrow());
    }

    /** The content of SSTables, merged. */
    static FragmentList merged(TableSchema schema, List<Path> sstables) throws IOException {
        List<SSTableReader> readers = new ArrayList<>();
        try {
            List<FragmentCursor> cursors = new ArrayList<>();
            for (Path data : sstables) {
                readers.add(open(data));
                cursors.add(readers.get(readers.size() - 1).scan(schema, TokenRange.Linear.ALL));
            }
            try (FragmentCursor merged = MergeCursor.of(schema, cursors)) {
                return FragmentList.copyOf(merged);
            }
        } finally {
            for (SSTableReader reader : readers) {
                reader.close();
            }
        }
    }

    static FragmentList merged(List<FragmentList> sources) throws IOException {
        List<FragmentCursor> cursors =
                sources.stream().map(FragmentList::cursor).toList();
        try (FragmentCursor merged = MergeCursor.of(sources.get(0).schema(), cursors)) {
            return FragmentList.copyOf(merged);
        }
    }

    /** What is left of merged content at a purge time: what a compaction of all of it keeps. */
    static FragmentList purged(FragmentList merged, SessionPurgeRule rule) throws IOException {
        try (FragmentCursor purged = new PurgeCursor(merged.cursor(), rule)) {
            return FragmentList.copyOf(purged);
        }
    }

    /** The canonical encoding of merged content, an item a line, in hex. */
    static List<String> items(FragmentList merged) throws IOException {
        try (FragmentCursor cursor = merged.cursor()) {
            return CanonicalItems.text(cursor, CanonicalEncoder.UNCLAMPED);
        }
    }
}
