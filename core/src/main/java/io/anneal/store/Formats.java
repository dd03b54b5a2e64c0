package io.anneal.store;

import io.anneal.io.UnsupportedVersionException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableFormat;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.big.BigFormat;
import java.io.IOException;
import java.util.List;

/** The on-disk formats that there are; the only place that names them. Stateless; safe to share. */
public final class Formats {
    private static final List<SSTableFormat> ALL = List.of(new BigFormat());

    private Formats() {}

    /** The format that new SSTables have. */
    public static SSTableFormat written() {
        return ALL.get(0);
    }

    /**
     * Opens an SSTable of any format. The caller closes it.
     *
     * @throws UnsupportedVersionException when no format reads it; names the file
     * @throws io.anneal.sstable.CorruptSSTableException when a component that is needed is missing or wrong; names it
     */
    public static SSTableReader open(Descriptor descriptor) throws IOException {
        for (SSTableFormat format : ALL) {
            if (format.name().equals(descriptor.format())) {
                return format.open(descriptor);
            }
        }
        throw new UnsupportedVersionException(
                descriptor.toString(), descriptor.version() + "-" + descriptor.format(), "nb-big", "nb-big");
    }
}
