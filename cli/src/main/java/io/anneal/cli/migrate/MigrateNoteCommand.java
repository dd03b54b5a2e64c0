package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.phase.PhaseNote;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code anneal migrate note}: what happened beside the migration, on all its charts. */
@Command(name = "note", description = "Adds a dated event to the history and to all charts, as 'new cache deployed'.")
final class MigrateNoteCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Mixin
    private WhoOptions who;

    @Parameters(paramLabel = "TEXT", arity = "1..*", description = "What happened.")
    private List<String> words;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
    }

    @Override
    protected int execute() throws IOException {
        PhaseNote note;
        try (MigrationOptions.OpenPhases phases = migration.open(this, false)) {
            note = phases.control().note(who.who(), String.join(" ", words));
        }
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            PhaseJson.write(json, note);

        } else {
            out().println("noted at " + note.at());
        }
        return ExitCode.YES;
    }
}
