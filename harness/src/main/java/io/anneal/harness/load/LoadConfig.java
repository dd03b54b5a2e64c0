package io.anneal.harness.load;

/**
 * The load that is made.
 *
 * @param operationsPerSecond that begin, however long they take
 * @param firstKey and how many keys follow it; nobody else may write them while the load runs
 * @param skew 0 if all keys are as likely, 0.99 as services have it: the exponent of Zipf's law
 * @param multiGetSize keys that one read asks for at once
 * @param inFlightMax operations that are under way at once; what is due beyond that begins late, and is measured from when it
 *     was due
 * @param seed of everything that is drawn
 */
public record LoadConfig(
        double operationsPerSecond,
        long firstKey,
        int keys,
        double skew,
        LoadMix mix,
        int multiGetSize,
        int inFlightMax,
        long seed) {
    public LoadConfig {
        if (!(operationsPerSecond > 0) || keys < 1 || !(skew >= 0) || multiGetSize < 1 || inFlightMax < 1) {
            throw new IllegalArgumentException("no load, operationsPerSecond=" + operationsPerSecond + ", keys=" + keys
                    + ", skew=" + skew + ", multiGetSize=" + multiGetSize + ", inFlightMax=" + inFlightMax);
        }
    }
}
