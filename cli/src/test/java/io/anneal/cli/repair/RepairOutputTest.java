package io.anneal.cli.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.testkit.Fault;
import io.anneal.testkit.FaultyDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RepairOutputTest {
    private static final QualifiedTable TABLE = new QualifiedTable("app", "people");
    private static final int ROWS = 3;

    @TempDir
    private Path directory;

    private static Table people(Store store, int firstId) throws IOException {
        Table people = store.createTable("CREATE TABLE app.people (id int PRIMARY KEY, name text)"
                + " WITH id = 2e52ce90-e54c-11f1-9953-9ddbc8d5a59d");
        for (int id = firstId; id < firstId + ROWS; id++) {
            people.row().key("id", id).set("name", "Ada").insert();
        }
        return people;
    }

    /** A store keeps what it received, and another one, behind it, can't. */
    private RepairReport keptByOne() throws IOException {
        List<RepairReport> unfinished = new ArrayList<>();
        try (FaultyDirectory disk = FaultyDirectory.create(directory);
                Store whole = Store.open(directory.resolve("whole"));
                Store full = Store.open(disk.path().resolve("full"))) {
            people(whole, 0);
            people(full, ROWS);
            disk.inject(Fault.on(Fault.Operation.LINK));
            assertThatThrownBy(() -> Repair.of(TABLE.toString())
                            .between(
                                    RepairMember.here(new StoreReplicas(whole).named("whole")),
                                    RepairMember.here(new StoreReplicas(full).named("full")))
                            .range(TokenRange.FULL)
                            .unfinishedReports((table, report) -> unfinished.add(report))
                            .run(new RepairEnvironment(
                                    HostEnvironment.system(), MoreExecutors.directExecutor(), ByteBudget.of(64 << 20))))
                    .isInstanceOf(IOException.class);
            disk.heal();
        }
        return unfinished.get(0);
    }

    @Test
    void shouldSayWhoKeptWhatOfATableThatIsNotDone() throws IOException {
        RepairReport kept = keptByOne();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        RepairOutput.printKept(
                new PrintStream(bytes, true, StandardCharsets.UTF_8), new UUID(1, 2), TABLE, kept, Instant.now());
        StringWriter json = new StringWriter();
        try (JsonGenerator fields = new JsonFactory().createGenerator(json)) {
            ErrorReport error = ErrorReport.of(new IOException("disk is full"));
            RepairOutput.writeError(fields, new UUID(1, 2), TABLE, error, Optional.of(kept), Instant.now());
        }

        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .startsWith("app.people: not done, but what was kept is right", "  whole: kept 3 rows and 0 deletions")
                .anyMatch(line -> line.startsWith("    did not keep 3 rows and deletions that it was sent, in "));
        assertThat(json.toString())
                .contains(
                        "\"done-parts\":{",
                        "\"unkept\":[{\"ranges\":[",
                        "\"items\":3,\"may-be-kept\":false,\"reason\":\"");
    }
}
