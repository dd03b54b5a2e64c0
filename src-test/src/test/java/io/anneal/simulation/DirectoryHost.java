package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.Directories;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.KeptDirectory;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A host whose replica is a data directory of Cassandra, with a staging directory beside. */
final class DirectoryHost extends ReplicaHost {
    private static final int PARTITIONS = 20;

    private StagingArea staging;
    private int generation;

    DirectoryHost(Setting setting, int number, SSTableVersion version, Path parent) throws IOException {
        super(setting, number, version, parent);
        Directories.create(directory());
        writeText(schema());
    }

    private void writeText(TableSchema schema) throws IOException {
        Path written = directory().resolve("schema.cql.new");
        try (FileChannel channel = FileChannel.open(written, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(SchemaText.print(schema).getBytes(StandardCharsets.UTF_8)));
            channel.force(true);
        }
        Files.move(
                written,
                directory().resolve("schema.cql"),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        Directories.sync(directory());
    }

    @Override
    void alterTable(TableChange change) throws IOException {
        writeText(change.after());
    }

    private Path data() {
        return disk().path().resolve("data");
    }

    private Path stagingDirectory() {
        return disk().path().resolve("staging");
    }

    private Path directory() {
        TableSchema schema = schema();
        String id = schema.id().orElseThrow().replace("-", "");
        return data().resolve(schema.keyspace()).resolve(schema.name() + "-" + id);
    }

    @Override
    ReplicaSource open() throws IOException {
        staging = StagingArea.open(
                stagingDirectory(), "host " + number(), setting().clock());
        KeptDirectory kept = KeptDirectory.open(
                disk().path().resolve("kept"),
                new Random(number()),
                setting().clock().instant());
        return new CassandraReplicas(List.of(data()), Optional.empty(), Optional.of(staging)).withKept(kept);
    }

    @Override
    void closeData() throws IOException {
        if (staging != null) {
            staging.close();
        }
    }

    @Override
    void write(FragmentList fragments) throws IOException {
        if (Mutations.of(fragments).isEmpty()) {
            return; // An SSTable needs a partition.
        }
        SSTableWriterConfig config = SSTableWriterConfig.defaults(PARTITIONS).withVersion(version());
        try (FragmentWriter writer = Formats.write(directory(), nextGeneration(), schema(), config);
                FragmentCursor cursor = fragments.cursor()) {
            writer.append(cursor);
            writer.finish();
        }
    }

    private String nextGeneration() {
        return Integer.toString(++generation);
    }

    @Override
    void compact() throws IOException {
        List<Descriptor> old = sstables(directory());
        SessionPurgeRule rule = new SessionPurgeRule(
                setting().storeClock().instant().getEpochSecond(),
                schema().options().gcGraceSeconds());
        write(FragmentList.copyOf(new PurgeCursor(content().fragments().cursor(), rule)));
        for (Descriptor sstable : old) {
            sstable.delete();
        }
        Directories.sync(directory());
    }

    /** As Cassandra does it: without a trace among the files. */
    @Override
    void truncate() throws IOException {
        for (Descriptor sstable : sstables(directory())) {
            sstable.delete();
        }
        Directories.sync(directory());
        truncated();
    }

    /**
     * Another directory takes the place of its own, as where a node is built anew from a backup.
     *
     * @param kept how many of the SSTables are in it, those that were written first
     */
    void replace(int kept) throws IOException {
        Path before = directory().resolveSibling("before");
        Directories.rename(directory(), before);
        Directories.create(directory());
        Directories.rename(before.resolve("schema.cql"), directory().resolve("schema.cql"));
        List<Descriptor> old = sstables(before);
        old.sort(Comparator.comparingInt(sstable -> Integer.parseInt(sstable.generation())));
        for (Descriptor sstable : old.subList(0, Math.min(kept, old.size()))) {
            move(sstable, sstable.generation());
        }
        Directories.sync(directory());
        Directories.deleteTree(before);
        Directories.sync(directory().getParent());
        truncated();
    }

    /** Without schema text, which takes long to read. */
    @Override
    Content content() throws IOException {
        SSTableVersion newest = SSTableVersion.NB;
        List<SSTableReader> readers = new ArrayList<>();
        List<FragmentCursor> cursors = new ArrayList<>();
        try {
            for (Descriptor sstable : sstables(directory())) {
                SSTableReader reader = Formats.open(sstable);
                readers.add(reader);
                cursors.add(reader.scan(schema(), TokenRange.Linear.ALL));
                SSTableVersion written = SSTableVersion.of(sstable).orElseThrow();
                newest = written.isAtLeast(newest) ? written : newest;
            }
            long ceilingSeconds = newest.localDeletionTimeMaxSeconds();
            try (FragmentCursor cursor = MergeCursor.of(schema(), cursors, ceilingSeconds)) {
                return new Content(FragmentList.copyOf(cursor), ceilingSeconds);
            }
        } finally {
            for (SSTableReader reader : readers) {
                reader.close();
            }
        }
    }

    @Override
    boolean stages() {
        return true;
    }

    /** In the order of their names. */
    private static List<Descriptor> sstables(Path directory) throws IOException {
        List<Descriptor> found = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            for (Path file : Directories.list(directory)) {
                Descriptor.of(file)
                        .filter(sstable -> sstable.file(Component.TOC).equals(file))
                        .ifPresent(found::add);
            }
        }
        return found;
    }

    /** As {@code nodetool import} does: moves all that is there under names of its own. No repair runs any more. */
    @Override
    void takeIn() throws IOException {
        shouldHaveNoUnfinishedRun();
        Path from = staging.tableDirectory(schema());
        for (Descriptor sstable : sstables(from)) {
            move(sstable, nextGeneration());
        }
        if (Files.isDirectory(from)) {
            Directories.sync(from);
        }
        Directories.sync(directory());
    }

    /** Makes it one of the replica's. */
    private void move(Descriptor sstable, String generation) throws IOException {
        Descriptor moved = new Descriptor(directory(), sstable.version(), generation, sstable.format());
        for (Component component : Component.values()) {
            if (sstable.has(component)) {
                Files.move(sstable.file(component), moved.file(component));
            }
        }
    }

    /** What one wrote would be moved with the rest. */
    private void shouldHaveNoUnfinishedRun() throws IOException {
        Path record = stagingDirectory().resolve(".anneal.runs");
        if (Files.exists(record)) {
            assertThat(Files.readAllLines(record))
                    .as("runs staged, %s", this)
                    .noneMatch(line -> line.startsWith("run ") && line.endsWith(" writing"));
        }
    }

    @Override
    boolean isLeftover(Path file) {
        String name = file.getFileName().toString();
        return file.startsWith(stagingDirectory()) && (!name.startsWith(".") || name.endsWith(".part"));
    }
}
