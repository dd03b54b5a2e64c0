package io.anneal.fragment;

import static io.anneal.schema.CounterContexts.context;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.CounterContexts;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Counters in the canonical encoding: shards without the header that SSTables put before them. */
class CounterEncodingTest {
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "counts")
            .column("k", CqlTypes.INT, Column.Kind.PARTITION_KEY)
            .column("c", CqlTypes.INT, Column.Kind.CLUSTERING)
            .column("total", CqlTypes.COUNTER, Column.Kind.STATIC)
            .column("hits", CqlTypes.COUNTER, Column.Kind.REGULAR)
            .column("misses", CqlTypes.COUNTER, Column.Kind.REGULAR)
            .build();
    private static final KeyView KEY = new KeyView().wrap(DecoratedKey.of(new byte[] {1}));
    private static final long NEVER = DeletionTime.NO_DELETION_TIME;
    /** The static row of one counter with shards 1 and 2. */
    private static final String GOLDEN = "02" + "0000005500" + "01" + "01" + "00" + "01" + "0200"
            + "0000000000000009" + "41" + "0000000000000001" + "0000000000000000" + "0000000000000003"
            + "0000000000000005" + "0000000000000002" + "0000000000000000" + "0000000000000001" + "fffffffffffffffe";

    private static Row row(boolean isStatic, String... contexts) {
        Row row = new Row();
        row.clear(isStatic);
        if (!isStatic) {
            row.clustering().wrap(io.anneal.key.Clustering.of(new byte[4]));
        }
        for (int i = 0; i < contexts.length; i++) {
            byte[] context = context(contexts[i]);
            row.addCell(i, 9, Row.NO_TTL, NEVER);
            row.value(context, 0, context.length);
        }
        return row;
    }

    private static byte[] encode(Row row) {
        ByteWriter out = new ByteWriter(8);
        new CanonicalEncoder(SCHEMA, CanonicalEncoder.UNCLAMPED).row(KEY, row, out);
        return out.toByteArray();
    }

    private static Row decode(byte[] bytes) throws CorruptItemException {
        Row row = new Row();
        new EncodedItem(SCHEMA).wrap(bytes, 0, bytes.length).readRow(row);
        return row;
    }

    private static String text(Row row, int entry) {
        return CounterContexts.text(row.valueBuffer(entry), row.valueOffset(entry), row.valueLengthBytes(entry));
    }

    @Test
    void shouldEncodeShardsWithoutTheirHeader() {
        assertThat(HexFormat.of().formatHex(encode(row(true, "g1:3=5 g2:1=-2"))))
                .isEqualTo(GOLDEN);
    }

    @Test
    void shouldGiveBackTheContextsThatSSTablesHold() throws CorruptItemException {
        String many = "g1:3=5 g2:1=-2 g3:4=4 g4:4=4 g5:4=4 g6:4=4 g7:4=4 g8:4=4 g9:4=4 g10:4=4 g11:4=4";
        Row decoded = decode(encode(row(false, many, "g1:7=7")));
        assertThat(text(decoded, 0)).isEqualTo(many);
        assertThat(text(decoded, 1)).isEqualTo("g1:7=7");
        assertThat(text(decode(encode(row(true, ""))), 0)).isEmpty();
        Row copy = decoded.toRow();
        decoded.clear(false);
        assertThat(text(copy, 0)).isEqualTo(many);
    }

    @Test
    void shouldKeepTombstones() throws CorruptItemException {
        Row row = row(false);
        row.addCell(1, 5, Row.NO_TTL, 100);
        Row decoded = decode(encode(row));
        assertThat(decoded.isTombstone(0)).isTrue();
        assertThat(decoded.timestampMicros(0)).isEqualTo(5);
    }

    @Test
    void shouldRefuseLegacyShardsByName() {
        for (String legacy : new String[] {"g1:1=1 r2:1=1", "l1:1=1"}) {
            assertThatThrownBy(() -> encode(row(false, "g1:1=1", legacy)))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("table=ks.counts")
                    .hasMessageContaining("column=misses");
        }
    }

    @Test
    void shouldSayWhatIsWrongWithShards() {
        byte[] golden = HexFormat.of().parseHex(GOLDEN);
        byte[] disordered = golden.clone();
        disordered[golden.length - 64 + 7] = 3;
        assertThatThrownBy(() -> decode(disordered))
                .isInstanceOf(CorruptItemException.class)
                .hasMessageContaining("counter shards are out of order");
        byte[] cut = Arrays.copyOf(golden, golden.length - 1);
        cut[4]--;
        cut[golden.length - 65]--;
        assertThatThrownBy(() -> decode(cut))
                .isInstanceOf(CorruptItemException.class)
                .hasMessageContaining("counter has no whole shards");
        byte[] expiring = HexFormat.of()
                .parseHex(GOLDEN.replace("0000005500", "0000006100")
                        .replace(
                                "02000000000000000009", "0300" + "0000000000000009" + "00000001" + "0000000000000001"));
        assertThatThrownBy(() -> decode(expiring))
                .isInstanceOf(CorruptItemException.class)
                .hasMessageContaining("entry code does not fit the column");
    }

    @Test
    void shouldGiveAllThatDecodesTheSameBytesAgain() {
        byte[] golden = HexFormat.of().parseHex(GOLDEN);
        for (int at = 0; at < golden.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] broken = golden.clone();
                broken[at] ^= (byte) (1 << bit);
                try {
                    EncodedItem item = new EncodedItem(SCHEMA).wrap(broken, 0, broken.length);
                    if (item.kind() == ItemKind.STATIC_ROW) {
                        Row row = new Row();
                        item.readRow(row);
                        ByteWriter out = new ByteWriter(8);
                        new CanonicalEncoder(SCHEMA, CanonicalEncoder.UNCLAMPED).row(item.key(), row, out);
                        assertThat(out.toByteArray()).isEqualTo(broken);
                    }
                } catch (CorruptItemException e) {
                    assertThat(e).hasMessageContaining("offset=");
                }
            }
        }
    }
}
