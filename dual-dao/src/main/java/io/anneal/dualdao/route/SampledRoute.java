package io.anneal.dualdao.route;

import io.anneal.dualdao.phase.PhaseView;

/** Sends one call of so many another way. Which one is a matter of chance where threads meet. */
final class SampledRoute<A, R> implements Route<A, R> {
    private final Route<A, R> usual;
    private final Route<A, R> sampled;
    private final int every;
    private int calls;

    SampledRoute(Route<A, R> usual, Route<A, R> sampled, int every) {
        this.usual = usual;
        this.sampled = sampled;
        this.every = every;
    }

    @Override
    public R call(PhaseView view, A argument) throws Throwable {
        int call = calls;
        calls = call + 1 == every ? 0 : call + 1;
        return (call == 0 ? sampled : usual).call(view, argument);
    }
}
