package io.anneal.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.Partitioner;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableMetadata;
import io.anneal.sstable.SSTableMetadata.EncodingMinima;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.UnsupportedSSTableException;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statistics of every version that has fields of its own, as Cassandra wrote them and as we do. */
class StatisticsVersionsTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "legacy_ma_simple, ma-1-big",
        "legacy_me_simple_counter, me-1-big",
        "legacy_na_simple, na-1-big",
        "deletions, nb-2-big",
        "deletions_oa, oa-2-big"
    })
    void shouldReadAndVerifyWhatCassandraWrote(String table, String sstable) throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original(table, sstable))) {
            reader.verify();
            assertThat(reader.keyRange()).isPresent();
            assertThat(reader.metadata().estimatedKeyCount().orElseThrow())
                    .isEqualTo(reader.statistics().estimatedPartitionCount());
        }
    }

    @Test
    void shouldTellFieldsThatOnlySomeVersionsHave() throws IOException {
        SSTableMetadata ma = metadata("legacy_ma_simple", "ma-1-big");
        SSTableMetadata me = metadata("legacy_me_simple_counter", "me-1-big");
        SSTableMetadata oa = metadata("deletions_oa", "oa-2-big");
        assertThat(ma.originatingHost()).isEmpty();
        assertThat(me.originatingHost()).isPresent();
        assertThat(oa.originatingHost()).isPresent();
        assertThat(ma.commitLogIntervals()).hasSize(1);
        assertThat(ma.commitLogIntervals().get(0).start().segment()).isEqualTo(-1);
        assertThat(ma.coveredClusterings()).isEmpty();
        assertThat(oa.coveredClusterings()).isPresent();
        assertThat(ma.keyRange()).isEmpty();
        assertThat(oa.keyRange()).isPresent();
        assertThat(ma.partitioner()).isEqualTo(Partitioner.BYTE_ORDERED);
        assertThat(oa.partitioner()).isEqualTo(Partitioner.MURMUR3);
    }

    private static SSTableMetadata metadata(String table, String sstable) throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original(table, sstable))) {
            return reader.metadata();
        }
    }

    /** Its statistics go on behind those of {@code nb}; Cassandra 5.0 reads neither more than that. */
    @Test
    void shouldReadTheVersionOfTheDevelopmentBeforeCassandra50() throws IOException {
        Descriptor nb = SampleSSTables.original("deletions", "nb-2-big");
        Descriptor nc = SampleSSTables.asOfDevelopment(nb, directory);
        try (DataReader expected = SampleSSTables.open(nb);
                DataReader reader = SampleSSTables.open(nc)) {
            assertThat(reader.version()).isEqualTo(SSTableVersion.NC);
            reader.verify();
            assertThat(SampleSSTables.rows(reader, TokenRange.Linear.ALL))
                    .isEqualTo(SampleSSTables.rows(expected, TokenRange.Linear.ALL));
            assertThat(reader.metadata().statistics())
                    .isEqualTo(expected.metadata().statistics());
            assertThat(reader.metadata().originatingHost()).isPresent();
            assertThat(reader.metadata().keyRange()).isEmpty();
            assertThat(SSTableWriterConfig.like(reader).version()).isEqualTo(SSTableVersion.NB);
        }
    }

    @Test
    void shouldRefuseTokenRangesOfOtherPartitionersByName() throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original("legacy_ma_simple", "ma-1-big"))) {
            assertThatThrownBy(() -> reader.scan(reader.headerSchema(), new TokenRange.Linear(0, 5)))
                    .isInstanceOf(UnsupportedSSTableException.class)
                    .hasMessageContaining("ByteOrderedPartitioner")
                    .hasMessageContaining("ma-1-big");
        }
    }

    /** The same rows with the same base: everything but where they came from must be what Cassandra told of them. */
    @ParameterizedTest
    @CsvSource({"deletions_oa, oa-2-big", "counters_oa, oa-1-big", "deletions, nb-2-big"})
    void shouldTellWhatCassandraTellsOfTheSameRows(String table, String sstable) throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original(table, sstable));
                DataReader written = SampleSSTables.open(rewrite(reader, reader.version()))) {
            SSTableMetadata expected = reader.metadata();
            SSTableMetadata found = written.metadata();
            assertThat(found.statistics()).isEqualTo(expected.statistics());
            assertThat(found.partitionSizesBytes().counts())
                    .isEqualTo(expected.partitionSizesBytes().counts());
            assertThat(found.cellsPerPartition().counts())
                    .isEqualTo(expected.cellsPerPartition().counts());
            assertThat(found.dropTimes().pointsSeconds())
                    .isEqualTo(expected.dropTimes().pointsSeconds());
            assertThat(found.dropTimes().counts())
                    .isEqualTo(expected.dropTimes().counts());
            assertThat(found.coveredClusterings().map(Object::toString))
                    .isEqualTo(expected.coveredClusterings().map(Object::toString));
            assertThat(found.hasPartitionDeletions()).isEqualTo(expected.hasPartitionDeletions());
            assertThat(found.keyRange().isPresent())
                    .isEqualTo(expected.keyRange().isPresent());
            assertThat(written.keyRange().orElseThrow().first())
                    .isEqualTo(reader.keyRange().orElseThrow().first());
            assertThat(written.keyRange().orElseThrow().last())
                    .isEqualTo(reader.keyRange().orElseThrow().last());
            assertThat(found.estimatedKeyCount()).isEqualTo(expected.estimatedKeyCount());
            assertThat(found.encodingMinima()).isEqualTo(expected.encodingMinima());
            assertThat(written.dataLengthBytes()).isEqualTo(reader.dataLengthBytes());
            assertThat(found.originatingHost()).isEmpty();
            assertThat(found.commitLogIntervals()).isEmpty();
        }
    }

    private Descriptor rewrite(DataReader reader, SSTableVersion version) throws IOException {
        EncodingMinima minima = reader.metadata().encodingMinima();
        SSTableWriterConfig config = SSTableWriterConfig.like(reader)
                .withVersion(version)
                .withColumnIndexSizeBytes(4096)
                .withBase(new EncodingBase(
                        minima.timestampMicros(), (int) minima.localDeletionTimeSeconds(), minima.ttlSeconds()));
        try (FragmentWriter writer = Formats.write(directory, "1", reader.headerSchema(), config);
                SSTableCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
            writer.append(cursor);
            return writer.finish();
        }
    }

    @ParameterizedTest
    @CsvSource({"NB", "OA"})
    void shouldKeepThePartitioner(SSTableVersion version) throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original("legacy_ma_simple", "ma-1-big"));
                DataReader written = SampleSSTables.open(rewrite(reader, version))) {
            written.verify();
            assertThat(written.partitioner()).isEqualTo(Partitioner.BYTE_ORDERED);
            assertThat(SampleSSTables.rows(written, TokenRange.Linear.ALL))
                    .isEqualTo(SampleSSTables.rows(reader, TokenRange.Linear.ALL));
        }
    }

    @Test
    void shouldNamePartitionerThatIsNotSupported() throws IOException {
        Descriptor descriptor = SampleSSTables.copy("legacy_ma_simple", "ma-1-big", directory);
        Path file = descriptor.file(Component.STATISTICS);
        byte[] bytes = Files.readAllBytes(file);
        byte[] name = "org.apache.cassandra.dht.ByteOrderedPartitioner".getBytes(StandardCharsets.UTF_8);
        int at = indexOf(bytes, name);
        System.arraycopy("Octet".getBytes(StandardCharsets.UTF_8), 0, bytes, at + 25, 5);
        Files.write(file, bytes);
        assertThatThrownBy(() -> SampleSSTables.open(descriptor))
                .isInstanceOf(UnsupportedSSTableException.class)
                .hasMessageContaining("OctetrderedPartitioner")
                .hasMessageContaining("Murmur3Partitioner");
    }

    private static int indexOf(byte[] bytes, byte[] wanted) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return text.indexOf(new String(wanted, StandardCharsets.ISO_8859_1));
    }

    /** Nothing protects these numbers: each as large as can be must be refused before it is believed. */
    @Test
    void shouldBelieveNoCountWithoutChecksums() throws IOException {
        Descriptor descriptor = SampleSSTables.copy("legacy_ma_simple", "ma-1-big", directory);
        Path file = descriptor.file(Component.STATISTICS);
        byte[] right = Files.readAllBytes(file);
        int refused = 0;
        for (int at = 0; at + Integer.BYTES <= right.length; at++) {
            for (int wrong : List.of(Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 1 << 24)) {
                byte[] bytes = right.clone();
                ByteBuffer.wrap(bytes).putInt(at, wrong);
                SampleSSTables.overwrite(file, bytes);
                try {
                    SampleSSTables.open(descriptor).close();
                } catch (CorruptSSTableException | UnsupportedSSTableException e) {
                    assertThat(e).hasMessageContaining("Statistics.db");
                    refused++;
                }
            }
        }
        assertThat(refused).isGreaterThan(500);
    }
}
