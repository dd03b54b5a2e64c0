package io.anneal.sstable;

import io.anneal.key.TokenRange;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** One family of on-disk formats. Stateless; safe to share. */
public interface SSTableFormat {
    /** {@code big} or {@code bti}. */
    String name();

    /**
     * Opens an SSTable; small components are verified now, data as it is read.
     *
     * @param descriptor of a version that this format has
     * @throws CorruptSSTableException when a needed component is missing or wrong
     */
    SSTableReader open(Descriptor descriptor) throws IOException;

    /**
     * Refuses options that no SSTable of a table can be written with.
     *
     * @throws IllegalArgumentException naming option and value
     */
    void requireWritable(TableOptions options);

    /**
     * Starts an SSTable that gets sections of another one, whose version it has.
     *
     * @param schema of the table, for filter and index
     * @param ranges outside of which no partition may lie, ascending
     * @throws CorruptSSTableException when the manifest cannot be
     */
    SectionTarget receive(
            StagedSSTable staged, TableSchema schema, SectionManifest manifest, List<TokenRange.Linear> ranges)
            throws IOException;

    /** Starts a new SSTable of {@link SSTableWriterConfig#version()} in {@code directory}; see {@link FragmentWriter}. */
    FragmentWriter write(Path directory, String generation, TableSchema schema, SSTableWriterConfig config)
            throws IOException;
}
