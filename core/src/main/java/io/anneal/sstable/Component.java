package io.anneal.sstable;

import java.util.Optional;

/** The files that one SSTable is made of, by the end of their names. */
public enum Component {
    DATA("Data.db"),
    INDEX("Index.db"),
    SUMMARY("Summary.db"),
    PARTITIONS("Partitions.db"),
    ROWS("Rows.db"),
    FILTER("Filter.db"),
    STATISTICS("Statistics.db"),
    COMPRESSION_INFO("CompressionInfo.db"),
    CRC("CRC.db"),
    DIGEST("Digest.crc32"),
    TOC("TOC.txt");

    private final String fileSuffix;

    Component(String fileSuffix) {
        this.fileSuffix = fileSuffix;
    }

    public String fileSuffix() {
        return fileSuffix;
    }

    public static Optional<Component> of(String fileSuffix) {
        for (Component component : values()) {
            if (component.fileSuffix.equals(fileSuffix)) {
                return Optional.of(component);
            }
        }
        return Optional.empty();
    }
}
