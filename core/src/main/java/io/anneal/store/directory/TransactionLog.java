package io.anneal.store.directory;

import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * One transaction of Cassandra's (a compaction, a flush), read from its log, of which every data directory that it
 * touches holds a copy. Says which SSTables are no part of the table: those that a committed transaction removed and has
 * not deleted yet, or those that an unfinished or aborted one added.
 *
 * <p>Copies are read line by line together: one may hold a line only in part, since a crash can cut the last line of
 * each. A wrong last line counts as not written, provided that no file of an SSTable to be removed is missing: then the
 * line may have been the commit. Everything else that is wrong is an error, because guessing would lose rows or bring
 * deleted ones back. Facts from Cassandra's {@code db.lifecycle.LogFile} and {@code LogReplicaSet}.
 */
final class TransactionLog {
    private static final Pattern FILE_NAME = Pattern.compile("((?:[a-z]+-)?.{2}_)?txn_(.*)_(.*)\\.log");
    /** File systems and JDKs differ in the resolution of file times, so Cassandra compares whole seconds. */
    private static final long TIME_RESOLUTION_MILLIS = 1000;

    private final List<Path> copies;
    private final List<TransactionRecord> records;
    private final boolean lastLineBroken;

    private TransactionLog(List<Path> copies, List<TransactionRecord> records, boolean lastLineBroken) {
        this.copies = copies;
        this.records = records;
        this.lastLineBroken = lastLineBroken;
    }

    static boolean isLog(Path file) {
        return FILE_NAME.matcher(file.getFileName().toString()).matches();
    }

    /** Reads all copies of one log, as they lie in the data directories. */
    static TransactionLog read(List<Path> copies) throws IOException {
        List<String> lines = mergedLines(copies);
        List<TransactionRecord> records = new ArrayList<>();
        boolean lastLineBroken = false;
        for (int i = 0; i < lines.size(); i++) {
            boolean last = i == lines.size() - 1;
            Optional<TransactionRecord> record = TransactionRecord.parse(lines.get(i));
            if (record.isEmpty() && !last) {
                throw corrupt(copies, "transaction log has a wrong line before its end, line=" + (i + 1));
            }
            if (record.isPresent() && record.get().type().isFinal() && !last) {
                throw corrupt(copies, "transaction log goes on after its final record, line=" + (i + 1));
            }
            record.ifPresent(records::add);
            lastLineBroken = record.isEmpty();
        }
        return new TransactionLog(copies, records, lastLineBroken);
    }

    private static List<String> mergedLines(List<Path> copies) throws IOException {
        List<String> merged = new ArrayList<>();
        for (Path copy : copies) {
            // Bytes that are no UTF-8 must become a wrong line, not an exception.
            List<String> lines = new String(Files.readAllBytes(copy), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                if (i == merged.size()) {
                    merged.add(line);
                    continue;
                }
                String known = merged.get(i);
                boolean agrees = known.startsWith(line) || line.startsWith(known);
                if (!agrees || (!known.equals(line) && i < lines.size() - 1)) {
                    throw corrupt(copies, "copies of a transaction log differ, line=" + (i + 1));
                }
                merged.set(i, known.length() >= line.length() ? known : line);
            }
        }
        return merged;
    }

    boolean isCommitted() {
        return endsWith(TransactionRecord.Type.COMMIT);
    }

    private boolean endsWith(TransactionRecord.Type type) {
        return !lastLineBroken
                && !records.isEmpty()
                && records.get(records.size() - 1).type() == type;
    }

    /** Those of {@code files} (of one directory) that this transaction takes out of the table. */
    List<Path> ignored(Path directory, List<Path> files) throws IOException {
        boolean committed = isCommitted();
        TransactionRecord.Type type = committed ? TransactionRecord.Type.REMOVE : TransactionRecord.Type.ADD;
        List<Path> ignored = new ArrayList<>();
        for (TransactionRecord record : records) {
            if (record.type().isFinal() || !appliesTo(directory, record)) {
                continue;
            }
            List<Path> present = files.stream()
                    .filter(f -> f.getFileName().toString().startsWith(record.filePrefix()))
                    .toList();
            if (record.type() == TransactionRecord.Type.REMOVE) {
                checkRemoved(directory, record, present, committed);
            }
            if (record.type() == type) {
                ignored.addAll(present);
            }
        }
        return ignored;
    }

    /**
     * A record names an absolute path. Where that directory is not among those being read (they were moved, copied or
     * mounted elsewhere), the record belongs to the directory that its log lies in.
     */
    private boolean appliesTo(Path directory, TransactionRecord record) throws IOException {
        boolean recordedDirectoryIsRead = false;
        for (Path copy : copies) {
            recordedDirectoryIsRead |= isSame(copy.toAbsolutePath().getParent(), record.directory());
        }
        return recordedDirectoryIsRead ? isSame(directory, record.directory()) : true;
    }

    private static boolean isSame(Path left, Path right) throws IOException {
        return left.equals(right) || (Files.exists(left) && Files.exists(right) && Files.isSameFile(left, right));
    }

    private void checkRemoved(Path directory, TransactionRecord record, List<Path> present, boolean committed)
            throws IOException {
        if (!committed) {
            // Files go only after a commit: a missing one says that the log misses its last line.
            boolean unfinished = !endsWith(TransactionRecord.Type.ABORT);
            if (unfinished && isSame(directory, record.directory()) && present.size() < record.fileCount()) {
                throw corrupt(
                        copies,
                        "transaction is not complete, yet files it would remove are gone, sstable=" + record.pathText()
                                + ", files=" + present.size() + ", recorded=" + record.fileCount());
            }
            return;
        }
        long newestMillis = 0;
        long newestOfAllMillis = 0;
        for (Path file : present) {
            long millis = Files.getLastModifiedTime(file).toMillis();
            newestOfAllMillis = Math.max(newestOfAllMillis, millis);
            // Cassandra may rewrite Statistics after the record was made; old logs counted it nevertheless.
            if (!file.getFileName().toString().endsWith(Component.STATISTICS.fileSuffix())) {
                newestMillis = Math.max(newestMillis, millis);
            }
        }
        boolean restored = isSame(directory, record.directory())
                && newestMillis > 0
                && seconds(newestMillis) != seconds(record.updateTimeMillis())
                && seconds(newestOfAllMillis) != seconds(record.updateTimeMillis());
        if (restored) {
            throw corrupt(
                    copies,
                    "files that a transaction removed have another time now (were they restored?), sstable="
                            + record.pathText() + ", newestMillis=" + newestMillis + ", recordedMillis="
                            + record.updateTimeMillis());
        }
    }

    private static long seconds(long millis) {
        return millis / TIME_RESOLUTION_MILLIS;
    }

    private static CorruptSSTableException corrupt(List<Path> copies, String reason) {
        return new CorruptSSTableException(copies.get(0), CorruptSSTableException.NO_POSITION, reason);
    }

    /** The logs among {@code files}, by name, each with all its copies. */
    static List<TransactionLog> readAll(List<Path> files) throws IOException {
        Map<String, List<Path>> byName = new TreeMap<>();
        for (Path file : files) {
            if (isLog(file)) {
                byName.computeIfAbsent(file.getFileName().toString(), name -> new ArrayList<>())
                        .add(file);
            }
        }
        List<TransactionLog> logs = new ArrayList<>();
        for (List<Path> copies : byName.values()) {
            logs.add(read(copies));
        }
        return logs;
    }

    /** Directories that hold a copy. */
    Set<Path> directories() {
        Set<Path> directories = new LinkedHashSet<>();
        copies.forEach(copy -> directories.add(copy.toAbsolutePath().getParent()));
        return directories;
    }
}
