package io.anneal.dualdao.copy;

import io.anneal.dualdao.config.KeyCodec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The keys that one call is about.
 *
 * @param objects as the operation gave them
 * @param texts of the same, as journal and order know them
 */
public record Keys(List<Object> objects, List<String> texts) {
    private static final Keys NONE = new Keys(List.of(), List.of());

    /** @param codec null to name keys by {@code String.valueOf} */
    public static Keys of(Collection<?> keys, KeyCodec<Object> codec) {
        if (keys.isEmpty()) {
            return NONE;
        }
        if (keys.size() == 1) {
            Object only = keys.iterator().next();
            return new Keys(List.of(only), List.of(text(only, codec)));
        }
        List<String> texts = new ArrayList<>(keys.size());
        for (Object key : keys) {
            texts.add(text(key, codec));
        }
        return new Keys(List.copyOf(keys), texts);
    }

    public static String text(Object key, KeyCodec<Object> codec) {
        return codec == null ? String.valueOf(key) : codec.textOf(key);
    }

    /** Of a call about everything. */
    public boolean none() {
        return texts.isEmpty();
    }
}
