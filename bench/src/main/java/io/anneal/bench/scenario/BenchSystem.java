package io.anneal.bench.scenario;

import java.util.Locale;

/** Who did the work. */
public enum BenchSystem {
    ANNEAL,
    /** Anneal without what is measured. */
    BASELINE,
    CASSANDRA,
    /** The steps that nobody can do without, and nothing else. */
    LIMIT;

    /** As records have it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
