package io.anneal.compaction;

import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tables with compaction options, and views of SSTables. */
final class StrategyTables {
    static final long GC_GRACE_SECONDS = 100;

    private StrategyTables() {}

    /** @param options the class, then names and values in turn */
    static CompactionStrategy strategy(String className, String... options) {
        return CompactionStrategy.of(schema(CqlTypes.BLOB, className, options));
    }

    static CompactionStrategy ofCounters(String className, String... options) {
        return CompactionStrategy.of(schema(CqlTypes.COUNTER, className, options));
    }

    private static TableSchema schema(CqlType type, String className, String... options) {
        Map<String, String> compaction = new HashMap<>();
        compaction.put("class", className);
        for (int i = 0; i < options.length; i += 2) {
            compaction.put(options[i], options[i + 1]);
        }
        return TableSchema.builder("ks", "t")
                .column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY)
                .column("v", type, Column.Kind.REGULAR)
                .options(new TableOptions(GC_GRACE_SECONDS, 0.01, 128, Map.of(), compaction, false, Map.of()))
                .build();
    }

    static CompactionView view(StubSSTable... idle) {
        return new CompactionView(candidates(idle), List.of(), Long.MAX_VALUE, 1000);
    }

    static List<CompactionCandidate> candidates(StubSSTable... sstables) {
        return Arrays.stream(sstables).map(StubSSTable::candidate).toList();
    }
}
