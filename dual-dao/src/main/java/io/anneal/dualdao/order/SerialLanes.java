package io.anneal.dualdao.order;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * Runs work beside calls in the order in which it came, for each key: work about several keys waits until it is first for
 * all of them. What is about different keys runs at once. A lane is a stripe of {@link KeyOrder}. Any thread may call; the lock is
 * held for moments, never while work runs.
 */
public final class SerialLanes {
    private final Background background;
    private final int room;
    private final Map<Integer, ArrayDeque<Entry>> lanes = new HashMap<>();
    private int entries;
    private boolean closed;

    public SerialLanes(Background background, int room) {
        this.background = background;
        this.room = room;
    }

    /** Work in a lane. */
    public interface Work {
        /** Gives the stage that ends it, null if it is over when it returns. */
        CompletionStage<?> run();

        /** It will not run, or is given up; told on any thread. */
        void dropped();
    }

    private static final class Entry {
        final Work work;
        final int[] stripes;
        /** Of how many lanes it is not the first yet. */
        int behind;

        Entry(Work work, int[] stripes) {
            this.work = work;
            this.stripes = stripes;
        }
    }

    /**
     * Takes work.
     *
     * @param stripes ascending, each once; none for work that waits for nothing
     * @return whether there was room; else it was not dropped, but never taken
     */
    public boolean add(int[] stripes, Work work) {
        Entry entry = new Entry(work, stripes);
        synchronized (lanes) {
            if (closed || entries >= room) {
                return false;
            }
            entries++;
            for (int stripe : stripes) {
                ArrayDeque<Entry> lane = lanes.computeIfAbsent(stripe, key -> new ArrayDeque<>(2));
                entry.behind += lane.isEmpty() ? 0 : 1;
                lane.addLast(entry);
            }
            if (entry.behind > 0) {
                return true;
            }
        }
        start(List.of(entry));
        return true;
    }

    private void start(List<Entry> first) {
        ArrayDeque<Entry> ready = new ArrayDeque<>(first);
        while (!ready.isEmpty()) {
            Entry entry = ready.removeFirst();
            if (!background.runInLane(entry.work::run, () -> start(over(entry)))) {
                ready.addAll(over(entry));
                entry.work.dropped();
            }
        }
    }

    /** Takes it out of its lanes; answers what is first in all of its own now. */
    private List<Entry> over(Entry entry) {
        List<Entry> ready = new ArrayList<>(1);
        synchronized (lanes) {
            entries--;
            for (int stripe : entry.stripes) {
                ArrayDeque<Entry> lane = lanes.get(stripe);
                lane.removeFirst();
                Entry next = lane.peekFirst();
                if (next == null) {
                    lanes.remove(stripe);
                } else if (--next.behind == 0) {
                    ready.add(next);
                }
            }
        }
        return ready;
    }

    /** Takes nothing any more, and tells all work that is not over that it was dropped, also what began and never answered. */
    public void close() {
        Set<Entry> left = new LinkedHashSet<>();
        synchronized (lanes) {
            closed = true;
            lanes.values().forEach(left::addAll);
        }
        left.forEach(entry -> entry.work.dropped());
    }
}
