package io.anneal.dualdao.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.phase.Side;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileKeyJournalTest extends KeyJournalContract {
    @TempDir
    Path directory;

    @Override
    KeyJournal open() {
        return FileKeyJournal.open(directory);
    }

    private void reopen() {
        journal.close();
        journal = open();
    }

    @Test
    void shouldKnowItsKeysWhenOpenedAgain() {
        journal.add(Side.TARGET, "a", "target failed");
        long done = journal.add(Side.TARGET, "b", "in flight");
        journal.add(Side.ORIGIN, "c", "written in phase 4");
        journal.add(Side.TARGET, "d", "in flight");
        journal.add(Side.TARGET, "a", "target failed");
        journal.remove(Side.TARGET, "b", done);

        reopen();

        assertThat(keys(journal, Side.TARGET)).containsExactlyInAnyOrder("a", "d");
        assertThat(journal.entries(Side.ORIGIN, 9)).singleElement().satisfies(entry -> {
            assertThat(entry.key()).isEqualTo("c");
            assertThat(entry.reason()).isEqualTo("written in phase 4");
        });
        assertThat(journal.persistent()).isTrue();
    }
}
