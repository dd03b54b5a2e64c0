package io.anneal.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.store.Table;
import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TemporaryStoreTest {
    private static final String TABLE = "CREATE TABLE app.t (id int PRIMARY KEY, name text)";
    private static final int ROWS = 30;
    private static final int FLUSH_EVERY = 10;
    private static final int STEP = Integer.getInteger("anneal.crash.step", 23);

    @Test
    void shouldCloseTwice() throws IOException {
        TemporaryStore temporary = TemporaryStore.open();
        temporary.close();
        temporary.close();

        assertThat(temporary.directory().isClosed()).isTrue();
    }

    @Test
    void shouldCloseWhenItsMachineHasCrashedOrItsDiskFailed() throws IOException {
        TemporaryStore crashed = TemporaryStore.open();
        crashed.store().createTable(TABLE);
        crashed.directory().crash();
        crashed.close();
        TemporaryStore full = TemporaryStore.open();
        Table table = full.store().createTable(TABLE);
        table.row().key("id", 1).insert();
        full.directory().fillUpAfter(0);
        full.close();

        assertThat(crashed.directory().isClosed()).isTrue();
        assertThat(full.directory().isClosed()).isTrue();
    }

    /** The power is cut at some changes of the disk, in whichever thread it happens. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldKeepWhatWasAcknowledgedWheneverThePowerIsCut(long seed) throws IOException {
        int cuts = 0;
        boolean cut = true;
        for (int after = (int) seed; cut; after += STEP) {
            try (TemporaryStore temporary = TemporaryStore.open()) {
                temporary.store().createTable(TABLE);
                temporary
                        .directory()
                        .inject(Fault.on(
                                        Operation.CREATE,
                                        Operation.WRITE,
                                        Operation.FORCE,
                                        Operation.RENAME,
                                        Operation.DELETE,
                                        Operation.LINK)
                                .after(after)
                                .times(1)
                                .cuttingPower(seed));
                Set<Integer> acknowledged = write(temporary.store().table("app.t"));
                cut = acknowledged.size() < ROWS;
                cuts += cut ? 1 : 0;
                temporary.directory().heal();
                temporary.directory().crash(seed);

                Table table = temporary.reopen().table("app.t");
                for (int id = 0; id < ROWS; id++) {
                    boolean there = table.row(Map.of("id", id)).isPresent();
                    assertThat(there || !acknowledged.contains(id))
                            .as("seed=%d, after=%d, id=%d", seed, after, id)
                            .isTrue();
                }
                table.row().key("id", 1).set("name", "again").insert();
            }
        }
        assertThat(cuts).isPositive();
    }

    private static Set<Integer> write(Table table) {
        Set<Integer> acknowledged = new TreeSet<>();
        try {
            for (int id = 0; id < ROWS; id++) {
                table.row().key("id", id).set("name", "name " + id).insert();
                acknowledged.add(id);
                if (id % FLUSH_EVERY == FLUSH_EVERY - 1) {
                    table.flush();
                }
            }
        } catch (IOException e) {
            // The power is out, or the disk was wrong: what was acknowledged before counts.
            return acknowledged;
        }
        return acknowledged;
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 2);
    }
}
