package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.Row;
import io.anneal.io.ByteBudget;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.node.StagingArea;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A place counts once as compared, whatever deletions hide there. The repair is at second 100, gc_grace is 10 s. */
@Timeout(60)
class RowsComparedTest {
    private static final DecoratedKey KEY = HandMadeTable.keys(1).get(0);
    private static final int PURGEABLE = 50;
    private static final int LIVING = 95;

    @TempDir
    private Path directory;

    private static FragmentList rows(Row... rows) {
        FragmentList.Builder builder = FragmentList.builder(Sessions.SCHEMA).partition(KEY);
        List.of(rows).forEach(builder::row);
        return builder.end().build();
    }

    private static Row live(int c1, long micros) {
        return HandMadeTable.row(c1, 0).live(micros).build();
    }

    private static Row deleted(int c1, long micros) {
        return HandMadeTable.row(c1, 0).deleted(micros, PURGEABLE).build();
    }

    private RepairReport repair(FragmentList master, FragmentList follower, boolean dryRun) throws IOException {
        try (StagingArea one = Sessions.staging(directory.resolve("one"));
                StagingArea two = Sessions.staging(directory.resolve("two"))) {
            TestTable own = new TestTable("own", master, Optional.of(one));
            TestTable other = new TestTable("other", follower, Optional.of(two));
            return Repair.of("ks.t")
                    .between(RepairMember.here("own", own.opener()), RepairMember.here("other", other.opener()))
                    .range(TokenRange.FULL)
                    .dryRun(dryRun)
                    .run(new RepairEnvironment(Sessions.host(), Runnable::run, ByteBudget.of(64 << 20)));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCountOnceWhereTheMasterHoldsAnExpiredDeletion(boolean dryRun) throws IOException {
        RepairReport report = repair(rows(deleted(1, 5), live(2, 5)), rows(live(1, 9), live(2, 5)), dryRun);

        assertThat(report.rowsCompared()).isEqualTo(2);
        assertThat(report.rowsDiffering()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCountOnceWhereADeletionHidesTheMastersVersion(boolean dryRun) throws IOException {
        FragmentList follower = FragmentList.builder(Sessions.SCHEMA)
                .partition(KEY, 7, LIVING)
                .row(live(1, 9))
                .end()
                .build();
        RepairReport report = repair(rows(live(1, 5), live(2, 5)), follower, dryRun);

        assertThat(report.rowsCompared()).isEqualTo(1);
        assertThat(report.rowsDiffering()).isEqualTo(1);
    }

    @Test
    void shouldNotCountWhatAllHaveDeletedLongAgo() throws IOException {
        FragmentList rows = rows(deleted(1, 5), live(2, 5));

        assertThat(repair(rows, rows, true).rowsCompared()).isEqualTo(1);
    }
}
