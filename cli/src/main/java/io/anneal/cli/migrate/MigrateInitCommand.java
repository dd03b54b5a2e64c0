package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseRecord;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code anneal migrate init}: begins a migration, in phase 1. */
@Command(
        name = "init",
        description = {
            "Begins a migration: puts phase 1 into the phase store, once. Nothing else ever does that.",
            "Refuses where heartbeats, notes or the marks that are named show that it was begun before."
        })
final class MigrateInitCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Mixin
    private MarkOptions marks;

    @Mixin
    private WhoOptions who;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
        marks.addChecks(this, checks);
    }

    @Override
    protected int execute() throws IOException {
        try (MigrationOptions.OpenPhases phases = migration.open(this, true);
                MarkOptions.OpenMarks open = marks.open(this)) {
            PhaseRecord first = phases.control()
                    .create(who.who(), who.why("begin"), open.marks().toArray(PhaseMark[]::new));
            if (json()) {
                JsonGenerator json = resultFields();
                json.writeStringField("name", migration.name());
                PhaseJson.write(json, first);

            } else {
                out().println("migration " + migration.name() + " begins in phase "
                        + first.phase().label());
            }
        }
        return ExitCode.YES;
    }
}
