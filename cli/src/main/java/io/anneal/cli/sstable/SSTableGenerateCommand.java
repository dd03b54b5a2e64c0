package io.anneal.cli.sstable;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.OutputDirectory;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.cli.command.Subcommand;
import io.anneal.fragment.FragmentKind;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.StagingDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal sstable generate}: random rows of any table. */
@Command(
        name = "generate",
        description =
                "Writes random rows of any table to new SSTables, DIR/KEYSPACE/TABLE/: the same for the same seed.")
final class SSTableGenerateCommand extends Subcommand {
    private static final int VALUE_BYTES_MAX = 1 << 24;
    private static final int ROWS_PER_PARTITION = 10;
    private static final int FRAGMENTS_PER_UPDATE = 1024;
    /** What a clustering takes that waits for its turn, at least. */
    private static final int CLUSTERING_BYTES = 160;

    @Option(names = "--schema", required = true, paramLabel = "FILE.cql", description = "The schema text.")
    private Path schemaFile;

    @Option(
            names = "--table",
            paramLabel = "KS.TABLE",
            converter = QualifiedTable.Converter.class,
            description = "Which table, when the text describes several.")
    private QualifiedTable table;

    @Option(names = "--rows", required = true, paramLabel = "N", description = "How many rows.")
    private long rows;

    @Option(names = "--to", required = true, paramLabel = "DIR", description = "Where the new SSTables go.")
    private Path target;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Decides everything; 1 unless told.")
    private long seed;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            description = "Over how many partitions the rows are spread; a tenth of the rows unless told.")
    private Long partitions;

    @Option(
            names = "--value-bytes",
            paramLabel = "N",
            defaultValue = "16",
            description = "Length of texts and blobs on average; ${DEFAULT-VALUE} unless told.")
    private int valueBytes;

    @Option(
            names = "--deletions",
            paramLabel = "PERCENT",
            defaultValue = "0",
            description = "How many of the cells, rows, ranges and partitions are deletions; none unless told.")
    private int deletionsPercent;

    @Option(
            names = "--expiring",
            paramLabel = "PERCENT",
            defaultValue = "0",
            description = "How many of the rows expire, 30 days after they are written; none unless told.")
    private int expiringPercent;

    @Mixin
    private WriteOptions write;

    @Override
    protected int execute() throws IOException {
        TableSchema schema = schema();
        RandomShape shape = shape(schema);
        Path tableDirectory = target.resolve(schema.keyspace()).resolve(schema.name());
        OutputDirectory.requireEmpty("--to: the table's directory", tableDirectory);
        RandomCursor cursor = new RandomCursor(schema, new RandomValues(valueBytes), shape);
        List<Descriptor> written;
        long lengthBytes;
        try (StagingDirectory staging = StagingDirectory.open(target);
                StagedWriter writer = new StagedWriter(staging.target(schema), config(schema, shape), Long.MAX_VALUE);
                Progress progress = progress("generating")) {
            long fragmentCount = 0;
            for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
                writer.appendCurrent(cursor);
                if (++fragmentCount % FRAGMENTS_PER_UPDATE == 0) {
                    progress.update(writer.dataLengthBytes(), cursor.rowCount());
                }
            }
            lengthBytes = writer.dataLengthBytes();
            written = writer.finish();
            SSTableFiles.keepSchema(schema, target);
        }
        print(written, cursor, lengthBytes);
        return ExitCode.YES;
    }

    private SSTableWriterConfig config(TableSchema schema, RandomShape shape) {
        return SSTableWriterConfig.defaults(shape.partitions())
                .withVersion(write.version())
                .withCompression(write.compression(schema));
    }

    private TableSchema schema() throws IOException {
        CqlSchema text = CqlSchema.read(schemaFile);
        if (table != null) {
            return text.table(table.keyspace(), table.table())
                    .orElseThrow(() -> SchemaException.ofOtherTables(
                            "schema text does not describe the table, table=" + table + ", file=" + schemaFile));
        }
        Collection<TableSchema> tables = text.tables();
        if (tables.size() != 1) {
            throw usage("say which table with --table, the text describes "
                    + tables.stream().map(TableSchema::qualifiedName).toList());
        }
        return tables.iterator().next();
    }

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add("--rows", () -> require(rows >= 1, "--rows takes a number from 1 on, given=" + rows))
                .add(
                        "--partitions",
                        () -> require(partitions >= 1, "--partitions takes a number from 1 on, given=" + partitions))
                .add(
                        "--value-bytes",
                        () -> require(
                                valueBytes >= 1 && valueBytes <= VALUE_BYTES_MAX,
                                "--value-bytes takes a number from 1 to " + VALUE_BYTES_MAX + ", given=" + valueBytes))
                .add("--deletions", () -> requirePercent("--deletions", deletionsPercent))
                .add("--expiring", () -> requirePercent("--expiring", expiringPercent));
    }

    private void requirePercent(String option, int percent) {
        require(percent >= 0 && percent <= 100, option + " takes a percentage, 0 to 100, given=" + percent);
    }

    private RandomShape shape(TableSchema schema) {
        boolean wide = !schema.clustering().isEmpty();
        long count = partitions == null ? (wide ? Math.max(1, rows / ROWS_PER_PARTITION) : rows) : partitions;
        if (count < 1 || count > rows || !wide && count != rows) {
            throw usage("--partitions takes a number from 1 to that of rows; without clustering columns each row is a"
                    + " partition");
        }
        RandomShape shape = new RandomShape(seed, rows, count, deletionsPercent, expiringPercent);
        if (shape.rowsMax() > bufferBudgetBytes() / CLUSTERING_BYTES) {
            throw usage("so many rows in a partition take more memory to sort: more --partitions, or more --memory");
        }
        return shape;
    }

    private void print(List<Descriptor> written, RandomCursor cursor, long lengthBytes) throws IOException {
        if (cursor.rowCount() < rows) {
            say("keys have too few values for so many rows");
        }
        if (!json()) {
            written.forEach(descriptor -> out().println(descriptor + " " + cursor.partitionCount() + " partitions, "
                    + cursor.rowCount() + " rows, " + lengthBytes + " bytes"));
            return;
        }
        JsonGenerator json = resultFields();
        json.writeNumberField("seed", seed);
        json.writeNumberField("partitions", cursor.partitionCount());
        json.writeNumberField("rows", cursor.rowCount());
        json.writeNumberField("dataBytes", lengthBytes);
        json.writeArrayFieldStart("sstables");
        for (Descriptor descriptor : written) {
            json.writeString(descriptor.toString());
        }
        json.writeEndArray();
    }
}
