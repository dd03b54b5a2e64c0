package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32;

/**
 * A manifest as text: one fact a line, words separated by a space, lines ended by a line feed.
 *
 * <pre>
 *   anneal-manifest 1
 *   table &lt;keyspace&gt;.&lt;table&gt; &lt;uuid&gt;
 *   shards &lt;shardCount&gt; &lt;ignoredBits&gt;
 *   flushed &lt;shard&gt; &lt;segmentId&gt; &lt;position&gt;      any number of these and of the following
 *   sstable &lt;generation&gt; &lt;shard|shared&gt;
 *   writing &lt;generation&gt;
 *   obsolete &lt;generation&gt;
 *   repaired &lt;left&gt; &lt;right&gt; &lt;seconds&gt;
 *   crc32 &lt;8 hexadecimal digits&gt;                  of all bytes before this line
 * </pre>
 */
final class ManifestText {
    private static final String MAGIC = "anneal-manifest";
    private static final String VERSION = "1";
    private static final String SHARED = "shared";
    private static final String CRC = "crc32 ";

    private final Path file;
    private final Map<Integer, CommitLogPosition> flushed = new TreeMap<>();
    private final List<ListedSSTable> sstables = new ArrayList<>();
    private final Set<String> writing = new LinkedHashSet<>();
    private final Set<String> obsolete = new LinkedHashSet<>();
    private final List<RepairTime> repairTimes = new ArrayList<>();

    private int lineNumber;
    private String[] name;
    private UUID tableId;
    private ShardRule shards;

    private ManifestText(Path file) {
        this.file = file;
    }

    static byte[] print(ManifestContent content) {
        StringBuilder text = new StringBuilder();
        line(text, MAGIC, VERSION);
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
        String crc = crc(text.toString());
        text.append(CRC).append(crc).append('\n');
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void line(StringBuilder text, Object... words) {
        for (int i = 0; i < words.length; i++) {
            text.append(i == 0 ? "" : " ").append(words[i]);
        }
        text.append('\n');
    }

    private static String crc(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    /**
     * @throws UnsupportedVersionException when another release wrote it
     * @throws CorruptManifestException when it is no manifest: line and reason
     */
    static ManifestContent parse(Path file, byte[] bytes) throws IOException {
        return new ManifestText(file).parse(new String(bytes, StandardCharsets.UTF_8));
    }

    private ManifestContent parse(String text) throws IOException {
        String[] lines = text.split("\n", -1);
        lineNumber = 1;
        requireVersion(lines[0]);
        int end = text.lastIndexOf(CRC);
        lineNumber = lines.length - 1;
        if (end <= 0 || !text.substring(end).equals(CRC + crc(text.substring(0, end)) + "\n")) {
            throw wrong("manifest's checksum is wrong", null);
        }
        for (int i = 1; i < lines.length - 2; i++) {
            lineNumber = i + 1;
            try {
                fact(lines[i].split(" ", -1));
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
                    name[0], name[1], tableId, shards, flushed, sstables, writing, obsolete, repairTimes);
        } catch (IllegalArgumentException e) {
            throw wrong("manifest contradicts itself, reason=" + e.getMessage(), e);
        }
    }

    private void requireVersion(String line) throws IOException {
        String[] words = line.split(" ", -1);
        if (words.length != 2 || !words[0].equals(MAGIC) || !words[1].matches("\\d{1,9}")) {
            throw wrong("file is no manifest", null);
        }
        if (!words[1].equals(VERSION)) {
            throw new UnsupportedVersionException(file.toString(), words[1], VERSION, VERSION);
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
            default -> throw new IllegalArgumentException("no such fact");
        }
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
