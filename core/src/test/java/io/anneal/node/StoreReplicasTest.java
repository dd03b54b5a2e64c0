package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.store.Store;
import io.anneal.store.directory.SnapshotManifest;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** From when the data of a store counts that was closed for long. */
@Timeout(60)
class StoreReplicasTest {
    private static final StoreConfig CONFIG =
            StoreConfig.defaults().withShardCount(1).withCompactionThreads(0);
    private static final String TEXT =
            "CREATE TABLE shop.orders (id int PRIMARY KEY, item text) WITH gc_grace_seconds = 864000;";
    /** Of a whole second, as its moment is kept. */
    private static final Instant CLOSED = Instant.ofEpochSecond(1_795_000_000L);

    @TempDir
    private Path directory;

    @BeforeEach
    void setUp() throws IOException {
        try (Store store = open(CLOSED)) {
            store.createTable(TEXT).row().key("id", 1).set("item", "a spoon").insert();
        }
        closedAt(CLOSED);
    }

    private Store open(Instant now) throws IOException {
        return Store.open(directory, CONFIG, HostEnvironment.system().withClock(Clock.fixed(now, ZoneOffset.UTC)));
    }

    /** What a disk says that nobody wrote to since. */
    private void closedAt(Instant moment) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(moment));
            }
        }
    }

    private static Optional<Instant> asOf(Store store) throws IOException {
        return asOf(store, TokenRange.FULL);
    }

    private static Optional<Instant> asOf(Store store, TokenRange... ranges) throws IOException {
        try (Replica replica = new StoreReplicas(store).open("shop", "orders", Optional.empty())) {
            return replica.asOf(List.of(ranges));
        }
    }

    private static Instant afterDays(int days) {
        return CLOSED.plus(Duration.ofDays(days));
    }

    @Test
    void shouldCountAsOfNowWhenTheStoreWasClosedForLessThanGcGrace() throws IOException {
        try (Store store = open(afterDays(9))) {
            assertThat(asOf(store)).isEmpty();
        }
    }

    @Test
    void shouldCountFromWhenItWasOpenWhateverIsWrittenSince() throws IOException {
        try (Store store = open(afterDays(11))) {
            assertThat(asOf(store)).contains(CLOSED);
            store.table("shop.orders").row().key("id", 2).set("item", "a fork").insert();
            store.flush();
            store.compact();
            assertThat(asOf(store)).contains(CLOSED);
        }
        try (Store store = open(afterDays(12))) {
            assertThat(asOf(store)).contains(CLOSED);
        }
        closedAt(afterDays(12));
        try (Store store = open(afterDays(40))) {
            assertThat(asOf(store)).as("it never caught up").contains(CLOSED);
        }
    }

    @Test
    void shouldCountAsOfNowAgainOnceAllOfItWasRepairedAmongAllReplicas() throws IOException {
        try (Store store = open(afterDays(11))) {
            TokenRange part = new TokenRange(0, 100);
            store.table("shop.orders").repaired(List.of(part), afterDays(11).getEpochSecond());
            assertThat(asOf(store)).contains(CLOSED);
            store.table("shop.orders")
                    .repaired(List.of(new TokenRange(100, 0)), afterDays(12).getEpochSecond());
            assertThat(asOf(store)).isEmpty();
        }
        try (Store store = open(afterDays(13))) {
            assertThat(asOf(store)).isEmpty();
        }
    }

    @Test
    void shouldCountAsOfNowAgainOnceItIsEmpty() throws IOException {
        try (Store store = open(afterDays(11))) {
            store.table("shop.orders").truncate();
            assertThat(asOf(store)).isEmpty();
        }
    }

    @Test
    void shouldCountATableThatNobodyWritesToAsTheStoreThatIsOpen() throws IOException {
        Instant later = afterDays(9);
        try (Store store = open(later)) {
            store.createTable(TEXT.replace("orders", "others"));
        }
        try (Store store = open(afterDays(18))) {
            assertThat(asOf(store)).as("it was open nine days before").isEmpty();
        }
    }

    @Test
    void shouldKnowOfAStoreThatIsClosedWhatItKnewWhenItWasOpen() throws IOException {
        open(afterDays(11)).close();
        CassandraReplicas closed = new CassandraReplicas(List.of(directory), Optional.empty(), Optional.empty());
        try (Replica replica = closed.open("shop", "orders", Optional.empty())) {
            assertThat(replica.asOf(List.of(TokenRange.FULL))).contains(CLOSED);
        }
    }

    private Store openForRepairs(Instant now) throws IOException {
        return Store.open(
                directory,
                CONFIG.withForRepairs(true),
                HostEnvironment.system().withClock(Clock.fixed(now, ZoneOffset.UTC)));
    }

    private static void repaired(Store store, TokenRange range, Instant when) throws IOException {
        store.table("shop.orders").repaired(List.of(range), when.getEpochSecond());
    }

    @Test
    void shouldKeepItsDateWhileOnlyRepairsOpenIt() throws IOException {
        try (Store store = openForRepairs(afterDays(5))) {
            assertThat(asOf(store)).contains(CLOSED);
            // What a repair of a part gives it.
            store.table("shop.orders").row().key("id", 2).set("item", "a fork").insert();
            store.flush();
            repaired(store, new TokenRange(0, 100), afterDays(5));
            assertThat(asOf(store)).contains(CLOSED);
            assertThat(asOf(store, new TokenRange(50, 100)))
                    .as("what was repaired")
                    .contains(afterDays(5));
            assertThat(asOf(store, new TokenRange(0, 100), new TokenRange(100, 101)))
                    .as("more than that")
                    .contains(CLOSED);
        }
        closedAt(afterDays(5));
        CassandraReplicas closed = new CassandraReplicas(List.of(directory), Optional.empty(), Optional.empty());
        try (Replica replica = closed.open("shop", "orders", Optional.empty())) {
            assertThat(replica.asOf(List.of(TokenRange.FULL)))
                    .as("read without being opened")
                    .contains(CLOSED);
        }
        try (Store store = openForRepairs(afterDays(9))) {
            assertThat(asOf(store)).contains(CLOSED);
        }
        closedAt(afterDays(9));
        try (Store store = open(afterDays(11))) {
            assertThat(asOf(store)).as("its program comes too late").contains(CLOSED);
        }
    }

    @Test
    void shouldDateFromTheOldestRepairOfAllOfItWhileOnlyRepairsOpenIt() throws IOException {
        try (Store store = openForRepairs(afterDays(5))) {
            repaired(store, new TokenRange(0, 100), afterDays(6));
            repaired(store, new TokenRange(100, 0), afterDays(7));
            assertThat(asOf(store)).contains(afterDays(6));
            assertThat(asOf(store, new TokenRange(200, 300))).contains(afterDays(7));
        }
        try (Store store = openForRepairs(afterDays(15))) {
            assertThat(asOf(store)).contains(afterDays(6));
            assertThat(store.table("shop.orders").staleSince()).isEmpty();
        }
    }

    @Test
    void shouldCountAsOfNowOnceItsProgramHasItOpenAgainInTime() throws IOException {
        openForRepairs(afterDays(5)).close();
        try (Store store = open(afterDays(9))) {
            assertThat(asOf(store)).isEmpty();
        }
        closedAt(afterDays(9));
        try (Store store = openForRepairs(afterDays(12))) {
            assertThat(asOf(store)).contains(afterDays(9));
        }
    }

    @Test
    void shouldDateASnapshotFromWhatItHolds() throws IOException {
        Path snapshot;
        try (Store store = openForRepairs(afterDays(5))) {
            snapshot = store.table("shop.orders").snapshot("young");
        }
        assertThat(SnapshotManifest.read(snapshot).orElseThrow().createdAt()).contains(CLOSED);
        try (Store store = open(afterDays(20))) {
            snapshot = store.table("shop.orders").snapshot("old");
        }
        assertThat(SnapshotManifest.read(snapshot).orElseThrow().createdAt()).contains(CLOSED);
        try (Store store = open(afterDays(20))) {
            store.table("shop.orders").truncate();
            snapshot = store.table("shop.orders").snapshot("empty");
        }
        assertThat(SnapshotManifest.read(snapshot).orElseThrow().createdAt()).contains(afterDays(20));
    }

    @Test
    void shouldBeAsOldAsASnapshotThatIsRestored() throws IOException {
        Path snapshot;
        try (Store store = open(CLOSED)) {
            snapshot = store.table("shop.orders").snapshot("then");
        }
        try (Store store = open(afterDays(9))) {
            store.table("shop.orders").importSSTables(snapshot);
            assertThat(asOf(store)).isEmpty();
        }
        try (Store store = open(afterDays(18))) {
            repaired(store, TokenRange.FULL, afterDays(17));
            store.table("shop.orders").importSSTables(snapshot);
            assertThat(asOf(store)).contains(CLOSED);
            repaired(store, TokenRange.FULL, afterDays(18));
            assertThat(asOf(store)).isEmpty();
        }
    }
}
