package io.anneal.sstable.big;

import io.anneal.sstable.Component;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.IndexVerifier;
import io.anneal.sstable.data.PartitionIndex;
import io.anneal.sstable.data.PartitionLookup;
import java.io.IOException;

/** Index and Summary of one open SSTable. Summary is read when it is first asked for. */
final class BigIndex implements PartitionIndex {
    private final DataReader reader;
    private Summary summary;

    BigIndex(DataReader reader) {
        this.reader = reader;
    }

    /** Null when there is none. */
    private synchronized Summary summary() throws IOException {
        if (summary == null && reader.descriptor().has(Component.SUMMARY)) {
            summary = Summary.read(reader.descriptor());
        }
        return summary;
    }

    @Override
    public PartitionLookup lookup() throws IOException {
        boolean hasIndex = reader.descriptor().has(Component.INDEX);
        return BigPartitionLookup.open(reader, hasIndex ? summary() : null);
    }

    @Override
    public IndexVerifier verifier() throws IOException {
        return BigIndexVerifier.open(reader);
    }
}
