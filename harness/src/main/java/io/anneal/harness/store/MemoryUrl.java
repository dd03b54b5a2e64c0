package io.anneal.harness.store;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * A memory store by its URL: {@code memory:NAME?SETTING=NUMBER&…}. Settings are {@code latencyMillis}, {@code seed}, and the
 * shares {@code failing}, {@code failingAfter}, {@code late}, {@code lossy}, {@code hanging}.
 *
 * @param name empty for that of its role
 */
record MemoryUrl(String name, Map<String, Double> settings) {
    private static final String SCHEME = "memory:";
    private static final String LATENCY_MILLIS = "latencyMillis";
    private static final String SEED = "seed";
    private static final long SEED_DEFAULT = 1;
    private static final Map<String, BiConsumer<Faults, Double>> SHARES = Map.of(
            "failing", Faults::failing,
            "failingAfter", Faults::failingAfter,
            "late", Faults::late,
            "lossy", Faults::lossy,
            "hanging", Faults::hanging);

    static MemoryUrl parse(String url) {
        String[] parts = url.substring(SCHEME.length()).split("\\?", 2);
        Map<String, Double> settings = new TreeMap<>();
        if (parts.length == 2) {
            for (String setting : parts[1].split("&")) {
                String[] pair = setting.split("=", 2);
                settings.put(pair[0], number(url, pair));
            }
        }
        MemoryUrl parsed = new MemoryUrl(parts[0], settings);
        // Shares that don't fit together are told now.
        parsed.faults();
        return parsed;
    }

    private static double number(String url, String[] pair) {
        boolean known = pair[0].equals(LATENCY_MILLIS) || pair[0].equals(SEED) || SHARES.containsKey(pair[0]);
        try {
            double number = known && pair.length == 2 ? Double.parseDouble(pair[1]) : Double.NaN;
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw wrong(url, pair[0], e);
        }
        throw wrong(url, pair[0], null);
    }

    private static IllegalArgumentException wrong(String url, String setting, NumberFormatException cause) {
        return new IllegalArgumentException(
                "not a setting of a memory store, url=" + url + ", setting=" + setting
                        + "; write latencyMillis, seed, failing, failingAfter, late, lossy, hanging = a number",
                cause);
    }

    private Faults faults() {
        Faults faults = new Faults(new SplittableRandom(
                settings.getOrDefault(SEED, (double) SEED_DEFAULT).longValue()));
        long latencyNanos = (long) (settings.getOrDefault(LATENCY_MILLIS, 0.0) * TimeUnit.MILLISECONDS.toNanos(1));
        faults.latency(latencyNanos / 2, latencyNanos + latencyNanos / 2);
        SHARES.forEach((setting, share) -> share.accept(faults, settings.getOrDefault(setting, 0.0)));
        return faults;
    }

    MemoryPartitionDao open(StoreSettings opened) {
        return new MemoryPartitionDao(
                name.isEmpty() ? opened.role() : name, opened.environment().clock(), faults(), opened.delayer());
    }
}
