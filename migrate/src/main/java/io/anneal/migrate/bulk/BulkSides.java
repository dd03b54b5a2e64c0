package io.anneal.migrate.bulk;

/** What must be true of two sides before one is copied to the other or compared with it. */
final class BulkSides {
    private BulkSides() {}

    static void requireDifferent(String left, String right) {
        if (left.equals(right)) {
            throw new BulkRefusedException("both sides are the same store, side=" + left);
        }
    }

    static void requireFit(String left, String leftShape, String right, String rightShape) {
        if (!leftShape.equals(rightShape)) {
            throw new BulkRefusedException("both sides must have the same columns, side=" + left + ", columns=("
                    + leftShape + "), other=" + right + ", columns=(" + rightShape + ")");
        }
    }
}
