package io.anneal.cli.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.cli.AnnealCommand;
import io.anneal.cli.command.Environment;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.job.JobFailedException;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.testkit.Fault;
import io.anneal.testkit.FaultyDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What a repair tells that ends since what is done can't be recorded. */
final class RepairResultsTest {
    private static final List<QualifiedTable> TABLES = List.of(
            new QualifiedTable("app", "people"),
            new QualifiedTable("app", "pets"),
            new QualifiedTable("app", "places"));
    private static final int ROWS = 100;

    @TempDir
    private Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private static void fill(Store store, boolean hasRows) throws IOException {
        for (QualifiedTable table : TABLES) {
            Table made = store.createTable("CREATE TABLE " + table + " (id int PRIMARY KEY, name text) WITH id ="
                    + " 2e52ce90-e54c-11f1-9953-9ddbc8d5a5" + (10 + TABLES.indexOf(table)));
            for (int id = 0; id < ROWS; id++) {
                if (hasRows || id == 0) {
                    made.row().key("id", id).set("name", "Ada").insert();
                }
            }
        }
    }

    /** Repairs three tables in two parts each; of these so many can be recorded, and of the next one that it is done can't. */
    private int repair(int recorded, String... options) throws IOException {
        HostEnvironment host = HostEnvironment.system();
        Environment environment = new Environment(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                Clock.systemUTC(),
                System::nanoTime,
                false,
                directory);
        List<String> words = new ArrayList<>(List.of("repair"));
        words.addAll(List.of(options));
        CommandLine anneal = AnnealCommand.commandLine(environment, words.toArray(String[]::new));
        anneal.parseArgs(words.toArray(String[]::new));
        CommandLine parsed = anneal.getSubcommands().get("repair");
        RepairCommand command = parsed.getCommand();
        RunOptions runs =
                (RunOptions) parsed.getCommandSpec().mixins().get("runs").userObject();
        RepairTask task = new RepairTask(
                TABLES,
                Ownership.ofAll(TokenRanges.of(TokenRange.FULL)),
                1 << 20,
                false,
                true,
                Optional.empty(),
                Set.of(),
                1,
                0,
                true,
                false,
                Optional.empty());
        try (FaultyDirectory disk = FaultyDirectory.create(directory);
                Store one = Store.open(directory.resolve("one"));
                Store two = Store.open(directory.resolve("two"));
                Progress progress = command.progress("three tables");
                RepairRun run = RepairRun.started(command, runs, task, List.of())) {
            fill(one, true);
            fill(two, false);
            RepairResults results = new RepairResults(command, task, progress, run, "");
            AtomicInteger parts = new AtomicInteger();
            Repair repair = task.repair()
                    .units(2)
                    .between(
                            RepairMember.here("one", new StoreReplicas(one).named("one")),
                            RepairMember.here("two", new StoreReplicas(two).named("two")))
                    .checkpoint(disk.path().resolve("checkpoint"))
                    .reports((part, report) -> {
                        if (parts.incrementAndGet() > recorded) {
                            disk.inject(Fault.on(Fault.Operation.CREATE));
                        }
                    })
                    .unfinishedReports(results::addUnfinished)
                    .tableReports(results::add);
            JobFailedException failure = catchThrowableOfType(
                    JobFailedException.class,
                    () -> repair.run(new RepairEnvironment(
                            host.withTime(host.clock(), host.nanoTime(), nanos -> {}),
                            MoreExecutors.directExecutor(),
                            ByteBudget.of(64 << 20))));
            assertThat(failure).isNotNull();
            disk.heal();
            results.addFailure(failure);
            int exitCode = results.finish();
            command.endResult();
            return exitCode;
        }
    }

    private JsonNode json() throws IOException {
        return new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldTellOfEachTableThatIsNotDone() throws IOException {
        assertThat(repair(2, "--json")).isEqualTo(ExitCode.UNANSWERED);
        JsonNode tables = json().get("tables");
        assertThat(tables).as("one is done, one failed, one was not come to").hasSize(3);
        assertThat(tables.at("/0/rows-differing").asInt()).isEqualTo(ROWS);
        assertThat(tables.at("/1/error/code").asText()).isEqualTo("ANL-1007");
        assertThat(tables.at("/2/error/code").asText()).isEqualTo("ANL-1007");
        int inPart = tables.at("/1/done-parts/rows-differing").asInt();
        assertThat(inPart).isPositive();
        assertThat(json().at("/sum/tables-failed").asInt()).isEqualTo(2);
        assertThat(json().at("/sum/rows-differing").asInt()).isEqualTo(ROWS + inPart);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .containsOnlyOnce("anneal: error ")
                .contains("so failed all that was left, tables=[app.places]", "go on with: ");
    }

    @Test
    void shouldTellTheSameAsText() throws IOException {
        assertThat(repair(2)).isEqualTo(ExitCode.UNANSWERED);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("app.people: the replicas differed", "app.pets: not done, but what was kept is right")
                .contains("in all 3 tables, 2 of which failed: ")
                .doesNotContain("failed: " + ROWS + " rows");
    }

    @Test
    void shouldCountNoTableAsFailedThatIsDone() throws IOException {
        assertThat(repair(1, "--json")).isEqualTo(ExitCode.UNANSWERED);
        assertThat(json().at("/tables/0/were-equal").asBoolean(true))
                .as("its last part is done, but not recorded")
                .isFalse();
        assertThat(json().get("tables")).hasSize(3);
        assertThat(json().at("/sum/tables-failed").asInt()).isEqualTo(2);
    }
}
