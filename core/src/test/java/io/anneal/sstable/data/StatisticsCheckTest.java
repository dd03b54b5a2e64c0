package io.anneal.sstable.data;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SSTableStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class StatisticsCheckTest {
    private static final Path FILE = Path.of("nb-1-big-Statistics.db");

    private static void check(String table, UnaryOperator<SSTableStatistics> wrong) throws IOException {
        check(table, wrong, true);
    }

    private static void check(String table, UnaryOperator<SSTableStatistics> wrong, boolean rowsAreCounted)
            throws IOException {
        try (DataReader reader = SampleSSTables.open(SampleSSTables.original(table, "nb-1-big"));
                DataCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
            StatisticsCheck check = new StatisticsCheck(FILE, wrong.apply(reader.statistics()), rowsAreCounted);
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                check.add(cursor, kind);
            }
            check.end();
        }
    }

    private static SSTableStatistics with(SSTableStatistics s, long minMicros, long maxMicros, int minTtl, long rows) {
        return new SSTableStatistics(
                minMicros,
                maxMicros,
                s.minLocalDeletionTimeSeconds(),
                s.maxLocalDeletionTimeSeconds(),
                minTtl,
                s.maxTtlSeconds(),
                rows,
                s.totalColumnsSet(),
                s.level(),
                s.repairedAtMillis(),
                s.hasLegacyCounterShards(),
                s.estimatedPartitionCount());
    }

    @Test
    void shouldAcceptWhatIsRight() {
        assertThatCode(() -> check("clustered", s -> s)).doesNotThrowAnyException();
    }

    @Test
    void shouldAcceptAnEstimateOfTheRows() {
        assertThatCode(() -> check(
                        "clustered",
                        s -> with(s, s.minTimestampMicros(), s.maxTimestampMicros(), 0, s.totalRows() + 1),
                        false))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldNameWhatIsLeftOut() {
        assertThatThrownBy(() -> check(
                        "clustered",
                        s -> with(s, s.minTimestampMicros() + 1, s.maxTimestampMicros(), 0, s.totalRows())))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContainingAll("timestampMicros=", FILE.toString());
        assertThatThrownBy(() -> check(
                        "clustered",
                        s -> with(s, s.minTimestampMicros(), s.maxTimestampMicros() - 1, 0, s.totalRows())))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("timestampMicros=");
        assertThatThrownBy(() -> check(
                        "clustered", s -> with(s, s.minTimestampMicros(), s.maxTimestampMicros(), 1, s.totalRows())))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("ttlSeconds=0");
        assertThatThrownBy(() -> check(
                        "clustered",
                        s -> with(s, s.minTimestampMicros(), s.maxTimestampMicros(), 0, s.totalRows() + 1)))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("totalRows=");
    }
}
