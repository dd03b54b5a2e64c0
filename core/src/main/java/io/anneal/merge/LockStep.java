package io.anneal.merge;

import java.io.IOException;
import java.util.Comparator;

/**
 * Two sequences in one order, walked side by side: each step stands at the least element that is left, which one of them has, or
 * both. Holds one element of each. Closes nothing. One thread.
 *
 * <pre>{@code
 * while (walk.next()) {
 *     compare(walk.left(), walk.right());
 * }
 * }</pre>
 */
public final class LockStep<T> {
    /** One of the two, in order. */
    @FunctionalInterface
    public interface Source<T> {
        /** Returns the next element, null at the end; it may be the same object, at its next place. */
        T next() throws IOException;
    }

    private final Source<? extends T> left;
    private final Source<? extends T> right;
    private final Comparator<? super T> order;
    private T leftHead;
    private T rightHead;
    private boolean isLeftTaken = true;
    private boolean isRightTaken = true;

    public LockStep(Source<? extends T> left, Source<? extends T> right, Comparator<? super T> order) {
        this.left = left;
        this.right = right;
        this.order = order;
    }

    /** Goes to the next place that either has; false at the end of both, after which it is not called again. */
    public boolean next() throws IOException {
        if (isLeftTaken) {
            leftHead = left.next();
        }
        if (isRightTaken) {
            rightHead = right.next();
        }
        if (leftHead == null && rightHead == null) {
            return false;
        }
        int compared = leftHead == null ? 1 : rightHead == null ? -1 : order.compare(leftHead, rightHead);
        isLeftTaken = compared <= 0;
        isRightTaken = compared >= 0;
        return true;
    }

    /** Returns what the left one has here, null if nothing. */
    public T left() {
        return isLeftTaken ? leftHead : null;
    }

    /** Returns what the right one has here, null if nothing. */
    public T right() {
        return isRightTaken ? rightHead : null;
    }

    /** Returns what stands here, the left one's if both have it. */
    public T either() {
        return isLeftTaken ? leftHead : rightHead;
    }
}
