package io.anneal.sstable.bti;

import io.anneal.io.OutputFile;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableFormat;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.SectionManifest;
import io.anneal.sstable.SectionTarget;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.data.DataReader;
import io.anneal.sstable.data.DataWriter;
import io.anneal.sstable.data.SectionWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Cassandra's BTI format: the data that all formats share, found through two files of tries over the bytes of
 * {@link ComparableEncoder}. Read out of Cassandra 5.0's {@code BtiFormat.md}, {@code io.sstable.format.bti} and
 * {@code io.tries}. No file has a checksum.
 *
 * <p><b>A trie</b> is written from its leaves to its root: a child lies {@code distance} bytes before its node, and no node
 * crosses a page of 4096 bytes. Pointers of a node have one length; those of 12 bits lie two in three bytes, the last one in
 * two. A node with payload is an entry, of the bytes that lead to it.
 *
 * <pre>
 *   node    := nibble type, nibble flags, body, [payload when flags are not 0]
 *   body    := 0 -                                             payload only
 *            | 1 byte transition                               one child, the flags are its distance; no payload
 *            | 3 byte distance, byte transition                the same, the flags being the upper bits
 *            | 2, 4 byte transition, distance of 8, 16 bits
 *            | 5 to 9 byte count, transition*, distance*       of 8, 12, 16, 24, 40 bits
 *            | 10 to 15 byte first transition, byte count - 1, distance*   of 12, 16, 24, 32, 40, 64 bits; 0 for none
 * </pre>
 *
 * <p><b>Partitions.db</b>: a trie of the shortest beginnings of keys that tell them apart.
 *
 * <pre>
 *   file    := trie, bytes&lt;short&gt; firstKey, bytes&lt;short&gt; lastKey, long position of firstKey, long keys, long root
 *   payload := flags 8 to 15: byte low byte of the second half of the key's hash, number of flags - 7 bytes
 *            | flags 1 to 7: number of flags bytes
 *   number  := signed: the position of the partition's entry in Rows, or the complement of that in the data
 * </pre>
 *
 * <p><b>Rows.db</b>: for each partition of more than one block a trie of separators and an entry.
 *
 * <pre>
 *   partition := trie, bytes&lt;short&gt; key, vint dataPosition, svint root - position behind key, vint blocks, deletion
 *   payload   := number of flags &amp; 7 bytes: where the block begins from the partition's begin, [flags &amp; 8: open deletion]
 * </pre>
 *
 * The first separator is empty; the one behind the last block leads to the end of the rows.
 */
public final class BtiFormat implements SSTableFormat {
    static final String NAME = "bti";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public SSTableReader open(Descriptor descriptor) throws IOException {
        return DataReader.open(descriptor, BtiIndex::new);
    }

    @Override
    public void requireWritable(TableOptions options) {
        DataWriter.requireWritable(options);
    }

    @Override
    public FragmentWriter write(Path directory, String generation, TableSchema schema, SSTableWriterConfig config)
            throws IOException {
        return DataWriter.open(directory, generation, schema, config, OutputFile.CREATE_NEW, BtiIndexWriter::open);
    }

    @Override
    public SectionTarget receive(
            StagedSSTable staged, TableSchema schema, SectionManifest manifest, List<TokenRange.Linear> ranges)
            throws IOException {
        return SectionWriter.open(staged, schema, manifest, ranges, OutputFile.CREATE_NEW, BtiIndexWriter::open);
    }
}
