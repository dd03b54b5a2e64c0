package io.anneal.schema;

import java.util.Set;
import java.util.regex.Pattern;

/** Names of keyspaces, tables, types and columns as CQL writes them. */
public final class Identifiers {
    private static final Pattern UNQUOTED = Pattern.compile("[a-z][a-z0-9_]*");

    /** The words that Cassandra 5.0 takes for names only in quotes. */
    private static final Set<String> RESERVED = Set.of(
            ("add allow alter and apply asc authorize batch begin by columnfamily create delete desc describe drop"
                            + " entries execute from full grant if in index infinity insert into is keyspace limit"
                            + " materialized modify nan norecursive not null of on or order primary rename revoke"
                            + " schema select set table to token truncate unlogged update use using view where with")
                    .split(" "));

    private Identifiers() {}

    /** The name in double quotes, unless it needs none. */
    public static String quoteIfNeeded(String name) {
        if (UNQUOTED.matcher(name).matches() && !RESERVED.contains(name)) {
            return name;
        }
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
