package io.anneal.cli.migrate;

import io.anneal.cli.command.NotAvailableException;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.harness.MigrationSides;
import io.anneal.harness.store.Delayer;
import io.anneal.harness.store.StoreSettings;
import io.anneal.harness.store.StoreUrl;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The two stores of a migration. */
final class SidesOptions {
    private static final String DAO = "dao:";

    @Option(
            names = "--origin",
            paramLabel = "URL",
            description =
                    "The store in production: embedded:DIR, cassandra://HOST:PORT/KEYSPACE, memory: or dao:CLASS.")
    private String origin;

    @Option(names = "--target", paramLabel = "URL", description = "The store that the data moves to, likewise.")
    private String target;

    @Option(
            names = "--origin-conf",
            paramLabel = "FILE",
            description = "Settings of the Java driver for the origin: data centre, TLS, credentials.")
    private Path originConf;

    @Option(names = "--target-conf", paramLabel = "FILE", description = "Settings of the Java driver for the target.")
    private Path targetConf;

    @Option(
            names = "--classpath",
            paramLabel = "PATH",
            split = "[:;]",
            description = "Jars and directories of classes for dao:CLASS.")
    private List<Path> classPath = List.of();

    void addChecks(Subcommand command, OptionChecks checks) {
        checks.add("--origin", () -> command.read("--origin", () -> StoreUrl.parse(origin)))
                .add("--target", () -> command.read("--target", () -> StoreUrl.parse(target)))
                .add(List.of("--origin", "--target"), () -> {
                    command.require(origin != null && target != null, "--origin and --target go together");
                    command.require(
                            !origin.equals(target) || !StoreUrl.parse(origin).lasting(),
                            "--origin and --target are the same store, url=" + origin);
                })
                .add(
                        List.of("--origin-conf", "--target-conf", "--classpath"),
                        () -> command.require(
                                !none(), "--origin-conf, --target-conf and --classpath need --origin and --target"));
    }

    /** Whether neither is named. */
    boolean none() {
        return origin == null;
    }

    /** Whether one is a DAO of the caller's own, which can't list its keys. */
    boolean own() {
        return origin != null && (origin.startsWith(DAO) || target.startsWith(DAO));
    }

    /** Refuses stores that another process can't copy or compare as a whole. */
    void addBulkChecks(OptionChecks checks) {
        checks.add("--origin", () -> requireWhole(origin)).add("--target", () -> requireWhole(target));
    }

    private static void requireWhole(String url) {
        if (!url.startsWith("embedded:") && !url.startsWith("cassandra:")) {
            throw new NotAvailableException(
                    "only embedded: and cassandra: stores can be copied and compared as a whole, url=" + url);
        }
    }

    /** Opens what is named. */
    MigrationSides open(Subcommand command, Delayer delayer, boolean makesTables) throws IOException {
        command.require(!none(), "--origin and --target are needed");
        return open(origin, target, delayer, makesTables);
    }

    MigrationSides open(String originUrl, String targetUrl, Delayer delayer, boolean makesTables) throws IOException {
        return MigrationSides.open(
                StoreUrl.parse(originUrl),
                settings("origin", originConf, delayer, makesTables),
                StoreUrl.parse(targetUrl),
                settings("target", targetConf, delayer, makesTables));
    }

    private StoreSettings settings(String role, Path conf, Delayer delayer, boolean makesTables) {
        return StoreSettings.of(role, delayer)
                .withDriverConfiguration(Optional.ofNullable(conf))
                .withClassPath(classPath)
                .withMakesTables(makesTables);
    }
}
