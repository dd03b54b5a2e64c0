package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.migrate.MigrateRunCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs; how long they take decides nothing, the bounds are for those that hang. */
final class MigrateRunTest {
    @TempDir
    private Path directory;

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void shouldWalkFromOneStoreToAnotherAndTellTheStory() throws IOException {
        Path report = directory.resolve("story.html");
        CommandRun run = CommandRun.inTime(
                "migrate",
                "run",
                "--auto",
                "--duration",
                "4m",
                "--bake",
                "200ms",
                "--seed",
                "1",
                "--keys",
                "50",
                "--rate",
                "50",
                "--report",
                report);
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .containsSubsequence(
                        "Phase 1", "Phase 2", "back-fill", "verification", "Phase 3", "Phase 4", "Phase 5", "Done")
                .contains("fallbacks: 0 hits", "0 lost writes, 0 resurrected deletes, 0 stale reads");
        assertThat(Files.readString(report)).contains("to phase 5", "<svg");
        String temporary = run.out().replaceAll("(?s).*embedded:(\\S+)/origin.*", "$1");
        assertThat(Path.of(temporary)).doesNotExist();
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void shouldGoBackAndExitWith4WhenTheTargetLosesWrites() throws IOException {
        CommandRun run = CommandRun.inTime(
                "migrate",
                "run",
                "--auto",
                "--json",
                "--duration",
                "3m",
                "--gate-timeout",
                "15s",
                "--bake",
                "200ms",
                "--seed",
                "1",
                "--keys",
                "20",
                "--rate",
                "50",
                "--origin",
                "memory:",
                "--target",
                "memory:?lossy=1");
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(4);
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertThat(json.path("outcome").asText()).isEqualTo("rolled_back");
        assertThat(json.path("phase").asText()).isEqualTo("1");
        assertThat(json.path("reason").asText()).contains("back-fill failed", "sides differ");
        assertThat(json.at("/check/lostWrites").asLong()).isZero();
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void shouldFollowPhasesThatOthersSwitchUntilItsTimeIsOver() {
        String phases = "file:" + directory.resolve("phases");
        assertThat(CommandRun.inTime("migrate", "init", "--name", "m", "--phase-store", phases)
                        .exitCode())
                .isZero();
        CommandRun run = CommandRun.inTime(
                "migrate",
                "run",
                "--name",
                "m",
                "--phase-store",
                phases,
                "--directory",
                directory.resolve("node-1"),
                "--origin",
                "memory:",
                "--target",
                "memory:",
                "--no-load",
                "--duration",
                "300ms",
                "--bake",
                "1s",
                "--dashboard");
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).contains("Phase 1", "Ended in phase 1");
        assertThat(run.err()).contains("page: http://127.0.0.1:", "#token=");
        // It took itself off.
        assertThat(CommandRun.inTime("migrate", "status", "--name", "m", "--phase-store", phases)
                        .out())
                .contains("no instances");
    }

    /** Each store is open to the instance alone; phases are switched by commands beside it. */
    @Test
    @Timeout(value = 9, unit = TimeUnit.MINUTES)
    void shouldDoWhatGatesAskForWhenOthersSwitchThePhases() throws Exception {
        String phases = "file:" + directory.resolve("phases");
        assertThat(CommandRun.inTime("migrate", "init", "--name", "m", "--phase-store", phases)
                        .exitCode())
                .isZero();
        AtomicReference<CommandRun> ended = new AtomicReference<>();
        Thread instance = new Thread(() -> ended.set(CommandRun.inTime(
                "migrate",
                "run",
                "--work",
                "--name",
                "m",
                "--phase-store",
                phases,
                "--directory",
                directory.resolve("node-1"),
                "--origin",
                "embedded:" + directory.resolve("origin"),
                "--target",
                "embedded:" + directory.resolve("target"),
                "--keys",
                "20",
                "--rate",
                "20",
                "--bake",
                "1s")));
        instance.start();
        try {
            switchTo("1", phases, "advance");
            switchTo("2", phases, "advance");
            switchTo("3", phases, "advance", "--force-gates");
            switchTo("3b", phases, "advance");
            CommandRun back = CommandRun.inTime(
                    "migrate", "backfill", "--reverse", "--name", "m", "--phase-store", phases, "--wait", "2m");
            assertThat(back.exitCode()).as(back.err()).isZero();
            assertThat(back.out()).contains("complete again");
            switchTo("3b", phases, "rollback");
        } finally {
            instance.interrupt();
            instance.join();
        }
        assertThat(ended.get().exitCode()).as(ended.get().err()).isEqualTo(130);
        assertThat(ended.get().out())
                .contains("back-fill", "verification", "Ended in phase 3")
                .contains("0 lost writes, 0 resurrected deletes, 0 stale reads");
    }

    /** Tries again and again while the command says that a gate is not met. */
    private static void switchTo(String from, String phases, String... step) throws InterruptedException {
        List<Object> args = new ArrayList<>(List.of("migrate"));
        args.addAll(List.of(step));
        args.addAll(List.of("--name", "m", "--phase-store", phases));
        CommandRun run = CommandRun.inTime(args.toArray());
        for (int tries = 0; run.exitCode() == ExitCode.GATE && tries < 600; tries++) {
            Thread.sleep(100);
            run = CommandRun.inTime(args.toArray());
        }
        assertThat(run.exitCode()).as("from phase %s: %s", from, run.err()).isZero();
    }

    @Test
    void shouldRefuseToWalkInATimeThatIsTooShortToWatchEachPhase() {
        CommandRun run = CommandRun.inTime(
                "migrate", "run", "--auto", "--duration", "20s", "--origin", "memory:", "--target", "memory:");
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(2);
        assertThat(run.err()).contains("--duration is too short", "5m");
    }

    @Test
    void shouldNotBeginWhatNobodyBegan() {
        CommandRun run = CommandRun.inTime(
                "migrate",
                "run",
                "--phase-store",
                "file:" + directory.resolve("phases"),
                "--directory",
                directory.resolve("node-1"),
                "--origin",
                "memory:",
                "--target",
                "memory:");
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(1);
        assertThat(run.err()).contains("anneal: error ANL-5002");
    }

    @Test
    void shouldNameInstancesOfTwoDirectoriesDifferently() {
        String place = MigrateRunCommand.place(Path.of("/a/dual"));

        assertThat(place).startsWith("dual-").isEqualTo(MigrateRunCommand.place(Path.of("/a/b/../dual")));
        assertThat(MigrateRunCommand.place(Path.of("/b/dual"))).isNotEqualTo(place);
    }
}
