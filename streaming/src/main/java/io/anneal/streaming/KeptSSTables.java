package io.anneal.streaming;

import io.anneal.io.ByteWriter;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableVersion;
import io.anneal.streaming.message.FileContents;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What a target has on its disk of SSTables that come as they are, so that it goes on there after a restart. A line each:
 * {@code <id> <base name>}, and either {@code whole}, or how much of each file is synced: {@code Data.db=67108864,Index.db=0}.
 *
 * @param sstables by what they are at their source, see {@link #id}
 */
record KeptSSTables(Map<UUID, Kept> sstables) {
    private static final String WHOLE = "whole";

    /**
     * One SSTable.
     *
     * @param baseName here
     * @param isWhole whether it is verified and has its name
     * @param positions of one that is not, by component
     */
    record Kept(String baseName, boolean isWhole, Map<Component, Long> positions) {}

    /** Of the same bytes of the same source's SSTable. */
    static UUID id(SSTableVersion version, String generation, FileContents contents) {
        ByteWriter out = new ByteWriter(256);
        contents.encode(out);
        String name = version.text() + " " + generation + " "
                + new String(out.array(), 0, out.lengthBytes(), StandardCharsets.ISO_8859_1);
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }

    Set<String> baseNames() {
        return sstables.values().stream().map(Kept::baseName).collect(Collectors.toSet());
    }

    String print() {
        StringBuilder text = new StringBuilder();
        sstables.forEach((id, kept) -> text.append(id)
                .append(' ')
                .append(kept.baseName)
                .append(' ')
                .append(
                        kept.isWhole
                                ? WHOLE
                                : kept.positions.entrySet().stream()
                                        .map(file -> file.getKey().fileSuffix() + "=" + file.getValue())
                                        .collect(Collectors.joining(",")))
                .append('\n'));
        return text.toString();
    }

    /** What cannot be read is as if it were not there: it comes again. */
    static KeptSSTables parse(String text) {
        Map<UUID, Kept> sstables = new LinkedHashMap<>();
        try {
            for (String line : text.lines().toList()) {
                String[] words = line.split(" ", 3);
                Map<Component, Long> positions = new EnumMap<>(Component.class);
                if (!words[2].equals(WHOLE)) {
                    for (String file : words[2].split(",")) {
                        String[] at = file.split("=", 2);
                        positions.put(Component.of(at[0]).orElseThrow(), Long.parseLong(at[1]));
                    }
                }
                sstables.put(UUID.fromString(words[0]), new Kept(words[1], words[2].equals(WHOLE), positions));
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException | NoSuchElementException e) {
            return new KeptSSTables(new LinkedHashMap<>());
        }
        return new KeptSSTables(sstables);
    }
}
