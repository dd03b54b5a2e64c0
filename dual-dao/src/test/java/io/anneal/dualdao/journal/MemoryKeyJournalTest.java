package io.anneal.dualdao.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class MemoryKeyJournalTest extends KeyJournalContract {
    @Override
    KeyJournal open() {
        return new MemoryKeyJournal();
    }

    @Test
    void shouldSayThatItDoesNotOutliveItsProcess() {
        assertThat(journal.persistent()).isFalse();
    }
}
