package io.anneal.dualdao.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.phase.Side;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/** Random calls, faults, restarts and kills, beside a map that does the same. */
final class FileKeyJournalModelTest {
    private static final int STEPS = 2_000;

    private final long seed = Long.getLong("anneal.seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final FaultyFiles files = new FaultyFiles();
    private final Durability durability = random.nextBoolean() ? Durability.PROCESS_KILL : Durability.POWER_CUT;

    /** What is in the journal, with its stamp; what may be in it besides, since adding it failed or its removal is not written. */
    private final Map<String, Long> model = new LinkedHashMap<>();

    private final Set<String> perhaps = new HashSet<>();
    private final Map<String, Long> oldStamps = new HashMap<>();

    @TempDir
    Path directory;

    private Path current;
    private FileKeyJournal journal;

    @RepeatedTest(10)
    void shouldHoldWhatAMapHolds() throws IOException {
        current = directory.resolve("0");
        journal = open();
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(12)) {
                case 0 -> breakSomething();
                case 1, 2 -> files.heal();
                case 3 -> reopenNowAndThen();
                case 4 -> killNowAndThen(step);
                case 5, 6, 7 -> remove();
                default -> add();
            }
            check(step);
        }
        journal.close();
    }

    private FileKeyJournal open() {
        return FileKeyJournal.open(current, durability, () -> "id", 500, files);
    }

    private void breakSomething() {
        switch (random.nextInt(3)) {
            case 0 -> files.roomBytes = random.nextInt(100);
            case 1 -> files.truncateFails = true;
            default -> files.syncFails = true;
        }
    }

    private String key() {
        return "k\n" + random.nextInt(12);
    }

    private void add() {
        String key = key();
        try {
            long stamp = journal.add(Side.TARGET, key, random.nextBoolean() ? "in flight" : "target failed");
            Long before = model.remove(key);
            if (before != null) {
                oldStamps.put(key, before);
            }
            model.put(key, stamp);
            perhaps.remove(key);
        } catch (JournalException e) {
            if (!model.containsKey(key)) {
                perhaps.add(key);
            } else {
                // It is still in, whether its reason and stamp were renewed or not.
                journal.entries(Side.TARGET, 99).stream()
                        .filter(entry -> entry.key().equals(key))
                        .forEach(entry -> model.put(key, entry.stamp()));
            }
        }
    }

    private void remove() {
        String key = key();
        Long stamp = model.get(key);
        if (stamp != null && random.nextBoolean()) {
            journal.remove(Side.TARGET, key, stamp);
            model.remove(key);
            perhaps.add(key);
        } else if (oldStamps.containsKey(key) && !oldStamps.get(key).equals(stamp)) {
            journal.remove(Side.TARGET, key, oldStamps.get(key));
        }
    }

    private void reopenNowAndThen() {
        if (random.nextInt(10) == 0) {
            files.heal();
            journal.close();
            restart();
        }
    }

    /** What a killed process leaves is what its file held at that moment. */
    private void killNowAndThen(int step) throws IOException {
        if (random.nextInt(10) == 0) {
            Path copy = Files.createDirectory(directory.resolve(Integer.toString(step + 1)));
            Files.copy(current.resolve("journal"), copy.resolve("journal"));
            journal.close();
            current = copy;
            files.heal();
            restart();
        }
    }

    private void restart() {
        journal = open();
        Set<String> held = new HashSet<>(KeyJournalContract.keys(journal, Side.TARGET));
        assertThat(held).as("seed %s", seed).containsAll(model.keySet());
        held.removeAll(model.keySet());
        assertThat(perhaps).as("seed %s", seed).containsAll(held);
        model.clear();
        oldStamps.clear();
        perhaps.clear();
        journal.entries(Side.TARGET, 99).forEach(entry -> model.put(entry.key(), entry.stamp()));
    }

    private void check(int step) {
        for (String key : model.keySet()) {
            assertThat(journal.contains(Side.TARGET, key) || files.syncFails || durability == Durability.POWER_CUT)
                    .as("seed %s, step %s, key %s", seed, step, key)
                    .isTrue();
        }
        assertThat(KeyJournalContract.keys(journal, Side.TARGET))
                .as("seed %s, step %s", seed, step)
                .containsAll(model.keySet());
        assertThat(journal.size(Side.TARGET))
                .as("seed %s, step %s", seed, step)
                .isEqualTo(KeyJournalContract.keys(journal, Side.TARGET).size());
    }
}
