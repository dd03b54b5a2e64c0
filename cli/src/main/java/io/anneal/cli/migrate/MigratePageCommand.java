package io.anneal.cli.migrate;

import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.migrate.page.MigrationPage;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal migrate page}: serves the live page of a migration, until it is stopped. */
@Command(name = "page", description = "Serves the live page of a migration, until stopped.")
final class MigratePageCommand extends Subcommand {
    @Mixin
    private MigrationOptions migration;

    @Mixin
    private PageOptions page;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "Address to listen on; ${DEFAULT-VALUE} unless told. For 0.0.0.0, all of them, name with"
                    + " --allow-host what browsers ask for.")
    private String host;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "0",
            description = "Port to listen on; a free one unless told.")
    private int port;

    @Override
    protected void addChecks(OptionChecks checks) {
        migration.addChecks(this, checks);
        checks.add("--port", () -> PageOptions.checkPort(this, "--port", port));
    }

    @Override
    protected int execute() throws IOException, InterruptedException {
        DualEnvironment environment = DualEnvironment.system()
                .withClocks(environment().clock(), environment().nanoTime());
        try (MigrationOptions.OpenPhases phases = migration.open(this, false)) {
            phases.control().current();
            try (MigrationPage open = MigrationPage.start(
                    page.config(this, host, port, environment), phases.store(), migration.name(), phases.control())) {
                if (json()) {
                    resultFields().writeStringField("page", open.urlWithToken().toString());
                    endResult();
                } else {
                    out().println("page: " + open.urlWithToken());
                    out().flush();
                }
                new CountDownLatch(1).await();
            }
        }
        return ExitCode.YES;
    }
}
