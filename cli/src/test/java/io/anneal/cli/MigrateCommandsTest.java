package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.dualdao.control.BulkOrders;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.FilePhaseMark;
import io.anneal.dualdao.phase.FilePhaseStore;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MigrateCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** The moment at which commands run here. */
    private static final Clock NOW = Clock.fixed(Instant.ofEpochSecond(1_795_225_134), ZoneOffset.UTC);

    @TempDir
    private Path directory;

    private String phaseStore;

    @BeforeEach
    void setUp() {
        phaseStore = "file:" + directory.resolve("phases");
    }

    private CommandRun run(String command, Object... more) {
        Object[] args = Stream.concat(
                        Stream.of("migrate", command, "--name", "orders", "--phase-store", phaseStore), Stream.of(more))
                .toArray();
        return CommandRun.of(args);
    }

    private void shouldDo(String command, Object... more) {
        CommandRun run = run(command, more);
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    private static void assertError(CommandRun run, int exitCode, String code, String... facts) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(exitCode);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("anneal: error " + code + ": ")
                .contains(facts);
    }

    private PhaseStore store() {
        return new FilePhaseStore(directory.resolve("phases"));
    }

    private void heartbeat(String instance, long version) {
        heartbeat(instance, version, NOW.instant());
    }

    private void heartbeat(String instance, long version, Instant at) {
        heartbeat(instance, version, at, "MIGRATION");
    }

    private void heartbeat(String instance, long version, Instant at, String mode) {
        try (PhaseStore store = store()) {
            store.heartbeat(
                    "orders",
                    new Heartbeat(instance, version, true, at, Map.of("kind", "dao", "mode", mode, "pollMillis", "1")));
        }
    }

    /** Leaves the notes that the gates to phase 3 look for. */
    private void fillAndVerify() {
        try (PhaseStore store = store()) {
            PhaseControl control = PhaseControl.of(store, "orders", NOW, ControlPolicy.DEFAULTS);
            control.finish(control.begin(), PhaseNote.Kind.BACKFILL, "ada", Map.of("rows", "7"));
            control.finish(control.begin(), PhaseNote.Kind.VERIFICATION, "ada", Map.of("mismatches", "0", "rows", "1"));
        }
    }

    @Test
    void shouldFinishInPhaseFiveAloneAndSayWhatToTakeOut() {
        shouldDo("init");
        assertError(run("finish"), 3, "ANL-5001", "step=in phase 1", "phase 5");
        for (int i = 0; i < 5; i++) {
            shouldDo("advance", "--force-gates");
        }
        assertThat(run("finish", "--plan").out()).contains("take out of the service");

        CommandRun finished = run("finish", "--who", "ada");

        assertThat(finished.exitCode()).as(finished.err()).isZero();
        assertThat(finished.out()).contains("there is no way back", "delete the KeyCopy");
        assertThat(run("history").out()).containsOnlyOnce("finished, no way back (ada)");
        assertError(run("rollback"), 3, "ANL-5001", "step=5 to 4", "was finished");
        assertThat(run("status").out()).contains("by ada: there is no way back");
    }

    @Test
    void shouldTakeOneLineForTheHistoryAndNothingElse() {
        for (String name : List.of(" ", "a\nb", "x".repeat(400))) {
            CommandRun begun = CommandRun.of("migrate", "init", "--name", name, "--phase-store", phaseStore);
            assertError(begun, 2, "ANL-4001", "name");
        }
        shouldDo("init");
        for (String text :
                List.of("", " ", "a\n2026-11-28T13:45:00Z  to phase 1", "\u001b[31mred", "x".repeat(1_001))) {
            assertError(run("note", text), 2, "ANL-4001", "note");
        }
        assertError(run("note", "fine", "--who", "a\nb"), 2, "ANL-4001", "--who");
        assertError(run("advance", "--why", "a\nb"), 2, "ANL-4001", "--why");
        shouldDo("note", "x".repeat(1_000));
        try (PhaseStore store = store()) {
            store.addNote(
                    "orders",
                    new PhaseNote(
                            NOW.instant(), 1, "b\u001bb", PhaseNote.Kind.TEXT, Map.of("text", "from\nelsewhere")));
        }

        assertThat(run("history").out()).contains("from\\u000aelsewhere (b\\u001bb)");
    }

    @Test
    void shouldNoteWhatHappenedBeside() {
        shouldDo("init");

        assertThat(run("note", "new", "cache", "--who", "ada").out()).startsWith("noted at 20");

        assertThat(run("history").out()).contains("new cache (ada)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "migrate",
                "migrate nonsense",
                "migrate status",
                "migrate status --name x",
                "migrate status --name x --phase-store nonsense:",
                "migrate status --name x --phase-store memory:",
                "migrate advance --name x --phase-store file:/nowhere --to-share 101",
                "migrate advance --name x --phase-store file:/nowhere --plan --force-gates",
                "migrate dead --name x --phase-store file:/nowhere",
                "migrate advance --name x --phase-store file:/nowhere --verified-within 0s",
                "migrate backfill --name x --phase-store file:/nowhere --checkpoint c",
                "migrate verify --name x --phase-store file:/nowhere --repair --origin embedded:a --target embedded:b",
                "migrate backfill --name x --phase-store file:/nowhere --origin memory: --target memory:",
                "migrate backfill --name x --phase-store file:/nowhere --origin nonsense: --target embedded:b",
                "migrate backfill --reverse --rate 5 --name x --phase-store file:/nowhere",
                "migrate verify --rate 0 --name x --phase-store file:/nowhere",
                "migrate verify --rate -5 --name x --phase-store file:/nowhere",
                "migrate verify --replace --name x --phase-store file:/nowhere --origin embedded:a --target embedded:b",
                "migrate backfill --name x --phase-store file:/nowhere --origin-conf x",
                "migrate verify --name x --phase-store file:/nowhere --origin embedded:a",
                "migrate run --origin embedded:a",
                "migrate run --origin embedded:a --target embedded:a",
                "migrate run --origin cassandra://127.0.0.1 --target memory:",
                "migrate run --origin cassandra://127.0.0.1:x/ks --target memory:",
                "migrate status --name x --phase-store cassandra://127.0.0.1:9042",
                "migrate status --phase-store file:/nowhere",
                "migrate run --bake soon",
                "migrate run --duration 0s",
                "migrate run --mix 1:2",
                "migrate run --auto --no-load --origin dao:com.acme.Orders --target memory:",
                "migrate run --work --no-load --origin memory: --target dao:com.acme.Orders",
                "migrate run --rate 0",
                "migrate run --mode nonsense",
                "migrate run --report story.pdf",
                "migrate run --phase-store file:/nowhere",
                "migrate run --dashboard 70000 --duration 1s --no-load"
            })
    void shouldTellUsageErrorInOneLine(String commandLine) {
        CommandRun run = CommandRun.inTime((Object[]) commandLine.split(" "));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().startsWith("anneal: error ANL-400");
    }

    @Test
    void shouldBeginOnceAndOnlyWhenTold() {
        assertError(run("status"), 1, "ANL-5002", "orders");
        assertError(run("advance"), 1, "ANL-5002", "orders");
        shouldDo("init", "--who", "ada");
        assertThat(run("status").out()).contains("phase 1", "ada");
        assertError(run("init"), 1, "ANL-4002", "orders");
    }

    @Test
    void shouldRefuseStepWhoseGateIsNotMetAndSayWhy() throws IOException {
        shouldDo("init");
        shouldDo("advance", "--why", "both from now on");
        assertError(run("advance"), 3, "ANL-5001", "backfill", "verification");
        CommandRun plan = run("advance", "--plan");
        assertThat(plan.exitCode()).isEqualTo(3);
        assertThat(plan.out()).contains("2 to 3", "not met", "backfill", "verification");
        JsonNode json = JSON.readTree(run("advance", "--plan", "--json").out());
        assertThat(json.at("/next/ready").asBoolean()).isFalse();
        assertThat(json.at("/next/gates").findValuesAsText("gate")).contains("instances", "backfill");
        fillAndVerify();
        assertThat(run("advance", "--plan").exitCode()).isZero();
        shouldDo("advance");
        assertThat(run("status").out()).contains("phase 3");
    }

    @Test
    void shouldRefuseAtOnceToOrderWhatNobodyWouldDo() {
        shouldDo("init");
        for (String command : List.of("backfill", "verify")) {
            assertError(run(command), 3, "ANL-5001", "phase");
        }
        shouldDo("advance");
        try (PhaseStore store = store()) {
            new BulkOrders(PhaseControl.of(store, "orders", NOW, ControlPolicy.DEFAULTS))
                    .place(BulkOrders.Order.of(PhaseNote.Kind.VERIFICATION, false, 0, "ada"), false);
        }

        assertError(run("backfill"), 3, "ANL-5001", "a verification that ada ordered at", "--replace");
        assertError(run("backfill", "--replace", "--wait", "0s"), 3, "ANL-5001", "no instance did it");
        assertThat(run("history").out()).contains("order failed", "replaced by an order of", "no instance did it");
        assertError(run("verify", "--wait", "0s"), 3, "ANL-5001", "no instance did it");
    }

    @Test
    void shouldSayWhatPhasesMeanInTestMode() {
        shouldDo("init");
        for (int version = 1; version <= 4; version++) {
            heartbeat("node-1", version, NOW.instant(), "TEST");
            CommandRun step = run(version == 4 ? "rollback" : "advance");
            assertThat(step.exitCode()).as(step.err()).isZero();
            assertThat(step.out())
                    .contains("The origin is written and answers.")
                    .doesNotContain("alone", "Reads go to the target", "both stores");
        }
    }

    @Test
    void shouldForceGatesButNeverAcknowledgements() {
        shouldDo("init");
        heartbeat("node-1", 1);
        shouldDo("advance");
        assertError(run("advance", "--force-gates"), 3, "ANL-5001", "node-1");
        heartbeat("node-1", 2);
        shouldDo("advance", "--force-gates", "--why", "known to be complete");
        assertThat(run("status").out()).contains("phase 3", "node-1");
    }

    @Test
    void shouldGoOnWithoutAnInstanceThatIsDeclaredDead() {
        shouldDo("init");
        assertError(run("rollback", "--emergency", "--plan"), 3, "ANL-5001", "phase 1 is the first");
        heartbeat("node-1", 1);
        shouldDo("advance");
        assertError(run("rollback"), 3, "ANL-5001", "node-1");
        assertError(run("dead", "node-1"), 1, "ANL-4002", "node-1");
        heartbeat("node-1", 1, NOW.instant().minusSeconds(3600));
        shouldDo("dead", "node-1", "--why", "its machine burnt");
        shouldDo("rollback");
        assertThat(run("history").out()).contains("node-1", "back to phase 1");
    }

    @Test
    void shouldRebuildALostRecordFromMarksAndOnlyWhenToldSo() throws IOException {
        Path node = directory.resolve("node-1");
        new FilePhaseMark(node).remember("orders", new PhaseMark.Seen(5, Phase.WRITE_TARGET, Phase.WRITE_TARGET));
        assertThat(run("recover").exitCode()).isEqualTo(1);
        assertError(run("init", "--directory", node), 1, "ANL-5002", "anneal migrate recover");

        assertError(
                run("recover", "--directory", node, "--directory", directory.resolve("nod-2"), "--yes"),
                2,
                "ANL-4001",
                "nod-2");

        CommandRun looked = run("recover", "--directory", node);
        assertThat(looked.exitCode()).as(looked.err()).isEqualTo(3);
        assertThat(looked.out()).contains("version 5, phase 4", "would go on in phase 4, version 6", "--yes");
        assertError(run("status"), 1, "ANL-5002", "orders");
        shouldDo("recover", "--directory", node, "--yes", "--who", "ada");
        JsonNode status = JSON.readTree(run("status", "--json").out());
        assertThat(status.path("phase").asText()).isEqualTo("4");
        assertThat(status.path("version").asInt()).isEqualTo(6);
        assertThat(run("recover", "--directory", node).out()).contains("not behind");
    }

    @Test
    void shouldGoBackInAnEmergencyAndTellThePrice() throws IOException {
        shouldDo("init");
        heartbeat("node-1", 1);
        shouldDo("advance");
        assertError(run("rollback"), 3, "ANL-5001", "node-1");
        assertThat(run("rollback", "--emergency", "--plan").out()).contains("the price:", "node-1");
        assertThat(run("status").out()).contains("phase 2");
        assertThat(run("rollback", "--emergency", "--why", "fire").out())
                .contains("is back in phase 1", "Not sure to see it: node-1", "a back-fill and a verification");
        assertError(run("rollback", "--emergency"), 3, "ANL-5001", "phase 1 is the first");
    }

    @Test
    void shouldReadAShareOfTheKeysFromTheTarget() throws IOException {
        shouldDo("init");
        shouldDo("advance");
        fillAndVerify();
        shouldDo("advance");
        shouldDo("advance", "--to-share", "25");
        JsonNode status = JSON.readTree(run("status", "--json").out());
        assertThat(status.path("phase").asText()).isEqualTo("3");
        assertThat(status.path("readSharePercent").asInt()).isEqualTo(25);
        assertThat(status.path("schema").asInt()).isEqualTo(1);
        assertError(run("advance"), 3, "ANL-5001", "share");
    }

    @Test
    void shouldPrintWhatARollbackWouldLose() throws IOException {
        shouldDo("init");
        assertThat(run("rollback", "--plan").exitCode()).isEqualTo(3);
        shouldDo("advance");
        fillAndVerify();
        shouldDo("advance");
        CommandRun free = run("rollback", "--plan");
        assertThat(free.exitCode()).isZero();
        assertThat(free.out()).contains("from phase 3 to phase 2", "lost");
        shouldDo("advance", "--force-gates");
        shouldDo("advance", "--force-gates");
        CommandRun refused = run("rollback", "--plan");
        assertThat(refused.exitCode()).isEqualTo(3);
        assertThat(refused.out()).contains("from phase 4", "--reverse", "lost");
        JsonNode json = JSON.readTree(run("rollback", "--plan", "--json").out());
        assertThat(json.path("refusal").asText()).isNotBlank();
        assertThat(json.path("lost").asText()).isNotBlank();
        assertError(run("rollback"), 3, "ANL-5001", "reverse");
    }

    @Test
    void shouldTellHistoryWithWhoWhenAndWhy() throws IOException {
        shouldDo("init", "--who", "ada", "--why", "the old store is slow");
        shouldDo("advance", "--who", "ben", "--why", "it is Monday");
        assertThat(run("history").out().lines())
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).startsWith("2026-"));
        assertThat(run("history").out()).contains("ada: the old store is slow", "ben: it is Monday");
        JsonNode json = JSON.readTree(run("history", "--json").out());
        assertThat(json.path("history").findValuesAsText("why"))
                .containsExactly("the old store is slow", "it is Monday");
        assertError(
                CommandRun.of("migrate", "history", "--name", "other", "--phase-store", phaseStore),
                1,
                "ANL-5002",
                "other");
    }

    @Test
    void shouldCopyAndCompareWholeStores() throws IOException {
        String origin = "embedded:" + directory.resolve("origin");
        String target = "embedded:" + directory.resolve("target");
        fill(origin, target);
        shouldDo("init");
        assertError(run("backfill", "--origin", origin, "--target", target), 3, "ANL-5001", "phase");
        shouldDo("advance");
        CommandRun differs = run("verify", "--origin", origin, "--target", target);
        assertThat(differs.exitCode()).as(differs.err()).isEqualTo(1);
        assertThat(differs.out()).contains("only in the origin");
        CommandRun copied = run("backfill", "--origin", origin, "--target", target);
        assertThat(copied.exitCode()).as(copied.err()).isZero();
        assertThat(copied.out()).contains("rows", "copied");
        JsonNode same = JSON.readTree(
                run("verify", "--origin", origin, "--target", target, "--json").out());
        assertThat(same.path("entries").asLong()).isPositive();
        assertThat(same.path("onlyOrigin").asLong()).isZero();
        shouldDo("advance");
    }

    @Test
    void shouldNotTakeAWrongPathForAnEmptyStore() {
        shouldDo("init");
        shouldDo("advance");
        String none = "embedded:" + directory.resolve("none");
        for (String command : List.of("backfill", "verify")) {
            assertError(run(command, "--origin", none, "--target", none + "2"), 1, "ANL-3005", none);
        }
        assertThat(directory.resolve("none")).doesNotExist();
    }

    @Test
    void shouldSayOfAFileThatItIsNoPhaseStore() throws IOException {
        Files.createFile(directory.resolve("phases"));
        for (String command : List.of("status", "init", "page")) {
            assertError(run(command), 1, "ANL-5002", directory.resolve("phases").toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "advance", "verify"})
    void shouldListExitCodes(String command) {
        assertThat(CommandRun.of("migrate", command, "--help").out())
                .contains("Exit codes:", "3   A gate is not met", "4   'run --auto' turned back");
    }

    /** Some partitions, written by a run that follows phase 1 of a migration of its own. */
    private void fill(String origin, String target) {
        CommandRun filled = CommandRun.inTime(
                "migrate",
                "run",
                "--origin",
                origin,
                "--target",
                target,
                "--duration",
                "100ms",
                "--keys",
                "20",
                "--rate",
                "10",
                "--bake",
                "1s");
        assertThat(filled.exitCode()).as(filled.out() + filled.err()).isZero();
    }
}
