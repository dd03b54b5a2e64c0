package io.anneal.node;

import io.anneal.io.TextFormat;
import io.anneal.io.UnsupportedVersionException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a staging directory says of itself, in a file at its top: one fact a line, words separated by a space.
 *
 * <pre>
 *   anneal-staging 1
 *   owner &lt;text up to the end of the line&gt;
 *   run &lt;uuid&gt; &lt;keyspace&gt;.&lt;table&gt; &lt;table id, or -&gt; &lt;import deadline, seconds&gt; &lt;writing|complete&gt;    any number
 *   sstable &lt;version&gt;-&lt;generation&gt;-&lt;format&gt; &lt;bytes&gt;   any number after each run; no bytes while it is written
 *   gone &lt;version&gt;-&lt;generation&gt;-&lt;format&gt;              the same, for what was imported or moved since
 *   crc32 &lt;8 hexadecimal digits&gt;                  of all bytes before this line
 * </pre>
 *
 * @param owner the replica whose SSTables lie here
 */
record StagingFile(String owner, List<Run> runs) {
    static final String FILE = ".anneal.runs";

    private static final TextFormat FORMAT = new TextFormat("anneal-staging", "1");
    private static final Pattern OWNER_LINE = Pattern.compile("owner (.*)");
    private static final Pattern RUN_LINE =
            Pattern.compile("run ([0-9a-f-]{36}) (\\w+)\\.(\\w+) (\\S+) (\\d{1,19}) (writing|complete)");
    private static final Pattern SSTABLE_LINE =
            Pattern.compile("(sstable|gone) ([a-z]{2}-[0-9a-z_]+-[a-z]+)(?: (\\d{1,18}))?");
    private static final String NO_ID = "-";

    StagingFile {
        runs = List.copyOf(runs);
    }

    /**
     * What one session wrote for one table.
     *
     * @param tableId 32 hexadecimal digits; empty when nothing told it
     * @param importDeadlineSeconds after this second nothing of it may be imported
     * @param complete whether the session finished; if not, nothing of it counts
     * @param sstables base names of those that lie there, as {@code nb-1-big}
     * @param gone base names that it had and that others may have by now
     * @param dataBytes length of the data file of each that is complete, by base name
     */
    record Run(
            UUID id,
            String keyspace,
            String table,
            Optional<String> tableId,
            long importDeadlineSeconds,
            boolean complete,
            Set<String> sstables,
            Set<String> gone,
            Map<String, Long> dataBytes) {
        Run {
            sstables = new LinkedHashSet<>(sstables);
            gone = new LinkedHashSet<>(gone);
            dataBytes = Map.copyOf(dataBytes);
        }

        /** One that starts. */
        Run(UUID id, String keyspace, String table, Optional<String> tableId, long importDeadlineSeconds) {
            this(id, keyspace, table, tableId, importDeadlineSeconds, false, Set.of(), Set.of(), Map.of());
        }

        boolean isOf(String wantedKeyspace, String wantedTable) {
            return keyspace.equals(wantedKeyspace) && table.equals(wantedTable);
        }

        /** Sessions of one run have ids whose upper halves are the same. */
        boolean isOfRun(UUID session) {
            return id.getMostSignificantBits() == session.getMostSignificantBits();
        }

        Run with(String sstable) {
            Set<String> more = new LinkedHashSet<>(sstables);
            more.add(sstable);
            return new Run(id, keyspace, table, tableId, importDeadlineSeconds, complete, more, gone, dataBytes);
        }

        Run without(String sstable) {
            Set<String> fewer = new LinkedHashSet<>(sstables);
            fewer.remove(sstable);
            Set<String> more = new LinkedHashSet<>(gone);
            more.add(sstable);
            Map<String, Long> lengths = new HashMap<>(dataBytes);
            lengths.remove(sstable);
            return new Run(id, keyspace, table, tableId, importDeadlineSeconds, complete, fewer, more, lengths);
        }

        private Run with(String sstable, long bytes) {
            Map<String, Long> lengths = new HashMap<>(dataBytes);
            lengths.put(sstable, bytes);
            Run with = with(sstable);
            return new Run(id, keyspace, table, tableId, importDeadlineSeconds, complete, with.sstables, gone, lengths);
        }

        /** The same without SSTables that are another's from now on, and with some that were another's. */
        Run exchanged(Set<String> given, Map<String, Long> taken) {
            Set<String> names = new LinkedHashSet<>(sstables);
            names.removeAll(given);
            names.addAll(taken.keySet());
            Map<String, Long> lengths = new HashMap<>(dataBytes);
            lengths.keySet().removeAll(given);
            lengths.putAll(taken);
            return new Run(id, keyspace, table, tableId, importDeadlineSeconds, complete, names, gone, lengths);
        }

        Run importedBy(long deadlineSeconds) {
            return new Run(id, keyspace, table, tableId, deadlineSeconds, complete, sstables, gone, dataBytes);
        }

        /** @param written length of the data file of each SSTable, by base name */
        Run completed(Map<String, Long> written) {
            return new Run(id, keyspace, table, tableId, importDeadlineSeconds, true, written.keySet(), gone, written);
        }
    }

    byte[] print() {
        StringBuilder text = new StringBuilder("owner " + owner + "\n");
        for (Run run : runs) {
            text.append("run ")
                    .append(run.id)
                    .append(' ')
                    .append(run.keyspace)
                    .append('.')
                    .append(run.table)
                    .append(' ')
                    .append(run.tableId.orElse(NO_ID))
                    .append(' ')
                    .append(run.importDeadlineSeconds)
                    .append(run.complete ? " complete\n" : " writing\n");
            for (String sstable : run.sstables) {
                text.append("sstable ").append(sstable);
                if (run.dataBytes.containsKey(sstable)) {
                    text.append(' ').append(run.dataBytes.get(sstable));
                }
                text.append('\n');
            }
            run.gone.forEach(sstable -> text.append("gone ").append(sstable).append('\n'));
        }
        return FORMAT.print(text.toString());
    }

    /**
     * @throws UnsupportedVersionException when another release wrote it
     * @throws ReplicaException when it is no such file: line and reason
     */
    static StagingFile parse(Path file, byte[] bytes) throws ReplicaException, UnsupportedVersionException {
        String text = new String(bytes, StandardCharsets.UTF_8);
        String version = FORMAT.versionOf(text).orElseThrow(() -> wrong(file, 1));
        if (!version.equals(FORMAT.version())) {
            throw UnsupportedVersionException.ofOwnFile(file, version, FORMAT.version());
        }
        List<String> facts =
                FORMAT.facts(text).orElseThrow(() -> wrong(file, text.lines().count()));
        Matcher owner = OWNER_LINE.matcher(facts.isEmpty() ? "" : facts.get(0));
        if (!owner.matches()) {
            throw wrong(file, 2);
        }
        List<Run> runs = new ArrayList<>();
        for (int i = 1; i < facts.size(); i++) {
            Matcher run = RUN_LINE.matcher(facts.get(i));
            Matcher sstable = SSTABLE_LINE.matcher(facts.get(i));
            if (run.matches()) {
                runs.add(run(run));
            } else if (sstable.matches() && !runs.isEmpty()) {
                Run last = runs.remove(runs.size() - 1);
                String name = sstable.group(2);
                if (sstable.group(1).equals("gone")) {
                    runs.add(last.without(name));
                } else {
                    runs.add(
                            sstable.group(3) == null
                                    ? last.with(name)
                                    : last.with(name, Long.parseLong(sstable.group(3))));
                }
            } else {
                throw wrong(file, i + 2);
            }
        }
        return new StagingFile(owner.group(1), runs);
    }

    private static Run run(Matcher words) {
        return new Run(
                UUID.fromString(words.group(1)),
                words.group(2),
                words.group(3),
                Optional.of(words.group(4)).filter(id -> !id.equals(NO_ID)),
                Long.parseLong(words.group(5)),
                words.group(6).equals("complete"),
                Set.of(),
                Set.of(),
                Map.of());
    }

    private static ReplicaException wrong(Path file, long line) {
        return new ReplicaException("staging directory's own file is wrong, so that nobody knows what lies there:"
                + " remove the directory, file=" + file + ", line=" + line);
    }
}
