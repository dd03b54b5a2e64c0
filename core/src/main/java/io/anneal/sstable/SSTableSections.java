package io.anneal.sstable;

import java.io.IOException;
import java.util.List;

/** Sections of an open SSTable, which are sent as they are stored. Immutable; valid as long as their reader is open. */
public interface SSTableSections {
    /** Ascending, apart from each other; at least one. */
    List<DataSection> sections();

    /** Length of the chunks that hold the sections, as they are stored. */
    long storedLengthBytes();

    /** @param statistics the SSTable's Statistics, byte for byte */
    SectionManifest manifest(byte[] statistics);

    /** Starts to send them; for one thread, which closes it. */
    SectionSource open() throws IOException;
}
