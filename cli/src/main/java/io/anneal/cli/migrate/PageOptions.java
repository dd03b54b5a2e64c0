package io.anneal.cli.migrate;

import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.migrate.page.PageConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import picocli.CommandLine.Option;

/** How the live page is served. */
final class PageOptions {
    private static final int PORT_MAX = 0xffff;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "What whoever changes something on the page must know; drawn anew unless told.")
    private Path tokenFile;

    @Option(names = "--redact", description = "Leave keys and values of mismatches out of the page.")
    private boolean redact;

    @Option(
            names = "--allow-host",
            paramLabel = "NAME",
            description = "A name, without port, under which browsers may ask for the page beside its own address and"
                    + " localhost: this machine's, or that of a proxy in front; repeatable.")
    private Set<String> allowedHosts = Set.of();

    @Option(
            names = "--history",
            paramLabel = "DIR",
            description =
                    "Keep the page's charts and incidents of six weeks there, so that the next page of this migration"
                            + " goes on with them; in memory alone unless told.")
    private Path history;

    static void checkPort(Subcommand command, String option, int port) {
        command.require(port >= 0 && port <= PORT_MAX, option + " takes a number from 0 to " + PORT_MAX);
    }

    PageConfig config(Subcommand command, String host, int port, DualEnvironment environment) throws IOException {
        PageConfig config =
                PageConfig.loopback().on(host, port).withHosts(allowedHosts).withEnvironment(environment);
        if (tokenFile != null) {
            command.requireFile("--token-file", tokenFile);
            config = config.withToken(Files.readString(tokenFile).strip());
        }
        if (history != null) {
            config = config.withHistory(history);
        }
        return redact ? config.redacted() : config;
    }
}
