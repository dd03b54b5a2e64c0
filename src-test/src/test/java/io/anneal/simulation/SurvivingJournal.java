package io.anneal.simulation;

import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.journal.MemoryKeyJournal;
import io.anneal.dualdao.phase.Side;
import java.util.List;
import java.util.Optional;

/** The journal of an instance, which its next incarnation finds as it was. */
final class SurvivingJournal implements KeyJournal {
    private final KeyJournal journal = new MemoryKeyJournal();
    private final String id;

    SurvivingJournal(String id) {
        this.id = id;
    }

    @Override
    public long add(Side lacking, String key, String reason) {
        return journal.add(lacking, key, reason);
    }

    @Override
    public void remove(Side lacking, String key, long stamp) {
        journal.remove(lacking, key, stamp);
    }

    @Override
    public boolean contains(Side lacking, String key) {
        return journal.contains(lacking, key);
    }

    @Override
    public int size(Side lacking) {
        return journal.size(lacking);
    }

    @Override
    public List<Entry> entries(Side lacking, int limit) {
        return journal.entries(lacking, limit);
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
    public void close() {}
}
