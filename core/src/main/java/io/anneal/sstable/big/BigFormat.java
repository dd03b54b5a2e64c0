package io.anneal.sstable.big;

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
 * Cassandra's BIG format: the data that all formats share, found through Index and Summary. {@code vint} and the other
 * words are those of the package {@code data}; read out of Cassandra 5.0's {@code io.sstable.format.big}.
 *
 * <p><b>Index.db</b>, in the order of the data:
 *
 * <pre>
 *   entry    := bytes&lt;short&gt; key, vint dataPosition, vint promotedSize, [promoted]
 *   promoted := vint headerLength, deletionTime, vint blocks, block*, (int offset of the block behind the first's begin)*
 *   block    := prefix first, prefix last, vint offset from the partition's begin, svint width - 65536,
 *               byte open, [deletionTime]              the range deletion that is open at the block's end
 *   prefix   := byte kind (4 a row's), [short components unless a row's], clustering
 * </pre>
 *
 * <p><b>Summary.db</b>, a sample of Index; offsets and positions little-endian:
 *
 * <pre>
 *   int minIndexInterval, int entries, long size, int samplingLevel, int entriesAtFullSampling,
 *   (int offset, from here)*, (key bytes, long indexPosition)*, bytes&lt;int&gt; firstKey, bytes&lt;int&gt; lastKey
 * </pre>
 */
public final class BigFormat implements SSTableFormat {
    static final String NAME = "big";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public SSTableReader open(Descriptor descriptor) throws IOException {
        return DataReader.open(descriptor, BigIndex::new);
    }

    @Override
    public void requireWritable(TableOptions options) {
        DataWriter.requireWritable(options);
        SummaryBuilder.requireInterval(options.minIndexInterval());
    }

    @Override
    public FragmentWriter write(Path directory, String generation, TableSchema schema, SSTableWriterConfig config)
            throws IOException {
        return DataWriter.open(directory, generation, schema, config, OutputFile.CREATE_NEW, BigIndexWriter::open);
    }

    @Override
    public SectionTarget receive(
            StagedSSTable staged, TableSchema schema, SectionManifest manifest, List<TokenRange.Linear> ranges)
            throws IOException {
        return SectionWriter.open(staged, schema, manifest, ranges, OutputFile.CREATE_NEW, BigIndexWriter::open);
    }
}
