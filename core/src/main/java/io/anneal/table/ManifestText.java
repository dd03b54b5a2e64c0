package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.io.TextFormat;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A manifest as text: one fact a line, words separated by a space, lines ended by a line feed.
 *
 * <pre>
 *   anneal-manifest &lt;version&gt;                    2 if the table has a renumbered log, else 1
 *   table &lt;keyspace&gt;.&lt;table&gt; &lt;uuid&gt;
 *   shards &lt;shardCount&gt; &lt;ignoredBits&gt;
 *   flushed &lt;shard&gt; &lt;segmentId&gt; &lt;position&gt;      any number of these and of the following
 *   sstable &lt;generation&gt; &lt;shard|shared&gt;
 *   writing &lt;generation&gt;
 *   obsolete &lt;generation&gt;
 *   repaired &lt;left&gt; &lt;right&gt; &lt;seconds&gt;
 *   stale &lt;seconds&gt;                              at most one
 *   dated &lt;seconds&gt;                              at most one
 *   truncated &lt;micros&gt;                           at most one
 *   crc32 &lt;8 hexadecimal digits&gt;                  of all bytes before this line
 * </pre>
 */
final class ManifestText {
    private static final TextFormat FORMAT = new TextFormat("anneal-manifest", "1");
    /** Of tables whose commit log an earlier release would misread, so that it refuses them. */
    private static final TextFormat RENUMBERED = new TextFormat("anneal-manifest", "2");

    private static final String SHARED = "shared";

    private final Path file;
    private final Map<Integer, CommitLogPosition> flushed = new TreeMap<>();
    private final List<ListedSSTable> sstables = new ArrayList<>();
    private final Set<String> writing = new LinkedHashSet<>();
    private final Set<String> obsolete = new LinkedHashSet<>();
    private final List<RepairTime> repairTimes = new ArrayList<>();
    private OptionalLong staleSeconds = OptionalLong.empty();
    private OptionalLong datedSeconds = OptionalLong.empty();
    private OptionalLong truncatedMicros = OptionalLong.empty();

    private int lineNumber;
    private String[] name;
    private UUID tableId;
    private ShardRule shards;

    private ManifestText(Path file) {
        this.file = file;
    }

    static byte[] print(ManifestContent content) {
        StringBuilder text = new StringBuilder();
        line(text, "table", content.qualifiedName(), content.tableId());
        line(text, "shards", content.shards().shardCount(), content.shards().ignoredBits());
        new TreeMap<>(content.flushed())
                .forEach((shard, place) -> line(text, "flushed", shard, place.segmentId(), place.position()));
        for (ListedSSTable sstable : content.sstables()) {
            boolean shared = sstable.shard() == ListedSSTable.SHARED;
            line(text, "sstable", sstable.generation(), shared ? SHARED : sstable.shard());
        }
        content.writing().forEach(generation -> line(text, "writing", generation));
        content.obsolete().forEach(generation -> line(text, "obsolete", generation));
        for (RepairTime time : content.repairTimes()) {
            line(text, "repaired", time.range().left(), time.range().right(), time.seconds());
        }
        content.staleSeconds().ifPresent(seconds -> line(text, "stale", seconds));
        content.datedSeconds().ifPresent(seconds -> line(text, "dated", seconds));
        content.truncatedMicros().ifPresent(micros -> line(text, "truncated", micros));
        return (content.hasRenumberedLog() ? RENUMBERED : FORMAT).print(text.toString());
    }

    private static void line(StringBuilder text, Object... words) {
        for (int i = 0; i < words.length; i++) {
            text.append(i == 0 ? "" : " ").append(words[i]);
        }
        text.append('\n');
    }

    /**
     * @throws UnsupportedVersionException when another release wrote it
     * @throws CorruptManifestException when it is no manifest: line and reason
     */
    static ManifestContent parse(Path file, byte[] bytes) throws IOException {
        return new ManifestText(file).parse(new String(bytes, StandardCharsets.UTF_8));
    }

    private ManifestContent parse(String text) throws IOException {
        lineNumber = 1;
        String version = FORMAT.versionOf(text).orElseThrow(() -> wrong("file is no manifest", null));
        boolean isRenumbered = version.equals(RENUMBERED.version());
        if (!isRenumbered && !version.equals(FORMAT.version())) {
            throw new UnsupportedVersionException(
                    UnsupportedVersionException.Subject.OWN_FILE,
                    file.toString(),
                    version,
                    FORMAT.version(),
                    RENUMBERED.version());
        }
        lineNumber = (int) text.lines().count();
        List<String> facts = FORMAT.facts(text).orElseThrow(() -> wrong("manifest's checksum is wrong", null));
        lineNumber = 1;
        for (String fact : facts) {
            lineNumber++;
            try {
                fact(fact.split(" ", -1));
            } catch (IllegalArgumentException e) {
                throw wrong("manifest's line is wrong, reason=" + e.getMessage(), e);
            }
        }
        lineNumber = CorruptManifestException.NO_LINE;
        if (name == null || shards == null) {
            throw wrong("manifest does not name table and shards", null);
        }
        try {
            return new ManifestContent(
                    name[0],
                    name[1],
                    tableId,
                    shards,
                    flushed,
                    sstables,
                    writing,
                    obsolete,
                    repairTimes,
                    staleSeconds,
                    datedSeconds,
                    truncatedMicros,
                    isRenumbered);
        } catch (IllegalArgumentException e) {
            throw wrong("manifest contradicts itself, reason=" + e.getMessage(), e);
        }
    }

    private void fact(String[] words) {
        switch (words[0]) {
            case "table" -> {
                requireWords(words, 3);
                name = words[1].split("\\.", -1);
                if (name.length != 2) {
                    throw new IllegalArgumentException("table is not keyspace.table");
                }
                tableId = UUID.fromString(words[2]);
            }
            case "shards" -> {
                requireWords(words, 3);
                shards = new ShardRule(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            }
            case "flushed" -> {
                requireWords(words, 4);
                CommitLogPosition place = new CommitLogPosition(Long.parseLong(words[2]), Integer.parseInt(words[3]));
                if (flushed.put(Integer.parseInt(words[1]), place) != null) {
                    throw new IllegalArgumentException("shard stands here twice");
                }
            }
            case "sstable" -> {
                requireWords(words, 3);
                int shard = words[2].equals(SHARED) ? ListedSSTable.SHARED : Integer.parseUnsignedInt(words[2]);
                sstables.add(new ListedSSTable(words[1], shard));
            }
            case "writing" -> addGeneration(writing, words);
            case "obsolete" -> addGeneration(obsolete, words);
            case "repaired" -> {
                requireWords(words, 4);
                TokenRange range = new TokenRange(Long.parseLong(words[1]), Long.parseLong(words[2]));
                repairTimes.add(new RepairTime(range, Long.parseLong(words[3])));
            }
            case "stale" -> staleSeconds = moment(words, staleSeconds);
            case "dated" -> datedSeconds = moment(words, datedSeconds);
            case "truncated" -> truncatedMicros = moment(words, truncatedMicros);
            default -> throw new IllegalArgumentException("no such fact");
        }
    }

    private static OptionalLong moment(String[] words, OptionalLong known) {
        requireWords(words, 2);
        if (known.isPresent()) {
            throw new IllegalArgumentException("fact stands here twice");
        }
        return OptionalLong.of(Long.parseLong(words[1]));
    }

    private static void addGeneration(Set<String> generations, String[] words) {
        requireWords(words, 2);
        if (!generations.add(words[1])) {
            throw new IllegalArgumentException("generation stands here twice");
        }
    }

    private static void requireWords(String[] words, int count) {
        if (words.length != count) {
            throw new IllegalArgumentException("words are missing or too many");
        }
    }

    private CorruptManifestException wrong(String reason, IllegalArgumentException cause) {
        return new CorruptManifestException(file, lineNumber, reason, cause);
    }
}
