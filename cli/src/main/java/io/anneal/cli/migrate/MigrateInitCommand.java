package io.anneal.cli.migrate;

import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.JsonResult;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.phase.PhaseRecord;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code anneal migrate init}: begins a migration, in phase 1. */
@Command(
        name = "init",
        description = "Begins a migration: puts phase 1 into the phase store, once. Nothing else ever does that.")
final class MigrateInitCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Mixin
    private WhoOptions who;

    @Override
    protected int execute() throws IOException {
        try (MigrationOptions.OpenPhases phases = migration.open(this, true)) {
            PhaseRecord first = phases.control().create(who.who(), who.why("begin"));
            if (json()) {
                try (JsonResult result = new JsonResult(out(), "migrate init")) {
                    result.fields().writeStringField("name", migration.name());
                    PhaseJson.write(result.fields(), first);
                }
            } else {
                out().println("migration " + migration.name() + " begins in phase "
                        + first.phase().label());
            }
        }
        return ExitCode.YES;
    }
}
