package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.testkit.ManualClock;
import io.anneal.testkit.TemporaryStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A store whose clock is wrong for a while. */
class StoreClockTest {
    private static final Instant WRONG = Instant.parse("2200-01-01T00:00:00Z");
    private static final long DAY_MICROS = 86_400_000_000L;
    private static final String WARNING = "timestamps more than a day ahead of the clock";

    private static Table create(Store store) throws IOException {
        return store.createTable("CREATE TABLE app.t (id int PRIMARY KEY, v text)");
    }

    private static void write(Table table, int id, String value) throws IOException {
        table.row().key("id", id).set("v", value).insert();
    }

    private static Object read(Table table, int id) throws IOException {
        return table.row(Map.of("id", id)).orElseThrow().value("v");
    }

    private static long ahead(Store store) {
        return store.metrics().get("store.timestamps-ahead").longValue();
    }

    private static long wrongAhead(ManualClock clock) {
        return Duration.between(clock.instant(), WRONG).toSeconds();
    }

    /** What was written last has the largest timestamp of its own table alone. */
    private static void shouldStampByTheClock(TemporaryStore temporary, String name) throws IOException {
        Store store = temporary.store();
        Table fresh = store.createTable("CREATE TABLE app." + name + " (id int PRIMARY KEY, v text)");
        write(fresh, 1, "now");
        long nowMicros = temporary.clock().instant().getEpochSecond() * 1_000_000;
        assertThat(fresh.oldestWriteMicros()).isBetween(nowMicros - DAY_MICROS, nowMicros + DAY_MICROS);
    }

    @Test
    void shouldNotFollowItsOwnClockWhereThatWasWrong() throws IOException {
        try (TemporaryStore temporary = TemporaryStore.open()) {
            ManualClock clock = temporary.clock();
            Table table = create(temporary.store());
            write(table, 1, "before");
            assertThat(ahead(temporary.store())).isZero();
            clock.set(WRONG);
            write(table, 2, "wrong");
            clock.set(ManualClock.START);
            // As if it had never been away, and later than what was there before.
            write(table, 1, "after");
            assertThat(read(table, 1)).isEqualTo("after");
            shouldStampByTheClock(temporary, "fresh");
            assertThat(ahead(temporary.store())).isEqualTo(wrongAhead(clock));
            // What is stamped so hides what comes later, as the warning says.
            write(table, 2, "hidden");
            assertThat(read(table, 2)).isEqualTo("wrong");
        }
    }

    @Test
    void shouldNotFollowWhatAnEarlierOpeningGaveOutByAWrongClock() throws IOException {
        try (TemporaryStore temporary = TemporaryStore.open()) {
            ManualClock clock = temporary.clock();
            Table table = create(temporary.store());
            write(table, 1, "before");
            clock.set(WRONG);
            write(table, 2, "wrong");
            // The log has it alone, then SSTables have.
            temporary.directory().kill();
            clock.set(ManualClock.START);
            for (String opening : new String[] {"killed", "closed", "again"}) {
                table = temporary.reopen().table("app.t");
                assertThat(ahead(temporary.store())).as(opening).isEqualTo(wrongAhead(clock));
                write(table, 1, opening);
                assertThat(read(table, 1)).isEqualTo(opening);
                shouldStampByTheClock(temporary, opening);
            }
            // Nothing is stamped so any more.
            table.truncate();
            temporary.reopen();
            temporary.reopen();
            assertThat(ahead(temporary.store())).isZero();
        }
    }

    /** Writes once by a clock that is wrong, and once by the right one. */
    private static String leap(TemporaryStore temporary, Table table, int id) throws IOException {
        return CapturedLog.of(() -> {
            Instant right = temporary.clock().instant();
            temporary.clock().set(WRONG);
            write(table, id, "wrong");
            temporary.clock().set(right);
            write(table, id + 1, "right");
        });
    }

    @Test
    void shouldWarnWhenItsOwnClockComesBackAndAtEachStart() throws IOException {
        try (TemporaryStore temporary = TemporaryStore.open()) {
            ManualClock clock = temporary.clock();
            Table table = create(temporary.store());
            String log = leap(temporary, table, 1);
            assertThat(log)
                    .containsOnlyOnce(WARNING)
                    .contains(
                            "WARN TimestampClock",
                            "not followed",
                            "docs/embed.md",
                            "store=" + temporary.store().directory(),
                            "aheadSeconds=" + wrongAhead(clock),
                            "timestampMicros=" + WRONG.getEpochSecond() * 1_000_000);
            assertThat(CapturedLog.of(() -> write(table, 3, "later"))).doesNotContain(WARNING);
            // Once a minute, however often it happens.
            assertThat(leap(temporary, table, 4)).doesNotContain(WARNING);
            clock.advance(Duration.ofMinutes(1));
            assertThat(leap(temporary, table, 6)).containsOnlyOnce(WARNING);

            for (String opening : new String[] {"from the log", "from SSTables"}) {
                assertThat(CapturedLog.of(temporary::reopen)).as(opening).containsOnlyOnce(WARNING);
            }
            temporary.store().table("app.t").truncate();
            temporary.reopen();
            assertThat(CapturedLog.of(temporary::reopen)).doesNotContain(WARNING);
        }
    }

    @Test
    void shouldTellAClockThatWasResetAndNoneThatIsBehindByLessThanADay() throws IOException {
        try (TemporaryStore temporary = TemporaryStore.open()) {
            ManualClock clock = temporary.clock();
            write(create(temporary.store()), 1, "first");
            clock.set(ManualClock.START.minus(Duration.ofHours(20)));
            assertThat(CapturedLog.of(temporary::reopen)).doesNotContain("ahead", "clock is before 2020");
            clock.set(Instant.EPOCH);
            assertThat(CapturedLog.of(temporary::reopen))
                    .containsOnlyOnce("clock is before 2020 and counts as reset")
                    .contains("store=" + temporary.store().directory())
                    .doesNotContain(WARNING);
        }
    }

    @Test
    void shouldGoOnAfterTheLastTimestampWhereTheClockIsBehindByLessThanADayOrWasReset() throws IOException {
        try (TemporaryStore temporary = TemporaryStore.open()) {
            ManualClock clock = temporary.clock();
            Table table = create(temporary.store());
            write(table, 1, "first");
            clock.set(ManualClock.START.minus(Duration.ofHours(20)));
            write(table, 1, "second");
            assertThat(read(table, 1)).isEqualTo("second");
            table = temporary.reopen().table("app.t");
            write(table, 1, "third");
            assertThat(read(table, 1)).isEqualTo("third");
            assertThat(ahead(temporary.store())).isEqualTo(Duration.ofHours(20).toSeconds());
            clock.set(Instant.EPOCH);
            write(table, 1, "fourth");
            assertThat(read(table, 1)).isEqualTo("fourth");
            table = temporary.reopen().table("app.t");
            write(table, 1, "fifth");
            assertThat(read(table, 1)).isEqualTo("fifth");
        }
    }
}
