package io.anneal.dualdao.journal;

import io.anneal.dualdao.phase.Side;
import java.util.List;
import java.util.Optional;

/**
 * The keys of which one side may lack the newest state: a write failed there, was dropped, went to the other side alone, or is
 * under way. Holds keys, never values: whoever works it off copies from the side that is right. Any thread may call.
 */
public interface KeyJournal extends AutoCloseable {
    /**
     * A key in the journal.
     *
     * @param stamp tells this entry from later ones of the same key
     */
    record Entry(String key, Side lacking, long stamp, String reason) {}

    /**
     * Adds a key, or renews it with a new stamp. When it returns the entry outlives this process, if the journal
     * does.
     *
     * @return the stamp
     * @throws JournalException if it can't be kept; the caller then must not go on as if it were
     */
    long add(Side lacking, String key, String reason);

    /** Takes a key out, unless it was renewed since. */
    void remove(Side lacking, String key, long stamp);

    /** Whether a side may lack this key's newest state. Cheap when the journal is empty. */
    boolean contains(Side lacking, String key);

    int size(Side lacking);

    /**
     * Keeps a key that the origin is about to lack while the target alone is written, as {@link #add} does. A journal may keep such
     * keys apart from its entries, since they only become more and nobody asks for one of them: until {@link #recall}.
     */
    default void remember(String key, String reason) {
        add(Side.ORIGIN, key, reason);
    }

    /** How many keys are kept apart; one may count several times. */
    default long remembered() {
        return 0;
    }

    /**
     * Makes entries of some of the keys that are kept apart.
     *
     * @return how many, 0 if there are none
     */
    default int recall() {
        return 0;
    }

    /** Takes out all keys that the origin lacks. */
    default void forget() {
        int recalled;
        do {
            recalled = recall();
            for (Entry entry : entries(Side.ORIGIN, Integer.MAX_VALUE)) {
                remove(Side.ORIGIN, entry.key(), entry.stamp());
            }
        } while (recalled > 0);
    }

    /** Does what takes long and may be done now or later. Called now and then. */
    default void tidy() {}

    /** Up to that many entries, oldest first. */
    List<Entry> entries(Side lacking, int limit);

    /**
     * Tells it from all other journals, if it outlives its process and one process alone can have it open: whoever has it open has
     * its keys, and knows that the processes that had it before are gone. Empty if it isn't so.
     */
    default Optional<String> id() {
        return Optional.empty();
    }

    /** Whether it outlives this process. */
    boolean persistent();

    @Override
    void close();
}
