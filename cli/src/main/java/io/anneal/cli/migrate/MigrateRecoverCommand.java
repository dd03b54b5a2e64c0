package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.PhaseRecovery;
import io.anneal.dualdao.phase.PhaseRecord;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal migrate recover}: rebuilds the record that a phase store lost. */
@Command(
        name = "recover",
        description = {
            "Rebuilds the record that the phase store lost, or of which it got an older one back, from what instances and"
                    + " the target remember: the newest of it, never anything before.",
            "Says what it found and changes nothing without --yes; exits with 1 if there is nothing to rebuild, or what is"
                    + " remembered contradicts itself, with 3 if --yes is missing."
        })
final class MigrateRecoverCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Mixin
    private MarkOptions marks;

    @Mixin
    private WhoOptions who;

    @Option(names = "--yes", description = "Rebuild it. Name all directories of instances, and the target, before.")
    private boolean yes;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
        marks.addChecks(this, checks);
    }

    @Override
    protected int execute() throws IOException {
        marks.requireMemory(this, migration.name());
        try (MigrationOptions.OpenPhases phases = migration.open(this, true);
                MarkOptions.OpenMarks open = marks.open(this)) {
            PhaseRecovery recovery = PhaseRecovery.look(
                    phases.store(),
                    migration.name(),
                    open.marks(),
                    environment().clock());
            Optional<PhaseRecord> planned = recovery.planned(who.who(), who.why("recovered"));
            if (planned.isPresent() && yes) {
                planned = Optional.of(recovery.run(who.who(), who.why("recovered")));
            }
            print(recovery, planned);
            return planned.isEmpty() ? ExitCode.NO : yes ? ExitCode.YES : ExitCode.GATE;
        }
    }

    private void print(PhaseRecovery recovery, Optional<PhaseRecord> planned) throws IOException {
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            json.writeBooleanField("done", planned.isPresent() && yes);
            json.writeArrayFieldStart("found");
            for (PhaseRecovery.Finding finding : recovery.findings()) {
                json.writeString(finding.toString());
            }
            json.writeEndArray();
            if (planned.isPresent()) {
                PhaseJson.write(json, planned.get());
            }

            return;
        }
        recovery.findings().forEach(finding -> out().println("found " + finding));
        if (planned.isEmpty()) {
            out().println(
                            recovery.findings().isEmpty()
                                    ? "nothing that is named here remembers the migration " + migration.name()
                                    : "the phase store is not behind what remembers the migration " + migration.name());
            return;
        }
        PhaseRecord next = planned.get();
        out().println("migration " + migration.name() + (yes ? " goes on" : " would go on") + " in phase "
                + next.phase().label() + ", version " + next.version());
        out().println(
                        "  What opens the next phase has to be done anew; what no mark and no heartbeat tells is not known:"
                                + " a share of reads, and who was declared dead.");
        out().println(
                        "  The next step waits only for instances that have told the phase store of themselves since: see with"
                                + " 'anneal migrate status' that all are there before you take it.");
        if (!yes) {
            out().println("  Nothing was changed: name all directories of instances and the target, then add --yes.");
        }
    }
}
