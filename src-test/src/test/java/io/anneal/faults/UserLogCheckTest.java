package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.faults.UserLog.Entry;
import io.anneal.faults.UserLog.Outcome;
import io.anneal.faults.UserLogCheck.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserLogCheckTest {
    private static final String ID = "7";

    private final List<Entry> entries = new ArrayList<>();

    private void add(Kind kind, String subject, String value, long start, long end, Outcome outcome, String observed) {
        entries.add(new Entry(kind, subject, value, start, end, outcome, observed));
    }

    private void saved(String name, long start, long end, Outcome outcome) {
        add(Kind.SAVE, ID, name, start, end, outcome, "");
    }

    private void found(String name, long start, long end) {
        add(Kind.FIND, ID, "", start, end, Outcome.DONE, name);
    }

    private List<String> violations() {
        return UserLogCheck.check(entries, List.of("Bern", "Rome")).violations();
    }

    @Test
    void shouldFindAnAcknowledgedWriteThatIsNotThere() {
        saved("a@Bern", 1, 2, Outcome.DONE);
        found("", 3, 4);

        assertThat(violations()).singleElement().asString().startsWith("lost: ");
    }

    @Test
    void shouldFindAnOlderValueAndADeletedOne() {
        saved("a@Bern", 1, 2, Outcome.DONE);
        saved("b@Bern", 3, 4, Outcome.DONE);
        found("a@Bern", 5, 6);
        add(Kind.DELETE, ID, "", 7, 8, Outcome.DONE, "");
        found("b@Bern", 9, 10);

        assertThat(violations())
                .hasSize(2)
                .allSatisfy(violation -> assertThat(violation).startsWith("found what is"));
    }

    @Test
    void shouldFindWhatWasTakenBack() {
        saved("a@Bern", 1, 4, Outcome.NOT_DONE);
        found("a@Bern", 2, 3);

        assertThat(violations()).singleElement().asString().startsWith("found what nobody wrote");
    }

    @Test
    void shouldTakeEitherOfTwoThatOverlapAndAnUnknownOneForAWhile() {
        saved("a@Bern", 1, 5, Outcome.DONE);
        saved("b@Bern", 2, 4, Outcome.DONE);
        found("a@Bern", 6, 7);
        found("b@Bern", 6, 7);
        saved("c@Bern", 8, 9, Outcome.UNKNOWN);
        found("c@Bern", 10, 11);
        found("a@Bern", 10, 11);

        assertThat(violations()).isEmpty();
        saved("d@Bern", 12, 13, Outcome.DONE);
        found("c@Bern", 14, 15);
        assertThat(violations()).hasSize(1);
    }

    @Test
    void shouldFindAListThatHasWhatMovedAwayAndLacksWhatIsThere() {
        saved("a@Bern", 1, 2, Outcome.DONE);
        saved("b@Rome", 3, 4, Outcome.DONE);
        add(Kind.LIST, "Bern", "", 5, 6, Outcome.DONE, "7=a@Bern ");
        add(Kind.LIST, "Rome", "", 5, 6, Outcome.DONE, "");

        assertThat(violations()).hasSize(2);
    }

    @Test
    void shouldFindVisitsThatWereLostOrCountedTwice() {
        saved("a@Bern", 1, 2, Outcome.DONE);
        add(Kind.VISIT, ID, "", 3, 4, Outcome.DONE, "");
        add(Kind.VISIT, ID, "", 5, 6, Outcome.UNKNOWN, "");
        add(Kind.LAST, ID, "", 7, 8, Outcome.DONE, "a@Bern 3");

        assertThat(violations()).singleElement().asString().startsWith("visits: ");
    }

    @Test
    void shouldTakeAnOperationOfAKilledProcessForUndoneIfItsTransactionWasNotCommitted(@TempDir Path directory)
            throws IOException {
        Path file = directory.resolve("log");
        try (UserLog log = new UserLog(file)) {
            log.within(log.start(Kind.SAVE, 1, "a@Bern"));
            long committed = log.start(Kind.SAVE, 2, "b@Bern");
            log.within(committed);
            log.commits(committed);
            log.start(Kind.SAVE, 3, "c@Bern");
        }
        Files.writeString(file, "start\tcut", StandardOpenOption.APPEND);

        assertThat(UserLog.read(file))
                .extracting(Entry::outcome)
                .containsExactly(Outcome.NOT_DONE, Outcome.UNKNOWN, Outcome.UNKNOWN);
    }
}
