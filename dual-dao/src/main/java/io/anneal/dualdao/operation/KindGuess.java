package io.anneal.dualdao.operation;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a method's name says that it does: a hint in an error, never a decision. Says nothing of names that it does not know. */
final class KindGuess {
    private static final Pattern FIRST_WORD = Pattern.compile("^[a-z]+");
    private static final Pattern DEPENDS = Pattern.compile(
            "If[A-Z]|And(Set|Get|Add|Put|Remove|Delete|Clear|Update|Modify|Replace|Increment|Decrement)|Or(Create|Insert|Add"
                    + "|Save|Put)");
    private static final Map<String, OperationKind> VERBS = new HashMap<>();

    static {
        add(OperationKind.CONDITIONAL, "cas", "lock", "claim", "swap", "acquire", "pop", "poll", "take");
        add(OperationKind.INCREMENT, "increment", "decrement", "incr", "decr", "append");
        add(OperationKind.DELETE, "delete", "remove", "clear", "truncate", "purge", "evict", "drop", "expire", "erase");
        add(
                OperationKind.WRITE,
                "save",
                "put",
                "insert",
                "update",
                "set",
                "write",
                "store",
                "upsert",
                "create",
                "persist",
                "replace",
                "merge",
                "touch",
                "add");
        add(
                OperationKind.READ,
                "find",
                "get",
                "read",
                "load",
                "fetch",
                "query",
                "list",
                "search",
                "count",
                "exists",
                "contains",
                "is",
                "has",
                "select",
                "lookup",
                "all",
                "stream",
                "scan");
        add(OperationKind.LOCAL, "close", "shutdown", "name", "identity", "ping", "health", "flush");
    }

    private KindGuess() {}

    private static void add(OperationKind kind, String... verbs) {
        for (String verb : verbs) {
            VERBS.put(verb, kind);
        }
    }

    static Optional<OperationKind> of(String method) {
        Matcher first = FIRST_WORD.matcher(method);
        OperationKind kind = first.find() ? VERBS.get(first.group()) : null;
        Matcher depends = DEPENDS.matcher(method);
        boolean onlyLooks = kind == OperationKind.READ && method.contains("If");
        return depends.find() && !onlyLooks ? Optional.of(OperationKind.CONDITIONAL) : Optional.ofNullable(kind);
    }
}
