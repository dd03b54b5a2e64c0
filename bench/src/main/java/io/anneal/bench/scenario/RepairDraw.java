package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;

/**
 * What three replicas hold, by the number of a row: bit {@code r} of {@link #holders} is replica {@code r}'s. Numbers are spread over
 * the ring, as keys are hashed.
 */
enum RepairDraw {
    /** The first, which is the master, lost all; the two others are equal. */
    SYNCED_0(TableShape.KILOBYTE_ROWS) {
        @Override
        int holders(long number, long rowCount) {
            return 0b110;
        }
    },
    /** Half of each replica's rows are on all three, the other half on it alone. */
    SYNCED_50(TableShape.KILOBYTE_ROWS) {
        @Override
        long numbers(long rowCount) {
            return 2 * rowCount;
        }

        @Override
        int holders(long number, long rowCount) {
            return number % 4 == 3 ? ALL : 1 << number % 4;
        }
    },
    /** Rows on all three, and on each a thousandth as many of its own. */
    SYNCED_99_9(TableShape.KILOBYTE_ROWS) {
        @Override
        long numbers(long rowCount) {
            return ofThousandths(rowCount);
        }

        @Override
        int holders(long number, long rowCount) {
            return ownThousandth(number);
        }
    },
    SYNCED_100(TableShape.KILOBYTE_ROWS) {
        @Override
        int holders(long number, long rowCount) {
            return ALL;
        }
    },
    /** One partition, ten times as many rows, ten of which are on one replica only. */
    WIDE(TableShape.SMALL_ROWS) {
        @Override
        long numbers(long rowCount) {
            return DIFFERING * rowCount;
        }

        @Override
        int rowsPerPartition(long rowCount) {
            return Math.toIntExact(numbers(rowCount));
        }

        @Override
        int holders(long number, long rowCount) {
            return number % rowCount == rowCount / 2 ? 1 << number / rowCount % REPLICAS : ALL;
        }
    },
    /** As {@link #SYNCED_99_9}, of four times as many small rows, ten a partition. */
    SMALL_ROWS(TableShape.SMALL_ROWS) {
        @Override
        long numbers(long rowCount) {
            return ofThousandths(4 * rowCount);
        }

        @Override
        int holders(long number, long rowCount) {
            return ownThousandth(number);
        }
    };

    static final int REPLICAS = 3;

    private static final int ALL = (1 << REPLICAS) - 1;
    private static final int DIFFERING = 10;
    private static final int THOUSAND = 1000;

    private final TableShape shape;

    RepairDraw(TableShape shape) {
        this.shape = shape;
    }

    private static long ofThousandths(long rowCount) {
        return rowCount / THOUSAND * (THOUSAND + REPLICAS);
    }

    private static int ownThousandth(long number) {
        long rest = number % (THOUSAND + REPLICAS);
        return rest < REPLICAS ? 1 << rest : ALL;
    }

    TableShape shape() {
        return shape;
    }

    /** How many rows there are, on whatever replica; those of the last partition that is not whole are not drawn. */
    long numbers(long rowCount) {
        return rowCount;
    }

    int rowsPerPartition(long rowCount) {
        return shape.rowsPerPartition();
    }

    /** Who has a row: from 0 on below {@link #numbers}. */
    abstract int holders(long number, long rowCount);
}
