package io.anneal.store.directory;

import io.anneal.io.Directories;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.table.CorruptManifestException;
import io.anneal.table.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The directories that hold one table's SSTables: one, or one a data directory (JBOD). Only ever read.
 *
 * @param id the table's id as directory names carry it, 32 hexadecimal digits; empty in a staging directory
 */
public record TableDirectories(String keyspace, String table, Optional<String> id, List<Path> directories) {
    static final String SCHEMA_FILE = "schema.cql";
    /** Holds a table's snapshots, in its directory. */
    public static final String SNAPSHOTS = "snapshots";

    public TableDirectories {
        directories = List.copyOf(directories);
    }

    /** The id that a schema text gives its table, as directory names carry it. */
    public static Optional<String> id(TableSchema schema) {
        return schema.id().map(TableDirectories::asInName);
    }

    static String asInName(String id) {
        return id.replace("-", "").toLowerCase(Locale.ROOT);
    }

    /** {@code keyspace.table}. */
    public String qualifiedName() {
        return keyspace + "." + table;
    }

    /**
     * The table's SSTables. Of a directory of Cassandra's those that no unfinished transaction left, and no finished one has
     * not deleted yet; of a store's what its manifest lists. What no format reads is among them, so that {@link Formats#open}
     * names it. A snapshot is whole, or is not read.
     *
     * @throws CorruptSnapshotException when SSTables that a snapshot's manifest lists are on none of the table's disks
     * @throws io.anneal.sstable.CorruptSSTableException when a transaction log does not tell which they are
     * @throws IllegalStateException when a directory is that of a store that is open, or has writes that no SSTable has
     */
    public List<Descriptor> liveSSTables() throws IOException {
        return liveSSTables(List.of());
    }

    /**
     * The same, of some of a table's disks.
     *
     * @param otherDisks where the rest of the snapshot may be
     */
    List<Descriptor> liveSSTables(Collection<Path> otherDisks) throws IOException {
        Set<Descriptor> live = new LinkedHashSet<>();
        List<Path> foreign = new ArrayList<>();
        for (Path directory : directories) {
            StoreDirectory.liveSSTables(directory).ifPresentOrElse(live::addAll, () -> foreign.add(directory));
        }
        live.addAll(unobsolete(foreign));
        Set<Path> disks = new LinkedHashSet<>(foreign);
        disks.addAll(otherDisks);
        requireWhole(foreign, disks);
        return List.copyOf(live);
    }

    /** A disk whose manifest is another one holds another snapshot, whose files have the same names and other rows. */
    private static void requireWhole(List<Path> directories, Set<Path> disks) throws IOException {
        for (Path directory : directories) {
            Optional<SnapshotManifest> manifest = SnapshotManifest.read(directory);
            if (manifest.isEmpty()) {
                continue;
            }
            Set<String> missing = new LinkedHashSet<>(manifest.get().files());
            missing.removeIf(TableDirectories::isOfSecondaryIndex);
            for (Path disk : disks) {
                Optional<SnapshotManifest> other = SnapshotManifest.read(disk);
                if (other.isEmpty() || other.equals(manifest)) {
                    for (Path file : Directories.list(disk)) {
                        if (missing.remove(file.getFileName().toString())) {
                            requireSSTable(file, directory);
                        }
                    }
                }
            }
            if (!missing.isEmpty()) {
                throw new CorruptSnapshotException(
                        directory.resolve(SnapshotManifest.FILE),
                        "SSTables of the snapshot are missing, first="
                                + missing.iterator().next() + ", missing=" + missing.size() + ", listed="
                                + manifest.get().files().size() + ", directories=" + disks,
                        null);
            }
        }
    }

    private static void requireSSTable(Path listed, Path directory) throws CorruptSnapshotException {
        if (Descriptor.of(listed).isEmpty()) {
            throw new CorruptSnapshotException(
                    directory.resolve(SnapshotManifest.FILE),
                    "manifest of a snapshot lists what has no name of an SSTable, file=" + listed,
                    null);
        }
    }

    /** A table's own files have plain names. */
    private static boolean isOfSecondaryIndex(String listed) {
        return listed.indexOf('/') >= 0;
    }

    private static Set<Descriptor> unobsolete(List<Path> directories) throws IOException {
        // Logs are listed after all other files, because Cassandra deletes a log after the files it names.
        Map<Path, List<Path>> files = new LinkedHashMap<>();
        for (Path directory : directories) {
            files.put(directory, Directories.list(directory));
        }
        List<Path> logs = new ArrayList<>();
        for (Path directory : directories) {
            Directories.list(directory).stream().filter(TransactionLog::isLog).forEach(logs::add);
        }

        Set<Path> ignored = new HashSet<>();
        for (TransactionLog log : TransactionLog.readAll(logs)) {
            for (Path directory : log.directories()) {
                ignored.addAll(log.ignored(directory, files.getOrDefault(directory, List.of())));
            }
        }

        Set<Descriptor> live = new LinkedHashSet<>();
        for (List<Path> inDirectory : files.values()) {
            for (Path file : inDirectory) {
                if (!ignored.contains(file)) {
                    sstable(file).ifPresent(live::add);
                }
            }
        }
        return live;
    }

    /** The newest schema text of the table: beside its SSTables, else of its newest snapshot. */
    public Optional<Path> schemaFile() throws IOException {
        return schemaFile(directories);
    }

    static Optional<Path> schemaFile(List<Path> directories) throws IOException {
        Optional<Path> beside =
                newest(directories.stream().map(d -> d.resolve(SCHEMA_FILE)).toList());
        if (beside.isPresent()) {
            return beside;
        }
        List<Path> inSnapshots = new ArrayList<>();
        for (Path directory : directories) {
            Path snapshots = directory.resolve(SNAPSHOTS);
            if (Files.isDirectory(snapshots)) {
                Directories.list(snapshots).forEach(snapshot -> inSnapshots.add(snapshot.resolve(SCHEMA_FILE)));
            }
        }
        return newest(inSnapshots);
    }

    /**
     * The moment from which the data dates. Of a snapshot what its manifest tells, since Cassandra 4.1; else the older of the
     * times of the manifest and the schema text. Of a node that is stopped, the time of the newest data file, or of the schema
     * text if somebody put one beside and it is older; of a store
     * that of its manifest, or what that says if it has not caught up since, as after repairs of a part. Other files count for
     * nothing, since anybody may add them. Empty when there are no such files.
     *
     * <p>Of several directories only one need have a manifest: Cassandra writes one a snapshot, on one of the disks.
     */
    public Optional<Instant> asOf() throws IOException {
        Instant created = Instant.MAX;
        Instant written = Instant.MAX;
        Instant newest = Instant.MIN;
        boolean isSnapshot = false;
        for (Path directory : directories) {
            boolean ofStore = Files.exists(directory.resolve(Manifest.FILE));
            if (ofStore) {
                created = earlier(created, manifestAsOf(directory).orElse(Instant.MAX));
            }
            Optional<SnapshotManifest> manifest = SnapshotManifest.read(directory);
            isSnapshot |= manifest.isPresent();
            created = earlier(
                    created, manifest.flatMap(SnapshotManifest::createdAt).orElse(Instant.MAX));
            for (Path file : Directories.list(directory)) {
                String name = file.getFileName().toString();
                if (name.equals(SnapshotManifest.FILE) || name.equals(SCHEMA_FILE) && !ofStore) {
                    written = earlier(written, Files.getLastModifiedTime(file).toInstant());
                } else if (isData(file) && Files.exists(file) || name.equals(Manifest.FILE)) {
                    // A link to nothing has no time; whoever opens it is told.
                    newest = later(newest, Files.getLastModifiedTime(file).toInstant());
                }
            }
        }
        if (created.isBefore(Instant.MAX)) {
            return Optional.of(created);
        } else if (isSnapshot) {
            return Optional.of(written);
        }
        // A schema text that was put beside old data makes it no younger.
        Instant oldest = earlier(written, newest.isAfter(Instant.MIN) ? newest : Instant.MAX);
        return oldest.isBefore(Instant.MAX) ? Optional.of(oldest) : Optional.empty();
    }

    /** When the oldest of the snapshots was taken that these directories are, if their manifests tell. */
    public Optional<Instant> snapshotTaken() throws IOException {
        Optional<Instant> oldest = Optional.empty();
        for (Path directory : directories) {
            Optional<Instant> taken = SnapshotManifest.read(directory).flatMap(SnapshotManifest::createdAt);
            if (taken.isPresent() && (oldest.isEmpty() || taken.get().isBefore(oldest.get()))) {
                oldest = taken;
            }
        }
        return oldest;
    }

    /** When a closed store's table was truncated last, in microseconds since 1970; empty where it never was, or nothing tells. */
    public OptionalLong truncatedMicros() throws IOException {
        for (Path directory : directories) {
            if (Files.exists(directory.resolve(Manifest.FILE))) {
                try {
                    return Manifest.read(directory).truncatedMicros();
                } catch (CorruptManifestException unreadable) {
                    // Who opens the table is told.
                    return OptionalLong.empty();
                }
            }
        }
        return OptionalLong.empty();
    }

    /** Whether they are a closed store's, which tells when the table was truncated. */
    public boolean tellTruncation() {
        return directories.stream().allMatch(directory -> Files.exists(directory.resolve(Manifest.FILE)));
    }

    private static Optional<Instant> manifestAsOf(Path directory) throws IOException {
        try {
            OptionalLong seconds = Manifest.read(directory).asOfSeconds(List.of(TokenRange.FULL));
            return seconds.isPresent() ? Optional.of(Instant.ofEpochSecond(seconds.getAsLong())) : Optional.empty();
        } catch (CorruptManifestException unreadable) {
            // Who opens the table is told.
            return Optional.empty();
        }
    }

    private static Instant earlier(Instant one, Instant other) {
        return other.isBefore(one) ? other : one;
    }

    private static Instant later(Instant one, Instant other) {
        return other.isAfter(one) ? other : one;
    }

    /** The directory of the table itself when this is one of its snapshots. */
    public static Path withoutSnapshot(Path directory) {
        Path parent = directory.getParent();
        return parent != null && parent.endsWith(SNAPSHOTS) && parent.getParent() != null
                ? parent.getParent()
                : directory;
    }

    private static Optional<Path> newest(Collection<Path> files) throws IOException {
        Path newest = null;
        for (Path file : files) {
            if (Files.isRegularFile(file)
                    && (newest == null
                            || Files.getLastModifiedTime(file).compareTo(Files.getLastModifiedTime(newest)) > 0)) {
                newest = file;
            }
        }
        return Optional.ofNullable(newest);
    }

    /** Whether there is at least one file of an SSTable, live or not. */
    public boolean holdsSSTables() throws IOException {
        for (Path directory : directories) {
            if (holdsSSTables(directory)) {
                return true;
            }
        }
        return false;
    }

    static boolean holdsSSTables(Path directory) throws IOException {
        return Directories.list(directory).stream().anyMatch(TableDirectories::isData);
    }

    /**
     * The SSTable that a file of a table's directory belongs to, whoever can read it. Cassandra 2.1 and before kept those of a
     * secondary index in the same directory.
     */
    static Optional<Descriptor> sstable(Path file) {
        return Descriptor.of(file)
                .filter(sstable -> sstable.hasKnownName() || !isOfOldIndex(sstable) && !Files.isDirectory(file));
    }

    private static boolean isOfOldIndex(Descriptor sstable) {
        return !sstable.version().isEmpty() && sstable.baseName().indexOf('.') >= 0;
    }

    private static boolean isData(Path file) {
        return sstable(file)
                .filter(d -> d.file(Component.DATA).getFileName().equals(file.getFileName()))
                .isPresent();
    }
}
