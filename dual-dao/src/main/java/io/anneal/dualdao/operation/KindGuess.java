package io.anneal.dualdao.operation;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What a method's name suggests it does: a hint in an error, never a decision. */
final class KindGuess {
    private static final Map<String, String> WORDS = new LinkedHashMap<>();

    static {
        // the first that fits: "putIfAbsent" before "put", "close" before anything
        add("Conditional", "if", "compareand", "cas", "getand", "lock", "claim");
        add("Increment", "increment", "decrement", "incr", "add", "append");
        add("Delete", "delete", "remove", "clear", "truncate", "purge", "evict", "drop", "expire");
        add(
                "Write", "save", "put", "insert", "update", "set", "write", "store", "upsert", "create", "persist",
                "replace", "merge", "touch");
        add("Local", "close", "shutdown", "name", "identity", "ping", "health", "flush");
    }

    private KindGuess() {}

    private static void add(String kind, String... words) {
        for (String word : words) {
            WORDS.put(word, kind);
        }
    }

    static String of(String method) {
        String lower = method.toLowerCase(Locale.ROOT);
        if (method.contains("If")) {
            return "Conditional";
        }
        for (Map.Entry<String, String> word : WORDS.entrySet()) {
            if (lower.startsWith(word.getKey())) {
                return word.getValue();
            }
        }
        return "Read";
    }
}
