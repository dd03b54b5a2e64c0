package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.ManualClock;
import io.anneal.testkit.StoreExtension;
import io.anneal.testkit.TemporaryStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The test in {@code docs/embed.md}: it passes, and the page quotes it as it stands here. */
@ExtendWith(StoreExtension.class)
class StoreInTestsTest {
    // snippet: test
    @Test
    void shouldKeepPeopleForAMinute(Store store, ManualClock clock, FaultyDirectory directory, TemporaryStore temporary)
            throws IOException {
        Table people = store.createTable("CREATE TABLE app.people (id int PRIMARY KEY, name text)");
        people.row().key("id", 7).set("name", "Ada").ttlSeconds(60).insert();

        directory.crash();
        people = temporary.reopen().table("app.people");
        assertThat(people.row(Map.of("id", 7))).isPresent();

        clock.advance(Duration.ofSeconds(61));
        assertThat(people.row(Map.of("id", 7))).isEmpty();
    }
    // end

    @Test
    void shouldBeQuotedByThePage() throws IOException {
        Snippets.assertQuoted(StoreInTestsTest.class, "embed.md", 1);
    }
}
