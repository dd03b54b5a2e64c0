package io.anneal.peer.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Keyspace;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.SSTableSet;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.IVerifier;
import org.apache.cassandra.io.sstable.format.SSTableFormat.Components;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.schema.TableId;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.OutputHandler;
import org.apache.cassandra.utils.Throwables;

/** What an operator does to the SSTables of one table. A path of an SSTable is the path of its Data component. */
final class TableOperations {
    private static final String DATA_SUFFIX = "-Data.db";

    private TableOperations() {}

    static List<List<String>> flush(String keyspace, String table) {
        table(keyspace, table).forceBlockingFlush(ColumnFamilyStore.FlushReason.USER_FORCED);
        return List.of();
    }

    static List<List<String>> compact(String keyspace, String table) {
        table(keyspace, table).forceMajorCompaction();
        return List.of();
    }

    static List<List<String>> autoCompaction(String keyspace, String table, boolean enabled) {
        if (enabled) {
            table(keyspace, table).enableAutoCompaction();
        } else {
            table(keyspace, table).disableAutoCompaction();
        }
        return List.of();
    }

    static List<List<String>> sstables(String keyspace, String table) {
        return live(table(keyspace, table)).stream()
                .map(descriptor -> descriptor.fileFor(Components.DATA).absolutePath())
                .sorted()
                .map(List::of)
                .toList();
    }

    /** Flushes; answers the directories of the snapshot, which hold a manifest and the schema too. */
    static List<List<String>> snapshot(String keyspace, String table, String tag) {
        return table(keyspace, table).snapshot(tag).getDirectories().stream()
                .filter(File::exists)
                .map(directory -> List.of(directory.absolutePath()))
                .toList();
    }

    static List<List<String>> clearSnapshot(String keyspace, String table, String tag) {
        table(keyspace, table).clearSnapshot(tag);
        return List.of();
    }

    /**
     * Imports copies of the SSTables of a directory, after an extended verification of each. Cassandra skips what it
     * does not know and reports no error, so the answer counts: found, imported, then one row for each SSTable
     * refused: its file and the reason.
     */
    static List<List<String>> importDirectory(String keyspace, String table, String directory) throws IOException {
        ColumnFamilyStore store = table(keyspace, table);
        List<Path> found = dataFiles(Path.of(directory));

        // A compaction between the two counts would make the difference meaningless.
        boolean compacts = !store.isAutoCompactionDisabled();
        store.disableAutoCompaction();
        int imported;
        List<String> failedDirectories;
        try {
            Set<Descriptor> before = live(store);
            failedDirectories = store.importNewSSTables(Set.of(directory), false, false, true, true, true, true, true);
            Set<Descriptor> added = live(store);
            added.removeAll(before);
            imported = added.size();
        } finally {
            if (compacts) {
                store.enableAutoCompaction();
            }
        }

        List<List<String>> answer = new ArrayList<>();
        answer.add(List.of(Integer.toString(found.size()), Integer.toString(imported)));
        if (imported < found.size() || !failedDirectories.isEmpty()) {
            for (Path data : found) {
                answer.add(List.of(data.toString(), refusal(store, data)));
            }
        }
        return answer;
    }

    /**
     * Takes all SSTables out of the table but some, and deletes them, as if nobody had ever written what is in them alone.
     * Refuses when one of those that stay is not there. What is being compacted stays, too.
     */
    static List<List<String>> retain(String keyspace, String table, List<String> files) {
        ColumnFamilyStore store = table(keyspace, table);
        Set<Descriptor> retained = new HashSet<>();
        files.forEach(file -> retained.add(descriptor(keyspace, table, file)));
        if (!live(store).containsAll(retained)) {
            throw new IllegalArgumentException("not all of these are live, files=" + files + ", live=" + live(store));
        }
        Throwables.maybeFail(store.getTracker()
                .dropSSTables(sstable -> !retained.contains(sstable.descriptor), OperationType.UNKNOWN, null));
        return List.of();
    }

    /** Extended verification, as before an import; an SSTable which fails it fails the request. */
    static List<List<String>> verify(String keyspace, String table, String data) {
        verify(table(keyspace, table), descriptor(keyspace, table, data));
        return List.of();
    }

    static List<List<String>> token(String keyspace, String table, String keyHex) {
        ByteBuffer key = ByteBuffer.wrap(HexFormat.of().parseHex(keyHex));
        return List.of(
                List.of(table(keyspace, table).getPartitioner().getToken(key).toString()));
    }

    static ColumnFamilyStore table(String keyspace, String table) {
        TableMetadata metadata = Schema.instance.getTableMetadata(keyspace, table);
        if (metadata == null) {
            throw new IllegalArgumentException("no such table, keyspace=" + keyspace + ", table=" + table);
        }
        TableId id = metadata.id;
        return Keyspace.open(keyspace).getColumnFamilyStore(id);
    }

    private static Descriptor descriptor(String keyspace, String table, String data) {
        return Descriptor.fromFileWithComponent(new File(Path.of(data)), keyspace, table).left;
    }

    private static Set<Descriptor> live(ColumnFamilyStore store) {
        Set<Descriptor> descriptors = new HashSet<>();
        store.getSSTables(SSTableSet.CANONICAL).forEach(reader -> descriptors.add(reader.descriptor));
        return descriptors;
    }

    private static List<Path> dataFiles(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().endsWith(DATA_SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    private static String refusal(ColumnFamilyStore store, Path data) {
        try {
            verify(store, descriptor(store.getKeyspaceName(), store.getTableName(), data.toString()));
            return "none of its own, the directory is taken whole or not at all";
        } catch (RuntimeException | AssertionError e) {
            return Reasons.of(e);
        }
    }

    private static void verify(ColumnFamilyStore store, Descriptor descriptor) {
        if (!descriptor.version.isCompatible()) {
            throw new IllegalArgumentException("version not readable by this node, version=" + descriptor.version);
        }
        IVerifier.Options options = IVerifier.options()
                .extendedVerification(true)
                .checkOwnsTokens(true)
                .checkVersion(false)
                .invokeDiskFailurePolicy(false)
                .mutateRepairStatus(false)
                .build();
        SSTableReader reader = SSTableReader.open(store, descriptor, null, store.metadata);
        try (IVerifier verifier = reader.getVerifier(store, new OutputHandler.LogOutput(), false, options)) {
            verifier.verify();
        } finally {
            reader.selfRef().release();
        }
    }
}
