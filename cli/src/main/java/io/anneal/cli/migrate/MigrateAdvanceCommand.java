package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.harness.PhaseText;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal migrate advance}: one phase on, when its gates are met. */
@Command(
        name = "advance",
        description = "Goes one phase on if every gate is met; exits with 3 and says what is missing if not.")
final class MigrateAdvanceCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Mixin
    private WhoOptions who;

    @Option(names = "--plan", description = "Only print the gates of the step; exits with 3 if one is not met.")
    private boolean plan;

    @Option(
            names = "--force-gates",
            description = "Go on without gates that are not met. Acknowledgements are never left out.")
    private boolean forceGates;

    @Option(
            names = "--to-share",
            paramLabel = "PERCENT",
            description =
                    "Of phase 3 alone: stay there and read this share of the keys from the target, 0 to 100. In 2 it"
                            + " is what 3 will begin with.")
    private Integer share;

    @Option(
            names = "--verified-within",
            paramLabel = "TIME",
            defaultValue = "24h",
            converter = DurationConverter.class,
            description = "How long ago the verification may have ended by which 3b and 4 are entered; "
                    + "${DEFAULT-VALUE} by default.")
    private Duration verifiedWithin;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
        checks.add("--to-share", () -> require(share >= 0 && share <= 100, "--to-share takes a number from 0 to 100"))
                .add(
                        "--verified-within",
                        () -> require(!verifiedWithin.isZero(), "--verified-within takes a duration above 0"))
                .add(
                        List.of("--plan", "--to-share", "--force-gates"),
                        () -> require(
                                !plan || share == null && !forceGates,
                                "--plan changes nothing, so it goes without --to-share and --force-gates"));
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        ControlPolicy policy = ControlPolicy.DEFAULTS.withVerifiedWithin(verifiedWithin);
        try (MigrationOptions.OpenPhases phases = migration.open(this, false, policy)) {
            PhaseControl control = phases.control();
            if (plan) {
                return printPlan(control.readiness());
            }
            PhaseRecord now = share == null ? advance(control) : share(control);
            printResult(now, phases.meaning(now));
        }
        return ExitCode.YES;
    }

    private PhaseRecord advance(PhaseControl control) {
        return control.advance(who.who(), who.why(""), forceGates);
    }

    private PhaseRecord share(PhaseControl control) {
        return control.readShare(share, who.who(), who.why(""));
    }

    private int printPlan(Readiness readiness) throws IOException {
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            PhaseJson.write(json, readiness);

        } else {
            out().println(PhaseText.gates(readiness));
        }
        return readiness.ready() ? ExitCode.YES : ExitCode.GATE;
    }

    private void printResult(PhaseRecord now, List<String> meaning) throws IOException {
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            PhaseJson.write(json, now);

            return;
        }
        out().println("migration " + migration.name() + " is in phase "
                + now.phase().label() + " now, version " + now.version());
        meaning.forEach(sentence -> out().println("  " + sentence));
    }
}
