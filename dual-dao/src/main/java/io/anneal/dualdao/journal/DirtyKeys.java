package io.anneal.dualdao.journal;

import io.anneal.dualdao.phase.Side;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal, as operations use it. A journal that outlives the process has a key in it for as long as a write to both sides is
 * under way, so that a killed process leaves names; those entries must come out again, and only those: an entry that was there
 * before, or that was made since for a better reason, stays. Any thread may call.
 */
public final class DirtyKeys {
    /** Stands for all keys, of a write about everything in phases 4 and 5; no copy of a key makes up for it. */
    public static final String EVERYTHING = "(everything)";

    private static final Logger LOG = LoggerFactory.getLogger(DirtyKeys.class);
    private static final int LOOKED_AT_MAX = 10_000;

    /** Of keys that a journal in memory remembers. */
    private static final int IN_MEMORY_MAX = 200_000;

    private final KeyJournal journal;
    private final Map<Side, ConcurrentHashMap<String, Open>> open = new EnumMap<>(Side.class);
    private volatile boolean finished;

    public DirtyKeys(KeyJournal journal) {
        this.journal = journal;
        for (Side side : Side.values()) {
            open.put(side, new ConcurrentHashMap<>());
        }
    }

    /** Work on a key that is under way. */
    private static final class Open {
        int count;

        /** Whether the journal has the key on account of this work alone; then with this stamp. */
        volatile boolean ours;

        volatile long stamp;

        /** Whether a copy of the key began it. */
        boolean copying;
    }

    public boolean lacks(Side side, String key) {
        return journal.contains(side, key);
    }

    public boolean lacksAny(Side side, List<String> keys) {
        for (String key : keys) {
            if (journal.contains(side, key)) {
                return true;
            }
        }
        return false;
    }

    public int size(Side lacking) {
        return journal.size(lacking) + apart(lacking);
    }

    /** Keys that the journal keeps apart from its entries. */
    private int apart(Side lacking) {
        return lacking == Side.TARGET ? 0 : (int) Math.min(journal.remembered(), Integer.MAX_VALUE >> 1);
    }

    /**
     * How many keys are in the journal for more than a write that is under way just now. Of a journal that is very long, all of
     * its keys.
     */
    public int lasting(Side lacking) {
        int all = size(lacking);
        if (all > LOOKED_AT_MAX || open.get(lacking).isEmpty()) {
            return all;
        }
        int lasting = apart(lacking);
        for (KeyJournal.Entry entry : journal.entries(lacking, LOOKED_AT_MAX)) {
            Open work = open.get(lacking).get(entry.key());
            if (work == null || !work.ours || work.stamp != entry.stamp()) {
                lasting++;
            }
        }
        return lasting;
    }

    public List<KeyJournal.Entry> entries(Side lacking, int limit) {
        return journal.entries(lacking, limit);
    }

    public Optional<String> journalId() {
        return journal.id();
    }

    public boolean persistent() {
        return journal.persistent();
    }

    /** Adds keys, or renews them, for good: until somebody copied them. Throws {@link JournalException}. */
    public List<KeyJournal.Entry> add(Side lacking, List<String> keys, String reason) {
        List<KeyJournal.Entry> entries = new ArrayList<>(keys.size());
        for (String key : keys) {
            entries.add(new KeyJournal.Entry(key, lacking, journal.add(lacking, key, reason), reason));
        }
        return entries;
    }

    /**
     * Adds what the origin is about to lack, for good. An entry that is there does, unless somebody is at work on the key
     * who will take it out. Throws {@link JournalException}.
     */
    public void remember(List<String> keys, String reason) {
        if (finished) {
            return;
        }
        // Memory alone must not grow without end; then the way back is a copy of all.
        boolean full = !journal.persistent() && journal.size(Side.ORIGIN) >= IN_MEMORY_MAX;
        rememberEach(full ? List.of(EVERYTHING) : keys, reason);
    }

    private void rememberEach(List<String> keys, String reason) {
        ConcurrentHashMap<String, Open> atWork = open.get(Side.ORIGIN);
        for (String key : keys) {
            if (atWork.isEmpty() && journal.contains(Side.ORIGIN, key)) {
                continue;
            }
            atWork.compute(key, (same, work) -> {
                if (work != null || !journal.contains(Side.ORIGIN, key)) {
                    keep(key, reason);
                }
                return work;
            });
        }
    }

    private void keep(String key, String reason) {
        if (key.equals(EVERYTHING)) {
            journal.add(Side.ORIGIN, key, reason);
        } else {
            journal.remember(key, reason);
        }
    }

    /**
     * Forgets what the origin lacks, and remembers no more. One entry stays, of everything: who brings an older phase back finds
     * that keys are not enough.
     */
    public void finish() {
        if (!finished) {
            finished = true;
            journal.forget();
            journal.add(Side.ORIGIN, EVERYTHING, "the migration was finished");
        }
    }

    public boolean finished() {
        return finished;
    }

    /** Makes entries of keys that the journal keeps apart, until it has so many or there are no more. */
    public void recall(int entries) {
        for (int more = 1; more > 0 && journal.size(Side.ORIGIN) < entries; ) {
            more = journal.recall();
        }
    }

    /** Lets the journal do what takes long. */
    public void tidy() {
        journal.tidy();
    }

    /** Names keys of a write that is about to begin. Throws {@link JournalException}, having named none. */
    public void begin(Side lacking, List<String> keys) {
        for (int i = 0; i < keys.size(); i++) {
            try {
                open.get(lacking).compute(keys.get(i), (key, work) -> {
                    Open now = work;
                    if (now == null) {
                        now = new Open();
                        if (!journal.contains(lacking, key)) {
                            now.stamp = journal.add(lacking, key, "a write is under way, or its process died");
                            now.ours = true;
                        }
                    } else if (now.copying) {
                        // The copy may be older than this write, and must not be the last word.
                        journal.add(lacking, key, "written while it was copied");
                    }
                    now.count++;
                    return now;
                });
            } catch (RuntimeException refused) {
                end(lacking, keys.subList(0, i));
                throw refused;
            }
        }
    }

    /** Ends what {@link #begin} began; whatever went wrong was added before. */
    public void end(Side lacking, List<String> keys) {
        for (String key : keys) {
            end(lacking, key);
        }
    }

    private void end(Side lacking, String ended) {
        open.get(lacking).computeIfPresent(ended, (key, work) -> {
            work.count--;
            if (work.count > 0) {
                return work;
            }
            if (work.ours) {
                remove(lacking, key, work.stamp);
            }
            return null;
        });
    }

    /** Begins to copy a key that is in the journal; {@link #endCopy} follows. False if a write to it is under way. */
    public boolean beginCopy(Side lacking, String copied) {
        Open mine = new Open();
        mine.count = 1;
        mine.copying = true;
        return open.get(lacking).putIfAbsent(copied, mine) == null;
    }

    /** @param stamp of the entry that was copied, 0 if it was not */
    public void endCopy(Side lacking, String copied, long stamp) {
        open.get(lacking).computeIfPresent(copied, (key, work) -> {
            if (stamp != 0) {
                remove(lacking, key, stamp);
            }
            work.count--;
            return work.count > 0 ? work : null;
        });
    }

    private void remove(Side lacking, String key, long stamp) {
        try {
            journal.remove(lacking, key, stamp);
        } catch (JournalException kept) {
            // Nothing is lost: the key will be copied once more than needed.
            LOG.warn("key stays in the journal, lacking={}", lacking, kept);
        }
    }
}
