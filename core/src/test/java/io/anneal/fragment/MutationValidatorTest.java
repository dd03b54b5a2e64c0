package io.anneal.fragment;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import org.junit.jupiter.api.Test;

final class MutationValidatorTest {
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .partitionKey("k", "blob")
            .clustering("c", "blob")
            .column("v", "blob")
            .column("s", "set<blob>")
            .build();
    private static final long MAX_SECONDS = 1000;
    private static final DecoratedKey KEY = DecoratedKey.of(new byte[] {1});

    private final MutationValidator validator = new MutationValidator(SCHEMA, MAX_SECONDS, MAX_SECONDS, 0);

    private static Row row(int clusteringBytes) {
        Row row = new Row();
        row.clustering().wrap(Clustering.of(new byte[clusteringBytes]));
        return row;
    }

    private static Mutation mutation(Row row) {
        return Mutation.builder(SCHEMA, KEY).row(row).build();
    }

    private static RangeDeletion range(long timestampMicros, long localSeconds, int fromBytes) {
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(Clustering.of(new byte[fromBytes]));
        range.deletion(timestampMicros, localSeconds);
        return range;
    }

    private void assertRefused(Mutation mutation, String facts) {
        assertThatExceptionOfType(CorruptItemException.class)
                .isThrownBy(() -> validator.validate(mutation))
                .withMessageContaining(facts);
    }

    @Test
    void shouldTakeWhatIsJustWithinTheLimits() {
        Row row = row(0xFFFF);
        row.liveness(-5, 60, MAX_SECONDS);
        row.deletion(-5, MAX_SECONDS, false);
        row.addComplexDeletion(1, -6, MAX_SECONDS);
        row.addCell(1, -5, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.path(new byte[1], 0, 1);
        row.value(new byte[0], 0, 0);
        assertThatCode(() -> validator.validate(mutation(row))).doesNotThrowAnyException();
        Mutation deletions = Mutation.builder(SCHEMA, KEY)
                .partitionDeletion(new DeletionTime(0, MAX_SECONDS))
                .rangeDeletion(range(0, MAX_SECONDS, 0xFFFF))
                .build();
        assertThatCode(() -> validator.validate(deletions)).doesNotThrowAnyException();
    }

    @Test
    void shouldRefuseTimesThatAreTooLate() {
        String facts = "localDeletionTimeSeconds=1001, max=1000";
        Row liveness = row(1);
        liveness.liveness(1, 60, MAX_SECONDS + 1);
        assertRefused(mutation(liveness), facts);
        Row deletion = row(1);
        deletion.deletion(1, MAX_SECONDS + 1, false);
        assertRefused(mutation(deletion), facts);
        Row cell = row(1);
        cell.addCell(0, 1, Row.NO_TTL, MAX_SECONDS + 1);
        assertRefused(mutation(cell), facts);
        Row collection = row(1);
        collection.addComplexDeletion(1, 1, MAX_SECONDS + 1);
        assertRefused(mutation(collection), facts);
        assertRefused(
                Mutation.builder(SCHEMA, KEY)
                        .partitionDeletion(new DeletionTime(1, MAX_SECONDS + 1))
                        .build(),
                facts);
        assertRefused(
                Mutation.builder(SCHEMA, KEY)
                        .rangeDeletion(range(1, MAX_SECONDS + 1, 1))
                        .build(),
                facts);
    }

    @Test
    void shouldRefuseDeletionsThatAreTooEarly() {
        String facts = "timestampMicros=-1, min=0";
        assertRefused(
                Mutation.builder(SCHEMA, KEY)
                        .partitionDeletion(new DeletionTime(-1, 1))
                        .build(),
                facts);
        assertRefused(
                Mutation.builder(SCHEMA, KEY).rangeDeletion(range(-1, 1, 1)).build(), facts);
    }

    @Test
    void shouldRefuseClusteringValuesThatAreTooLong() {
        Row row = row(0x10000);
        row.liveness(1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        assertRefused(mutation(row), "lengthBytes=65536, max=65535");
        assertRefused(
                Mutation.builder(SCHEMA, KEY)
                        .rangeDeletion(range(1, 1, 0x10000))
                        .build(),
                "lengthBytes=65536");
    }
}
