package io.anneal.table;

import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import java.io.IOException;
import java.nio.file.Path;

/** All on-disk formats that there are, handed in by whoever knows them. Stateless; safe to share. */
public interface SSTableFormats {
    /** Opens an SSTable of any format. The caller closes it. */
    SSTableReader open(Descriptor descriptor) throws IOException;

    /**
     * Refuses options that SSTables of some format cannot be written with.
     *
     * @throws IllegalArgumentException naming option and value
     */
    void requireWritable(TableOptions options);

    /** Starts a new SSTable. The caller finishes or closes it. */
    FragmentWriter write(Path directory, String generation, TableSchema schema, SSTableWriterConfig config)
            throws IOException;
}
