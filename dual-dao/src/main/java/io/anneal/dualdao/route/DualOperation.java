package io.anneal.dualdao.route;

import io.anneal.dualdao.operation.ReturnAdapter;
import io.anneal.dualdao.order.Stages;
import io.anneal.dualdao.phase.PhaseSource;
import io.anneal.dualdao.phase.PhaseView;
import java.util.Collection;
import java.util.List;

/**
 * One operation of a dual DAO, without a proxy: for hot paths, and for DAOs that are no interface. Any thread may call; a
 * synchronous operation runs on its caller's thread. Reads in phases 1, 2 and 5 and writes in phase 1 allocate nothing.
 *
 * @param <A> what a call is given
 * @param <R> what a call answers; a kind of future if the operation answers later
 */
public final class DualOperation<A, R> {
    private final String name;
    private final PhaseSource phases;
    private final Route<A, R>[] routes;
    private final ReturnAdapter<R> returns;
    private final Batches batches;

    /**
     * @param routes by the phases' ordinals
     * @param returns null if the operation answers at once
     */
    DualOperation(String name, PhaseSource phases, Route<A, R>[] routes, ReturnAdapter<R> returns, Batches batches) {
        this.name = name;
        this.phases = phases;
        this.routes = routes;
        this.returns = returns;
        this.batches = batches;
    }

    /** As it stands in metrics. */
    public String name() {
        return name;
    }

    /**
     * Does it as the phase in force says. What a side throws is thrown as it is, checked or not, with an {@link OutcomePerSide}
     * attached.
     */
    public R call(A argument) throws Exception {
        try {
            return callThrowing(argument);
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw Stages.<RuntimeException>undeclared(thrown);
        }
    }

    /** As {@link #call}, but what is thrown needs no catching. */
    public R callThrowing(A argument) throws Throwable {
        PhaseView view = phases.enter();
        return routes[view.phase().ordinal()].call(view, argument);
    }

    boolean answersLater() {
        return returns != null;
    }

    /** Waits until a later answer is there, whatever it is. */
    void awaitLater(R answer) {
        if (returns != null) {
            returns.toStage(answer)
                    .handle((value, thrown) -> value)
                    .toCompletableFuture()
                    .join();
        }
    }

    /**
     * Does it for each argument, all at once, and waits for the slowest, whose latency per side is recorded as that of a batch of
     * the operation's name. Synchronous calls run on the executor that the builder was given for it, one after the other on
     * the caller's thread without.
     *
     * @return the answers in the order of the arguments; of an operation that answers later the futures, all done, failed ones
     *     too
     * @throws Exception what the first failed call threw, with those of others suppressed in it
     */
    public List<R> callAll(Collection<? extends A> arguments) throws Exception {
        return batches.callAll(this, arguments);
    }
}
