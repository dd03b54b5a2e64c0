package io.anneal.cli;

import io.anneal.environment.HostEnvironment;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** Stores of one table that are replicas of each other, and the command that repairs them. */
abstract class RepairFixture {
    static final long MICROS = CommandRun.NOW.getEpochSecond() * 1_000_000 - 100_000_000;
    /** Older than gc_grace. */
    static final long LONG_AGO = MICROS - 2 * 864_000_000_000L;

    @TempDir
    Path directory;

    /** As the command line names them. */
    final List<Object> replicas = new ArrayList<>();
    /** For stores. */
    Instant now = CommandRun.NOW;

    Path replica(String name, Tables.StoreRows rows) throws IOException {
        Path store = Tables.store(
                directory.resolve(name), Tables.STORE, HostEnvironment.system().withClock(() -> now), rows);
        replicas.addAll(List.of("--dir", store));
        return store;
    }

    static void row(Table table, int id, int at, String name, long micros) throws IOException {
        table.row()
                .key("id", id)
                .clustering("at", at)
                .set("name", name)
                .timestampMicros(micros)
                .insert();
    }

    CommandRun repair(Object... more) {
        List<Object> args = new ArrayList<>(List.of("repair", "--table", "ks.readings"));
        args.addAll(replicas);
        args.addAll(List.of(more));
        return CommandRun.at(Clock.fixed(CommandRun.NOW, ZoneOffset.UTC), args.toArray());
    }
}
