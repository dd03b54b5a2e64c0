package io.anneal.dualdao.operation;

import io.anneal.dualdao.compare.Comparison;
import java.util.Collection;
import java.util.List;
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
 * @param returns how an answer that comes later is told, null if it is there when a call returns
 * @param missing whether an answer means that there is nothing, null for what the builder says
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

    /**
     * An operation about one key, whose answer is there when it returns. Whether an answer means that there is nothing is
     * asked as the builder says.
     */
    public static <D, A, R> OperationSpec<D, A, R> of(
            String name, OperationKind kind, Function<? super A, ?> key, Invoker<D, A, R> invoker) {
        return new OperationSpec<>(
                name, kind, argument -> List.of(key.apply(argument)), invoker, null, null, null, null);
    }

    /** The same with answers that come later. */
    public OperationSpec<D, A, R> withReturns(ReturnAdapter<R> newReturns) {
        return new OperationSpec<>(name, kind, keys, invoker, newReturns, missing, batch, comparison);
    }

    /** The same with keys of its own for each call: several, or none for a call about everything. */
    public OperationSpec<D, A, R> withKeys(Function<? super A, ? extends Collection<?>> newKeys) {
        return new OperationSpec<>(name, kind, newKeys, invoker, returns, missing, batch, comparison);
    }

    /** The same with another word on what is nothing. */
    public OperationSpec<D, A, R> withMissing(Predicate<Object> newMissing) {
        return new OperationSpec<>(name, kind, keys, invoker, returns, newMissing, batch, comparison);
    }

    /** The same, falling back only for the keys that are missing of many. */
    public OperationSpec<D, A, R> withBatch(BatchSplit<A> newBatch) {
        return new OperationSpec<>(name, kind, keys, invoker, returns, missing, newBatch, comparison);
    }

    /** The same with a comparison of its own. */
    public OperationSpec<D, A, R> withComparison(Comparison newComparison) {
        return new OperationSpec<>(name, kind, keys, invoker, returns, missing, batch, newComparison);
    }

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
