package io.anneal.bench.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which Cassandra a node runs. The older ones are built with {@code -Danneal.all=true} or {@code -Plong} alone, and run on Java 17, for
 * which they were not made.
 */
public enum CassandraRelease {
    V4_0("4.0"),
    V4_1("4.1"),
    V5_0("5.0");

    private static final Pattern WITH_UNIT = Pattern.compile("(\\w+): (\\d+)([A-Za-z/]+)");

    private final String number;

    CassandraRelease(String number) {
        this.number = number;
    }

    /** The first two of the three numbers of a version. */
    public String number() {
        return number;
    }

    boolean isOlder() {
        return this != V5_0;
    }

    /** Lines of cassandra.yaml as this release reads them: 4.0 has the units in the names of settings, and limits of its own. */
    List<String> yaml(List<String> lines) {
        if (this != V4_0) {
            return lines;
        }
        List<String> older = new ArrayList<>();
        for (String line : lines) {
            Matcher setting = WITH_UNIT.matcher(line);
            if (!setting.matches()) {
                older.add(line);
                continue;
            }
            String name = setting.group(1);
            long value = Long.parseLong(setting.group(2));
            switch (setting.group(3)) {
                case "s" -> older.add(name + "_in_ms: " + value * 1000);
                case "ms" -> older.add(name + "_in_ms: " + value);
                case "KiB" -> older.add(name + "_in_kb: " + value);
                case "MiB" -> older.add(name + "_in_mb: " + value);
                // Not all that 5.0 knows are there; those that are stay as 4.0 is shipped.
                case "MiB/s" -> {}
                default -> throw new IllegalArgumentException("unknown unit, line=" + line);
            }
        }
        return older;
    }
}
