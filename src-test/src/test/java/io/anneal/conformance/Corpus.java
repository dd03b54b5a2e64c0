package io.anneal.conformance;

import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * SSTables that Cassandra wrote, each with what its own sstabledump printed for it: {@code VERSION/TABLE/SSTABLE-Data.db}
 * of three flushes of a table, with the rows that Cassandra read from them, and {@code legacy/VERSION/TABLE/} of older
 * versions, without rows and schema text.
 */
final class Corpus {
    static final Path ROOT = Path.of("src/test/resources/corpus");
    /** The folders that we read. */
    static final List<String> VERSIONS = List.of("nb", "oa", "da", "legacy");

    private static final String LEGACY = "legacy";
    private static final Pattern AT = Pattern.compile("\"at\": ?(\\d+)");
    private static final long ANY_SECONDS = 1_700_000_000L;

    private Corpus() {}

    /** Data components below {@link #ROOT}, in the order of their names. */
    static List<Path> sstables() throws IOException {
        List<Path> all = new ArrayList<>();
        for (String version : VERSIONS) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(version))) {
                files.filter(file -> file.getFileName().toString().endsWith(Component.DATA.fileSuffix()))
                        .map(ROOT::relativize)
                        .sorted()
                        .forEach(all::add);
            }
        }
        return all;
    }

    /** Directories of tables with schema text and rows, {@code VERSION/TABLE}, in the order of their names. */
    static List<Path> tables() throws IOException {
        return sstables().stream()
                .filter(data -> !isLegacy(data))
                .map(Path::getParent)
                .distinct()
                .toList();
    }

    static String table(Path data) {
        return data.getParent().getFileName().toString();
    }

    static boolean isLegacy(Path data) {
        return data.startsWith(LEGACY);
    }

    static SSTableReader open(Path data) throws IOException {
        return Content.open(ROOT.resolve(data));
    }

    static String cassandrasDump(Path data) throws IOException {
        String name = data.toString().replace("-" + Component.DATA.fileSuffix(), ".dump.json");
        return Files.readString(ROOT.resolve(name));
    }

    /** When the rows of a table were read and the dumps made, seconds since 1970; in legacy tables nothing expires. */
    static long atSeconds(Path table) throws IOException {
        if (isLegacy(table)) {
            return ANY_SECONDS;
        }
        try (Stream<String> lines = Files.lines(ROOT.resolve(table).resolve("rows.jsonl"))) {
            Matcher matcher = AT.matcher(lines.findFirst().orElseThrow());
            if (!matcher.find()) {
                throw new IllegalStateException("rows without their time, table=" + table);
            }
            return Long.parseLong(matcher.group(1));
        }
    }

    /** The rows that Cassandra read, as JSON documents, their order no contract. */
    static List<String> rows(Path table) throws IOException {
        List<String> lines = Files.readAllLines(ROOT.resolve(table).resolve("rows.jsonl"));
        return lines.subList(1, lines.size());
    }

    static Path schemaText(Path table) {
        return ROOT.resolve(table).resolve("schema.cql");
    }
}
