package io.anneal.cli.repair;

import io.anneal.cli.command.QualifiedTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Notes of tables as lines: in full where a replica has one for the first time, and at the end of which other tables it is the
 * same. Of a keyspace there would be as many lines as it has tables and replicas.
 */
final class TableNotes {
    private static final Pattern VALUES =
            Pattern.compile("(?<text>.*?)(, [a-z-]+=.*?)?(?<replica>, replica=[^=]*)?", Pattern.DOTALL);

    private final Map<String, List<QualifiedTable>> others = new LinkedHashMap<>();

    /** The lines to be told at once. */
    List<String> add(QualifiedTable table, List<String> notes) {
        List<String> first = new ArrayList<>();
        for (String note : notes) {
            Matcher parts = VALUES.matcher(note);
            boolean hasReplica = parts.matches() && parts.group("replica") != null;
            String kind = parts.group("text") + (hasReplica ? parts.group("replica") : "");
            if (others.containsKey(kind)) {
                others.get(kind).add(table);
            } else {
                others.put(kind, new ArrayList<>());
                first.add("note: " + note + ", table=" + table);
            }
        }
        return first;
    }

    /** Of which tables there were the same notes. */
    List<String> rest() {
        List<String> lines = new ArrayList<>();
        others.forEach((kind, tables) -> {
            if (!tables.isEmpty()) {
                lines.add("note: " + kind + ", other-tables=" + tables);
            }
        });
        return lines;
    }
}
