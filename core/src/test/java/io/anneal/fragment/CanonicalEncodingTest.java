package io.anneal.fragment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The golden vectors of layout version 1: {@code encoding-v1.txt} holds the item's bytes and its XXH3-128 under seed 42
 * for each of the items built here. They never change while the version is 1.
 */
class CanonicalEncodingTest {
    private static final HexFormat HEX = HexFormat.of();
    /** Of the golden vectors, so that it is never drawn. */
    private static final long HASH_SEED = 42;

    private static final TableSchema SCHEMA = TableSchema.builder("ks", "golden")
            .column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY)
            .column("c1", CqlTypes.INT, Column.Kind.CLUSTERING)
            .column("c2", CqlTypes.reversed(CqlTypes.TEXT), Column.Kind.CLUSTERING)
            .column("s", CqlTypes.BIGINT, Column.Kind.STATIC)
            .column("m", CqlTypes.map(CqlTypes.TEXT, CqlTypes.INT), Column.Kind.REGULAR)
            .column("a", CqlTypes.INT, Column.Kind.REGULAR)
            .column("b", CqlTypes.TEXT, Column.Kind.REGULAR)
            .build();
    private static final int A = 0;
    private static final int B = 1;
    private static final int M = 2;
    private static final KeyView KEY = new KeyView().wrap(DecoratedKey.of(new byte[] {1, 2, 3}));
    private static final KeyView EMPTY_KEY = new KeyView().wrap(DecoratedKey.of(new byte[0]));
    private static final long NB_MAX_SECONDS = Integer.MAX_VALUE - 1;

    private final CanonicalEncoder encoder = new CanonicalEncoder(SCHEMA, NB_MAX_SECONDS);

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] int32(int value) {
        return new byte[] {(byte) (value >>> 24), (byte) (value >>> 16), (byte) (value >>> 8), (byte) value};
    }

    private static Row rowAt(byte[] c1, byte[] c2) {
        Row row = new Row();
        row.clear(false);
        row.clustering().wrap(Clustering.of(c1, c2));
        return row;
    }

    private static Row row() {
        return rowAt(int32(7), utf8("x"));
    }

    private static void cell(Row row, int column, byte[] path, long micros, int ttl, long seconds, byte[] value) {
        row.addCell(column, micros, ttl, seconds);
        if (path != null) {
            row.path(path, 0, path.length);
        }
        if (value != null) {
            row.value(value, 0, value.length);
        }
    }

    private static RangeDeletion range(Clustering start, int startWeight, Clustering end, int endWeight) {
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(start);
        range.end().wrap(end);
        range.weights(startWeight, endWeight);
        range.deletion(9, 1_700_000_000L);
        return range;
    }

    private byte[] encode(KeyView key, Row row) {
        ByteWriter out = new ByteWriter(8);
        int length = encoder.row(key, row, out);
        assertThat(length).isEqualTo(out.lengthBytes());
        return out.toByteArray();
    }

    private byte[] encode(RangeDeletion range) {
        ByteWriter out = new ByteWriter(8);
        encoder.rangeDeletion(KEY, range, out);
        return out.toByteArray();
    }

    private byte[] encodeDeletion(KeyView key, long micros, long seconds) {
        ByteWriter out = new ByteWriter(8);
        encoder.partitionDeletion(key, micros, seconds, out);
        return out.toByteArray();
    }

    private static Map<String, Row> rows() {
        long never = DeletionTime.NO_DELETION_TIME;
        Map<String, Row> rows = new LinkedHashMap<>();
        Row insert = row();
        insert.liveness(1_700_000_000_000_000L, Row.NO_TTL, never);
        cell(insert, A, null, 1_700_000_000_000_000L, Row.NO_TTL, never, int32(5));
        rows.put("row-insert", insert);
        Row update = row();
        cell(update, A, null, 1_700_000_000_000_000L, Row.NO_TTL, never, int32(5));
        rows.put("row-update", update);
        Row expiring = row();
        expiring.liveness(3, 60, 1_700_000_060L);
        cell(expiring, A, null, 3, 60, 1_700_000_060L, int32(5));
        cell(expiring, B, null, 3, 60, 1_700_000_060L, utf8("text"));
        rows.put("row-expiring", expiring);
        Row expired = row();
        expired.liveness(3, Row.EXPIRED_LIVENESS_TTL, 1_700_000_060L);
        rows.put("row-expired-liveness", expired);
        Row deleted = row();
        deleted.deletion(-5, 1_700_000_000L, false);
        rows.put("row-deletion", deleted);
        Row shadowable = row();
        shadowable.deletion(5, 1_700_000_000L, true);
        rows.put("row-deletion-shadowable", shadowable);
        Row codes = row();
        cell(codes, A, null, 4, Row.NO_TTL, 1_700_000_001L, null);
        cell(codes, B, null, 4, Row.NO_TTL, never, new byte[0]);
        rows.put("row-tombstone-and-empty", codes);
        Row absent = row();
        cell(absent, B, null, 4, Row.NO_TTL, never, null);
        rows.put("row-absent-value", absent);
        Row emptyExpiring = row();
        cell(emptyExpiring, B, null, 4, 1, 1_700_000_001L, new byte[0]);
        rows.put("row-empty-expiring", emptyExpiring);
        Row complex = row();
        complex.addComplexDeletion(M, 4, 1_700_000_000L);
        cell(complex, M, new byte[0], 5, Row.NO_TTL, never, int32(0));
        cell(complex, M, utf8("a"), 6, Row.NO_TTL, 1_700_000_002L, null);
        cell(complex, M, utf8("b"), 7, 60, 1_700_000_062L, int32(1));
        rows.put("row-complex", complex);
        Row absentClustering = rowAt(new byte[0], null);
        absentClustering.liveness(1, Row.NO_TTL, never);
        rows.put("row-clustering-empty-absent", absentClustering);
        Row longValue = row();
        cell(longValue, B, null, 1, Row.NO_TTL, never, utf8("0123456789".repeat(13)));
        rows.put("row-long-value", longValue);
        Row statics = new Row();
        statics.clear(true);
        cell(statics, 0, null, 8, Row.NO_TTL, never, new byte[] {0, 0, 0, 0, 0, 0, 0, 9});
        rows.put("static-row", statics);
        return rows;
    }

    private Map<String, byte[]> items() {
        Map<String, byte[]> items = new LinkedHashMap<>();
        rows().forEach((name, row) -> items.put(name, encode(KEY, row)));
        items.put("row-empty-key", encode(EMPTY_KEY, rows().get("row-insert")));
        items.put("partition-deletion", encodeDeletion(KEY, 12, 1_700_000_000L));
        items.put("partition-deletion-clamped", encodeDeletion(KEY, 12, 4_000_000_000L));
        Row far = row();
        far.liveness(1, 630_720_000, 2_500_000_000L);
        cell(far, A, null, 1, 630_720_000, 2_500_000_000L, int32(1));
        items.put("row-clamped", encode(KEY, far));
        Clustering seven = Clustering.of(int32(7));
        items.put(
                "range-deletion",
                encode(range(Clustering.of(), ClusteringComparator.BEFORE, seven, ClusteringComparator.BEFORE)));
        items.put(
                "range-deletion-prefixes",
                encode(range(
                        seven,
                        ClusteringComparator.AFTER,
                        Clustering.of(int32(8), utf8("y")),
                        ClusteringComparator.AFTER)));
        return items;
    }

    private static Map<String, String> golden() throws IOException {
        Map<String, String> golden = new LinkedHashMap<>();
        try (InputStream in = CanonicalEncodingTest.class.getResourceAsStream("encoding-v1.txt")) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                if (!line.startsWith("#")) {
                    String[] parts = line.split(" ", 2);
                    golden.put(parts[0], parts[1]);
                }
            }
        }
        return golden;
    }

    @Test
    void shouldEncodeAndHashTheGoldenVectors() throws IOException {
        ItemHash hash = new ItemHash(HASH_SEED);
        Map<String, String> actual = new LinkedHashMap<>();
        items().forEach((name, bytes) -> {
            hash.hash(bytes, 0, bytes.length);
            actual.put(name, "%016x%016x %s".formatted(hash.high(), hash.low(), HEX.formatHex(bytes)));
        });
        assertThat(actual).isEqualTo(golden());
    }

    @Test
    void shouldGiveBackTheRowsOfTheGoldenVectors() throws IOException {
        Map<String, String> golden = golden();
        EncodedItem item = new EncodedItem(SCHEMA);
        for (Map.Entry<String, Row> expected : rows().entrySet()) {
            byte[] bytes = HEX.parseHex(golden.get(expected.getKey()).split(" ")[1]);
            byte[] shifted = new byte[bytes.length + 5];
            System.arraycopy(bytes, 0, shifted, 3, bytes.length);
            item.wrap(shifted, 3, shifted.length);
            Row row = new Row();
            item.readRow(row);
            assertThat(StreamText.row(row)).isEqualTo(StreamText.row(expected.getValue()));
            assertThat(item.key().sameAs(KEY)).isTrue();
            assertThat(item.endOffset()).isEqualTo(3 + bytes.length);
        }
    }

    @Test
    void shouldGiveBackDeletions() throws IOException {
        Map<String, byte[]> items = items();
        RangeDeletion deletion = new RangeDeletion();
        byte[] partition = items.get("partition-deletion");
        EncodedItem item = new EncodedItem(SCHEMA).wrap(partition, 0, partition.length);
        assertThat(item.kind()).isEqualTo(ItemKind.PARTITION_DELETION);
        item.readPartitionDeletion(deletion);
        assertThat(deletion.timestampMicros()).isEqualTo(12);
        assertThat(deletion.localDeletionTimeSeconds()).isEqualTo(1_700_000_000L);
        byte[] range = items.get("range-deletion-prefixes");
        item.wrap(range, 0, range.length).readRangeDeletion(deletion);
        assertThat(StreamText.range(deletion)).isEqualTo("after[00000007] to after[00000008, 79] deleted@9/1700000000");
        Clustering place = new Clustering();
        assertThat(item.readPosition(place)).isEqualTo(ClusteringComparator.AFTER);
        assertThat(StreamText.clustering(place)).isEqualTo("[00000007]");
    }

    @Test
    void shouldClampLocalDeletionTimesToTheCeiling() throws IOException {
        byte[] bytes = items().get("row-clamped");
        Row row = new Row();
        new EncodedItem(SCHEMA).wrap(bytes, 0, bytes.length).readRow(row);
        assertThat(row.livenessExpirySeconds()).isEqualTo(NB_MAX_SECONDS);
        assertThat(row.localDeletionTimeSeconds(0)).isEqualTo(NB_MAX_SECONDS);
        assertThat(CanonicalEncoder.clamp(DeletionTime.NO_DELETION_TIME, 5)).isEqualTo(DeletionTime.NO_DELETION_TIME);
    }

    @Test
    void shouldEncodePlainCellsAsAnyOthers() {
        int columns = 200; // indexes of one byte and of two
        TableSchema.Builder schema =
                TableSchema.builder("ks", "wide").column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY);
        for (int i = 0; i < columns; i++) {
            schema.column("v%03d".formatted(i), CqlTypes.TEXT, Column.Kind.REGULAR);
        }
        CanonicalEncoder wide = new CanonicalEncoder(schema.build(), NB_MAX_SECONDS);
        Row plain = new Row();
        Row others = new Row();
        for (int i = 0; i < columns; i++) {
            byte[] value = utf8("x".repeat(i));
            plain.addCell(i, 1000 + i, value, 0, value.length);
            cell(others, i, null, 1000 + i, Row.NO_TTL, DeletionTime.NO_DELETION_TIME, value);
        }
        ByteWriter left = new ByteWriter(8);
        ByteWriter right = new ByteWriter(8);
        wide.row(KEY, plain, left);
        wide.row(KEY, others, right);
        assertThat(plain.isPlain()).isTrue();
        assertThat(others.isPlain()).isFalse();
        assertThat(left.toByteArray()).isEqualTo(right.toByteArray());
    }

    @Test
    void shouldNotTakeARowForPlainThatHoldsAnythingElse() {
        Row row = row();
        row.addCell(A, 1, int32(5), 0, Integer.BYTES);
        cell(row, B, null, 2, 60, 1_700_000_060L, utf8("y"));
        Row general = row();
        cell(general, A, null, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME, int32(5));
        cell(general, B, null, 2, 60, 1_700_000_060L, utf8("y"));
        assertThat(encode(KEY, row)).isEqualTo(encode(KEY, general));
        row.clear(false);
        assertThat(row.isPlain()).isTrue();
    }

    @Test
    void shouldGiveDifferentContentDifferentBytes() {
        List<String> encoded = items().values().stream().map(HEX::formatHex).toList();
        assertThat(encoded).doesNotHaveDuplicates();
    }

    @Test
    void shouldRefuseKeysThatCassandraCouldNotHold() {
        KeyView key = new KeyView().wrap(new DecoratedKey(1, new byte[0x10000]));
        assertThatThrownBy(() -> encoder.row(key, rows().get("row-insert"), new ByteWriter(8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lengthBytes=65536");
    }

    /** Decodes whatever the item says it is; corrupt items must fail as such and in no other way. */
    private static String decode(byte[] bytes) {
        EncodedItem item = new EncodedItem(SCHEMA);
        try {
            item.wrap(bytes, 0, bytes.length);
            item.key();
            item.readPosition(new Clustering());
            switch (item.kind()) {
                case PARTITION_DELETION -> item.readPartitionDeletion(new RangeDeletion());
                case RANGE_DELETION -> item.readRangeDeletion(new RangeDeletion());
                default -> {
                    Row row = new Row();
                    item.readRow(row);
                    return StreamText.row(row);
                }
            }
            return "deletion";
        } catch (CorruptItemException e) {
            assertThat(e).hasMessageContaining("offset=" + e.offset());
            return "corrupt";
        }
    }

    @Test
    void shouldRefuseEveryCutItem() {
        items().forEach((name, bytes) -> {
            for (int length = 0; length < bytes.length; length++) {
                assertThat(decode(java.util.Arrays.copyOf(bytes, length)))
                        .as(name)
                        .isEqualTo("corrupt");
                if (length >= ItemLayout.KEY_OFFSET) {
                    byte[] cut = java.util.Arrays.copyOf(bytes, length);
                    System.arraycopy(int32(length), 0, cut, ItemLayout.LENGTH_OFFSET, 4);
                    assertThat(decode(cut)).as(name).isEqualTo("corrupt");
                }
            }
        });
    }

    @Test
    void shouldSurviveEveryFlippedByte() {
        SplittableRandom random = new SplittableRandom(3);
        items().forEach((name, bytes) -> {
            for (int at = 0; at < bytes.length; at++) {
                for (int bit = 0; bit < 8; bit++) {
                    byte[] broken = bytes.clone();
                    broken[at] ^= (byte) (1 << bit);
                    decode(broken);
                    broken[random.nextInt(broken.length)] ^= (byte) (1 + random.nextInt(255));
                    decode(broken);
                }
            }
        });
    }

    @Test
    void shouldGiveAllThatDecodesTheSameBytesAgain() throws CorruptItemException {
        CanonicalEncoder unclamped = new CanonicalEncoder(SCHEMA, CanonicalEncoder.UNCLAMPED);
        for (byte[] bytes : items().values()) {
            for (int at = 0; at < bytes.length; at++) {
                for (int bit = 0; bit < 8; bit++) {
                    byte[] broken = bytes.clone();
                    broken[at] ^= (byte) (1 << bit);
                    String decoded = decode(broken);
                    if (decoded.startsWith("row") || decoded.startsWith("static")) {
                        EncodedItem item = new EncodedItem(SCHEMA).wrap(broken, 0, broken.length);
                        Row row = new Row();
                        item.readRow(row);
                        ByteWriter out = new ByteWriter(8);
                        unclamped.row(item.key(), row, out);
                        assertThat(out.toByteArray()).isEqualTo(broken);
                    }
                }
            }
        }
    }

    private static void assertCorrupt(byte[] bytes, String reason) {
        EncodedItem item = new EncodedItem(SCHEMA);
        assertThatThrownBy(() -> item.wrap(bytes, 0, bytes.length).readRow(new Row()))
                .isInstanceOf(CorruptItemException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void shouldRefuseARangeThatEndsBeforeItStarts() throws IOException {
        RangeDeletion range = new RangeDeletion();
        range.weights(ClusteringComparator.AFTER, ClusteringComparator.AFTER);
        range.deletion(1, 100);
        ByteWriter out = new ByteWriter(64);
        encoder.rangeDeletion(KEY, range, out);
        EncodedItem item = new EncodedItem(SCHEMA).wrap(out.array(), 0, out.lengthBytes());
        assertThatThrownBy(() -> item.readRangeDeletion(range))
                .isInstanceOf(CorruptItemException.class)
                .hasMessageContaining("range ends before it starts");
    }

    @Test
    void shouldSayWhatIsWrong() {
        byte[] insert = items().get("row-insert");
        byte[] unknownKind = insert.clone();
        unknownKind[0] = 9;
        assertCorrupt(unknownKind, "kind is unknown");
        byte[] noSuchColumn = insert.clone();
        noSuchColumn[insert.length - 14] = 3;
        assertCorrupt(noSuchColumn, "columnIndex=3, columnCount=3");
        byte[] wrongLength = insert.clone();
        wrongLength[insert.length - 5] = 4;
        assertCorrupt(wrongLength, "value has a wrong length");
        Row disordered = row();
        cell(disordered, B, null, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME, utf8("b"));
        cell(disordered, A, null, 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME, int32(1));
        assertCorrupt(encode(KEY, disordered), "entries are out of order");
        Row repeated = row();
        cell(repeated, M, utf8("a"), 1, Row.NO_TTL, DeletionTime.NO_DELETION_TIME, int32(1));
        cell(repeated, M, utf8("a"), 2, Row.NO_TTL, DeletionTime.NO_DELETION_TIME, int32(1));
        assertCorrupt(encode(KEY, repeated), "entries are out of order");
        assertCorrupt(encode(KEY, rowAt(new byte[3], utf8("x"))), "value is not of its type int");
        byte[] oneComponent = HEX.parseHex("03" + "00000012" + "0003010203" + "010500000007" + "00" + "00");
        assertCorrupt(oneComponent, "componentCount=1, clusteringColumnCount=2");
        byte[] threeComponents = HEX.parseHex("03" + "00000010" + "0003010203" + "03010101" + "00" + "00");
        assertCorrupt(threeComponents, "prefix has too many components");
    }
}
