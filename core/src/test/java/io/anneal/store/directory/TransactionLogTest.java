package io.anneal.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.Directories;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.store.directory.TransactionRecord.Type;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A compaction of SSTables 1 and 2 into 3. */
final class TransactionLogTest {
    private static final long WRITTEN_MILLIS = 1_795_225_000_000L;
    private static final int FILES = 8;

    @TempDir
    private Path data;

    private Path directory;
    private String added;
    private String removedFirst;
    private String removedSecond;

    @BeforeEach
    void setUp() throws IOException {
        directory = CassandraFiles.wholeTable(data.toRealPath());
        for (Path file : Directories.list(directory)) {
            Files.setLastModifiedTime(file, FileTime.fromMillis(WRITTEN_MILLIS));
        }
        added = record(Type.ADD, 3, 0);
        removedFirst = record(Type.REMOVE, 1, FILES);
        removedSecond = record(Type.REMOVE, 2, FILES);
    }

    private String record(Type type, int generation, int fileCount) {
        return record(directory, type, generation, fileCount);
    }

    private static String record(Path in, Type type, int generation, int fileCount) {
        long millis = type == Type.REMOVE ? WRITTEN_MILLIS : 0;
        return new TransactionRecord(type, in + "/nb-" + generation + "-big-", millis, fileCount).line();
    }

    private static String finalRecord(Type type) {
        return new TransactionRecord(type, "", 0, 0).line();
    }

    /** As nodetool upgradesstables of Cassandra 3.x leaves them for a moment. */
    @Test
    void shouldLeaveOutAnOldSSTableThatWasWrittenAnew() throws IOException {
        Path old = Files.writeString(directory.resolve("corpus-deletions-ka-1-Data.db"), "");
        Files.setLastModifiedTime(old, FileTime.fromMillis(WRITTEN_MILLIS));
        String removed =
                new TransactionRecord(Type.REMOVE, directory + "/corpus-deletions-ka-1-", WRITTEN_MILLIS, 1).line();
        CassandraFiles.writeLog(directory, added, removed, finalRecord(Type.COMMIT));
        assertThat(CassandraFiles.generations(table())).containsExactly("1", "2", "3");
        CassandraFiles.writeLog(directory, added, removed);
        assertThat(table().liveSSTables()).hasSize(3).anyMatch(sstable -> !sstable.hasKnownName());
    }

    private TableDirectories table() throws IOException {
        return CassandraDirectory.of(data).onlyTable();
    }

    @Test
    void shouldReadLineThatCassandraWrote() {
        // Computed as LogRecord does: CRC-32 of path, "ADD", two halves of the time, number of files.
        assertThat(TransactionRecord.parse("ADD:[/a/nb-1-big-,0,8][" + crcByHand() + "]"))
                .contains(new TransactionRecord(Type.ADD, "/a/nb-1-big-", 0, 8));
    }

    private static long crcByHand() {
        CRC32 crc = new CRC32();
        crc.update("/a/nb-1-big-ADD".getBytes(StandardCharsets.US_ASCII));
        crc.update(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8});
        return crc.getValue();
    }

    @Test
    void shouldIgnoreWhatWasRemovedWhenCommitted() throws IOException {
        CassandraFiles.writeLog(directory, added, removedFirst, removedSecond, finalRecord(Type.COMMIT));
        assertThat(CassandraFiles.generations(table())).containsExactly("3");
    }

    @Test
    void shouldIgnoreWhatWasRemovedWhenItsDeletionHasBegun() throws IOException {
        CassandraFiles.writeLog(directory, added, removedFirst, removedSecond, finalRecord(Type.COMMIT));
        Files.delete(CassandraFiles.data(directory, 1));
        assertThat(CassandraFiles.generations(table())).containsExactly("3");
    }

    @Test
    void shouldIgnoreWhatWasAddedWhenUnfinished() throws IOException {
        CassandraFiles.writeLog(directory, added, removedFirst, removedSecond);
        assertThat(CassandraFiles.generations(table())).containsExactly("1", "2");
    }

    @Test
    void shouldIgnoreWhatWasAddedWhenAborted() throws IOException {
        CassandraFiles.writeLog(directory, added, removedFirst, finalRecord(Type.ABORT));
        assertThat(CassandraFiles.generations(table())).containsExactly("1", "2");
    }

    @Test
    void shouldTakeCutLastLineAsNotWritten() throws IOException {
        String commit = finalRecord(Type.COMMIT);
        CassandraFiles.writeLog(
                directory, added, removedFirst, removedSecond, commit.substring(0, commit.length() - 3));
        assertThat(CassandraFiles.generations(table())).containsExactly("1", "2");
    }

    @Test
    void shouldTakeLastLineWithWrongChecksumAsNotWritten() throws IOException {
        CassandraFiles.writeLog(directory, added, removedFirst, "COMMIT:[,0,0][1]");
        assertThat(CassandraFiles.generations(table())).containsExactly("1", "2");
    }

    @Test
    void shouldFailWhenLastLineIsCutAndFilesAreGone() throws IOException {
        CassandraFiles.writeLog(directory, added, removedFirst, "COMM");
        Files.delete(CassandraFiles.data(directory, 1));
        assertThatThrownBy(() -> table().liveSSTables())
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("files it would remove are gone")
                .hasMessageContaining("nb-1-big-")
                .hasMessageContaining("_txn_");
    }

    @Test
    void shouldFailWhenEarlierLineHasWrongChecksum() throws IOException {
        CassandraFiles.writeLog(directory, added.replace("nb-3", "nb-1"), removedFirst, finalRecord(Type.COMMIT));
        assertThatThrownBy(() -> table().liveSSTables())
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("line=1");
    }

    @Test
    void shouldFailWhenLinesFollowTheFinalOne() throws IOException {
        CassandraFiles.writeLog(directory, added, finalRecord(Type.COMMIT), removedFirst);
        assertThatThrownBy(() -> table().liveSSTables())
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("goes on after its final record");
    }

    @Test
    void shouldFailWhenRemovedFilesWereRestored() throws IOException {
        CassandraFiles.writeLog(directory, added, removedFirst, finalRecord(Type.COMMIT));
        Files.setLastModifiedTime(CassandraFiles.data(directory, 1), FileTime.fromMillis(WRITTEN_MILLIS + 3_600_000));
        assertThatThrownBy(() -> table().liveSSTables())
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("restored");
    }

    @Test
    void shouldHonourLogOfDirectoryThatWasMoved() throws IOException {
        Path elsewhere = Path.of("/var/lib/cassandra/data/corpus/deletions-" + CassandraFiles.ID);
        CassandraFiles.writeLog(
                directory,
                record(elsewhere, Type.ADD, 3, 0),
                record(elsewhere, Type.REMOVE, 1, FILES),
                record(elsewhere, Type.REMOVE, 2, FILES));
        assertThat(CassandraFiles.generations(table())).containsExactly("1", "2");
    }

    @Test
    void shouldReadCopiesOnSeveralDisksTogether() throws IOException {
        Path second = data.toRealPath().resolve("disk2");
        Path secondDirectory = CassandraFiles.tableDirectory(second, CassandraFiles.ID);
        Path first = data.toRealPath();
        for (Path file : Directories.list(directory)) {
            if (file.getFileName().toString().startsWith("nb-3-")) {
                Files.move(file, secondDirectory.resolve(file.getFileName()));
            }
        }
        String addedThere = record(secondDirectory, Type.ADD, 3, 0);
        String commit = finalRecord(Type.COMMIT);
        // The crash cut the first disk's copy; the second holds the commit, so the transaction is committed.
        CassandraFiles.writeLog(directory, addedThere, removedFirst, removedSecond, commit.substring(0, 5));
        CassandraFiles.writeLog(secondDirectory, addedThere, removedFirst, removedSecond, commit);
        TableDirectories table =
                CassandraDirectory.of(first.resolve("corpus"), second).onlyTable();
        assertThat(CassandraFiles.generations(table)).containsExactly("3");
    }

    @Test
    void shouldFailWhenCopiesDiffer() throws IOException {
        Path second = data.toRealPath().resolve("disk2");
        Path secondDirectory = CassandraFiles.tableDirectory(second, CassandraFiles.ID);
        CassandraFiles.writeLog(directory, added, removedFirst);
        CassandraFiles.writeLog(secondDirectory, removedFirst, added);
        TableDirectories table = CassandraDirectory.of(directory, second).onlyTable();
        assertThatThrownBy(table::liveSSTables)
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("copies of a transaction log differ");
    }
}
