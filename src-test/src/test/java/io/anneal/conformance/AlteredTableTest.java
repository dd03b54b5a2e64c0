package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableFormat;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.big.BigFormat;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SSTables that were written before their table or its types were altered. */
class AlteredTableTest {
    private static final String BEFORE = "CREATE TYPE k.u (a int);"
            + "CREATE TABLE k.t (p int, c ascii, v int, n u, f frozen<u>, PRIMARY KEY (p, c));";
    private static final String AFTER = "CREATE TYPE k.u (a int, b text);"
            + "CREATE TABLE k.t (p int, c text, v int, n u, f frozen<u>, PRIMARY KEY (p, c));"
            + "ALTER TABLE k.t DROP v USING TIMESTAMP 10; ALTER TABLE k.t ADD v varint;";
    private static final long NEVER = DeletionTime.NO_DELETION_TIME;

    @TempDir
    private Path directory;

    private static TableSchema schema(String text) {
        return CqlSchema.parse(text, "altered.cql").tables().iterator().next();
    }

    private static byte[] int32(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    private static Row row(TableSchema schema, String clustering, long micros, byte[] value) {
        Row row = new Row();
        row.clear(false);
        row.clustering().wrap(Clustering.of(clustering.getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        byte[] frozen = ByteBuffer.allocate(8).putInt(4).putInt(7).array();
        cell(row, schema, "f", micros, frozen);
        cell(row, schema, "v", micros, value);
        cell(row, schema, "n", micros, int32(7));
        row.path(new byte[2], 0, 2);
        return row;
    }

    private static void cell(Row row, TableSchema schema, String column, long micros, byte[] value) {
        row.addCell(schema.column(column).orElseThrow().index(), micros, Row.NO_TTL, NEVER);
        row.value(value, 0, value.length);
    }

    private static FragmentList table(TableSchema schema, Row... rows) {
        FragmentList.Builder list = FragmentList.builder(schema).partition(DecoratedKey.of(int32(1)));
        for (Row row : rows) {
            list.row(row);
        }
        return list.end().build();
    }

    private Path write(FragmentList list, String generation) throws IOException {
        SSTableFormat format = new BigFormat();
        try (FragmentWriter writer =
                        format.write(directory, generation, list.schema(), SSTableWriterConfig.defaults(1));
                FragmentCursor cursor = list.cursor()) {
            writer.append(cursor);
            return writer.finish().file(io.anneal.sstable.Component.DATA);
        }
    }

    @Test
    void shouldReadOldCellsWithTheNewTypes() throws IOException {
        TableSchema before = schema(BEFORE);
        TableSchema after = schema(AFTER);
        Path old = write(table(before, row(before, "x", 5, int32(1)), row(before, "y", 11, int32(2))), "1");
        Path fresh = write(table(after, row(after, "x", 12, new byte[] {3})), "2");

        FragmentList merged = Content.merged(after, List.of(old, fresh));

        FragmentList expected = Content.merged(List.of(
                table(after, row(after, "x", 12, new byte[] {3}), row(after, "y", 11, int32(2))),
                FragmentList.builder(after).build()));
        assertThat(merged.lines()).isEqualTo(expected.lines());
        // What the column held before it was dropped does not come back.
        FragmentList onlyOld = Content.merged(after, List.of(old));
        assertThat(onlyOld.fragments().get(1).row().entryCount()).isEqualTo(2);
    }

    @Test
    void shouldRefuseTypesThatCannotReadTheOldOnes() throws IOException {
        TableSchema before = schema(BEFORE);
        Path old = write(table(before, row(before, "x", 5, int32(1))), "1");
        for (String wrong : List.of(
                BEFORE.replace("v int", "v bigint"),
                BEFORE.replace("c ascii", "c int"),
                BEFORE.replace("(a int)", "(a text)"))) {
            try (SSTableReader reader = Content.open(old)) {
                assertThatThrownBy(() -> reader.scan(schema(wrong), TokenRange.Linear.ALL))
                        .isInstanceOf(CorruptSSTableException.class)
                        .hasMessageContaining("column has another type");
            }
        }
    }
}
