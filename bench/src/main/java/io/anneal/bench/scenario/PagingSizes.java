package io.anneal.bench.scenario;

/**
 * How much {@link PagingScenario} does in a run.
 *
 * @param abandoned scans that end after a page
 * @param scanners at once
 */
public record PagingSizes(int abandoned, int scanners) {
    public static final PagingSizes DEFAULT = new PagingSizes(10_000, 1_000);

    public PagingSizes {
        if (abandoned < 1 || scanners < 1) {
            throw new IllegalArgumentException(
                    "nothing to measure with, abandoned=" + abandoned + ", scanners=" + scanners);
        }
    }
}
