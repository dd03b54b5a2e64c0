package io.anneal.job;

import io.anneal.io.TextFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a checkpoint file says: one fact a line, words separated by a space, each text up to the end of its line. In texts a
 * backslash and line ends are escaped as in Java.
 *
 * <pre>
 *   anneal-job 2
 *   identity &lt;name&gt; &lt;text&gt;                any number: what job this is
 *   fact &lt;name&gt; &lt;text&gt;                    any number: how the first of its runs started
 *   ran &lt;milliseconds&gt;                  that all runs took so far
 *   open &lt;rows&gt; &lt;bytes&gt; &lt;unit&gt;            one line for each unit, in the job's order
 *   kept &lt;text&gt;                           at most one after a unit: how far it came, or what it left when it was done
 *   done &lt;rows&gt; &lt;bytes&gt; &lt;unit&gt;            instead of open
 *   crc32 &lt;8 hexadecimal digits&gt;          of all bytes before this line
 * </pre>
 */
record CheckpointContent(
        Map<String, String> identity, Map<String, String> facts, long ranMillis, List<UnitState> units) {
    private static final TextFormat FORMAT = new TextFormat("anneal-job", "2");
    private static final Pattern NAME = Pattern.compile("\\w+");
    private static final Pattern NAMED_LINE = Pattern.compile("(identity|fact) (\\w+) (.*)");
    private static final Pattern RAN_LINE = Pattern.compile("ran (\\d{1,18})");
    private static final Pattern UNIT_LINE = Pattern.compile("(open|done) (\\d{1,18}) (\\d{1,18}) (.*)");
    private static final Pattern KEPT_LINE = Pattern.compile("kept (.*)");

    CheckpointContent {
        identity = new TreeMap<>(identity);
        facts = new TreeMap<>(facts);
        units = List.copyOf(units);
    }

    /**
     * A unit, and how far it is.
     *
     * @param unit as {@link JobUnit#text()} names it
     * @param rows that need not be counted again
     * @param kept how far an open unit came, or what a done one left, in the words of its task
     */
    record UnitState(String unit, boolean isDone, long rows, long bytes, Optional<String> kept) {
        static UnitState open(String unit) {
            return new UnitState(unit, false, 0, 0, Optional.empty());
        }

        UnitState done(long rowCount, long byteCount, Optional<String> left) {
            return new UnitState(unit, true, rowCount, byteCount, left);
        }

        UnitState named(String name) {
            return new UnitState(name, isDone, rows, bytes, kept);
        }

        UnitState kept(long rowCount, long byteCount, String how) {
            return new UnitState(unit, isDone, rowCount, byteCount, Optional.of(how));
        }
    }

    byte[] print() {
        StringBuilder text = new StringBuilder();
        print("identity", identity, text);
        print("fact", facts, text);
        text.append("ran ").append(ranMillis).append('\n');
        for (UnitState state : units) {
            text.append(state.isDone ? "done " : "open ")
                    .append(state.rows)
                    .append(' ')
                    .append(state.bytes)
                    .append(' ')
                    .append(escape(state.unit))
                    .append('\n');
            state.kept.ifPresent(how -> text.append("kept ").append(escape(how)).append('\n'));
        }
        return FORMAT.print(text.toString());
    }

    private static void print(String kind, Map<String, String> named, StringBuilder text) {
        named.forEach((name, value) -> {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("name is no word, name=" + name);
            }
            text.append(kind)
                    .append(' ')
                    .append(name)
                    .append(' ')
                    .append(escape(value))
                    .append('\n');
        });
    }

    /** @throws CheckpointRefusedException when it is no such file, is damaged, or another release wrote it */
    static CheckpointContent parse(Path file, byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        String version = FORMAT.versionOf(text).orElseThrow(() -> unreadable(file, 1));
        if (!version.equals(FORMAT.version())) {
            throw new CheckpointRefusedException(
                    "checkpoint has another format, remove it to start anew, file=" + file + ", format=" + version
                            + ", supported=" + FORMAT.version(),
                    file);
        }
        List<String> lines = FORMAT.facts(text)
                .orElseThrow(() -> unreadable(file, text.lines().count()));
        Map<String, String> identity = new TreeMap<>();
        Map<String, String> facts = new TreeMap<>();
        long ranMillis = 0;
        List<UnitState> units = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher named = NAMED_LINE.matcher(lines.get(i));
            Matcher unit = UNIT_LINE.matcher(lines.get(i));
            Matcher ran = RAN_LINE.matcher(lines.get(i));
            Matcher kept = KEPT_LINE.matcher(lines.get(i));
            if (named.matches()) {
                (named.group(1).equals("fact") ? facts : identity).put(named.group(2), unescape(named.group(3)));
            } else if (ran.matches()) {
                ranMillis = Long.parseLong(ran.group(1));
            } else if (unit.matches() && names.add(unit.group(4))) {
                units.add(unit(unit));
            } else if (kept.matches()
                    && !units.isEmpty()
                    && units.get(units.size() - 1).kept.isEmpty()) {
                UnitState last = units.remove(units.size() - 1);
                units.add(last.kept(last.rows, last.bytes, unescape(kept.group(1))));
            } else {
                throw unreadable(file, i + 2);
            }
        }
        return new CheckpointContent(identity, facts, ranMillis, units);
    }

    private static UnitState unit(Matcher words) {
        return new UnitState(
                unescape(words.group(4)),
                words.group(1).equals("done"),
                Long.parseLong(words.group(2)),
                Long.parseLong(words.group(3)),
                Optional.empty());
    }

    private static CheckpointRefusedException unreadable(Path file, long line) {
        return new CheckpointRefusedException(
                "checkpoint can't be read, remove it to start anew, file=" + file + ", line=" + line, file);
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    }

    private static String unescape(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\' || i + 1 == text.length()) {
                out.append(c);
                continue;
            }
            i++;
            switch (text.charAt(i)) {
                case 'n' -> out.append('\n');
                case 'r' -> out.append('\r');
                default -> out.append(text.charAt(i));
            }
        }
        return out.toString();
    }
}
