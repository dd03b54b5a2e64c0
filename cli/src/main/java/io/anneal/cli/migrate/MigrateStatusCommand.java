package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.InstanceState;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.MergedFacts;
import io.anneal.harness.PhaseText;
import io.anneal.io.PrintableText;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code anneal migrate status}: the phase in force, who acts by it, and what is missing for the next. */
@Command(
        name = "status",
        description =
                "Prints the phase, the instances with what they acknowledged, and what is missing for the next phase.")
final class MigrateStatusCommand extends Subcommand {
    private static final List<Counter> SHOWN = List.of(
            Counter.READS,
            Counter.WRITES,
            Counter.DELETES,
            Counter.ORIGIN_FAILED,
            Counter.TARGET_FAILED,
            Counter.FALLBACK_HITS,
            Counter.FALLBACK_MISSES,
            Counter.FALLBACK_ERRORS,
            Counter.MISMATCHES,
            Counter.DROPPED_READS,
            Counter.DROPPED_WRITES);

    @Mixin
    private MigrationOptions migration;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
    }

    @Override
    protected int execute() throws IOException {
        try (MigrationOptions.OpenPhases phases = migration.open(this, false)) {
            PhaseControl control = phases.control();
            PhaseRecord current = control.current();
            List<InstanceState> instances = control.instances();
            Readiness readiness = control.readiness();
            Optional<PhaseNote> end = control.end();
            MergedFacts facts = MergedFacts.of(phases.store().heartbeats(migration.name()));
            if (json()) {
                printJson(current, end, instances, readiness, facts);
            } else {
                print(current, phases.meaning(current), end, instances, readiness, facts);
            }
        }
        return ExitCode.YES;
    }

    private void print(
            PhaseRecord current,
            List<String> meaning,
            Optional<PhaseNote> end,
            List<InstanceState> instances,
            Readiness readiness,
            MergedFacts facts) {
        line(
                "migration %s: phase %s, version %d",
                migration.name(), current.phase().label(), current.version());
        meaning.forEach(sentence -> line("  %s", sentence));
        line("  since %s by %s%s", current.at(), current.who(), current.why().isEmpty() ? "" : ": " + current.why());
        end.ifPresent(note -> line(
                "  finished at %s by %s: there is no way back, take it out of the service ('anneal migrate finish --plan')",
                note.at(), note.who()));
        for (InstanceState instance : instances) {
            line(
                    "instance %s: %s%s, last heard of %s ago",
                    instance.name(),
                    !instance.serves()
                            ? "copies or compares"
                            : instance.acknowledged() ? "acts by it" : "does not act by it alone yet",
                    instance.silent()
                            ? instance.serves()
                                    ? ", SILENT"
                                    : ", SILENT, its process is gone: the next run, or 'anneal migrate dead', takes it off"
                            : "",
                    PhaseText.seconds(instance.silentFor()));
        }
        if (instances.isEmpty()) {
            line("no instances");
        }
        StringBuilder counts = new StringBuilder();
        for (Counter counter : SHOWN) {
            counts.append(String.format(Locale.ROOT, "  %s %,d", label(counter), facts.sum(counter)));
        }
        counts.append(String.format(
                Locale.ROOT,
                "  dirty keys %,d in the target, %,d in the origin",
                facts.sum(Facts.DIRTY_TARGET).orElse(0),
                facts.sum(Facts.DIRTY_ORIGIN).orElse(0)));
        line("counted:%s", counts);
        out().println(PhaseText.gates(readiness));
    }

    private static String label(Counter counter) {
        return counter.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private void line(String format, Object... facts) {
        out().println(PrintableText.of(String.format(Locale.ROOT, format, facts)));
    }

    private void printJson(
            PhaseRecord current,
            Optional<PhaseNote> end,
            List<InstanceState> instances,
            Readiness readiness,
            MergedFacts facts)
            throws IOException {
        JsonGenerator json = resultFields();
        json.writeStringField("name", migration.name());
        PhaseJson.write(json, current);
        json.writeBooleanField("finished", end.isPresent());
        json.writeArrayFieldStart("instances");
        for (InstanceState instance : instances) {
            PhaseJson.write(json, instance);
        }
        json.writeEndArray();
        json.writeObjectFieldStart("counters");
        for (Counter counter : Counter.values()) {
            json.writeNumberField(counter.name(), facts.sum(counter));
        }
        json.writeEndObject();
        json.writeNumberField("dirtyTarget", facts.sum(Facts.DIRTY_TARGET).orElse(0));
        json.writeNumberField("dirtyOrigin", facts.sum(Facts.DIRTY_ORIGIN).orElse(0));
        PhaseJson.write(json, readiness);
    }
}
