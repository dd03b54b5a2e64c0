package io.anneal.harness.store;

import java.util.List;

/**
 * All values of one partition key.
 *
 * @param a the key
 * @param items in order, at least one
 */
public record Partition(long a, List<Item> items) {
    public Partition {
        items = items.stream().sorted().toList();
        if (items.isEmpty()) {
            throw new IllegalArgumentException("a partition without items is none, a=" + a);
        }
    }
}
