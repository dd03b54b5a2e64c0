package io.anneal.cli.migrate;

import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.phase.FilePhaseMark;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.harness.store.Delayer;
import io.anneal.harness.store.OpenStore;
import io.anneal.harness.store.StoreSettings;
import io.anneal.harness.store.StoreUrl;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where instances and the target remember the newest phase that they saw. */
final class MarkOptions {
    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "The directory of an instance, in which it remembers the phase; repeatable.")
    private List<Path> directories = List.of();

    @Option(
            names = "--target",
            paramLabel = "URL",
            description = "The store that the data moves to, which remembers the phase for all: embedded:DIR or"
                    + " cassandra://HOST:PORT/KEYSPACE.")
    private String target;

    @Option(names = "--target-conf", paramLabel = "FILE", description = "Settings of the Java driver for the target.")
    private Path targetConf;

    void addChecks(Subcommand command, OptionChecks checks) {
        checks.add("--target", () -> command.read("--target", () -> StoreUrl.parse(target)));
    }

    /** The marks, and what has to be closed after they were read. */
    record OpenMarks(List<PhaseMark> marks, Optional<OpenStore> store) implements Closeable {
        @Override
        public void close() throws IOException {
            if (store.isPresent()) {
                store.get().close();
            }
        }
    }

    /** A directory that is mistyped must not pass for one that knows of nothing newer. */
    void requireMemory(Subcommand command, String name) {
        for (Path directory : directories) {
            if (new FilePhaseMark(directory).read(name).isEmpty()) {
                throw command.usage("--directory names one that remembers nothing of this migration, name=" + name
                        + ", directory=" + directory);
            }
        }
    }

    OpenMarks open(Subcommand command) throws IOException {
        List<PhaseMark> marks = new ArrayList<>();
        directories.forEach(directory -> marks.add(new FilePhaseMark(directory)));
        if (target == null) {
            return new OpenMarks(marks, Optional.empty());
        }
        OpenStore store = StoreUrl.parse(target)
                .open(StoreSettings.of("target", Delayer.NONE)
                        .withDriverConfiguration(Optional.ofNullable(targetConf))
                        .withMakesTables(false));
        if (store.mark().isEmpty()) {
            store.close();
            throw command.usage("--target names a store that remembers no phase, url=" + target);
        }
        marks.add(store.mark().get());
        return new OpenMarks(marks, Optional.of(store));
    }
}
