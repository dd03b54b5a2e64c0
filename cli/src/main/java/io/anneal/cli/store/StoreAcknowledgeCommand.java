package io.anneal.cli.store;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Subcommand;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.table.FailedSync;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code anneal store acknowledge}: forgets that a sync of a store failed, of which every opening would warn. */
@Command(
        name = "acknowledge",
        description =
                "Forgets that a sync of a store failed, once the machine has started anew and its disk was looked at;"
                        + " without it every start warns. The store must not be open.")
final class StoreAcknowledgeCommand extends Subcommand {
    @Parameters(paramLabel = "DIR", description = "The store's directory.")
    private Path directory;

    @Override
    protected int execute() throws IOException {
        StoreDirectory store = StoreDirectory.of(directory);
        Optional<String> owner = store.owner();
        if (owner.isPresent()) {
            throw new IllegalStateException(
                    "store is in use: close it, or call Store.acknowledgeFailedSync there, directory=" + directory
                            + ", " + owner.get());
        }
        FailedSync failedSync = StoreDirectory.failedSync(store.directory());
        Optional<String> text = failedSync.read();
        failedSync.acknowledge();
        if (json()) {
            JsonGenerator json = resultFields();
            json.writeStringField("acknowledged", text.orElse(null));
        } else {
            out().println(text.map(failure -> "acknowledged: " + failure).orElse("no sync failed here"));
        }
        return ExitCode.YES;
    }
}
