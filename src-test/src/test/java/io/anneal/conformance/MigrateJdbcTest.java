package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.store.Store;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code docs/migrate-jdbc.md} says: a service leaves its relational database for an embedded store, by commands alone. */
final class MigrateJdbcTest {
    private static final int SERVICE_LINES_MAX = 150;

    @TempDir
    private Path directory;

    @Test
    void shouldWalkToAnEmbeddedStoreByCommandsAlone() throws Exception {
        Path stored = directory.resolve("store");
        try (ProfileWalk walk = new ProfileWalk(directory)) {
            walk.done("init");
            ProfileWalk.Service service = walk.start("StoreProfiles", stored.toString());
            service.save(1, "in-1");
            walk.step();
            service.save(2, "in-2");
            assertThat(walk.done("backfill")).startsWith("300 keys copied");
            assertThat(walk.done("verify")).startsWith("300 keys compared, 0 differ");
            walk.step();
            service.remove(3);
            service.kill();
            service.start();
            walk.done("verify");
            walk.step();
            walk.step();
            service.save(4, "in-4");
            walk.step();
            assertThat(walk.finish()).contains("no way back");
            service.end();
        }
        try (Store store = Store.open(stored, StoreConfig.defaults())) {
            for (long id = 1; id <= ProfileWalk.BEFORE; id++) {
                String name = store.table("shop.profiles")
                        .row(Map.of("id", id))
                        .map(row -> row.value("name", String.class))
                        .orElse("");
                assertThat(name).isEqualTo(id == 3 ? "" : id <= 2 || id == 4 ? "in-" + id : "name-" + id);
            }
        }
    }

    /** The page quotes the service that the tests walk. */
    @Test
    void shouldQuoteTheServiceAsItIsRun() throws IOException {
        Path docs = Path.of("../docs");
        String service = Files.readString(docs.resolve("migrate-jdbc/ProfileService.java"));
        String code = stripped(service + Files.readString(docs.resolve("migrate-jdbc/StoreProfiles.java")));
        List<String> quotes = Pattern.compile("(?s)```java\n(.*?)```")
                .matcher(Files.readString(docs.resolve("migrate-jdbc.md")))
                .results()
                .map(quote -> stripped(quote.group(1)))
                .toList();
        assertThat(quotes).hasSize(6).allSatisfy(quote -> assertThat(code).contains(quote));
        assertThat(service.lines().count()).isLessThanOrEqualTo(SERVICE_LINES_MAX);
    }

    private static String stripped(String code) {
        return code.lines().map(String::strip).collect(Collectors.joining("\n"));
    }
}
