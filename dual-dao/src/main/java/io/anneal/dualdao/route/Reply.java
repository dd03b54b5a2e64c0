package io.anneal.dualdao.route;

/** Takes what a call of one side came to: told once, on whatever thread; {@code thrown} is null if it was answered. */
@FunctionalInterface
interface Reply {
    void done(Object answer, Throwable thrown);

    /** What a call came to, as a value. */
    record Outcome(Object answer, Throwable thrown) {}
}
