package io.anneal.cli.store;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.StoreOpening;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.command.TableErrors;
import io.anneal.environment.HostEnvironment;
import io.anneal.store.Store;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code anneal store snapshot}: opens a store, flushes it, and links its SSTables to a snapshot of each table. */
@Command(
        name = "snapshot",
        description = "Takes a snapshot of every table, as nodetool snapshot does. The store must not be open.")
final class StoreSnapshotCommand extends Subcommand {
    @Parameters(paramLabel = "DIR", description = "The store's directory.")
    private Path directory;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "The snapshots' name; the time in seconds since 1970 unless told.")
    private String name;

    @Override
    protected int execute() throws IOException {
        StoreDirectory found = StoreDirectory.of(directory);
        StoreConfig config =
                StoreConfig.defaults().withCompactionThreads(0).withMemtableBudgetBytes(bufferBudgetBytes());
        List<Path> snapshots;
        TableErrors errors = new TableErrors();
        try (Store store = StoreOpening.open(found, config, HostEnvironment.system())) {
            store.unreadable().forEach((table, reason) -> errors.add(table, tell(reason)));
            snapshots = store.snapshot(name == null ? Long.toString(nowSeconds()) : name);
        }
        if (json()) {
            printJson(snapshots, errors);
        } else {
            snapshots.forEach(out()::println);
        }
        if (!errors.isEmpty()) {
            say("without a snapshot: " + String.join(", ", errors.tables()));
            return ExitCode.NO;
        }
        if (snapshots.isEmpty()) {
            say("no tables here");
        }
        return ExitCode.YES;
    }

    private void printJson(List<Path> snapshots, TableErrors errors) throws IOException {
        JsonGenerator json = resultFields();
        json.writeArrayFieldStart("snapshots");
        for (Path snapshot : snapshots) {
            json.writeString(snapshot.toString());
        }
        json.writeEndArray();
        errors.write(json);
    }
}
