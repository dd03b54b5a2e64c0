package io.anneal.dualdao.config;

import java.util.UUID;
import java.util.function.Function;

/**
 * Keys as text, in the journal and wherever a key is named, and back.
 *
 * @param text never the same for two keys
 * @param parsed of the text
 */
public record KeyCodec<K>(Function<K, String> text, Function<String, K> parsed) {
    public static final KeyCodec<Long> LONG = new KeyCodec<>(String::valueOf, Long::valueOf);
    public static final KeyCodec<Integer> INTEGER = new KeyCodec<>(String::valueOf, Integer::valueOf);
    public static final KeyCodec<String> STRING = new KeyCodec<>(Function.identity(), Function.identity());
    public static final KeyCodec<UUID> UNIQUE_ID = new KeyCodec<>(UUID::toString, UUID::fromString);
}
