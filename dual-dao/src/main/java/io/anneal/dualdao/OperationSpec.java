package io.anneal.dualdao;

import io.anneal.dualdao.compare.Comparison;
import java.util.Collection;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What a dual DAO has to know of one operation.
 *
 * @param <D> the DAO's interface
 * @param <A> what a call is given: the proxy's argument array, or one object
 * @param <R> what a call answers
 * @param name as it stands in metrics
 * @param keys the keys a call is about, one by one; empty for a call about everything, which then has no share, no order and no
 *     journal
 * @param invoker calls one side
 * @param returns how an answer that comes later is told
 * @param missing whether an answer means that there is nothing
 * @param batch how to ask again for some keys of many, null if a call is all or nothing
 * @param comparison of answers, null for the default
 */
public record OperationSpec<D, A, R>(
        String name,
        OperationKind kind,
        Function<? super A, ? extends Collection<?>> keys,
        Invoker<D, A, R> invoker,
        ReturnAdapter<R> returns,
        Predicate<Object> missing,
        BatchSplit<A> batch,
        Comparison comparison) {

    /** Calls one side. */
    @FunctionalInterface
    public interface Invoker<D, A, R> {
        R call(D dao, A argument) throws Throwable;
    }

    /**
     * Takes a call for many keys apart and its answers together, so that a fallback asks only for the keys that are missing.
     *
     * @param missingKeys the call's keys which an answer lacks
     * @param forKeys the same call, for those keys alone
     * @param united the target's answer and the origin's for the missing keys, as one
     */
    public record BatchSplit<A>(
            BiFunction<A, Object, Collection<?>> missingKeys,
            BiFunction<A, Collection<?>, A> forKeys,
            BiFunction<Object, Object, Object> united) {}
}
