package io.anneal.harness.load;

import io.anneal.harness.store.Item;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** What the load does, operation by operation: the same for the same seed. No two writes write the same value. */
final class LoadScript {
    /** What one operation does. */
    enum Kind {
        READ,
        WRITE,
        REPLACE,
        DELETE_ITEM,
        DELETE
    }

    /**
     * One operation.
     *
     * @param keys one, but for a read of several
     * @param items written, or the one that is deleted
     */
    record Step(Kind kind, List<Long> keys, List<Item> items) {
        long key() {
            return keys.get(0);
        }
    }

    private static final List<String> NAMES = List.of("name", "age", "city", "mail", "phone", "note");
    private static final int PLACES_PER_NAME = 3;
    private static final int ITEMS_MAX = 4;
    private static final int ONE_IN = 4;

    private final LoadConfig config;
    private final String valuePrefix;
    private final ZipfKeys ranks;
    private final SplittableRandom random;

    private long written;

    LoadScript(LoadConfig config, String valuePrefix) {
        this.config = config;
        this.valuePrefix = valuePrefix;
        ranks = new ZipfKeys(config.keys(), config.skew());
        random = new SplittableRandom(config.seed());
    }

    /** What a key holds before the load begins. */
    Step first(int rank) {
        return new Step(Kind.REPLACE, List.of(config.firstKey() + rank), items());
    }

    Step next() {
        int drawn = random.nextInt(config.mix().total());
        if (drawn < config.mix().reads()) {
            return new Step(Kind.READ, keys(), List.of());
        }
        boolean rare = random.nextInt(ONE_IN) == 0;
        List<Long> key = List.of(key());
        if (drawn < config.mix().reads() + config.mix().writes()) {
            return new Step(rare ? Kind.REPLACE : Kind.WRITE, key, items());
        }
        return rare ? new Step(Kind.DELETE, key, List.of()) : new Step(Kind.DELETE_ITEM, key, List.of(item()));
    }

    private List<Long> keys() {
        int wanted = Math.min(config.multiGetSize(), config.keys());
        Set<Long> keys = new HashSet<>();
        // A skewed draw may take long for the last of many different keys; a read of fewer is as good.
        for (int draws = 0; keys.size() < wanted && draws < 4 * wanted; draws++) {
            keys.add(key());
        }
        return List.copyOf(keys);
    }

    private long key() {
        return config.firstKey() + ranks.next(random);
    }

    private List<Item> items() {
        Map<String, Item> items = new LinkedHashMap<>();
        int count = 1 + random.nextInt(ITEMS_MAX);
        for (int i = 0; i < count; i++) {
            Item item = item();
            items.put(item.b() + item.c(), item);
        }
        return new ArrayList<>(items.values());
    }

    private Item item() {
        String b = NAMES.get(random.nextInt(NAMES.size()));
        String c = Integer.toString(random.nextInt(PLACES_PER_NAME));
        return new Item(b, c, valuePrefix + written++);
    }
}
