package io.anneal.net;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a node answers, by verb, and the executor on which its handlers run. Safe for use by any thread. */
public final class VerbHandlers {
    /** Serves a stream that a peer has opened, on the executor. */
    interface Service {
        void serve(MultiplexedStream stream);
    }

    record Registered(Verb verb, boolean isRequest, Service service) {}

    private static final Logger LOG = LoggerFactory.getLogger(VerbHandlers.class);

    private final Executor executor;
    private final AtomicBoolean saidBroken = new AtomicBoolean();
    private final Map<Integer, Registered> registrations = new ConcurrentHashMap<>();

    /** @param executor runs handlers, consumers and callbacks; it belongs to the caller, who shuts it down */
    public VerbHandlers(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
    }

    /** Adds a verb whose streams are requests: one message, one answer. A number may be taken only once. */
    public VerbHandlers register(Verb verb, RequestHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return add(verb, true, stream -> stream.serve(handler));
    }

    /** Adds a verb whose streams the handler reads and writes itself. */
    public VerbHandlers registerStream(Verb verb, StreamHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return add(verb, false, stream -> stream.serve(handler));
    }

    private VerbHandlers add(Verb verb, boolean isRequest, Service service) {
        Registered earlier = registrations.putIfAbsent(verb.number(), new Registered(verb, isRequest, service));
        if (earlier != null) {
            throw new IllegalArgumentException("verb number is taken, number=" + verb.number() + ", by="
                    + earlier.verb().name());
        }
        return this;
    }

    Executor executor() {
        return executor;
    }

    /** Runs the work on the executor, or here if that does not take it: the last word of a stream or a connection. */
    void run(Runnable work) {
        if (!offer(work)) {
            try {
                work.run();
            } catch (RuntimeException | Error failed) {
                LOG.warn("callback failed", failed);
            }
        }
    }

    /** False if the executor does not take the work, for whatever reason; then it never runs it. */
    public boolean offer(Runnable work) {
        Once once = new Once(work);
        try {
            executor.execute(once);
            return true;
        } catch (RejectedExecutionException shutDown) {
            return !once.take();
        } catch (RuntimeException | Error broken) {
            if (!saidBroken.getAndSet(true)) {
                LOG.warn("executor of the network fails, what it does not take is refused or done elsewhere", broken);
            }
            return !once.take();
        }
    }

    /** An executor may take work and fail all the same. */
    private static final class Once extends AtomicBoolean implements Runnable {
        private static final long serialVersionUID = 1L;

        private final transient Runnable work;

        Once(Runnable work) {
            this.work = work;
        }

        boolean take() {
            return compareAndSet(false, true);
        }

        @Override
        public void run() {
            if (!take()) {
                return;
            }
            try {
                work.run();
            } catch (RuntimeException | Error failed) {
                // The executor may keep it for itself.
                LOG.warn("callback failed", failed);
                throw failed;
            }
        }
    }

    Optional<Registered> registered(int verbNumber) {
        return Optional.ofNullable(registrations.get(verbNumber));
    }
}
