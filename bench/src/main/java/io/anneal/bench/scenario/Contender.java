package io.anneal.bench.scenario;

import java.io.IOException;

/** One side of a comparison. */
record Contender(BenchSystem system, Work work) {
    /** Does it once and says what it took. */
    @FunctionalInterface
    interface Work {
        Run run() throws IOException;
    }
}
