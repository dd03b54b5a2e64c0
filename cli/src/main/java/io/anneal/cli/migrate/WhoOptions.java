package io.anneal.cli.migrate;

import io.anneal.dualdao.control.GivenText;
import picocli.CommandLine.Option;

/** What the history keeps of whoever changes a phase. */
final class WhoOptions {
    @Option(
            names = "--who",
            paramLabel = "NAME",
            description = "Who does this, for the history; the user of this machine unless told.")
    private String who;

    @Option(names = "--why", paramLabel = "TEXT", description = "The reason, for the history.")
    private String why;

    String who() {
        return who == null ? System.getProperty("user.name", "anneal") : GivenText.require("--who", who);
    }

    String why(String otherwise) {
        return why == null ? otherwise : GivenText.requireLine("--why", why);
    }
}
