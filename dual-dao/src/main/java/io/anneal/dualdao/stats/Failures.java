package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Side;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The failures of both sides by kind: the side and the class of what it threw. A kind of the target is logged at once, and then at
 * most once a minute with the count since; callers see those of the origin themselves. Any thread may call.
 */
final class Failures {
    static final int KINDS_MAX = 16;
    private static final int CAUSE_CHARS_MAX = 300;
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final Duration QUIET = Duration.ofMinutes(1);

    private record KindOf(Side side, String type) {}

    private static final class Kind {
        private long count;
        private long countLogged;
        private Instant at;
        private Instant loggedAt;
        private String operation;
        private String cause;
    }

    private final InstantSource clock;
    private final boolean redactValues;
    private final Map<KindOf, Kind> kinds = new LinkedHashMap<>();

    /** @param redactValues whether messages, which may hold values, are left out of heartbeats */
    Failures(InstantSource clock, boolean redactValues) {
        this.clock = clock;
        this.redactValues = redactValues;
    }

    void failed(String operation, Side side, Throwable thrown) {
        Instant now = clock.instant();
        long since;
        synchronized (kinds) {
            Kind kind = kind(new KindOf(side, thrown.getClass().getName()));
            kind.count++;
            kind.at = now;
            kind.operation = operation;
            kind.cause = cause(thrown);
            boolean due = kind.loggedAt == null
                    || Duration.between(kind.loggedAt, now).compareTo(QUIET) >= 0;
            if (side == Side.ORIGIN || !due) {
                return;
            }
            since = kind.count - kind.countLogged;
            kind.countLogged = kind.count;
            kind.loggedAt = now;
        }
        LOG.warn("target fails, operation={}, failures={}", operation, since, thrown);
    }

    /** The newest kinds stay. */
    private Kind kind(KindOf of) {
        Kind kind = kinds.remove(of);
        if (kind == null) {
            kind = new Kind();
            if (kinds.size() == KINDS_MAX) {
                kinds.remove(kinds.keySet().iterator().next());
            }
        }
        kinds.put(of, kind);
        return kind;
    }

    private String cause(Throwable thrown) {
        String text = redactValues ? thrown.getClass().getName() : thrown.toString();
        return text.length() > CAUSE_CHARS_MAX ? text.substring(0, CAUSE_CHARS_MAX) + "..." : text;
    }

    /** What a heartbeat tells of them. */
    void putFacts(Map<String, String> facts) {
        List<SideFailure> last = last();
        for (int i = 0; i < last.size(); i++) {
            facts.put(Facts.FAILURE + i, last.get(i).text());
        }
    }

    /** The last of each kind, the newest last. */
    List<SideFailure> last() {
        synchronized (kinds) {
            return kinds.entrySet().stream()
                    .map(each -> new SideFailure(
                            each.getValue().at,
                            each.getKey().side(),
                            each.getValue().operation,
                            each.getValue().count,
                            each.getValue().cause))
                    .toList();
        }
    }
}
