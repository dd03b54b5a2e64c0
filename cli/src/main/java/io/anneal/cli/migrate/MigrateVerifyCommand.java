package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.BulkOrders;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.harness.BulkWork;
import io.anneal.harness.MigrationSides;
import io.anneal.harness.store.Delayer;
import io.anneal.migrate.bulk.BulkMismatch;
import io.anneal.migrate.bulk.VerificationResult;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal migrate verify}: compares both sides, in both directions. */
@Command(
        name = "verify",
        description =
                "Compares all rows of both stores, in both directions; exits with 1 if some differ. Without --origin and"
                        + " --target an instance does it that was built with keys.")
final class MigrateVerifyCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Mixin
    private SidesOptions sides;

    @Mixin
    private BulkOptions bulk;

    @Mixin
    private WhoOptions who;

    @Option(
            names = "--repair",
            description =
                    "Makes good what differs, on the side that is not right; of an instance that was built with keys.")
    private boolean repair;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
        sides.addChecks(this, checks);
        sides.addBulkChecks(checks);
        bulk.addChecks(this, checks, !sides.none(), true);
        checks.add(
                "--repair",
                () -> require(sides.none(), "--repair is done by an instance: leave --origin and --target out"));
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        if (sides.none()) {
            return order();
        }
        VerificationResult found;
        try (MigrationOptions.OpenPhases phases = migration.open(this, false);
                MigrationSides open = sides.open(this, Delayer.NONE, false);
                Progress progress = progress("comparing")) {
            phases.control().current();
            BulkWork work = new BulkWork(
                    open,
                    phases.store(),
                    phases.control(),
                    bulk.settings(who.who(), progress),
                    environment().clock());
            found = work.verification();
        }
        print(found);
        return found.clean() ? ExitCode.YES : ExitCode.NO;
    }

    private int order() throws IOException, InterruptedException {
        BulkOrders.Order order = bulk.order(PhaseNote.Kind.VERIFICATION, repair, who.who());
        try (MigrationOptions.OpenPhases phases = migration.open(this, false)) {
            return new OrderedWork(this, "verify", migration.name(), bulk.waiting(), bulk.replaces())
                    .run(phases.control(), order);
        }
    }

    private void print(VerificationResult result) throws IOException {
        if (json()) {
            printJson(result);
            return;
        }
        out().println(String.format(
                Locale.ROOT,
                "%,d rows compared in %.1f s: %,d only in the origin, %,d only in the target, %,d different;"
                        + " %,d differed at first and not when they were read again",
                result.entries(),
                result.seconds(),
                result.onlyOrigin(),
                result.onlyTarget(),
                result.different(),
                result.cleared()));
        if (result.writtenPast() > 0) {
            out().println(String.format(
                    Locale.ROOT,
                    "%,d of them came to the origin after both sides were written: somebody writes past the dual DAO",
                    result.writtenPast()));
        }
        if (!result.complete()) {
            out().println("not all was compared: there were too many mismatches to go on");
        }
        result.samples().forEach(sample -> out().println("  " + sample));
    }

    private void printJson(VerificationResult compared) throws IOException {
        JsonGenerator json = resultFields();
        json.writeStringField("name", migration.name());
        json.writeNumberField("entries", compared.entries());
        json.writeNumberField("onlyOrigin", compared.onlyOrigin());
        json.writeNumberField("onlyTarget", compared.onlyTarget());
        json.writeNumberField("different", compared.different());
        json.writeNumberField("cleared", compared.cleared());
        json.writeNumberField("writtenPast", compared.writtenPast());
        json.writeBooleanField("complete", compared.complete());
        json.writeNumberField("seconds", compared.seconds());
        json.writeArrayFieldStart("samples");
        for (BulkMismatch sample : compared.samples()) {
            json.writeString(sample.toString());
        }
        json.writeEndArray();
    }
}
