package io.anneal.node;

import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.StagedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a replica receives in one session: kept as a whole when {@link #complete()} was reached, else removed by {@link
 * #close()}, or after a crash by the next opening. Owned by the session's thread.
 */
public interface Receiving extends Closeable {
    /** Nothing must be imported by anybody. */
    long NO_DEADLINE = Long.MAX_VALUE;

    /** For rows in ring order; a session may have several, one after the other. Opens no file yet. */
    StagedWriter newWriter();

    /** Takes note of an SSTable that comes as it is: the caller writes its files there and publishes them. Writes nothing itself. */
    StagedSSTable newSSTable(SSTableVersion version) throws IOException;

    /** Removes an SSTable that was given out here and is not wanted after all: it counts as one that never was. */
    void remove(Descriptor sstable) throws IOException;

    /** What was noted by {@link #keep} in an earlier session of the same id; nothing where nothing is kept. */
    default Optional<String> kept() throws IOException {
        return Optional.empty();
    }

    /** Takes note, so that it lasts, of how far it is; what is noted must be on the disk. Does nothing where nothing is kept. */
    default void keep(String how) throws IOException {}

    /** @throws io.anneal.table.TableTruncatedException when the table was truncated since it began to receive */
    default void requireNotTruncated() {}

    /** Removes all SSTables that are there from before but these, by base name. */
    default void retain(Set<String> baseNames) throws IOException {}

    /** Returns an SSTable that was kept. */
    default StagedSSTable reopen(String baseName) {
        throw new IllegalStateException("nothing is kept here, sstable=" + baseName);
    }

    /** Ends it early: leaves what was kept, where something may be; else as {@link #close()}. */
    default void suspend() throws IOException {
        close();
    }

    /** SSTables that an earlier session of the same id left whole: kept with the others. */
    default List<Descriptor> whole() throws IOException {
        return List.of();
    }

    /** Once it is complete: all that waits for somebody's import; none where that is not needed. */
    default List<Descriptor> staged() {
        return List.of();
    }

    /** Where it waits for somebody's import once it is complete; empty when it does not. */
    default Optional<Path> stagedIn() {
        return Optional.empty();
    }

    /**
     * Keeps all that was written.
     *
     * @return when what waits there for import must be imported at the latest, seconds since 1970, or {@link #NO_DEADLINE}
     * @throws ReplicaException when it is the replica's at once, and came for longer than gc_grace
     */
    long complete() throws IOException;
}
