package io.anneal.dualdao;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.route.Preflight;
import io.anneal.dualdao.stats.DualStats;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** What an instance says of itself in its heartbeats. */
final class InstanceFacts implements Supplier<Map<String, String>> {
    private final Map<String, String> constant = new HashMap<>();
    private final DualStats stats;
    private final DirtyKeys dirty;
    private final Preflight preflight;

    InstanceFacts(DualConfig<?> config, DualStats stats, DirtyKeys dirty, Preflight preflight) {
        this.stats = stats;
        this.dirty = dirty;
        this.preflight = preflight;
        constant.put(Facts.KIND, "dao");
        constant.put(Facts.HOST, DualEnvironment.hostName());
        constant.put(Facts.PID, Long.toString(ProcessHandle.current().pid()));
        constant.put(
                Facts.STARTED_MILLIS, Long.toString(config.environment.clock().millis()));
        constant.put(Facts.POLL_MILLIS, Long.toString(config.poll.toMillis()));
        constant.put(Facts.MODE, config.mode.name());
        constant.put(Facts.PARTITIONS, config.partitions.kind().name().toLowerCase(Locale.ROOT));
        constant.put(Facts.LISTS_KEYS, Boolean.toString(!config.keys.isEmpty()));
        constant.put(Facts.REMEMBERS_WRITES, Boolean.toString(config.rememberWrites));
        dirty.journalId().ifPresent(id -> constant.put(Facts.JOURNAL, id));
    }

    @Override
    public Map<String, String> get() {
        Map<String, String> facts = new HashMap<>(stats.facts());
        facts.putAll(preflight.facts());
        facts.putAll(constant);
        if (dirty.finished()) {
            facts.put(Facts.REMEMBERS_WRITES, "false");
        }
        facts.put(Facts.DIRTY_ORIGIN, Integer.toString(dirty.lasting(Side.ORIGIN)));
        facts.put(Facts.DIRTY_TARGET, Integer.toString(dirty.lasting(Side.TARGET)));
        return facts;
    }
}
