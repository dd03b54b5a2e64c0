package io.anneal.net;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** What a node answers, by verb, and the executor on which its handlers run. Safe for use by any thread. */
public final class VerbHandlers {
    /** Serves a stream that a peer has opened, on the executor. */
    interface Service {
        void serve(MultiplexedStream stream);
    }

    record Registered(Verb verb, Service service) {}

    private final Executor executor;
    private final Map<Integer, Registered> registrations = new ConcurrentHashMap<>();

    /** @param executor runs handlers, consumers and callbacks; it belongs to the caller, who shuts it down */
    public VerbHandlers(Executor executor) {
        this.executor = executor;
    }

    /** Adds a verb whose streams are requests: one message, one answer. A number may be taken only once. */
    public VerbHandlers register(Verb verb, RequestHandler handler) {
        return add(verb, stream -> stream.serve(handler));
    }

    /** Adds a verb whose streams the handler reads and writes itself. */
    public VerbHandlers registerStream(Verb verb, StreamHandler handler) {
        return add(verb, stream -> stream.serve(handler));
    }

    private VerbHandlers add(Verb verb, Service service) {
        Registered earlier = registrations.putIfAbsent(verb.number(), new Registered(verb, service));
        if (earlier != null) {
            throw new IllegalArgumentException("verb number is taken, number=" + verb.number() + ", by="
                    + earlier.verb().name());
        }
        return this;
    }

    Executor executor() {
        return executor;
    }

    Optional<Registered> registered(int verbNumber) {
        return Optional.ofNullable(registrations.get(verbNumber));
    }
}
