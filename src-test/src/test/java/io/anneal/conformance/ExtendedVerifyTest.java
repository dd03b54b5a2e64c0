package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.faults.Commands;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableFormat;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.big.BigFormat;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that are whole and in order and hold values that are none of their types: {@code verify --extended} names them. */
class ExtendedVerifyTest {
    @TempDir
    private Path directory;

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource({
        "u,                       0001, 78,       value of wrong length",
        "u,                       0002, 00000001, no field",
        "u,                       00,   00000001, value of wrong length",
        "set<int>,                0001, '',       value of wrong length",
        "'map<text, int>',        78,   0001,     value of wrong length",
        "counter,                 '',   '',       no whole counter context",
        "counter,                 '',   00018000, index without a shard",
        "tinyint,                 '',   '',       value of wrong length",
        "frozen<list<int>>,       '',   00000001, cut short",
        "frozen<u>,               '',   0000000400000001000000040000000100000000, type=",
        "'vector<text, 2>',       '',   0178,     cut short",
        "duration,                '',   '',       value",
        "text,                    '',   ff,       bytes are no text",
    })
    void shouldNameTheColumnAndTheReason(String type, String pathHex, String valueHex, String reason)
            throws IOException {
        TableSchema schema = CqlSchema.parse(
                        "CREATE TYPE k.u (a int, b int);" + "CREATE TABLE k.t (p int PRIMARY KEY, v " + type + ")",
                        "types.cql")
                .tables()
                .iterator()
                .next();
        byte[] path = HexFormat.of().parseHex(pathHex);
        byte[] value = HexFormat.of().parseHex(valueHex);
        Row row = new Row();
        row.clear(false);
        row.addCell(0, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(value, 0, value.length);
        if (schema.column("v").orElseThrow().isComplex()) {
            row.path(path, 0, path.length);
        }
        FragmentList list = FragmentList.builder(schema)
                .partition(DecoratedKey.of(new byte[4]))
                .row(row)
                .end()
                .build();
        SSTableFormat format = new BigFormat();
        Path data;
        try (FragmentWriter writer = format.write(directory, "1", schema, SSTableWriterConfig.defaults(1));
                FragmentCursor cursor = list.cursor()) {
            writer.append(cursor);
            data = writer.finish().file(Component.DATA);
        }

        Commands.Result result = Commands.run("sstable", "verify", "--extended", data.toString());

        assertThat(result.exitCode()).as(result.out()).isEqualTo(1);
        assertThat(result.out() + result.err()).contains("column=v").contains("key=00000000");
        assertThat(result.out() + result.err()).contains(reason);
        assertThat(Commands.run("sstable", "verify", data.toString()).exitCode())
                .isZero();
    }
}
