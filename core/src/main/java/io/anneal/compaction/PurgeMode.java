package io.anneal.compaction;

import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import java.util.Locale;

/** When compaction may purge tombstones and what has expired: Scylla's {@code tombstone_gc}. */
public enum PurgeMode {
    /** What is older than the table's gc_grace: whoever repairs each range within it loses nothing. */
    GC_GRACE,
    /** What was deleted before the last repair of its range: safe however rare repairs are. */
    REPAIR,
    /** Nothing. */
    DISABLED;

    /**
     * The mode that a table's option {@code tombstone_gc} names, as {@code {'mode': 'repair'}}; gc_grace when it has none.
     *
     * @throws IllegalArgumentException when the mode is not known
     */
    public static PurgeMode of(TableOptions options) {
        String text = options.others().get("tombstone_gc");
        if (text == null) {
            return GC_GRACE;
        }
        String mode = SchemaText.parseMap(text)
                .map(map -> map.getOrDefault("mode", text))
                .orElse(text);
        return switch (mode.toLowerCase(Locale.ROOT)) {
            case "timeout" -> GC_GRACE;
            case "repair" -> REPAIR;
            case "disabled" -> DISABLED;
            default ->
                throw new IllegalArgumentException("option is none of the modes timeout, repair, disabled, "
                        + "option=tombstone_gc, value=" + text);
        };
    }
}
