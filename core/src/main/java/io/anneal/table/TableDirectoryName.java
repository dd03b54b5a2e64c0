package io.anneal.table;

import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code <table>-<32 hexadecimal digits of the id>}, as Cassandra names a table's directory. */
record TableDirectoryName(String table, UUID id) {
    /** Of all that stands behind the table's name. */
    static final int ID_SUFFIX_LENGTH = 1 + 2 * 2 * Long.BYTES;

    private static final Pattern PATTERN = Pattern.compile("(\\w+)-([0-9a-f]{16})([0-9a-f]{16})");

    static Optional<TableDirectoryName> of(Path directory) {
        Matcher matcher = PATTERN.matcher(directory.getFileName().toString());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        UUID id = new UUID(Long.parseUnsignedLong(matcher.group(2), 16), Long.parseUnsignedLong(matcher.group(3), 16));
        return Optional.of(new TableDirectoryName(matcher.group(1), id));
    }

    @Override
    public String toString() {
        return table + "-" + id.toString().replace("-", "");
    }
}
