package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.PhaseControl;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code anneal migrate dead}: takes off instances that no step need wait for any more. */
@Command(
        name = "dead",
        description = {
            "Takes silent instances off, on your word that their processes are gone; no step waits for them then.",
            "Watches each for a few seconds, and refuses if it lives all the same."
        })
final class MigrateDeadCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Mixin
    private WhoOptions who;

    @Parameters(paramLabel = "ID", arity = "1..*", description = "The instances, by their names in 'migrate status'.")
    private List<String> instances;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        try (MigrationOptions.OpenPhases phases = migration.open(this, false)) {
            for (String instance : instances) {
                phases.control().declareDead(instance, who.who(), who.why("declared dead"), duration -> {
                    say("watching for " + duration.toMillis() + " ms whether " + instance + " is silent");
                    PhaseControl.Sleeper.THREAD.sleep(duration);
                });
            }
        }
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            json.writeArrayFieldStart("instances");
            for (String instance : instances) {
                json.writeString(instance);
            }
            json.writeEndArray();

        } else {
            instances.forEach(instance -> out().println("instance " + instance + " is declared dead"));
        }
        return ExitCode.YES;
    }
}
