package io.anneal.dualdao.route;

import io.anneal.dualdao.phase.PhaseView;

/** The way of an operation in one phase. */
interface Route<A, R> {
    /**
     * Does the operation. The view was entered; it is left exactly once, when the operation's work on both sides is over,
     * whatever is thrown.
     */
    R call(PhaseView view, A argument) throws Throwable;
}
