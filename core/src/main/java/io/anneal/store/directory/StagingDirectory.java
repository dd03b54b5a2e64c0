package io.anneal.store.directory;

import io.anneal.io.Directories;
import io.anneal.io.DirectoryLock;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableTarget;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where new SSTables wait for import: {@code <staging>/<keyspace>/<table>/}, which holds nothing but SSTable files, as
 * {@code nodetool import} wants it. One process at a time owns a staging directory (a lock file at its top), because the
 * sweep of a crashed predecessor's files must not meet a living one's. Gives out generation numbers; safe to share
 * between threads.
 */
public final class StagingDirectory implements Closeable {
    static final String LOCK_FILE = ".anneal.lock";

    /** Takes note of an SSTable before its first byte is written, so that a crash's leavings are known. */
    public interface BeforeWriting {
        void of(Descriptor sstable) throws IOException;
    }

    private final Path directory;
    private final DirectoryLock lock;
    private final Map<Path, Long> lastGenerations = new HashMap<>();

    private StagingDirectory(Path directory, DirectoryLock lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /**
     * Creates the directory when it is not there and takes it.
     *
     * @throws IllegalStateException when another process, or another object of this one, has it
     */
    public static StagingDirectory open(Path directory) throws IOException {
        DirectoryLock lock = DirectoryLock.take(directory, LOCK_FILE, "staging directory", Optional.empty());
        return new StagingDirectory(directory.toRealPath(), lock);
    }

    public Path directory() {
        return directory;
    }

    /** Where a table's SSTables go: the directory to import. */
    public Path tableDirectory(String keyspace, String table) {
        return directory.resolve(keyspace).resolve(table);
    }

    /** The same by the table's schema. */
    public Path tableDirectory(TableSchema schema) {
        return tableDirectory(schema.keyspace(), schema.name());
    }

    /** The SSTables of a table that lie here, whoever wrote them, whole or not. */
    public List<Descriptor> sstables(TableSchema schema) throws IOException {
        Path tableDirectory = tableDirectory(schema);
        Set<Descriptor> found = new LinkedHashSet<>();
        if (Files.isDirectory(tableDirectory)) {
            for (Path file : Directories.list(tableDirectory)) {
                TableDirectories.sstable(file).ifPresent(found::add);
            }
        }
        return List.copyOf(found);
    }

    /** A table's place here; each SSTable gets the next free generation. */
    public SSTableTarget target(TableSchema schema) {
        return target(schema, sstable -> {});
    }

    /** The same for a caller that keeps a record of what it wrote. */
    public SSTableTarget target(TableSchema schema, BeforeWriting record) {
        return config -> start(schema, config, record);
    }

    private FragmentWriter start(TableSchema schema, SSTableWriterConfig config, BeforeWriting record)
            throws IOException {
        Descriptor next = next(schema, config.version(), record);
        return Formats.write(next.directory(), next.generation(), schema, config);
    }

    /** The next free name for an SSTable of a table, which is taken note of; nothing is written. */
    public Descriptor next(TableSchema schema, SSTableVersion version, BeforeWriting record) throws IOException {
        Path tableDirectory = tableDirectory(schema);
        String generation = Long.toString(nextGeneration(tableDirectory));
        Descriptor next = new Descriptor(tableDirectory, version.text(), generation, version.format());
        record.of(next);
        return next;
    }

    private synchronized long nextGeneration(Path tableDirectory) throws IOException {
        // Operators remove what they imported, while the node that has this open goes on.
        Directories.create(tableDirectory);
        Long last = lastGenerations.get(tableDirectory);
        if (last == null) {
            prepare(tableDirectory);
            last = highestGeneration(tableDirectory);
        }
        lastGenerations.put(tableDirectory, last + 1);
        return last + 1;
    }

    private void prepare(Path tableDirectory) throws IOException {
        // Who was killed may have made them and not come to this.
        Directories.sync(tableDirectory.getParent());
        Directories.sync(directory);
        StagedSSTable.sweep(tableDirectory);
    }

    private static long highestGeneration(Path tableDirectory) throws IOException {
        long highest = 0;
        for (Path file : Directories.list(tableDirectory)) {
            String generation = Descriptor.of(file).map(Descriptor::generation).orElse("");
            // Time-based ids have letters and underscores; they cannot collide with a number.
            if (generation.matches("\\d{1,18}")) {
                highest = Math.max(highest, Long.parseLong(generation));
            }
        }
        return highest;
    }

    /** Gives the directory up; nothing but what was written stays. */
    @Override
    public void close() throws IOException {
        lock.remove();
    }
}
