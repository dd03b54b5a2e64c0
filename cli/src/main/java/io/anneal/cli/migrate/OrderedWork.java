package io.anneal.cli.migrate;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.BulkOrders;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.io.PrintableText;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;

/** Work on all keys that a command asks the instances for, which have the stores open, and waits for. */
final class OrderedWork {
    private final Subcommand command;
    private final String verb;
    private final String name;
    private final Duration wait;
    private final boolean replaces;

    /**
     * @param wait how long they may take to go on with it
     * @param replaces whether it takes the place of work that was ordered before
     */
    OrderedWork(Subcommand command, String verb, String name, Duration wait, boolean replaces) {
        this.command = command;
        this.verb = verb;
        this.name = name;
        this.wait = wait;
        this.replaces = replaces;
    }

    /** Asks, waits, tells what came of it. */
    int run(PhaseControl control, BulkOrders.Order order) throws IOException, InterruptedException {
        PhaseNote done = await(control, order);
        print(done);
        return exitCode(order.kind(), done);
    }

    /** By what was asked for: that keys were copied does not say that both sides are alike. */
    static int exitCode(PhaseNote.Kind asked, PhaseNote done) {
        boolean well = asked == PhaseNote.Kind.BACKFILL
                ? done.kind() == PhaseNote.Kind.BACKFILL
                : done.kind() != PhaseNote.Kind.BACKFILL && done.compared() && done.clean();
        return well ? ExitCode.YES : ExitCode.NO;
    }

    /** Asks, and waits for the note of it. */
    PhaseNote await(PhaseControl control, BulkOrders.Order order) throws InterruptedException {
        BulkOrders orders = new BulkOrders(control);
        BulkOrders.Order placed = orders.place(order, replaces);
        try (Progress progress = command.progress(verb)) {
            return orders.await(placed, wait, PhaseControl.Sleeper.THREAD, keys -> progress.update(0, keys));
        }
    }

    private void print(PhaseNote done) throws IOException {
        long keys = Facts.number(done.facts(), Facts.ROWS);
        long mismatches = Math.max(0, Facts.number(done.facts(), Facts.MISMATCHES));
        long left = Math.max(0, Facts.number(done.facts(), Facts.LEFT));
        String text = PrintableText.of(done.facts().getOrDefault(Facts.TEXT, ""));
        if (done.kind() != PhaseNote.Kind.BACKFILL && !done.compared()) {
            text += "; no key was listed, so that nothing is known";
        }
        if (left > 0) {
            text += "; " + left + " more could not be copied just then, and wait in journals";
        }
        if (command.json()) {
            JsonGenerator json = command.resultFields();
            json.writeStringField("name", name);
            json.writeNumberField("keys", keys);
            json.writeNumberField("mismatches", mismatches);
            json.writeNumberField("left", left);
            json.writeStringField("text", text);

            return;
        }
        command.out()
                .println(
                        done.kind() == PhaseNote.Kind.BACKFILL
                                ? String.format(Locale.ROOT, "%,d keys copied: %s", keys - left, text)
                                : String.format(
                                        Locale.ROOT, "%,d keys compared, %,d differ: %s", keys, mismatches, text));
    }
}
