package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** README's first sample, as a reader runs it: once to see it work, and again. */
class ReadmeSnippetTest {
    @TempDir
    private static java.nio.file.Path directory;

    /** Has the sample's relative path lie in the test's directory. */
    private static final class Path {
        private Path() {}

        static java.nio.file.Path of(String name) {
            return directory.resolve(name);
        }
    }

    private static void run() throws IOException {
        // snippet: readme
        try (Store store = Store.open(Path.of("data"))) {
            Table people = store.createTable("CREATE TABLE IF NOT EXISTS app.people (id int PRIMARY KEY, name text)");
            people.row().key("id", 7).set("name", "Ada").insert(); // on disk when it returns
            Optional<TableRow> ada = people.row(Map.of("id", 7));
        }
        // end
    }

    @Test
    void shouldRunAgainAndAgain() throws IOException {
        for (int time = 1; time <= 2; time++) {
            run();
            try (Store store = Store.open(directory.resolve("data"))) {
                assertThat(store.table("app.people").row(Map.of("id", 7)))
                        .as("time=%s", time)
                        .hasValueSatisfying(ada -> assertThat(ada.value("name")).isEqualTo("Ada"));
            }
        }
    }

    @Test
    void shouldBeWhatTheReadmeQuotes() throws IOException {
        Snippets.assertQuoted(ReadmeSnippetTest.class, "../README.md", 1);
    }
}
