package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.RollbackPlan;
import io.anneal.dualdao.phase.PhaseRecord;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal migrate rollback}: one phase back, when nothing is lost by it. */
@Command(
        name = "rollback",
        description = "Goes one phase back; from 4 and 5 only after 'anneal migrate backfill --reverse'.")
final class MigrateRollbackCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Mixin
    private WhoOptions who;

    @Option(names = "--plan", description = "Only print where it leads and what would be lost.")
    private boolean plan;

    @Option(
            names = "--emergency",
            description =
                    "From 2 and 3 straight to 1, whatever instances and the target do. With --plan it tells the price.")
    private boolean emergency;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        try (MigrationOptions.OpenPhases phases = migration.open(this, false)) {
            PhaseControl control = phases.control();
            if (emergency) {
                return emergency(phases);
            }
            if (plan) {
                return printPlan(control.rollbackPlan());
            }
            PhaseRecord now = control.rollback(who.who(), who.why(""));
            printResult(now, phases.meaning(now));
        }
        return ExitCode.YES;
    }

    private int emergency(MigrationOptions.OpenPhases phases) throws IOException {
        List<String> price = phases.control().emergencyPrice();
        PhaseRecord now = plan ? phases.control().current() : phases.control().emergency(who.who(), who.why(""));
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            PhaseJson.write(json, now);
            json.writeArrayFieldStart("price");
            for (String sentence : price) {
                json.writeString(sentence);
            }
            json.writeEndArray();

            return ExitCode.YES;
        }
        if (!plan) {
            out().println("migration " + migration.name() + " is back in phase "
                    + now.phase().label() + ", version " + now.version());
        }
        out().println("the price:");
        price.forEach(sentence -> out().println("  " + sentence));
        return ExitCode.YES;
    }

    private int printPlan(RollbackPlan planned) throws IOException {
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            PhaseJson.write(json, planned);

        } else {
            out().println("from phase " + planned.from().label() + " to "
                    + planned.to().map(to -> "phase " + to.label()).orElse("nowhere"));
            out().println("  refused now: " + planned.refusal().orElse("no"));
            out().println(String.format(Locale.ROOT, "  keys that the origin may lack: %,d", planned.keysToCopy()));
            out().println("  lost without copying them back: " + planned.whatIsLost());
        }
        return planned.refusal().isEmpty() ? ExitCode.YES : ExitCode.GATE;
    }

    private void printResult(PhaseRecord now, List<String> meaning) throws IOException {
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            PhaseJson.write(json, now);

            return;
        }
        out().println("migration " + migration.name() + " is back in phase "
                + now.phase().label() + ", version " + now.version());
        meaning.forEach(sentence -> out().println("  " + sentence));
    }
}
