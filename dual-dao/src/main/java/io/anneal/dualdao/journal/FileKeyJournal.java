package io.anneal.dualdao.journal;

import io.anneal.dualdao.phase.Side;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A journal in a directory that one process has open at a time. Entries are held in memory too, which therefore grows by them; the
 * file is rewritten when most of it is about keys that were taken out. Any thread may call.
 *
 * <p>An entry is in the file before {@link #add} returns, and on the disk if {@link Durability#POWER_CUT} was asked for. A key
 * that is taken out is written with the next entry: whoever kills the process finds a few keys in the journal that were
 * done with, which costs a copy each and no more. A disk that is full fails {@link #add} alone, until there is room again.
 *
 * <p>Keys written while the target alone is are in {@code written}, and not in memory.
 *
 * <p>Files: {@code journal}, whose lines {@link JournalLine} describes, {@code journal.tmp} while it is rewritten, {@code
 * journal.id}, made with it, and {@code journal.lock}.
 */
public final class FileKeyJournal implements KeyJournal {
    private static final Logger LOG = LoggerFactory.getLogger(FileKeyJournal.class);

    /** The file is not rewritten before it is so long: to do so makes everybody wait for the disk. */
    static final long REWRITE_BYTES = 32L << 20;

    private static final int SEGMENT_KEYS = 1 << 15;

    private final DirectoryLock directoryLock;
    private final String id;
    private final JournalFile file;
    private final WrittenKeys written;
    private final Durability durability;
    private final ReentrantLock lock = new ReentrantLock();
    private final LiveKeys lackedByOrigin;
    private final LiveKeys lackedByTarget;
    private long lastStamp;
    private boolean closed;

    private FileKeyJournal(
            DirectoryLock directoryLock,
            String id,
            JournalFile file,
            WrittenKeys written,
            Durability durability,
            Replay replay) {
        this.directoryLock = directoryLock;
        this.id = id;
        this.file = file;
        this.written = written;
        this.durability = durability;
        lackedByOrigin = replay.origin;
        lackedByTarget = replay.target;
        lastStamp = replay.stamp;
    }

    /**
     * Opens a directory's journal; makes both if they are not there.
     *
     * @param newId names a journal that is made, as no other is named
     * @throws JournalException if it is corrupt, can't be read or written, or another process has it open
     */
    public static FileKeyJournal open(Path directory, Durability durability, Supplier<String> newId) {
        return open(directory, durability, newId, REWRITE_BYTES, AppendFile::open);
    }

    static FileKeyJournal open(
            Path directory,
            Durability durability,
            Supplier<String> newId,
            long rewriteBytes,
            AppendFile.Opener opener) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new JournalException(
                    "the directory of a key journal can't be made, directory=" + directory + ", reason="
                            + e.getMessage(),
                    e);
        }
        DirectoryLock directoryLock = DirectoryLock.take(directory.resolve("journal.lock"));
        try {
            String id = id(directory, newId);
            Replay replay = new Replay();
            JournalFile file = JournalFile.open(directory, opener, rewriteBytes, replay::accept);
            WrittenKeys written = WrittenKeys.open(directory.resolve("written"), opener, durability, SEGMENT_KEYS);
            return new FileKeyJournal(directoryLock, id, file, written, durability, replay);
        } catch (JournalException e) {
            directoryLock.close();
            throw e;
        }
    }

    /** A journal whose lines are gone is another one. */
    private static String id(Path directory, Supplier<String> newId) {
        Path file = directory.resolve("journal.id");
        try {
            if (Files.exists(directory.resolve("journal")) && Files.exists(file)) {
                String id = Files.readString(file, StandardCharsets.UTF_8).strip();
                if (!id.isEmpty()) {
                    return id;
                }
            }
            String id = newId.get();
            Path written = directory.resolve("journal.id.tmp");
            Files.writeString(written, id + "\n", StandardCharsets.UTF_8);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return id;
        } catch (IOException e) {
            throw new JournalException("a key journal can't be named, file=" + file + ", reason=" + e.getMessage(), e);
        }
    }

    /** Puts together what a file's lines say. */
    private static final class Replay {
        private final LiveKeys origin = new LiveKeys(Side.ORIGIN);
        private final LiveKeys target = new LiveKeys(Side.TARGET);
        private final Map<String, String> reasons = new HashMap<>();
        private long stamp;

        void accept(JournalLine line) {
            LiveKeys keys = line.lacking() == Side.ORIGIN ? origin : target;
            if (line.added()) {
                String reason = reasons.computeIfAbsent(line.reason(), each -> each);
                keys.put(line.key(), ++stamp, reason, 0);
            } else {
                keys.remove(line.key());
            }
        }
    }

    @Override
    public long add(Side lacking, String key, String reason) {
        long number;
        long stamp;
        lock.lock();
        try {
            requireOpen();
            if (file.damaged()) {
                file.rewrite(live().iterator());
            }
            LiveKeys keys = keys(lacking);
            LiveKeys.Node node = keys.node(key);
            boolean written = node != null && node.reason.equals(reason);
            number = written ? node.writeNumber : file.write(new JournalLine(true, lacking, reason, key));
            stamp = ++lastStamp;
            keys.put(key, stamp, reason, number);
            rewriteIfMostlyDead();
        } finally {
            lock.unlock();
        }
        if (durability == Durability.POWER_CUT) {
            file.sync(number);
        }
        return stamp;
    }

    private void requireOpen() {
        if (closed) {
            throw new JournalException("a key journal is closed, file=" + file.path());
        }
    }

    private void rewriteIfMostlyDead() {
        if (file.mostlyDead(lackedByOrigin.size() + lackedByTarget.size())) {
            try {
                file.rewrite(live().iterator());
            } catch (JournalException e) {
                LOG.warn("a key journal stays long, {}", e.getMessage());
            }
        }
    }

    private Stream<JournalLine> live() {
        return Stream.of(lackedByOrigin, lackedByTarget)
                .flatMap(keys -> keys.oldest(Integer.MAX_VALUE).stream())
                .map(entry -> new JournalLine(true, entry.lacking(), entry.reason(), entry.key()));
    }

    @Override
    public void remove(Side lacking, String key, long stamp) {
        lock.lock();
        try {
            if (!closed && keys(lacking).remove(key, stamp)) {
                file.writeLater(new JournalLine(false, lacking, "", key));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Of a key that is being added, whether it is as durable yet as was asked for. */
    @Override
    public boolean contains(Side lacking, String key) {
        LiveKeys.Node node = keys(lacking).node(key);
        return node != null && (durability != Durability.POWER_CUT || file.synced(node.writeNumber));
    }

    @Override
    public int size(Side lacking) {
        return keys(lacking).size();
    }

    @Override
    public List<Entry> entries(Side lacking, int limit) {
        lock.lock();
        try {
            return keys(lacking).oldest(limit);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void remember(String key, String reason) {
        written.add(key);
    }

    @Override
    public long remembered() {
        return written.size();
    }

    @Override
    public void forget() {
        for (int taken = 1; taken > 0; ) {
            taken = written.take(key -> {});
        }
        KeyJournal.super.forget();
    }

    @Override
    public int recall() {
        return written.take(key -> add(Side.ORIGIN, key, "written while the target alone was"));
    }

    @Override
    public void tidy() {
        written.compact();
    }

    /** What an entry survives. */
    public Durability durability() {
        return durability;
    }

    @Override
    public Optional<String> id() {
        return Optional.of(id);
    }

    @Override
    public boolean persistent() {
        return true;
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                written.close();
                file.close();
                directoryLock.close();
            }
        } finally {
            lock.unlock();
        }
    }

    private LiveKeys keys(Side lacking) {
        return lacking == Side.ORIGIN ? lackedByOrigin : lackedByTarget;
    }
}
