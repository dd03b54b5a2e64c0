package io.anneal.net;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** The verbs a server answers, and the executor on which their handlers run. Safe for use by any thread. */
public final class RequestHandlers {
    private final Executor executor;
    private final Map<Integer, Registration> registrations = new ConcurrentHashMap<>();

    record Registration(Verb verb, RequestHandler handler) {}

    /** @param executor runs handlers and close callbacks; it belongs to the caller, who shuts it down */
    public RequestHandlers(Executor executor) {
        this.executor = executor;
    }

    /** Adds one verb; a number may be taken only once. */
    public RequestHandlers register(Verb verb, RequestHandler handler) {
        Registration earlier = registrations.putIfAbsent(verb.number(), new Registration(verb, handler));
        if (earlier != null) {
            throw new IllegalArgumentException("verb number is taken, number=" + verb.number() + ", by="
                    + earlier.verb().name());
        }
        return this;
    }

    Executor executor() {
        return executor;
    }

    Optional<Registration> registration(int verbNumber) {
        return Optional.ofNullable(registrations.get(verbNumber));
    }
}
