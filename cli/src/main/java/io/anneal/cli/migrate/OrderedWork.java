package io.anneal.cli.migrate;

import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.JsonResult;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.BulkOrders;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.harness.DurationText;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Work on all keys that a command asks the instances for, which have the stores open, and waits for. */
final class OrderedWork {
    private final Subcommand command;
    private final String verb;
    private final String name;
    private final Duration wait;

    /** @param wait how long they may take to go on with it */
    OrderedWork(Subcommand command, String verb, String name, Duration wait) {
        this.command = command;
        this.verb = verb;
        this.name = name;
        this.wait = wait;
    }

    /** Asks, waits, tells what came of it. */
    int run(PhaseControl control, BulkOrders.Order order) throws IOException, InterruptedException {
        PhaseNote done = await(control, order);
        print(done);
        return exitCode(done);
    }

    static int exitCode(PhaseNote done) {
        boolean well = done.kind() == PhaseNote.Kind.BACKFILL || done.compared() && done.clean();
        return well ? ExitCode.YES : ExitCode.NO;
    }

    /** Asks, and waits for the note of it. */
    PhaseNote await(PhaseControl control, BulkOrders.Order order) throws IOException, InterruptedException {
        BulkOrders orders = new BulkOrders(control);
        orders.place(order);
        Optional<PhaseNote> end;
        try (Progress progress = command.progress(verb)) {
            end = orders.await(wait, PhaseControl.Sleeper.THREAD, keys -> progress.update(0, keys));
        }
        PhaseNote note = end.orElseThrow(() -> new IOException(
                "no instance did it, build one with .keys(...), start 'run --work', or name --origin and --target; the phase"
                        + " must stay meanwhile, waited=" + DurationText.of(wait)));
        if (note.kind() == PhaseNote.Kind.ORDER_FAILED) {
            throw new IOException("an instance could not do it, instance="
                    + note.facts().get(Facts.INSTANCE) + ", reason="
                    + note.facts().get(Facts.TEXT));
        }
        return note;
    }

    private void print(PhaseNote done) throws IOException {
        long keys = Facts.number(done.facts(), Facts.ROWS);
        long mismatches = Math.max(0, Facts.number(done.facts(), Facts.MISMATCHES));
        String text = done.facts().getOrDefault(Facts.TEXT, "");
        if (done.kind() != PhaseNote.Kind.BACKFILL && !done.compared()) {
            text += "; no key was listed, so that nothing is known";
        }
        if (command.json()) {
            try (JsonResult result = new JsonResult(command.out(), "migrate " + verb)) {
                result.fields().writeStringField("name", name);
                result.fields().writeNumberField("keys", keys);
                result.fields().writeNumberField("mismatches", mismatches);
                result.fields().writeStringField("text", text);
            }
            return;
        }
        command.out()
                .println(
                        done.kind() == PhaseNote.Kind.BACKFILL
                                ? String.format(Locale.ROOT, "%,d keys copied: %s", keys, text)
                                : String.format(
                                        Locale.ROOT, "%,d keys compared, %,d differ: %s", keys, mismatches, text));
    }
}
