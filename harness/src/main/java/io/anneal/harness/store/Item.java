package io.anneal.harness.store;

import java.util.Comparator;
import java.util.Objects;

/**
 * One value of a partition, under its two clustering keys.
 *
 * @param b the kind of value, as {@code name}
 * @param c which of that kind
 * @param d the value
 */
public record Item(String b, String c, String d) implements Comparable<Item> {
    private static final Comparator<Item> ORDER =
            Comparator.comparing(Item::b).thenComparing(Item::c).thenComparing(Item::d);

    public Item {
        Objects.requireNonNull(b, "b");
        Objects.requireNonNull(c, "c");
        Objects.requireNonNull(d, "d");
    }

    @Override
    public int compareTo(Item other) {
        return ORDER.compare(this, other);
    }
}
