package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.harness.report.StoryEvent;
import io.anneal.harness.report.StoryRecorder;
import io.anneal.io.PrintableText;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code anneal migrate history}: every change of phase and every note, with who, when and why. */
@Command(name = "history", description = "Prints every change of phase and every note: who, when, why.")
final class MigrateHistoryCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
    }

    @Override
    protected int execute() throws IOException {
        try (MigrationOptions.OpenPhases phases = migration.open(this, false)) {
            phases.control().current();
            if (json()) {
                printJson(phases.control().history(), phases.control().notes());
            } else {
                List<StoryEvent> events = StoryRecorder.events(phases.store(), migration.name());
                events.forEach(event -> out().println(event.at() + "  " + PrintableText.of(event.text())));
            }
        }
        return ExitCode.YES;
    }

    private void printJson(List<PhaseRecord> history, List<PhaseNote> notes) throws IOException {
        JsonGenerator json = resultFields();
        json.writeStringField("name", migration.name());
        json.writeArrayFieldStart("history");
        for (PhaseRecord entry : history) {
            json.writeStartObject();
            PhaseJson.write(json, entry);
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("notes");
        for (PhaseNote note : notes) {
            json.writeStartObject();
            PhaseJson.write(json, note);
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
