package io.anneal.dualdao.route;

import io.anneal.dualdao.journal.JournalException;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.phase.Side;
import java.util.List;

/** A journal whose disk is full. */
record BrokenJournal(boolean persistent) implements KeyJournal {
    @Override
    public long add(Side lacking, String key, String reason) {
        throw new JournalException("full");
    }

    @Override
    public void remove(Side lacking, String key, long stamp) {
        throw new JournalException("full");
    }

    @Override
    public boolean contains(Side lacking, String key) {
        return false;
    }

    @Override
    public int size(Side lacking) {
        return 0;
    }

    @Override
    public List<Entry> entries(Side lacking, int limit) {
        return List.of();
    }

    @Override
    public void close() {}
}
