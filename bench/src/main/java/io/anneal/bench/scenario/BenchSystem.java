package io.anneal.bench.scenario;

import java.util.Locale;
import java.util.stream.Stream;

/** Who did the work. */
public enum BenchSystem {
    ANNEAL,
    /** Anneal without what is measured. */
    BASELINE,
    /** The baseline of repair with Anneal's hash in the place of SHA-256. */
    BASELINE_FAST_HASH,
    /** Repair by Merkle trees, on Anneal's core. */
    BASELINE_MERKLE,
    CASSANDRA,
    /** Cassandra's repair with {@code --optimise-streams}. */
    CASSANDRA_OPTIMISED,
    /** The steps that nobody can do without, and nothing else. */
    LIMIT;

    /** As records have it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The one of this name in records. */
    public static BenchSystem of(String text) {
        return Stream.of(values())
                .filter(system -> system.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such system, system=" + text));
    }
}
