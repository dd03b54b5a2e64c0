package io.anneal.merge;

import static io.anneal.schema.CounterContexts.context;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.schema.Column;
import io.anneal.schema.CounterContexts;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Counters merged by rule 5, in any order of their versions. */
class CounterMergerTest {
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "counts")
            .column("k", CqlTypes.INT, Column.Kind.PARTITION_KEY)
            .column("hits", CqlTypes.COUNTER, Column.Kind.REGULAR)
            .build();
    private static final long NEVER = DeletionTime.NO_DELETION_TIME;

    private static Row counter(long micros, byte[] context) {
        Row row = new Row();
        row.clear(false);
        row.addCell(0, micros, Row.NO_TTL, NEVER);
        row.value(context, 0, context.length);
        return row;
    }

    private static Row tombstone(long micros, long seconds) {
        Row row = new Row();
        row.clear(false);
        row.addCell(0, micros, Row.NO_TTL, seconds);
        return row;
    }

    private static String merged(long coveringMicros, List<Row> versions) {
        RowMerger merger = new RowMerger(SCHEMA, CanonicalEncoder.UNCLAMPED);
        merger.start(false);
        versions.forEach(merger::add);
        Row out = new Row();
        if (!merger.merge(coveringMicros, coveringMicros == DeletionTime.NO_TIMESTAMP ? NEVER : 0, out)) {
            return "nothing";
        }
        if (out.isTombstone(0)) {
            return "tombstone@" + out.timestampMicros(0) + "/" + out.localDeletionTimeSeconds(0);
        }
        assertThat(out.entryCount()).isOne();
        assertThat(out.isExpiring(0)).isFalse();
        return CounterContexts.text(out.valueBuffer(0), out.valueOffset(0), out.valueLengthBytes(0)) + " @"
                + out.timestampMicros(0);
    }

    @ParameterizedTest(name = "{3}")
    @CsvSource({
        "g1:2=5,         g1:3=4,         g1:3=4,                the larger clock of global shards",
        "g1:3=5,         g1:3=4,         g1:3=5,                the larger count of equal clocks",
        "g1:-3=5,        g1:2=4,         g1:2=4,                global clocks are signed",
        "g1:1=5,         r1:9=4,         g1:1=5,                global over remote whatever the clock",
        "g1:1=5,         l1:9=4,         g1:1=5,                global over local whatever the clock",
        "l1:1=5,         r1:9=4,         l1:1=5,                local over remote",
        "l1:1=5,         l1:9=4,         l1:10=9,               local shards are deltas",
        "r1:1=5,         r1:9=4,         r1:9=4,                the larger clock of remote shards",
        "r1:9=5,         r1:9=4,         r1:9=5,                the larger count of equal remote clocks",
        "r1:-2=5,        r1:9=4,         r1:-2=5,               an ancient clock below zero over later ones",
        "r1:-2=5,        r1:-3=4,        r1:-3=4,               the lesser of two ancient clocks",
        "g1:1=1 g3:1=3,  g2:1=2 g4:1=4,  g1:1=1 g2:1=2 g3:1=3 g4:1=4,  shards interleave by id",
        "g2:1=1,         g-1:1=2 ,       g2:1=1 g-1:1=2,        ids are unsigned",
        "g1:1=1 r3:1=3,  l2:1=2,         g1:1=1 l2:1=2 r3:1=3,  indexes point at the right shards",
        "g3:1=3 g1:1=1,  g2:1=2,         g1:1=1 g2:1=2 g3:1=3,  disorder is mended",
        "g1:1=1 g1:2=2,  g1:1=9,         g1:2=2,                repetition is mended",
    })
    void shouldMergeShardsByIdAndKind(String left, String right, String expected, String why) {
        List<Row> versions = List.of(counter(7, context(left)), counter(5, context(right)));
        assertThat(merged(DeletionTime.NO_TIMESTAMP, versions)).as(why).isEqualTo(expected + " @7");
        assertThat(merged(DeletionTime.NO_TIMESTAMP, List.of(versions.get(1), versions.get(0))))
                .as(why)
                .isEqualTo(expected + " @7");
    }

    @Test
    void shouldLetATombstoneWinWhateverItsTimestamp() {
        Row counter = counter(9, context("g1:2=5"));
        assertThat(merged(DeletionTime.NO_TIMESTAMP, List.of(counter, tombstone(1, 100))))
                .isEqualTo("tombstone@1/100");
        assertThat(merged(DeletionTime.NO_TIMESTAMP, List.of(tombstone(1, 100), counter, tombstone(2, 90))))
                .isEqualTo("tombstone@2/90");
    }

    @Test
    void shouldLeaveWhatADeletionCoversOutOfTheMerge() {
        List<Row> versions = List.of(counter(9, context("g1:2=5")), counter(4, context("g2:2=5")), tombstone(3, 100));
        assertThat(merged(5, versions)).isEqualTo("g1:2=5 @9");
        assertThat(merged(9, versions)).isEqualTo("nothing");
    }

    @Test
    void shouldTakeAnEmptyValueForAContextWithoutShards() {
        assertThat(merged(DeletionTime.NO_TIMESTAMP, List.of(counter(1, new byte[0]))))
                .isEqualTo(" @1");
        assertThat(merged(DeletionTime.NO_TIMESTAMP, List.of(counter(1, new byte[0]), counter(2, context("g1:1=1")))))
                .isEqualTo("g1:1=1 @2");
    }

    @Test
    void shouldPassOnAContextThatIsItsOwnMerge() {
        byte[] context = context("g1:2=5 g2:1=1");
        Row row = counter(3, context);
        RowMerger merger = new RowMerger(SCHEMA, CanonicalEncoder.UNCLAMPED);
        merger.start(false);
        merger.add(row);
        assertThat(merger.isOnlyVersionNormal(DeletionTime.NO_TIMESTAMP)).isTrue();
        Row out = new Row();
        merger.merge(DeletionTime.NO_TIMESTAMP, NEVER, out);
        assertThat(out.valueBuffer(0)).isSameAs(context);
        merger.start(false);
        merger.add(counter(3, context("g2:2=5 g1:1=1")));
        assertThat(merger.isOnlyVersionNormal(DeletionTime.NO_TIMESTAMP)).isFalse();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldNotDependOnOrderGroupingOrRepetition(long seed) {
        Random random = new Random(seed);
        List<Row> versions = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            StringBuilder shards = new StringBuilder();
            for (int id = 0; id < 40; id++) {
                if (random.nextInt(3) == 0) {
                    String kind = random.nextBoolean() ? "g" : "r";
                    long clock = random.nextInt(7) - (kind.equals("r") ? 3 : 0);
                    shards.append(shards.isEmpty() ? "" : " ")
                            .append(kind + id + ":" + clock + "=" + random.nextInt(3));
                }
            }
            versions.add(counter(random.nextInt(9), context(shards.toString())));
        }
        String expected = merged(DeletionTime.NO_TIMESTAMP, versions);
        for (int i = 0; i < 20; i++) {
            Collections.shuffle(versions, random);
            Row part = new Row();
            RowMerger merger = new RowMerger(SCHEMA, CanonicalEncoder.UNCLAMPED);
            merger.start(false);
            versions.subList(0, 3).forEach(merger::add);
            merger.merge(DeletionTime.NO_TIMESTAMP, NEVER, part);
            List<Row> again = new ArrayList<>(versions.subList(random.nextInt(4), 6));
            again.add(part);
            assertThat(merged(DeletionTime.NO_TIMESTAMP, again)).isEqualTo(expected);
        }
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 10);
    }
}
