package io.anneal.cli.store;

import io.anneal.cli.command.Progress;
import io.anneal.cli.command.ValueCheck;
import io.anneal.commitlog.CommitLogReplay;
import io.anneal.commitlog.CorruptCommitLogException;
import io.anneal.compaction.CompactionStrategy;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.Directories;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.table.FailedSyncException;
import io.anneal.table.ListedSSTable;
import io.anneal.table.Manifest;
import io.anneal.table.ManifestContent;
import io.anneal.table.TableDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;

/** Looks at everything in a store's directory that no process has open. Only reads. Owned by one thread. */
final class StoreCheck {
    private final StoreDirectory store;
    private final boolean extended;
    private final Function<String, Progress> progress;
    private final Consumer<StoreFinding> findings;
    private final Map<UUID, ManifestContent> tables = new HashMap<>();
    /** The names of directories whose tables cannot be opened. */
    private final List<String> broken = new ArrayList<>();

    /** @param extended whether every value and every partition's shard is checked, too */
    StoreCheck(
            StoreDirectory store,
            boolean extended,
            Function<String, Progress> progress,
            Consumer<StoreFinding> findings) {
        this.store = store;
        this.extended = extended;
        this.progress = progress;
        this.findings = findings;
    }

    void run() throws IOException {
        StoreDirectory.failedSync(store.directory())
                .read()
                .ifPresent(
                        text -> findings.accept(StoreFinding.wrong(store.directory(), new FailedSyncException(text))));
        for (Path table : store.tables()) {
            table(table);
        }
        hiddenTables();
        commitLog();
    }

    private void table(Path directory) throws IOException {
        ManifestContent content;
        TableSchema schema;
        try {
            content = Manifest.read(directory);
            schema = TableDirectory.readSchema(directory, content);
            Formats.requireWritable(schema.options());
            CompactionStrategy.of(schema);
        } catch (IOException | IllegalArgumentException e) {
            findings.accept(StoreFinding.wrong(directory, e));
            broken.add(directory.getFileName().toString());
            return;
        }
        tables.put(content.tableId(), content);
        findings.accept(StoreFinding.ok(
                directory.resolve(Manifest.FILE),
                content.qualifiedName() + ", SSTables=" + content.sstables().size()));
        if (content.shards().ignoredBits() != store.file().ignoredBits()) {
            findings.accept(StoreFinding.wrong(
                    directory.resolve(Manifest.FILE),
                    new IllegalStateException("manifest divides tokens otherwise than the store, ignoredBits="
                            + content.shards().ignoredBits() + ", ofStore="
                            + store.file().ignoredBits())));
        }
        for (ListedSSTable listed : content.sstables()) {
            sstable(directory, content, schema, listed);
        }
        unlisted(directory, content);
    }

    private void sstable(Path directory, ManifestContent content, TableSchema schema, ListedSSTable listed) {
        String subject = directory.resolve(listed.generation()).toString();
        try {
            Descriptor descriptor = TableDirectory.sstable(directory, content, listed);
            subject = descriptor.toString();
            try (SSTableReader reader = Formats.open(descriptor);
                    Progress shown = progress.apply(descriptor.baseName()).total(reader.dataLengthBytes())) {
                for (String note : reader.verify()) {
                    findings.accept(StoreFinding.note(subject, note));
                }
                reader.scan(schema, TokenRange.Linear.ALL).close();
                if (extended) {
                    new ValueCheck(reader, schema, shown).run();
                    shard(reader, schema, content.shards(), listed.shard());
                }
            }
            findings.accept(StoreFinding.ok(subject, "verified"));
        } catch (IOException | InvalidValueException e) {
            findings.accept(StoreFinding.wrong(subject, e));
        }
    }

    /** Reads of another shard would not look into the SSTable, and its data would be missing. */
    private static void shard(SSTableReader reader, TableSchema schema, ShardRule rule, int shard) throws IOException {
        if (shard == ListedSSTable.SHARED) {
            return;
        }
        try (SSTableCursor cursor = reader.scan(schema, TokenRange.Linear.ALL)) {
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                if (kind == FragmentKind.PARTITION_START) {
                    long token = cursor.key().token();
                    if (rule.shardOf(token) != shard) {
                        throw new CorruptSSTableException(
                                reader.descriptor().file(Component.DATA),
                                cursor.dataPosition(),
                                "partition is of another shard than the manifest says, token=" + token + ", shard="
                                        + rule.shardOf(token) + ", listed=" + shard);
                    }
                    cursor.nextPartition();
                }
            }
        }
    }

    private void unlisted(Path directory, ManifestContent content) throws IOException {
        Set<String> dead = content.dead();
        Set<Descriptor> seen = new HashSet<>();
        for (Path file : Directories.list(directory)) {
            Descriptor descriptor = Descriptor.of(file).orElse(null);
            String name = file.getFileName().toString();
            if (descriptor == null) {
                other(file, name);
            } else if (dead.contains(descriptor.generation()) && seen.add(descriptor)) {
                findings.accept(StoreFinding.note(descriptor, "left by a crash, deleted when the store is opened"));
            }
        }
        for (Descriptor descriptor : TableDirectory.unlisted(directory, content).keySet()) {
            findings.accept(StoreFinding.wrong(
                    descriptor,
                    new IllegalStateException("SSTable is not in the manifest: opening the store moves it"
                            + " aside, import it if its data belongs here, table=" + content.qualifiedName())));
        }
    }

    private void other(Path file, String name) throws IOException {
        if (name.startsWith(".")) {
            findings.accept(StoreFinding.note(file, "left by a crash, deleted when the store is opened"));
        } else if (name.equals("unlisted") && Files.isDirectory(file)) {
            findings.accept(StoreFinding.note(
                    file, "SSTables that were found and not known: import them, or delete the directory"));
        }
    }

    /** Tables that were being made or dropped. */
    private void hiddenTables() throws IOException {
        if (!Files.isDirectory(store.data())) {
            return;
        }
        for (Path keyspace : Directories.list(store.data())) {
            if (!Files.isDirectory(keyspace)) {
                continue;
            }
            for (Path directory : Directories.list(keyspace)) {
                if (directory.getFileName().toString().startsWith(".")) {
                    findings.accept(StoreFinding.note(directory, "left by a crash, deleted when the store is opened"));
                }
            }
        }
    }

    /** A table's directory is named by its id. */
    private boolean isBroken(UUID table) {
        String id = table.toString().replace("-", "");
        return broken.stream().anyMatch(name -> name.endsWith(id));
    }

    private void commitLog() {
        Path directory = store.commitLog();
        Map<UUID, Long> unknown = new HashMap<>();
        try {
            CommitLogReplay.Report report = CommitLogReplay.replay(
                    directory,
                    (position, table, mutation) -> {
                        if (!tables.containsKey(table)) {
                            unknown.merge(table, 1L, Long::sum);
                        }
                    },
                    true);
            for (CommitLogReplay.Gap tail : report.tornTails()) {
                findings.accept(StoreFinding.note(
                        tail.file(), "never synced and left out, position=" + tail.position() + ", " + tail.reason()));
            }
            for (CommitLogReplay.Gap loss : report.losses()) {
                findings.accept(StoreFinding.wrong(loss.file(), corrupt(loss)));
            }
            unknown.forEach((table, count) -> findings.accept(StoreFinding.note(
                    directory,
                    (isBroken(table)
                                    ? "writes to a table that cannot be opened, kept until it is mended or dropped, table="
                                    : "writes to a table that is not there, table=")
                            + table + ", count=" + count)));
            for (ManifestContent table : tables.values()) {
                store.requireCommitLog(table, report);
            }
            if (report.losses().isEmpty()) {
                findings.accept(StoreFinding.ok(directory, "commit log, mutations=" + report.mutations()));
            }
        } catch (IOException | IllegalStateException e) {
            findings.accept(StoreFinding.wrong(directory, e));
        }
    }

    private static CorruptCommitLogException corrupt(CommitLogReplay.Gap loss) {
        return new CorruptCommitLogException(
                loss.file(), loss.position(), loss.reason() + ", lengthBytes=" + loss.lengthBytes());
    }
}
