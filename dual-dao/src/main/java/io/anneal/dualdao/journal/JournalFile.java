package io.anneal.dualdao.journal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a journal's file. What a failed write left there is cut off before the next; where that can't be done, or the disk
 * failed to sync, nothing in the file can be relied on and it is rewritten from memory.
 *
 * <p>Its owner's lock is held by whoever calls, but for {@link #sync} and {@link #synced}.
 */
final class JournalFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JournalFile.class);
    private static final int REMOVALS_BYTES_MAX = 1 << 16;
    private static final int WRITE_BYTES = 1 << 16;

    private final Path directory;
    private final Path file;
    private final Path rewritten;
    private final AppendFile.Opener opener;
    private final long rewriteBytes;
    private final ReentrantLock syncLock = new ReentrantLock();

    /** Lines about keys taken out, to be written before the next that adds one. */
    private final ByteArrayOutputStream removals = new ByteArrayOutputStream();

    private AppendFile out;
    private long lengthBytes;
    private long lineCount;
    private long rewriteAgainBytes;
    private volatile boolean damaged;
    private volatile long lastNumber;
    private volatile long syncedNumber;

    private JournalFile(Path directory, AppendFile.Opener opener, long rewriteBytes) {
        this.directory = directory;
        this.opener = opener;
        this.rewriteBytes = rewriteBytes;
        file = directory.resolve("journal");
        rewritten = directory.resolve("journal.tmp");
        rewriteAgainBytes = rewriteBytes;
    }

    /**
     * Opens the journal's file for what comes behind its last whole line.
     *
     * @param rewriteBytes length under which it is never rewritten for being mostly dead
     * @param lines gets what is in it
     */
    static JournalFile open(Path directory, AppendFile.Opener opener, long rewriteBytes, Consumer<JournalLine> lines) {
        JournalFile opened = new JournalFile(directory, opener, rewriteBytes);
        try {
            Files.deleteIfExists(opened.rewritten);
            if (Files.exists(opened.file)) {
                opened.recover(lines);
            } else {
                opened.replace(Collections.emptyIterator());
            }
        } catch (IOException e) {
            closeReplaced(opened.out);
            throw opened.failed("a key journal can't be opened", e);
        }
        return opened;
    }

    private void recover(Consumer<JournalLine> lines) throws IOException {
        long[] count = new long[1];
        JournalReader.End end = new JournalReader(file, line -> {
                    count[0]++;
                    lines.accept(line);
                })
                .read();

        out = opener.open(file);
        if (!end.clean()) {
            out.truncate(end.wholeBytes());
            // The last key may have been on a line without an end, which is gone now.
            damaged = true;
        }
        lengthBytes = end.wholeBytes();
        lineCount = count[0];
        // Whoever wrote it may not have asked for the disk.
        out.sync();
    }

    Path path() {
        return file;
    }

    /** Whether it must be rewritten before the next line. */
    boolean damaged() {
        return damaged;
    }

    /**
     * Writes a line, and the removals before it.
     *
     * @return its number, for {@link #sync}
     * @throws JournalException if the disk did not take it; then it is not there, nor will it be
     */
    long write(JournalLine line) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(removals.size() + 128);
        bytes.writeBytes(removals.toByteArray());
        bytes.writeBytes(line.bytes());
        append(bytes.toByteArray());
        removals.reset();
        lineCount++;
        lastNumber++;
        return lastNumber;
    }

    private void append(byte[] bytes) {
        try {
            out.write(bytes, bytes.length);
            lengthBytes += bytes.length;
        } catch (IOException e) {
            cutOff(e);
            throw failed("a key could not be written to the journal", e);
        }
    }

    private void cutOff(IOException cause) {
        try {
            out.truncate(lengthBytes);
        } catch (IOException e) {
            damaged = true;
            cause.addSuppressed(e);
        }
    }

    /** Has a line about a key that was taken out written some time later; never fails. */
    void writeLater(JournalLine line) {
        if (damaged) {
            // The rewriting to come knows.
            return;
        }
        removals.writeBytes(line.bytes());
        lineCount++;
        if (removals.size() >= REMOVALS_BYTES_MAX) {
            writeRemovals();
        }
    }

    private void writeRemovals() {
        try {
            append(removals.toByteArray());
        } catch (JournalException e) {
            // Whoever adds a key next finds out whether there is room again, and rewrites without those keys.
            damaged = true;
        }
        removals.reset();
    }

    /** Whether rewriting it with so many keys would make it less than half as long. */
    boolean mostlyDead(int liveCount) {
        return lengthBytes >= rewriteAgainBytes && lineCount > 2L * liveCount;
    }

    /**
     * Puts a new file in place with these lines alone, all of them on the disk when it returns.
     *
     * @throws JournalException if the disk did not take it; the file is then as it was
     */
    void rewrite(Iterator<JournalLine> live) {
        try {
            replace(live);
        } catch (IOException e) {
            // If the old file is still good, the next key need not try again.
            rewriteAgainBytes = lengthBytes + rewriteBytes;
            throw failed("a key journal could not be rewritten", e);
        }
    }

    private record Rewritten(AppendFile out, long lengthBytes, long lineCount) {}

    private void replace(Iterator<JournalLine> live) throws IOException {
        syncLock.lock();
        try {
            Rewritten fresh = writeAside(live);
            AppendFile old = out;
            out = fresh.out();
            lengthBytes = fresh.lengthBytes();
            lineCount = fresh.lineCount();
            removals.reset();
            rewriteAgainBytes = Math.max(rewriteBytes, 2 * lengthBytes);
            closeReplaced(old);

            // Until the directory is on the disk too, a power cut brings the old file back.
            damaged = true;
            opener.syncDirectory(directory);
            damaged = false;
            syncedNumber = lastNumber;
        } finally {
            syncLock.unlock();
        }
    }

    private Rewritten writeAside(Iterator<JournalLine> live) throws IOException {
        Files.deleteIfExists(rewritten);
        AppendFile fresh = opener.open(rewritten);
        try {
            Rewritten whole = writeLines(fresh, live);
            fresh.sync();
            Files.move(rewritten, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return whole;
        } catch (IOException e) {
            try {
                fresh.close();
                Files.deleteIfExists(rewritten);
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static Rewritten writeLines(AppendFile fresh, Iterator<JournalLine> live) throws IOException {
        ByteArrayOutputStream buffer = new ByteArrayOutputStream(WRITE_BYTES);
        buffer.writeBytes((JournalLine.HEADER + '\n').getBytes(StandardCharsets.ISO_8859_1));
        long written = 0;
        long count = 0;
        while (live.hasNext()) {
            buffer.writeBytes(live.next().bytes());
            count++;
            if (buffer.size() >= WRITE_BYTES) {
                written += drain(buffer, fresh);
            }
        }
        written += drain(buffer, fresh);
        return new Rewritten(fresh, written, count);
    }

    private static int drain(ByteArrayOutputStream buffer, AppendFile fresh) throws IOException {
        byte[] bytes = buffer.toByteArray();
        fresh.write(bytes, bytes.length);
        buffer.reset();
        return bytes.length;
    }

    private static void closeReplaced(AppendFile old) {
        if (old != null) {
            try {
                old.close();
            } catch (IOException e) {
                LOG.debug("a journal's file that was replaced could not be closed", e);
            }
        }
    }

    /** Whether the line of that number is on the disk. */
    boolean synced(long number) {
        return syncedNumber >= number;
    }

    /**
     * Waits until the line of that number is on the disk, as all that were written before this thread's turn came. Not under the
     * owner's lock, so that others write meanwhile and share the next.
     */
    void sync(long number) {
        if (synced(number)) {
            return;
        }
        syncLock.lock();
        try {
            if (!synced(number)) {
                syncAll();
            }
        } finally {
            syncLock.unlock();
        }
    }

    private void syncAll() {
        if (damaged) {
            throw new JournalException(
                    "a key may not be on the disk, an earlier sync of the journal failed, file=" + file);
        }
        long through = lastNumber;
        try {
            out.sync();
        } catch (IOException e) {
            // What the disk refused once it may forget without a word the next time.
            damaged = true;
            throw failed("a key could not be synced to the disk", e);
        }
        syncedNumber = through;
    }

    private JournalException failed(String what, IOException e) {
        return new JournalException(what + ", file=" + file + ", reason=" + e.getMessage(), e);
    }

    /** Writes the removals that are left, and closes the file. */
    @Override
    public void close() {
        if (!damaged && removals.size() > 0) {
            writeRemovals();
        }
        try {
            out.close();
        } catch (IOException e) {
            LOG.warn("a key journal could not be closed, file={}", file, e);
        }
    }
}
