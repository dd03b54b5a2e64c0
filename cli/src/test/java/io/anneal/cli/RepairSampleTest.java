package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.ExitCode;
import io.anneal.store.Table;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code anneal repair --sample}: how far replicas have drifted apart, from a part of what they hold. */
@Timeout(60)
final class RepairSampleTest extends RepairFixture {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ROWS = 300;

    @BeforeEach
    void ownAll() {
        replicas.add("--full-replicas");
    }

    private static void row(Table table, int id, long micros) throws IOException {
        row(table, id, 1, "of " + id, micros);
    }

    /** Rows but for each so-manieth; 0 for all. */
    private void replica(String name, int without) throws IOException {
        replica(name, table -> {
            for (int id = 0; id < ROWS; id++) {
                if (without == 0 || id % without != 0) {
                    row(table, id, MICROS + id);
                }
            }
        });
    }

    private static JsonNode sample(CommandRun run) throws IOException {
        return JSON.readTree(run.out()).get("tables").get(0).get("sample");
    }

    @Test
    void shouldFindTheShareThatDiffersWithinItsInterval() throws IOException {
        replica("one", 0);
        replica("two", 5);

        CommandRun run = repair("--sample", "40%", "--seed", "7", "--json");

        JsonNode sample = sample(run);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(sample.get("rows").asInt()).isBetween(ROWS / 4, ROWS * 6 / 10);
        assertThat(sample.get("share-low").asDouble()).isBetween(0.05, 0.2);
        assertThat(sample.get("share-high").asDouble()).isBetween(0.2, 0.4);
        assertThat(sample.get("rows-looked-at")).isEqualTo(sample.get("rows-differing"));
        Instant oldest = Instant.parse(sample.get("oldest-difference").asText());
        assertThat(oldest).isBetween(CommandRun.NOW.minusSeconds(101), CommandRun.NOW.minusSeconds(99));
        assertThat(sample.get("ghosts").asInt()).isZero();
        assertThat(sample(repair("--sample", "40", "--seed", "7", "--json"))).isEqualTo(sample);
        assertThat(repair("--sample", "40%").out())
                .contains(" % of the rows differ in the 40 % sampled", "oldest difference: written ", "--seed=");
    }

    @Test
    void shouldSayOfReplicasThatDoNotDifferOnlyWhatWasSampled() throws IOException {
        replica("one", 0);
        replica("two", 0);

        CommandRun run = repair("--sample=40%");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("ks.readings: no difference in the 40 % sampled")
                .doesNotContain("equal");
        assertThat(sample(repair("--sample", "40%", "--json")).get("share-high").asDouble())
                .isBetween(0.001, 0.05);
    }

    @Test
    void shouldKnowTheShareWhenAllIsSampled() throws IOException {
        replica("one", table -> row(table, 1, MICROS));
        replica("two", table -> row(table, 1, MICROS + 1));

        JsonNode sample = sample(repair("--sample", "100%", "--json"));

        assertThat(sample.get("share-low").asDouble()).isEqualTo(1);
        assertThat(sample.get("rows-differing-of-all").asInt()).isEqualTo(1);
    }

    @Test
    void shouldSayWhenNoRowWasInTheSample() throws IOException {
        replica("one", table -> row(table, 1, MICROS));
        replica("two", table -> row(table, 1, MICROS));

        CommandRun run = repair("--sample", "0.1%", "--seed", "1");

        assertThat(run.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(run.out()).contains("no rows in the 0.1 % sampled: nothing is known", "too few slices");
        CommandRun json = repair("--sample", "0.1%", "--seed", "1", "--json");
        assertThat(json.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(JSON.readTree(json.out()).findValues("were-equal")).isEmpty();
    }

    /** All of it was compared, as a dry run of it says. */
    @Test
    void shouldCallAnEmptyTableEqualWhenAllOfItIsSampled() throws IOException {
        replica("one", table -> {});
        replica("two", table -> {});

        CommandRun run = repair("--sample", "100%");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("ks.readings: no difference in the 100 % sampled")
                .doesNotContain("nothing is known", "too few");
        JsonNode json = JSON.readTree(repair("--sample", "100%", "--json").out());
        assertThat(json.at("/tables/0/were-equal").asBoolean()).isTrue();
        assertThat(json.at("/tables/0/sample/share-high").asDouble()).isZero();
        assertThat(repair().exitCode()).isZero();
        assertThat(repair("--apply").exitCode()).isZero();
        assertThat(repair("--sample", "50%").exitCode()).isEqualTo(ExitCode.UNANSWERED);
    }

    /** What was just written is left out, and an estimate of nothing is none. */
    @Test
    void shouldNotCallATableEqualOfWhichAllIsTooNew() throws IOException {
        replica("one", table -> row(table, 1, CommandRun.NOW.getEpochSecond() * 1_000_000));
        replica("two", table -> row(table, 1, CommandRun.NOW.getEpochSecond() * 1_000_000));

        CommandRun run = repair("--sample", "100%");

        assertThat(run.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(run.out()).contains("nothing was compared").doesNotContain("no difference", "sample more");
        JsonNode table = JSON.readTree(repair("--sample", "100%", "--json").out())
                .get("tables")
                .get(0);
        assertThat(table.has("sample")).isFalse();
        assertThat(table.has("were-equal")).isFalse();
    }

    @Test
    void shouldNameRowsThatAnExpiredDeletionMeets() throws IOException {
        replica("one", table -> row(table, 1, LONG_AGO));
        now = Instant.ofEpochSecond(LONG_AGO / 1_000_000);
        replica(
                "two",
                table -> table.row()
                        .key("id", 1)
                        .clustering("at", 1)
                        .timestampMicros(LONG_AGO + 1)
                        .deleteRow());

        CommandRun run = repair("--sample", "100%");

        assertThat(run.out()).contains("1 of 1 (100 %): an expired deletion", "key=[1] clustering=[1]", "20 days ago");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0%", "-1%", "100.1%", "NaN", "one", "", "%"})
    void shouldRefuseAShareThatIsNone(String share) throws IOException {
        replicas.addAll(List.of("--dir", directory.resolve("a"), "--dir", directory.resolve("b")));

        CommandRun run = repair("--sample=" + share);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--sample takes more than 0% and at most 100%");
    }

    @Test
    void shouldRefuseWhatASampleHasNoUseFor() {
        replicas.addAll(List.of("--dir", directory.resolve("a"), "--dir", directory.resolve("b")));

        assertThat(repair("--seed", "1").err()).contains("--seed goes with --sample");
        assertThat(repair("--sample", "1%", "--rows").err()).contains("choose one");
        assertThat(repair("--sample", "1%", "--apply", "--out", directory.resolve("out"))
                        .err())
                .contains("--sample goes with a dry run");
    }
}
