package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.InstanceState;
import io.anneal.dualdao.control.Readiness;
import io.anneal.harness.PhaseText;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal migrate finish}: the point of no return. */
@Command(
        name = "finish",
        description = {
            "Ends a migration in phase 5: instances forget what the origin lacks, and there is no way back.",
            "Says what to take out of the service."
        })
final class MigrateFinishCommand extends Subcommand {
    private static final List<String> TAKE_OUT = List.of(
            "in the wiring, build the DAO of the target alone, where DualDao.builder(...) stands now",
            "delete the KeyCopy, the KeySource, the DAO of the origin and its data source",
            "delete the annotations @Read, @Write, ... and @Key from the interface, and the dependency anneal-dual-dao",
            "deploy that; when no instance is in 'anneal migrate status' any more, delete the directories of .directory(...)",
            "delete the phase store, the target's mark (table anneal_phase_mark) if there is one, and, when you are sure, the"
                    + " origin");

    @Mixin
    private MigrationOptions migration;

    @Mixin
    private WhoOptions who;

    @Option(
            names = "--plan",
            description = "Only print the gates and what to take out; exits with 3 if one is not met.")
    private boolean plan;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
    }

    @Override
    protected int execute() throws IOException {
        try (MigrationOptions.OpenPhases phases = migration.open(this, false)) {
            Readiness readiness = phases.control().finishReadiness();
            if (!plan) {
                phases.control().finish(who.who(), who.why(""));
            }
            String instances = phases.control().instances().stream()
                    .filter(InstanceState::serves)
                    .map(InstanceState::name)
                    .collect(Collectors.joining(", "));
            print(readiness, instances);
            return readiness.ready() ? ExitCode.YES : ExitCode.GATE;
        }
    }

    private void print(Readiness readiness, String instances) throws IOException {
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            if (plan) {
                PhaseJson.write(json, readiness);
            }
            json.writeBooleanField("finished", !plan);

            return;
        }
        if (plan) {
            out().println(PhaseText.gates(readiness));
        } else {
            out().println("migration " + migration.name() + " is finished, there is no way back");
        }
        out().println("take out of the service now running as " + (instances.isEmpty() ? "nobody" : instances) + ":");
        TAKE_OUT.forEach(line -> out().println("  - " + line));
    }
}
