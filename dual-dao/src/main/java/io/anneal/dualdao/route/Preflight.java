package io.anneal.dualdao.route;

import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.phase.Facts;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks in phase 1 at some calls as phase 2 will look at all: whether their keys can be told, written down and read back. What can't be
 * would fail there; here it is told, once for each operation in the log, and fails nobody. Any thread may call.
 */
public final class Preflight {
    private static final Logger LOG = LoggerFactory.getLogger(Preflight.class);

    private final KeyCodec<Object> codec;
    private final LongAdder looks = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final Map<String, String> causes = new ConcurrentHashMap<>();

    /** @param codec null to name keys by {@code String.valueOf} */
    public Preflight(KeyCodec<Object> codec) {
        this.codec = codec;
    }

    /** Never throws. */
    <A> void look(OperationSpec<?, A, ?> spec, A argument) {
        looks.increment();
        try {
            for (Object key : spec.keys().apply(argument)) {
                requireReadable(key);
            }
        } catch (RuntimeException | LinkageError wouldFail) { // the caller's own code
            failures.increment();
            if (causes.putIfAbsent(spec.name(), wouldFail.toString()) == null) {
                LOG.warn("call would fail in phase 2, operation={}", spec.name(), wouldFail);
            }
        }
    }

    private void requireReadable(Object key) {
        if (key == null) {
            throw new IllegalArgumentException("key is null");
        }
        if (codec != null) {
            String text = codec.textOf(key);
            Object read = codec.parsed().apply(text);
            if (!key.equals(read)) {
                throw new IllegalArgumentException(
                        "key is read back as another, key=" + key + ", text=" + text + ", read=" + read);
            }
        }
    }

    /** For heartbeats. */
    public Map<String, String> facts() {
        Map<String, String> facts = new HashMap<>();
        facts.put(Facts.PREFLIGHT_LOOKS, Long.toString(looks.sum()));
        facts.put(Facts.PREFLIGHT_FAILURES, Long.toString(failures.sum()));
        causes.forEach((operation, cause) -> facts.put(Facts.PREFLIGHT_CAUSE + operation, cause));
        return facts;
    }
}
