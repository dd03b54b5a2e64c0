package io.anneal.dualdao.journal;

import io.anneal.dualdao.phase.Side;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A journal that lives as long as its process: for tests, and for DAOs whose phase store is not persistent either. Whoever
 * kills the process loses the names of the keys whose sides differ. Memory grows by the keys that are in it.
 */
public final class MemoryKeyJournal implements KeyJournal {
    private final Optional<KeyJournal> namesake;
    private final ReentrantLock lock = new ReentrantLock();
    private final LiveKeys lackedByOrigin = new LiveKeys(Side.ORIGIN);
    private final LiveKeys lackedByTarget = new LiveKeys(Side.TARGET);
    private long lastStamp;

    public MemoryKeyJournal() {
        namesake = Optional.empty();
    }

    /**
     * Keeps keys in memory in the place of a journal whose disk nobody may wait for.
     *
     * @param namesake whose name it has, held open until this is closed; its keys stay as they are, and are not seen
     */
    public MemoryKeyJournal(KeyJournal namesake) {
        this.namesake = Optional.of(namesake);
    }

    @Override
    public long add(Side lacking, String key, String reason) {
        lock.lock();
        try {
            keys(lacking).put(key, ++lastStamp, reason, 0);
            return lastStamp;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void remove(Side lacking, String key, long stamp) {
        lock.lock();
        try {
            keys(lacking).remove(key, stamp);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean contains(Side lacking, String key) {
        return keys(lacking).node(key) != null;
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
    public Optional<String> id() {
        return namesake.flatMap(KeyJournal::id);
    }

    @Override
    public boolean persistent() {
        return false;
    }

    /** The keys stay for whoever still asks. */
    @Override
    public void close() {
        namesake.ifPresent(KeyJournal::close);
    }

    private LiveKeys keys(Side lacking) {
        return lacking == Side.ORIGIN ? lackedByOrigin : lackedByTarget;
    }
}
