package io.anneal.paging.querier;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Queriers between two pages, the one that waits longest first. What is taken out is the caller's to close. Safe for any thread. */
final class QuerierCache {
    private final Map<Querier.Key, Querier> queriers = new LinkedHashMap<>();
    private long heldBytes;

    /** Takes a querier out. */
    synchronized Optional<Querier> take(Querier.Key key) {
        return taken(queriers.remove(key));
    }

    private Optional<Querier> taken(Querier querier) {
        heldBytes -= querier == null ? 0 : querier.heldBytes();
        return Optional.ofNullable(querier);
    }

    /** Keeps a querier; returns another one of its key, if two pages of a query were read at once. */
    synchronized Optional<Querier> add(Querier querier) {
        Optional<Querier> other = take(querier.key());
        queriers.put(querier.key(), querier);
        heldBytes += querier.heldBytes();
        return other;
    }

    /** Takes the one out that waits longest. */
    synchronized Optional<Querier> takeOldest() {
        Iterator<Querier> oldest = queriers.values().iterator();
        return oldest.hasNext() ? take(oldest.next().key()) : Optional.empty();
    }

    /** Takes all out that meet a condition. */
    synchronized List<Querier> takeIf(Predicate<Querier> condition) {
        List<Querier> taken = new ArrayList<>();
        for (Querier querier : queriers.values()) {
            if (condition.test(querier)) {
                taken.add(querier);
            }
        }
        taken.forEach(querier -> take(querier.key()));
        return taken;
    }

    synchronized int size() {
        return queriers.size();
    }

    synchronized long heldBytes() {
        return heldBytes;
    }
}
