package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.StorageException;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Replica;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that cannot be read while the tables of a Cassandra directory are looked for. */
class UnreadableDirectoryTest {
    private static final TableSchema SCHEMA = HandMadeTable.schema(0).withId("2d987f40-e54c-11f1-9953-9ddbc8d5a59d");

    @TempDir
    private Path temporary;

    @Test
    void shouldNameWhatCannotBeReadWhicheverReadFails() throws IOException {
        try (FaultyDirectory disk = FaultyDirectory.create(temporary)) {
            Path table = disk.path()
                    .resolve("data")
                    .resolve(SCHEMA.keyspace())
                    .resolve(SCHEMA.name() + "-" + SCHEMA.id().orElseThrow().replace("-", ""));
            Files.createDirectories(table);
            Files.writeString(table.resolve("schema.cql"), SchemaText.print(SCHEMA));

            int failures = 0;
            while (failsAt(disk, failures)) {
                failures++;
            }

            assertThat(failures).as("reads that failed").isGreaterThan(3);
        }
    }

    /** Whether opening fails when the read after so many does. */
    private static boolean failsAt(FaultyDirectory disk, int reads) throws IOException {
        disk.inject(Fault.on(Operation.READ).after(reads).times(1));
        CassandraReplicas replicas =
                new CassandraReplicas(List.of(disk.path().resolve("data")), Optional.empty(), Optional.empty());
        try (Replica opened = replicas.open(SCHEMA.keyspace(), SCHEMA.name(), Optional.empty())) {
            assertThat(opened.schema().name()).isEqualTo(SCHEMA.name());
            return false;
        } catch (IOException failure) {
            assertThat(failure).isInstanceOf(StorageException.class);
            assertThat(((StorageException) failure).file()).as("%s", failure).startsWith(disk.path());
            return true;
        } finally {
            disk.heal();
        }
    }
}
