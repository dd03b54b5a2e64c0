package io.anneal.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.store.Store;
import io.anneal.store.StoreDirectory;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
    int execute() throws IOException {
        StoreDirectory found = StoreDirectory.of(directory);
        StoreConfig config =
                StoreConfig.defaults().withCompactionThreads(0).withMemtableBudgetBytes(bufferBudgetBytes());
        if (found.shardCount().isPresent()) {
            // With another number all SSTables would become shared, and be rewritten some time.
            config = config.withShardCount(found.shardCount().getAsInt());
        }
        List<Path> snapshots;
        Map<String, Exception> unreadable;
        try (Store store = Store.open(directory, config)) {
            unreadable = store.unreadable();
            snapshots = store.snapshot(name == null ? Long.toString(nowSeconds()) : name);
        }
        if (json()) {
            printJson(snapshots);
        } else {
            snapshots.forEach(out()::println);
        }
        if (snapshots.isEmpty()) {
            say("no tables here");
        }
        unreadable.forEach((table, reason) ->
                say("table cannot be opened and has no snapshot, table=" + table + ", reason=" + reason.getMessage()));
        return unreadable.isEmpty() ? ExitCode.YES : ExitCode.UNANSWERED;
    }

    private void printJson(List<Path> snapshots) throws IOException {
        try (JsonResult result = new JsonResult(out(), "store snapshot")) {
            JsonGenerator json = result.fields();
            json.writeArrayFieldStart("snapshots");
            for (Path snapshot : snapshots) {
                json.writeString(snapshot.toString());
            }
            json.writeEndArray();
        }
    }
}
