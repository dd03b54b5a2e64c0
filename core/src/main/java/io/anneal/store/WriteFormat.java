package io.anneal.store;

/** Versions of Cassandra's SSTables that can be written. */
public enum WriteFormat {
    /** BIG as of 4.0: what every 4.x loads, and 5.0 in its compatibility mode. */
    NB("nb", "big"),
    /** BIG as of 5.0; a node in compatibility mode ignores it in silence. */
    OA("oa", "big"),
    /** BTI, the tries of 5.0. */
    DA("da", "bti");

    private final String version;
    private final String family;

    WriteFormat(String version, String family) {
        this.version = version;
        this.family = family;
    }

    /** Two letters, as file names begin with them. */
    public String version() {
        return version;
    }

    /** {@code big} or {@code bti}. */
    public String family() {
        return family;
    }
}
