package io.anneal.compaction;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.MemoryCursor;
import io.anneal.fragment.MemoryPartition;
import io.anneal.fragment.StreamText;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.PurgeRule;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableTarget;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.big.BigFormat;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** SSTables of one table in a directory, and their content. */
final class CompactionFiles implements Closeable {
    private final Path directory;
    private final TableSchema schema;
    private final BigFormat format = new BigFormat();
    private final List<SSTableReader> opened = new ArrayList<>();
    private int lastGeneration;

    CompactionFiles(Path directory, TableSchema schema) {
        this.directory = directory;
        this.schema = schema;
    }

    SSTableTarget target() {
        return config -> format.write(directory, Integer.toString(++lastGeneration), schema, config);
    }

    CompactionCandidate write(List<MemoryPartition> partitions, SSTableWriterConfig config, int shard)
            throws IOException {
        try (FragmentWriter writer = target().start(config);
                FragmentCursor cursor = new MemoryCursor(schema, partitions)) {
            writer.append(cursor);
            return open(writer.finish(), shard);
        }
    }

    CompactionCandidate open(Descriptor descriptor, int shard) throws IOException {
        SSTableReader reader = format.open(descriptor);
        opened.add(reader);
        return CompactionCandidate.of(reader, shard);
    }

    List<CompactionCandidate> open(List<CompactionResult.Output> outputs) throws IOException {
        List<CompactionCandidate> candidates = new ArrayList<>();
        for (CompactionResult.Output output : outputs) {
            CompactionCandidate candidate = open(output.descriptor(), output.shard());
            candidate.reader().verify();
            candidates.add(candidate);
        }
        return candidates;
    }

    /** The merge of SSTables, purged. */
    List<String> content(List<CompactionCandidate> candidates, PurgeRule rule) throws IOException {
        List<FragmentCursor> cursors = new ArrayList<>();
        for (CompactionCandidate candidate : candidates) {
            cursors.add(candidate.reader().scan(schema, TokenRange.Linear.ALL));
        }
        try (FragmentCursor cursor = new PurgeCursor(MergeCursor.of(schema, cursors), rule)) {
            return StreamText.of(cursor);
        }
    }

    List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    @Override
    public void close() throws IOException {
        for (SSTableReader reader : opened) {
            reader.close();
        }
    }
}
