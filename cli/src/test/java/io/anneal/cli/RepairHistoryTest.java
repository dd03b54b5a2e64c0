package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.ExitCode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.DirectoryLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code anneal repair --history} says until when tables are covered, by the runs that it knows. */
final class RepairHistoryTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** Before any store is made, so that none of them is as old. */
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

    private static final String TABLE = "ks.readings";

    @TempDir
    private Path directory;

    /** Made once each; its rows differ from the others'. */
    private Path store(String name) throws IOException {
        return Tables.store(
                directory.resolve(name),
                Tables.STORE,
                HostEnvironment.system(),
                table -> table.row()
                        .key("id", name.hashCode())
                        .clustering("at", 1)
                        .set("name", name)
                        .insert());
    }

    private CommandRun anneal(Instant at, Object... words) {
        List<Object> all = new ArrayList<>(List.of("repair", "--state", directory.resolve("state")));
        all.addAll(List.of(words));
        return CommandRun.at(at, all.toArray());
    }

    private void repair(Instant at, Object... words) {
        List<Object> all = new ArrayList<>(List.of("--table", TABLE, "--allow-old-snapshots"));
        all.addAll(List.of(words));
        CommandRun run = anneal(at, all.toArray());
        assertThat(run.err()).doesNotContain("error");
    }

    private CommandRun history(Instant at, Object... words) {
        List<Object> all = new ArrayList<>(List.of("--history"));
        all.addAll(List.of(words));
        return anneal(at, all.toArray());
    }

    private JsonNode covered(Instant at, Object... words) throws IOException {
        CommandRun run = history(at, words);
        JsonNode tables = JSON.readTree(anneal(at, words(words)).out()).get("tables");
        assertThat(tables).as(run.out()).hasSize(1);
        assertThat(run.exitCode()).isEqualTo(tables.get(0).get("overdue").asBoolean() ? ExitCode.NO : ExitCode.YES);
        return tables.get(0);
    }

    private static Object[] words(Object... words) {
        List<Object> all = new ArrayList<>(List.of("--history", "--json"));
        all.addAll(List.of(words));
        return all.toArray();
    }

    @Test
    void shouldNotBeSilentWhereRecordsAreGoneOrDamaged() throws Exception {
        assertThat(history(NOW).exitCode()).as("nothing was ever recorded").isEqualTo(ExitCode.NO);
        Path empty = Files.createDirectory(directory.resolve("empty"));
        CommandRun fresh = CommandRun.at(NOW, "cluster", "history", "--state", empty);
        assertThat(fresh.out()).isEqualTo("nothing recorded, records=" + empty + System.lineSeparator());
        assertThat(fresh.exitCode()).isEqualTo(ExitCode.NO);

        Path one = store("one");
        Path two = store("two");
        repair(NOW, "--dir", one, "--dir", two, "--full-replicas", "--apply");
        assertThat(history(NOW).exitCode()).isEqualTo(ExitCode.YES);

        try (Stream<Path> files = Files.walk(directory.resolve("state"))) {
            Path record =
                    files.filter(file -> file.endsWith("run.json")).findFirst().orElseThrow();
            String huge = Files.readString(record)
                    .replaceFirst("\"sstables-to-import\" : \\d+", "\"sstables-to-import\" : 99999999999");
            for (String content : List.of("", huge)) {
                Files.writeString(record, content);
                CommandRun damaged = history(NOW, "--json");
                assertThat(damaged.exitCode()).isEqualTo(ExitCode.NO);
                assertThat(damaged.out()).contains("unreadable", record.toString());
            }
        }
    }

    /** A clock that was ahead once must not keep the alarm silent until then. */
    @Test
    void shouldNotBelieveWhatARunSaysOfTheFuture() throws Exception {
        Instant ahead = NOW.plus(Duration.ofDays(365));
        repair(NOW, "--dir", store("one"), "--dir", store("two"), "--full-replicas", "--apply");
        try (Stream<Path> files = Files.walk(directory.resolve("state"))) {
            Path record =
                    files.filter(file -> file.endsWith("run.json")).findFirst().orElseThrow();
            Files.writeString(record, Files.readString(record).replace(NOW.toString(), ahead.toString()));
        }
        assertThat(history(ahead).exitCode()).isEqualTo(ExitCode.YES);

        for (String question : List.of("--history", "--status")) {
            CommandRun later = anneal(NOW, question);
            assertThat(later.exitCode()).as(question).isEqualTo(ExitCode.NO);
            assertThat(later.out()).as(question).doesNotContain("covered until");
            assertThat(later.err()).as(question).contains("time that has not come", "time=" + ahead);
        }
        String id = history(ahead).out().substring("run ".length(), "run ".length() + 8);
        assertThat(anneal(NOW, "--resume", id).err()).contains("time that has not come");
        assertThat(history(ahead.minusSeconds(5)).exitCode())
                .as("clocks go apart by seconds")
                .isEqualTo(ExitCode.YES);
    }

    @Test
    void shouldNotTakeARunThatStartsForOneThatIsDamaged() throws Exception {
        repair(NOW, "--dir", store("one"), "--dir", store("two"), "--full-replicas", "--apply");
        Path starting = directory.resolve("state/1b4e28ba-2fa1-41d2-883f-0016d3cca427");
        try (DirectoryLock lock = DirectoryLock.take(starting, ".run.lock", "run of a repair", Optional.empty())) {
            CommandRun beside = history(NOW);
            assertThat(beside.err()).isEmpty();
            assertThat(beside.exitCode()).isEqualTo(ExitCode.YES);
            lock.remove();
        }
        assertThat(history(NOW).exitCode()).as("nobody is at it").isEqualTo(ExitCode.NO);
    }

    @Test
    void shouldCountWhatWasRepairedUpToTheWholeRing() throws Exception {
        Path one = store("one");
        Path two = store("two");
        CommandRun nothing = history(NOW, "--table", TABLE);
        assertThat(nothing.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(nothing.out()).contains("no run has ended", TABLE + ": never");

        repair(NOW, "--dir", one, "--dir", two, "--range=(0,9223372036854775807]");
        assertThat(history(NOW).exitCode())
                .as("what was looked at was never repaired by that")
                .isEqualTo(ExitCode.NO);
        assertThat(history(NOW).out()).contains(TABLE + ": never");
        assertThat(history(NOW, "--table", TABLE).out()).contains(TABLE + ": never");

        repair(NOW, "--dir", one, "--dir", two, "--range=(0,9223372036854775807]", "--apply");
        assertThat(history(NOW).exitCode()).isEqualTo(ExitCode.NO);
        assertThat(history(NOW).out()).contains("never, 50.0 % of the ring were repaired");

        Instant later = NOW.plusSeconds(60);
        repair(later, "--dir", one, "--dir", two, "--range=(9223372036854775807,0]", "--apply");
        JsonNode whole = covered(later, "--table", TABLE);
        assertThat(whole.get("covered-until").asText())
                .as("the older half counts")
                .isEqualTo(NOW.toString());
        assertThat(whole.get("seconds-left").asLong()).isEqualTo(864_000 - 60);
        assertThat(history(later).out()).contains(NOW + ", 9 d 23 h left of gc_grace 10 d");

        Instant overdue = NOW.plus(Duration.ofDays(11));
        assertThat(covered(overdue).get("overdue").asBoolean()).isTrue();
        assertThat(history(overdue).out()).contains("OVERDUE for 1 d of gc_grace 10 d");
    }

    @Test
    void shouldAddUpVnodesOfDifferentOwnersAndNotOtherReplicasOfARange() throws Exception {
        Path one = store("one");
        Path two = store("two");
        Path three = store("three");
        repair(NOW, "--dir", one, "--dir", two, "--range=(0,9223372036854775807]", "--apply");
        repair(NOW, "--dir", two, "--dir", three, "--range=(9223372036854775807,0]", "--apply");
        JsonNode ring = covered(NOW, "--table", TABLE);
        assertThat(ring.get("covered-until").asText()).isEqualTo(NOW.toString());
        assertThat(ring.get("replicas")).hasSize(3);

        Path other = store("four");
        repair(NOW.plusSeconds(1), "--dir", other, "--dir", store("five"), "--full-replicas", "--apply");
        assertThat(history(NOW.plusSeconds(1)).out())
                .contains("between four, five: " + NOW.plusSeconds(1), "two, three")
                .as("another cluster's table of the same name says nothing of this one's")
                .contains(": " + NOW + ",");
        assertThat(covered(NOW.plusSeconds(1), "--dir", other)
                        .get("covered-until")
                        .asText())
                .isEqualTo(NOW.plusSeconds(1).toString());
    }

    @Test
    void shouldCountWhatWaitsForImportOnlyOnceImported() throws Exception {
        Path one = store("one");
        Path cassandra = directory.resolve("cassandra");
        Tables.write(
                cassandra,
                writer -> writer.row().key("id", 3).clustering("at", 1).insert());
        Instant now = Instant.now();
        repair(now, "--dir", one, "--dir", cassandra, "--full-replicas", "--apply", "--out", directory.resolve("out"));

        JsonNode table = covered(now, "--table", TABLE);
        assertThat(table.get("covered-until").isNull()).isTrue();
        assertThat(table.get("covered-until-once-imported").isNull()).isFalse();
        assertThat(table.get("runs-to-import")).hasSize(1);
        assertThat(history(now).out()).contains("never; ", " once what run ");
        String deadline = table.get("import-before").asText();
        assertThat(history(now).out()).contains("is imported, before " + deadline);

        Instant late = now.plus(Duration.ofDays(11));
        assertThat(Instant.parse(deadline)).isBetween(now, late);
        assertThat(history(late).out())
                .contains("never; ", " if what run ", "was imported before " + deadline + "; it must not be any more");
    }

    /** An alarm must not ring for a name that somebody mistyped. */
    @Test
    void shouldKnowNoTableThatNeverWas() throws Exception {
        Path one = store("one");
        Path two = store("two");
        CommandRun mistyped = anneal(
                NOW, "--table", "ks.raedings", "--allow-old-snapshots", "--dir", one, "--dir", two, "--full-replicas");
        assertThat(mistyped.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        CommandRun nothing = history(NOW);
        assertThat(nothing.out())
                .contains("failed before anything was done", "dry run of no table that is there between")
                .endsWith(
                        "nothing recorded of any table, records=" + directory.resolve("state") + System.lineSeparator())
                .doesNotContain("raedings", "covered");
        assertThat(nothing.exitCode()).isEqualTo(ExitCode.NO);

        repair(NOW, "--dir", one, "--dir", two, "--full-replicas", "--apply");
        CommandRun half = anneal(
                NOW,
                "--table",
                "ks.raedings",
                "--table",
                TABLE,
                "--allow-old-snapshots",
                "--dir",
                one,
                "--dir",
                two,
                "--full-replicas");
        assertThat(half.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(half.err()).contains("raedings").doesNotContain("go on with");
        CommandRun history = history(NOW);
        assertThat(history.exitCode()).as(history.out()).isEqualTo(ExitCode.YES);
        assertThat(history.out()).contains(TABLE).doesNotContain("raedings");
        CommandRun status = anneal(NOW, "--status");
        assertThat(status.exitCode()).as(status.out()).isEqualTo(ExitCode.YES);
        assertThat(status.out()).isEqualTo("no run is unfinished" + System.lineSeparator());
    }

    /** That a table could not be compared is no sign that it never was. */
    @Test
    void shouldKnowATableThatOneReplicaLacks() throws Exception {
        Path one = store("one");
        Path other = Tables.store(directory.resolve("other"), Tables.STORE, HostEnvironment.system(), table -> {});
        try (var open = io.anneal.store.Store.open(other, Tables.STORE)) {
            open.dropTable(TABLE);
        }
        CommandRun run =
                anneal(NOW, "--table", TABLE, "--allow-old-snapshots", "--dir", one, "--dir", other, "--full-replicas");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.UNANSWERED);
        CommandRun history = history(NOW);
        assertThat(history.out()).contains(TABLE + ": never");
        assertThat(history.exitCode()).isEqualTo(ExitCode.NO);
    }

    @Test
    void shouldForgetATable() throws Exception {
        Path one = store("one");
        Path two = store("two");
        repair(NOW, "--dir", one, "--dir", two, "--full-replicas", "--apply");
        Instant late = NOW.plus(Duration.ofDays(30));
        assertThat(history(late).exitCode()).isEqualTo(ExitCode.NO);

        CommandRun unknown = anneal(late, "--forget", "ks.raedings");
        assertThat(unknown.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(unknown.err()).contains("ANL-3009", "no run knows the table, table=ks.raedings");
        for (String beside : List.of("--history", "--status", "--dry-run", "--resume")) {
            CommandRun refused = anneal(late, "--forget", TABLE, beside);
            assertThat(refused.exitCode()).as(beside).isEqualTo(ExitCode.USAGE);
            assertThat(refused.err()).contains("--forget");
        }
        CommandRun forgotten = anneal(late, "--forget", TABLE);
        assertThat(forgotten.exitCode()).as(forgotten.err()).isZero();
        assertThat(forgotten.out()).isEqualTo(TABLE + " is forgotten, of 1 run" + System.lineSeparator());
        assertThat(history(late).out()).startsWith("nothing recorded");

        CommandRun mistyped = anneal(
                NOW, "--table", "ks.raedings", "--allow-old-snapshots", "--dir", one, "--dir", two, "--full-replicas");
        assertThat(mistyped.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        repair(NOW, "--dir", one, "--dir", two, "--full-replicas", "--apply");
        assertThat(anneal(late, "--forget", TABLE).exitCode()).isZero();
        assertThat(history(late, "--quiet").out()).contains("nothing recorded of any table, records=");

        repair(NOW, "--dir", one, "--dir", two, "--full-replicas", "--apply");
        CommandRun json = CommandRun.at(
                late, "cluster", "history", "--state", directory.resolve("state"), "--forget", TABLE, "--json");
        assertThat(JSON.readTree(json.out()).get("runs").intValue()).isEqualTo(1);
    }
}
