package io.anneal.cli.repair;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.agent.AgentPeer;
import io.anneal.agent.ClusterHold;
import io.anneal.cli.AnnealCommand;
import io.anneal.cli.command.Environment;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.QualifiedTable;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the command says at its end of tables of which some were compared. */
final class ClusterResultsTest {
    private static final QualifiedTable OLD = new QualifiedTable("app", "old");
    private static final QualifiedTable RECENT = new QualifiedTable("app", "recent");
    private static final long OLD_MICROS = 1_700_000_000_000_000L;

    @TempDir
    private Path directory;

    private static void fill(Store store) throws IOException {
        for (QualifiedTable table : List.of(OLD, RECENT)) {
            Table made = store.createTable("CREATE TABLE " + table + " (id int PRIMARY KEY, name text) WITH id ="
                    + " 2e52ce90-e54c-11f1-9953-9ddbc8d5a5" + (table.equals(OLD) ? 10 : 11));
            long micros = table.equals(OLD) ? OLD_MICROS : System.currentTimeMillis() * 1_000 + 60_000_000;
            made.row().key("id", 1).set("name", "Ada").timestampMicros(micros).insert();
        }
    }

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** A new table has rows of the last seconds alone, which are left out. */
    @Test
    void shouldCoverWhatWasComparedAlone() throws IOException {
        int code = finish(StagedReview.NONE, OLD, RECENT);

        assertThat(code).isEqualTo(ExitCode.UNANSWERED);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("app.recent: nothing was compared", "app.old: covered until ", "next: ")
                .doesNotContain("app.recent: covered");
    }

    @Test
    void shouldNotCoverWhatNobodyWasToImport() throws IOException {
        int code = finish(new StagedReview(Set.of("app.old"), List.of("app.old: refused: for a reason")), OLD);

        assertThat(code).isEqualTo(ExitCode.NO);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("app.old: refused: for a reason")
                .doesNotContain("covered until");
    }

    /** What was written between the first and the last snapshot is in some of them only; what that moved is beside it. */
    @Test
    void shouldTellAsJsonWhenSnapshotsWereTakenAndWhatEachNodeReceived() throws IOException {
        finish(true, StagedReview.NONE, OLD);

        JsonNode result = new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
        assertThat(result.get("snapshots-from").textValue()).isEqualTo("2026-11-28T10:34:25.028Z");
        assertThat(result.get("snapshots-to").textValue()).isEqualTo("2026-11-28T10:34:25.928Z");
        JsonNode table = result.get("tables").get(0);
        assertThat(table.get("rows-differing").longValue()).isEqualTo(1);
        assertThat(table.get("items-pushed").longValue()).isEqualTo(1);
        assertThat(table.get("replicas"))
                .extracting(replica -> replica.get("name").textValue() + " "
                        + replica.get("rows-read").longValue() + " "
                        + replica.get("rows-received").longValue() + " "
                        + replica.get("rows-left-out").longValue())
                .containsExactly("one 2 0 0", "two 1 1 0");
    }

    private int finish(StagedReview review, QualifiedTable... repaired) throws IOException {
        return finish(false, review, repaired);
    }

    private int finish(boolean isJson, StagedReview review, QualifiedTable... repaired) throws IOException {
        Environment environment = new Environment(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                Clock.systemUTC(),
                System::nanoTime,
                false,
                directory);
        List<String> all = new ArrayList<>(List.of("cluster", "repair", "--agent", "127.0.0.1:1", "app"));
        if (isJson) {
            all.add("--json");
        }
        String[] words = all.toArray(String[]::new);
        CommandLine anneal = AnnealCommand.commandLine(environment, words);
        anneal.parseArgs(words);
        ClusterRepairCommand command = anneal.getSubcommands()
                .get("cluster")
                .getSubcommands()
                .get("repair")
                .getCommand();
        Ownership owned = Ownership.ofAll(TokenRanges.of(TokenRange.FULL));
        List<QualifiedTable> tables = List.of(repaired);
        RepairTask task = new RepairTask(
                tables, owned, 1 << 20, false, true, Optional.empty(), Set.of(), 1, 0, false, false, Optional.empty());
        HostEnvironment host = HostEnvironment.system();
        ClusterResults results = new ClusterResults(command, host.newId(), Optional.empty(), Optional.empty(), false);
        results.begin(new ClusterPart(tables, owned, List.of()));
        results.snapshots(Instant.parse("2026-11-28T10:34:25.028Z"), Instant.parse("2026-11-28T10:34:25.928Z"));
        try (Store one = Store.open(directory.resolve("one"));
                Store two = Store.open(directory.resolve("two"))) {
            fill(one);
            fill(two);
            if (isJson) {
                one.table("app.old")
                        .row()
                        .key("id", 2)
                        .set("name", "Bob")
                        .timestampMicros(OLD_MICROS)
                        .insert();
            }
            Repair repair = task.repair()
                    .runId(UUID.randomUUID())
                    .between(
                            RepairMember.here("one", new StoreReplicas(one).named("one")),
                            RepairMember.here("two", new StoreReplicas(two).named("two")))
                    .tableReports(results::add);
            repair.run(new RepairEnvironment(host, MoreExecutors.directExecutor(), ByteBudget.of(64 << 20)));
        }
        AgentPeer agent = new AgentPeer(address -> null, new InetSocketAddress("127.0.0.1", 1));

        results.tell(review);
        int exitCode = results.finish(List.of(new ClusterHold.Imported(agent, 0, Optional.empty())), review, false);
        command.endResult();
        return exitCode;
    }
}
