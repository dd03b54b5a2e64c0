package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;

/**
 * What three replicas hold of drawn rows, by their numbers, which are spread over the ring, as keys are hashed.
 *
 * @param rowCount rows on whatever replica, numbered from 0 on; a whole number of partitions
 * @param holders of a number: bit {@code r} is replica {@code r}'s, and the first one is the master
 */
record RepairDraw(TableShape shape, long rowCount, int rowsPerPartition, Holders holders) {
    static final int REPLICAS = 3;

    private static final int ALL = (1 << REPLICAS) - 1;
    private static final int THOUSAND = 1000;
    /** In the wide partition, and by how much that has more rows than others have. */
    private static final int DIFFERING = 10;

    private static final int SMALL_ROWS_FACTOR = 4;

    /** Says who has a row. */
    @FunctionalInterface
    interface Holders {
        int of(long number);
    }

    RepairDraw {
        rowCount = rowCount / rowsPerPartition * rowsPerPartition;
    }

    private RepairDraw(TableShape shape, long rowCount, Holders holders) {
        this(shape, rowCount, shape.rowsPerPartition(), holders);
    }

    /**
     * Of a case.
     *
     * @param rows of each replica, about
     */
    static RepairDraw of(String caseName, int rows) {
        return switch (caseName) {
            // The first lost all, the two others are equal.
            case "synced-0" -> new RepairDraw(TableShape.KILOBYTE_ROWS, rows, number -> ALL & ~1);
            // Half of each replica's rows are on all three, the other half on it alone.
            case "synced-50" ->
                new RepairDraw(TableShape.KILOBYTE_ROWS, 2L * rows, number -> number % 4 == 3 ? ALL : 1 << number % 4);
            case "synced-99.9" -> own(TableShape.KILOBYTE_ROWS, rows, 1);
            case "synced-100" -> own(TableShape.KILOBYTE_ROWS, rows, 0);
            case "small-rows" -> own(TableShape.SMALL_ROWS, (long) SMALL_ROWS_FACTOR * rows, 1);
            case "wide" -> wide(rows);
            default -> throw new IllegalArgumentException("no such case, case=" + caseName);
        };
    }

    /** Rows on all three, and for each thousand of them on each replica so many of its own. */
    static RepairDraw own(TableShape shape, long rows, int perThousand) {
        int block = THOUSAND + REPLICAS * perThousand;
        return new RepairDraw(shape, rows * block / THOUSAND, number -> {
            long rest = number % block;
            return rest < block - THOUSAND ? 1 << rest % REPLICAS : ALL;
        });
    }

    /** One partition, ten times as many rows, ten of which are on one replica only. */
    private static RepairDraw wide(int rows) {
        return new RepairDraw(
                TableShape.SMALL_ROWS,
                (long) DIFFERING * rows,
                Math.multiplyExact(DIFFERING, rows),
                number -> number % rows == rows / 2 ? 1 << number / rows % REPLICAS : ALL);
    }

    boolean has(int replica, long number) {
        return (holders.of(number) & 1 << replica) != 0;
    }

    boolean isOnAll(long number) {
        return holders.of(number) == ALL;
    }

    /** Whether a replica has what no other one has. */
    boolean hasAlone(int replica, long number) {
        return holders.of(number) == 1 << replica;
    }
}
