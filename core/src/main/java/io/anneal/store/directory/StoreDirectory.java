package io.anneal.store.directory;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.commitlog.CommitLogReplay;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import io.anneal.table.CorruptManifestException;
import io.anneal.table.FailedSync;
import io.anneal.table.Manifest;
import io.anneal.table.ManifestContent;
import io.anneal.table.TableCatalogue;
import io.anneal.table.TableDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where things are in a store's directory, for those who look at it without opening it. Changes nothing. While a process has
 * the store open, what is found may be gone the next moment.
 *
 * <pre>
 *   LOCK          who has the store open
 *   STORE         what never changes
 *   FAILED-SYNC   there as long as nobody has acknowledged that a sync failed; in commitlog/, too
 *   .anneal.node  the id of the node that serves it, if one ever did
 *   commitlog/    segments of the commit log, and a second LOCK
 *   data/         &lt;keyspace&gt;/&lt;table&gt;-&lt;id&gt;/
 * </pre>
 *
 * @param file what never changes
 */
public record StoreDirectory(Path directory, StoreFile file) {
    private static final Logger LOG = LoggerFactory.getLogger(StoreDirectory.class);

    private static final String DATA = "data";
    private static final String COMMIT_LOG = "commitlog";

    /**
     * @throws NoSuchFileException when the directory is not there, or no store
     * @throws CorruptStoreException when its file is wrong
     */
    public static StoreDirectory of(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            throw new NoSuchFileException(directory.toString());
        }
        if (!Files.isDirectory(directory)) {
            throw new NotDirectoryException(directory.toString());
        }
        StoreFile file = StoreFile.read(directory)
                .orElseThrow(() -> new DataNotFoundException(
                        DataNotFoundException.Sought.STORE,
                        directory.toString(),
                        "directory is no store: it has no file STORE"));
        return new StoreDirectory(directory, file);
    }

    /** The store whose directory this is, or whose directory of data. */
    public static Optional<StoreDirectory> ofDirectoryOrData(Path directory) throws IOException {
        if (isStore(directory)) {
            return Optional.of(of(directory));
        }
        return directory.endsWith(DATA) && isStore(directory.getParent())
                ? Optional.of(of(directory.getParent()))
                : Optional.empty();
    }

    public Path data() {
        return directory.resolve(DATA);
    }

    public Path commitLog() {
        return commitLog(directory);
    }

    /** Whether a sync of a store failed. */
    public static FailedSync failedSync(Path store) {
        return new FailedSync(store, commitLog(store));
    }

    static Path commitLog(Path store) {
        return store.resolve(COMMIT_LOG);
    }

    /** The directories of all tables. */
    public List<Path> tables() throws IOException {
        return TableCatalogue.list(data());
    }

    /**
     * The live SSTables of a table's directory, for those who do not open the store: what its manifest lists, since the
     * directory may hold inputs and outputs of compactions, too. Empty when the directory is no store's. One that was copied
     * without its store is read like a copy of Cassandra's, without what the commit log held.
     *
     * @throws IllegalStateException when SSTables alone are not all of the table: the store is open, or its commit log holds
     *     writes that were not flushed, or is lost
     * @throws io.anneal.table.CorruptManifestException when the manifest is missing or wrong
     */
    static Optional<List<Descriptor>> liveSSTables(Path table) throws IOException {
        Optional<StoreDirectory> store = holding(table);
        boolean hasManifest = Files.exists(table.resolve(Manifest.FILE));
        if (!hasManifest && (store.isEmpty() || !TableDirectories.holdsSSTables(table))) {
            return Optional.empty();
        }
        if (store.isPresent()) {
            store.get().requireClosed();
        } else {
            LOG.warn("table's directory of a store is read without the store's commit log, directory={}", table);
        }
        ManifestContent content = Manifest.read(table);
        if (store.isPresent()) {
            store.get().requireFlushed(content);
        }
        List<Descriptor> live =
                new ArrayList<>(TableDirectory.sstables(table, content).values());
        live.addAll(unread(table, content));
        return Optional.of(List.copyOf(live));
    }

    /**
     * SSTables that somebody put into a table's directory, and no format reads: what is in them nobody knows. The others that
     * its manifest does not name are left out with a warning, as they are by an opening, which moves them aside.
     */
    public static List<Descriptor> unread(Path table, ManifestContent content) throws IOException {
        List<Descriptor> unread = new ArrayList<>();
        for (Map.Entry<Descriptor, List<Path>> unlisted :
                TableDirectory.unlisted(table, content).entrySet()) {
            Descriptor sstable = unlisted.getKey();
            if (SSTableVersion.of(sstable).isPresent()) {
                LOG.warn(
                        "SSTable is not in the manifest and is left out: import it if it belongs here, table={}, sstable={}",
                        content.qualifiedName(),
                        sstable);
            } else if (unlisted.getValue().stream()
                    .anyMatch(file -> TableDirectories.sstable(file).isPresent())) {
                unread.add(sstable);
            }
        }
        return unread;
    }

    /** The store that a table's directory is a part of. */
    private static Optional<StoreDirectory> holding(Path table) throws IOException {
        Path keyspace = table.getParent();
        Path data = keyspace == null ? null : keyspace.getParent();
        boolean inStore = data != null && data.endsWith(DATA) && isStore(data.getParent());
        return inStore ? Optional.of(of(data.getParent())) : Optional.empty();
    }

    static boolean isStore(Path directory) {
        return directory != null && Files.exists(directory.resolve(StoreFile.FILE));
    }

    /** @throws IllegalStateException when somebody has the store open: names the process */
    void requireClosed() throws IOException {
        Optional<String> owner = owner();
        if (owner.isPresent()) {
            throw new IllegalStateException(
                    "store is open, so that its SSTables change and others are still to be written:"
                            + " close it, or take a snapshot with Store.snapshot and read that, directory=" + directory
                            + ", "
                            + owner.get());
        }
    }

    private void requireFlushed(ManifestContent content) throws IOException {
        AtomicLong unflushed = new AtomicLong();
        CommitLogReplay.Report report = CommitLogReplay.replay(
                commitLog(),
                (position, tableId, mutation) -> {
                    boolean ofTable = tableId.equals(content.tableId());
                    if (ofTable && !content.isFlushed(position, mutation.key().token())) {
                        unflushed.incrementAndGet();
                    }
                },
                false);
        requireCommitLog(content, report);
        if (unflushed.get() > 0) {
            throw new IllegalStateException("store's commit log holds writes that no SSTable has: take a snapshot with"
                    + " 'anneal store snapshot' and read that, or open the store and close it, directory=" + directory
                    + ", table=" + content.qualifiedName() + ", writes=" + unflushed.get());
        }
    }

    /**
     * Segments go once they are flushed, but never the last one, so that the log of a store always reaches what was flushed.
     *
     * @throws IllegalStateException when it does not, so that a part of it is lost that may have held writes
     */
    public void requireCommitLog(ManifestContent content, CommitLogReplay.Report report) {
        CommitLogPosition flushed = content.highestFlushed();
        if (report.segmentCount() == 0 || report.end().compareTo(flushed) < 0) {
            throw new IllegalStateException("store's commit log is missing, or ends before what was flushed, so that"
                    + " acknowledged writes may be lost: bring its files back, or open the store and close it to go on"
                    + " without, directory=" + commitLog() + ", table=" + content.qualifiedName() + ", segments="
                    + report.segmentCount() + ", end=" + report.end() + ", flushed=" + flushed);
        }
    }

    /** Who has the store open, in words; empty when nobody has. */
    public Optional<String> owner() throws IOException {
        return StoreLock.owner(directory);
    }

    /** With how many shards the store was open last; empty when it has no table that would tell. */
    public OptionalInt shardCount() throws IOException {
        for (Path table : tables()) {
            try {
                return OptionalInt.of(Manifest.read(table).shards().shardCount());
            } catch (CorruptManifestException e) {
                // Another table's tells the same.
                LOG.debug("manifest tells no number of shards, table={}", table, e);
            }
        }
        return OptionalInt.empty();
    }
}
