package io.anneal.cli.migrate;

import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.phase.PhaseControl;
import java.util.List;
import picocli.CommandLine.Option;

/** Instances that a step need not wait for, since somebody knows that their processes are gone. */
final class DeadOptions {
    @Option(
            names = "--dead",
            paramLabel = "ID",
            description = "Take this silent instance off first, on your word that its process is gone; repeatable.")
    private List<String> dead = List.of();

    boolean none() {
        return dead.isEmpty();
    }

    void declare(PhaseControl control, WhoOptions who, Subcommand command) throws InterruptedException {
        for (String instance : dead) {
            control.declareDead(instance, who.who(), who.why("declared dead by --dead"), duration -> {
                command.say("watching for " + duration.toMillis() + " ms whether " + instance + " is silent");
                PhaseControl.Sleeper.THREAD.sleep(duration);
            });
        }
    }
}
