package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.SSTableMetadata.EncodingMinima;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tries that Cassandra wrote, written again from the same rows: byte for byte the same files. */
class TrieIdentityTest {
    /** Of the node that wrote the corpus, as its Rows show. */
    private static final int COLUMN_INDEX_SIZE_BYTES = 4096;

    @TempDir
    private Path directory;

    static List<Path> sstables() throws IOException {
        return Corpus.sstables().stream().filter(data -> data.startsWith("da")).toList();
    }

    @ParameterizedTest
    @MethodSource("sstables")
    void shouldWriteTheTriesThatCassandraWrites(Path data) throws IOException {
        Descriptor original;
        Descriptor ours;
        try (SSTableReader reader = Corpus.open(data)) {
            original = reader.descriptor();
            TableSchema schema = reader.headerSchema();
            EncodingMinima minima = reader.metadata().encodingMinima();
            SSTableWriterConfig config = SSTableWriterConfig.defaults(100)
                    .withVersion(SSTableVersion.DA)
                    .withColumnIndexSizeBytes(COLUMN_INDEX_SIZE_BYTES)
                    .withBase(new EncodingBase(
                            minima.timestampMicros(),
                            Math.toIntExact(minima.localDeletionTimeSeconds()),
                            minima.ttlSeconds()));
            ours = Descriptor.of(Content.rewrite(reader, schema, directory, "1", config))
                    .orElseThrow();
        }

        for (Component component : List.of(Component.PARTITIONS, Component.ROWS)) {
            assertThat(Files.readAllBytes(ours.file(component)))
                    .as(component.fileSuffix())
                    .isEqualTo(Files.readAllBytes(original.file(component)));
        }
    }
}
