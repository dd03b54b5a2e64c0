package io.anneal.dualdao.config;

import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/**
 * Keys as text, in the journal and wherever a key is named, and back.
 *
 * @param type of the keys, as operations give them: {@code Long} for a parameter that is a {@code long}
 * @param text never the same for two keys
 * @param parsed of the text
 */
public record KeyCodec<K>(Class<K> type, Function<K, String> text, Function<String, K> parsed) {
    public static final KeyCodec<Long> LONG = new KeyCodec<>(Long.class, String::valueOf, Long::valueOf);
    public static final KeyCodec<Integer> INTEGER = new KeyCodec<>(Integer.class, String::valueOf, Integer::valueOf);
    public static final KeyCodec<String> STRING =
            new KeyCodec<>(String.class, Function.identity(), Function.identity());
    public static final KeyCodec<UUID> UNIQUE_ID = new KeyCodec<>(UUID.class, UUID::toString, UUID::fromString);

    /**
     * The text of a key that an operation gave.
     *
     * @throws IllegalArgumentException if it is of another type
     */
    public String textOf(Object key) {
        if (!type.isInstance(key)) {
            throw new IllegalArgumentException("a key is not of the type that the codec is for, key=" + key + ", type="
                    + key.getClass().getName() + ", codec=" + type.getName());
        }
        return Objects.requireNonNull(text.apply(type.cast(key)), "a key has no text");
    }
}
