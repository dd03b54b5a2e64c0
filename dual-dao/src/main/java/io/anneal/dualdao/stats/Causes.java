package io.anneal.dualdao.stats;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/**
 * What went wrong, one of each cause: an example, how often, when first and when last. The causes that were seen last stay. Any
 * thread may call.
 */
final class Causes<T> {
    static final int CAUSES_MAX = 16;

    private final Function<T, Object> cause;
    private final BinaryOperator<T> sum;
    private final Map<Object, T> newestLast = new LinkedHashMap<>();

    /** @param sum of what is known of a cause and what came later */
    Causes(Function<T, Object> cause, BinaryOperator<T> sum) {
        this.cause = cause;
        this.sum = sum;
    }

    /** Answers what is known of its cause now. */
    synchronized T add(T one) {
        T before = newestLast.remove(cause.apply(one));
        if (before == null && newestLast.size() == CAUSES_MAX) {
            newestLast.remove(newestLast.keySet().iterator().next());
        }
        T now = before == null ? one : sum.apply(before, one);
        newestLast.put(cause.apply(one), now);
        return now;
    }

    /** What is known of its cause; null if that is nothing. */
    synchronized T of(T one) {
        return newestLast.get(cause.apply(one));
    }

    synchronized List<T> newestLast() {
        return List.copyOf(newestLast.values());
    }
}
