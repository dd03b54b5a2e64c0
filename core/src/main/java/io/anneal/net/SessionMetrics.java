package io.anneal.net;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** What a session tells of its work, for whoever counts it: nobody, or {@link NetMetrics}. Cheap; any thread. */
interface SessionMetrics {
    SessionMetrics NONE = new SessionMetrics() {};

    /** What is told of one verb, on all connections. */
    interface OfVerb {
        OfVerb NONE = new OfVerb() {};

        /** @param lengthBytes of a piece as it is on the wire, without its header */
        default void sent(int lengthBytes) {}

        /** The same on its way in. */
        default void received(int lengthBytes) {}

        /** A request begins now; gives back its answer, to be handed out instead, so that it is counted before it is seen. */
        default <T> CompletableFuture<T> asked(CompletableFuture<T> answer, LongSupplier nanoTime) {
            return answer;
        }

        /** The handler of a request has answered, or failed. */
        default void served(long nanos) {}
    }

    default OfVerb ofVerb(Verb verb) {
        return OfVerb.NONE;
    }

    /** A piece came for a verb that has no handler here. */
    default void receivedUnknown(int lengthBytes) {}

    default void streamOpened(OfVerb verb) {}

    default void streamEnded(OfVerb verb) {}

    default void resetSent(String code) {}

    default void resetReceived(String code) {}

    /** The connection is over. */
    default void ended(IOException cause) {}
}
