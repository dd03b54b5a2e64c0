package io.anneal.dualdao.journal;

import io.anneal.dualdao.phase.Side;
import java.util.List;

/** A journal that says it outlives the process. */
public class PersistentJournal implements KeyJournal {
    private final KeyJournal inner = new MemoryKeyJournal();

    @Override
    public long add(Side lacking, String key, String reason) {
        return inner.add(lacking, key, reason);
    }

    @Override
    public void remove(Side lacking, String key, long stamp) {
        inner.remove(lacking, key, stamp);
    }

    @Override
    public boolean contains(Side lacking, String key) {
        return inner.contains(lacking, key);
    }

    @Override
    public int size(Side lacking) {
        return inner.size(lacking);
    }

    @Override
    public List<Entry> entries(Side lacking, int limit) {
        return inner.entries(lacking, limit);
    }

    @Override
    public boolean persistent() {
        return true;
    }

    @Override
    public void close() {}
}
