package io.anneal.cli.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.RingPosition;
import io.anneal.node.ReplicaSource;
import io.anneal.repair.DeletionDifference;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RowDifference;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rows that differ are named, whether they can be read or not. */
final class RowLinesTest {
    private static final TableSchema SCHEMA = CqlSchema.parse("CREATE TABLE ks.t (id int PRIMARY KEY);", "test.cql")
            .tables()
            .iterator()
            .next();

    private final List<String> notes = new ArrayList<>();
    private final List<String> named = new ArrayList<>();
    private int opened;

    private final RowLines.Format format = new RowLines.Format() {
        @Override
        public void row(
                TableSchema schema, RowDifference difference, List<String> lacking, Optional<RowLines.Found> found) {
            assertThat(found).isEmpty();
            named.addAll(lacking);
        }

        @Override
        public void deletion(TableSchema schema, DeletionDifference difference, List<String> lacking) {
            throw new AssertionError(difference);
        }
    };

    @Test
    void shouldSayOnceThatRowsCannotBeReadAndGoOnNamingThem() throws IOException {
        ReplicaSource gone = (keyspace, table, staged) -> {
            opened++;
            throw new IOException("disk is gone");
        };
        Repair repair = Repair.of("ks.t").between(RepairMember.here("one", gone), RepairMember.here("two", gone));
        try (RowLines lines = new RowLines(repair, true, () -> 1, notes::add, format)) {
            lines.begins(SCHEMA, List.of("one", "two"));
            for (int i = 0; i < 3; i++) {
                lines.rowDiffers(new RowDifference(RingPosition.END, List.of(1)));
                lines.ends();
            }
        }
        assertThat(named).containsExactly("two", "two", "two");
        assertThat(notes).containsExactly("rows that differ are named, but not read any more: disk is gone");
        assertThat(opened).isEqualTo(1);
    }

    @Test
    void shouldNameNothingMoreWhenNobodyWaitsAnyMore() throws IOException {
        ReplicaSource interrupted = (keyspace, table, staged) -> {
            throw new InterruptedIOException("interrupted");
        };
        Repair repair =
                Repair.of("ks.t").between(RepairMember.here("one", interrupted), RepairMember.here("two", interrupted));
        try (RowLines lines = new RowLines(repair, true, () -> 1, notes::add, format)) {
            lines.begins(SCHEMA, List.of("one", "two"));
            lines.rowDiffers(new RowDifference(RingPosition.END, List.of(1)));
            assertThatThrownBy(lines::ends).isInstanceOf(InterruptedIOException.class);
        }
        assertThat(named).isEmpty();
        assertThat(notes).isEmpty();
    }
}
