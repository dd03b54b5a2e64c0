package io.anneal.harness.store;

/**
 * An item with the time of its write.
 *
 * @param expiresAtSeconds since 1970, 0 for never
 */
public record TimedItem(String b, String c, String d, long writeTimeMicros, long expiresAtSeconds)
        implements Comparable<TimedItem> {
    public static final long NEVER = 0;

    public Item item() {
        return new Item(b, c, d);
    }

    @Override
    public int compareTo(TimedItem other) {
        return item().compareTo(other.item());
    }
}
