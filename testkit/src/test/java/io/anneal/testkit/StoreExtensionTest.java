package io.anneal.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.StorageException;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(StoreExtension.class)
class StoreExtensionTest {
    private static final String TABLE = "CREATE TABLE app.people (id int PRIMARY KEY, name text)";
    private static final List<FaultyDirectory> HANDED_OUT = new ArrayList<>();

    private Table people;

    @BeforeEach
    void createTable(Store store, FaultyDirectory directory) throws IOException {
        people = store.createTable(TABLE);
        HANDED_OUT.add(directory);
    }

    @AfterAll
    static void shouldHaveClosedThem() {
        assertThat(HANDED_OUT).isNotEmpty().doesNotHaveDuplicates().allMatch(FaultyDirectory::isClosed);
    }

    private void insert(int id, String name) throws IOException {
        people.row().key("id", id).set("name", name).insert();
    }

    @RepeatedTest(2)
    void shouldHandOutAnEmptyStoreToEachTest(Store store) throws IOException {
        assertThat(store.tables()).hasSize(1);
        assertThat(people.row(Map.of("id", 1))).isEmpty();
        insert(1, "Ada");
        assertThat(people.row(Map.of("id", 1))).isPresent();
    }

    @Test
    void shouldHandOutWhatBelongsTogether(
            TemporaryStore temporary, Store store, ManualClock clock, FaultyDirectory directory) {
        assertThat(temporary.store()).isSameAs(store);
        assertThat(temporary.clock()).isSameAs(clock);
        assertThat(temporary.directory()).isSameAs(directory);
        assertThat(store.directory()).isEqualTo(directory.path());
    }

    @Test
    void shouldExpireRowsWhenTheClockMoves(ManualClock clock) throws IOException {
        people.row().key("id", 1).set("name", "Ada").ttlSeconds(60).insert();
        assertThat(people.row(Map.of("id", 1))).isPresent();
        clock.advance(Duration.ofSeconds(61));
        assertThat(people.row(Map.of("id", 1))).isEmpty();
    }

    @Test
    void shouldKeepWhatWasAcknowledgedWhenThePowerFails(TemporaryStore temporary, FaultyDirectory directory)
            throws IOException {
        insert(1, "Ada");
        directory.crash();

        people = temporary.reopen().table("app.people");
        assertThat(people.row(Map.of("id", 1)).orElseThrow().value("name")).isEqualTo("Ada");
        insert(2, "Grace");
        people = temporary.reopen().table("app.people");
        assertThat(people.row(Map.of("id", 2))).isPresent();
    }

    @Test
    void shouldRefuseWritesWhenAForceFailed(TemporaryStore temporary, FaultyDirectory directory) throws IOException {
        insert(1, "Ada");
        directory.inject(Fault.on(Operation.FORCE).named(name -> name.startsWith("CommitLog")));

        assertThatThrownBy(() -> insert(2, "Grace")).isInstanceOf(StorageException.class);
        directory.heal();
        assertThatThrownBy(() -> insert(3, "Edsger")).isInstanceOf(StorageException.class);
        assertThat(people.row(Map.of("id", 1))).isPresent();
        directory.crash();
        assertThat(temporary.reopen().table("app.people").row(Map.of("id", 1))).isPresent();
    }

    /** How long a store takes is printed, not asserted: a timing decides no test. */
    @Test
    void shouldBeReadySoon() throws IOException {
        int count = 100;
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long begin = System.nanoTime();
            try (TemporaryStore temporary = TemporaryStore.open()) {
                temporary.store().createTable(TABLE).row().key("id", i).insert();
            }
            millis.add((System.nanoTime() - begin) / 1e6);
        }
        millis.sort(null);
        System.out.printf(
                Locale.ROOT,
                "a temporary store opened, written to and closed, ms: fastest %.1f, median %.1f, slowest %.1f%n",
                millis.get(0),
                millis.get(count / 2),
                millis.get(count - 1));
    }
}
