package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ByteSize;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.BulkOrders;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.harness.BulkWork;
import io.anneal.harness.MigrationSides;
import io.anneal.harness.store.Delayer;
import io.anneal.migrate.bulk.BackfillResult;
import io.anneal.migrate.bulk.ReverseResult;
import io.anneal.migrate.bulk.VerificationResult;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal migrate backfill}: copies what is old to the target; or on the way back what is new to the origin. */
@Command(
        name = "backfill",
        description =
                "Copies all of the origin to the target, with write times and TTLs, in phase 2 or 3. Without --origin and"
                        + " --target an instance does it that was built with keys.")
final class MigrateBackfillCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Mixin
    private SidesOptions sides;

    @Mixin
    private BulkOptions bulk;

    @Mixin
    private WhoOptions who;

    @Option(
            names = "--reverse",
            description =
                    "The way back from 4 or 5: to 3b step by step, until every key written since 4 is in the origin"
                            + " again; then compares both sides.")
    private boolean reverse;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
        sides.addChecks(this, checks);
        sides.addBulkChecks(checks);
        bulk.addChecks(this, checks, !sides.none(), !reverse);
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        if (sides.none()) {
            return reverse ? stepBack() : order();
        }
        try (MigrationOptions.OpenPhases phases = migration.open(this, false);
                MigrationSides open = sides.open(this, Delayer.NONE, false);
                Progress progress = progress(reverse ? "comparing" : "copying")) {
            phases.control().current();
            BulkWork work = new BulkWork(
                    open,
                    phases.store(),
                    phases.control(),
                    bulk.settings(who.who(), progress),
                    environment().clock());
            if (reverse) {
                return print(work.reverse(bulk.waiting()));
            }
            print(work.backfill());
        }
        return ExitCode.YES;
    }

    private OrderedWork ordered() {
        return new OrderedWork(this, "backfill", migration.name(), bulk.waiting(), bulk.replaces());
    }

    private int order() throws IOException, InterruptedException {
        BulkOrders.Order order = bulk.order(PhaseNote.Kind.BACKFILL, false, who.who());
        try (MigrationOptions.OpenPhases phases = migration.open(this, false)) {
            return ordered().run(phases.control(), order);
        }
    }

    /** The stores are open to their instances alone, which copy and compare. */
    private int stepBack() throws IOException, InterruptedException {
        PhaseRecord back;
        boolean complete;
        try (MigrationOptions.OpenPhases phases = migration.open(this, false)) {
            PhaseControl control = phases.control();
            back = control.reverseToBoth(who.who(), "the way back", bulk.waiting(), PhaseControl.Sleeper.THREAD);
            if (!control.originIsWhole()) {
                ordered().await(control, bulk.order(PhaseNote.Kind.VERIFICATION, true, who.who()));
            }
            complete = control.originIsWhole();
        }
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            PhaseJson.write(json, back);

        } else {
            out().println(told(complete));
        }
        return complete ? ExitCode.YES : ExitCode.NO;
    }

    private static String told(boolean complete) {
        return complete
                ? "the origin is complete again: 'anneal migrate rollback' leads to phase 3 now"
                : "the origin is not complete: run it again, or look at what differs with 'anneal migrate verify'";
    }

    private int print(ReverseResult done) throws IOException {
        VerificationResult found = done.verification();
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            PhaseJson.write(json, done.phase());
            json.writeNumberField("entries", found.entries());
            json.writeNumberField("repaired", found.repaired());
            json.writeNumberField("mismatches", found.mismatches());

        } else {
            out().println(String.format(
                    Locale.ROOT,
                    "%,d rows compared, %,d made good in the origin, %,d differ",
                    found.entries(),
                    found.repaired(),
                    found.mismatches()));
            out().println(told(done.clean()));
        }
        return done.clean() ? ExitCode.YES : ExitCode.NO;
    }

    private void print(BackfillResult done) throws IOException {
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("name", migration.name());
            json.writeNumberField("rows", done.rows());
            json.writeNumberField("bytes", done.bytes());
            json.writeNumberField("ranges", done.ranges());
            json.writeNumberField("resumedRanges", done.resumedRanges());
            json.writeNumberField("retries", done.retries());
            json.writeNumberField("seconds", done.seconds());

        } else {
            out().println(String.format(
                    Locale.ROOT,
                    "%,d rows, %s, copied in %.1f s; %d ranges, %d of them by an earlier run, %d retries",
                    done.rows(),
                    ByteSize.text(done.bytes()),
                    done.seconds(),
                    done.ranges(),
                    done.resumedRanges(),
                    done.retries()));
        }
    }
}
