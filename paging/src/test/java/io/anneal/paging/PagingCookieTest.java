package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.paging.query.Condition;
import io.anneal.paging.query.ReadQuery;
import io.anneal.paging.query.RowFilter;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class PagingCookieTest {
    private static final TableSchema SCHEMA = schema("t", "11111111222233334444555555555555");
    private static final ReadQuery QUERY = ReadQuery.ofRanges(List.of(TokenRange.FULL));
    private static final byte[] SECRET = "a secret of 24 characters".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    private static final PagingState STATE = new PagingState(
            new UUID(1, 2),
            Optional.of(RingPosition.of(
                    DecoratedKey.of(new byte[] {0, 0, 0, 7}),
                    PositionInPartition.at(Clustering.of(new byte[] {0, 0, 0, 1}, null)))),
            12_345,
            List.of("one:7000", "two:7000"),
            8);

    private static TableSchema schema(String name, String id) {
        return TableSchema.builder("ks", name)
                .id(id)
                .partitionKey("p", "int")
                .clustering("c", "int")
                .clustering("d", "text")
                .column("v", "int")
                .build();
    }

    private static PagingCookie unsigned() {
        return PagingCookie.of(SCHEMA, QUERY);
    }

    @Test
    void shouldGoOnFromACookieInAnotherProcess() {
        PagingState read = PagingCookie.of(schema("t", SCHEMA.id().orElseThrow()), QUERY)
                .read(unsigned().write(STATE));

        assertThat(read.queryId()).isEqualTo(STATE.queryId());
        assertThat(read.after().orElseThrow().compareTo(STATE.after().orElseThrow(), ClusteringComparator.of(SCHEMA)))
                .isZero();
        assertThat(read.rowCount()).isEqualTo(12_345);
        assertThat(read.served()).containsExactly("one:7000", "two:7000");
        assertThat(read.concurrency()).isEqualTo(8);
        assertThat(unsigned().write(STATE)).matches("[A-Za-z0-9_-]+");
    }

    @Test
    void shouldRefuseEveryCookieWithAByteChangedOrMissing() {
        for (PagingCookie cookies : List.of(unsigned(), unsigned().signedWith(SECRET))) {
            byte[] whole = Base64.getUrlDecoder().decode(cookies.write(STATE));
            for (int at = 0; at < whole.length; at++) {
                for (int bit = 0; bit < Byte.SIZE; bit++) {
                    byte[] flipped = whole.clone();
                    flipped[at] ^= (byte) (1 << bit);
                    requireRefused(cookies, flipped);
                }
                requireRefused(cookies, Arrays.copyOf(whole, at));
            }
            requireRefused(cookies, Arrays.copyOf(whole, whole.length + 1));
        }
    }

    /** The last character may stand for fewer bits than it has. */
    @Test
    void shouldRefuseEveryCookieWithAnotherLastCharacter() {
        for (PagingCookie cookies : List.of(unsigned(), unsigned().signedWith(SECRET))) {
            String right = cookies.write(STATE);
            for (char c = '-'; c <= 'z'; c++) {
                String other = right.substring(0, right.length() - 1) + c;
                if (!other.equals(right)) {
                    assertThatThrownBy(() -> cookies.read(other)).isInstanceOf(PagingCookieException.class);
                }
            }
        }
    }

    private static void requireRefused(PagingCookie cookies, byte[] bytes) {
        String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        assertThatThrownBy(() -> cookies.read(text))
                .isInstanceOf(PagingCookieException.class)
                .hasMessageStartingWith("paging cookie is ");
    }

    @Test
    void shouldSayThatACookieIsOfAnotherTableQueryOrVersion() {
        String cookie = unsigned().write(STATE);

        assertThatThrownBy(() -> PagingCookie.of(schema("u", SCHEMA.id().orElseThrow()), QUERY)
                        .read(cookie))
                .isInstanceOf(PagingCookieException.class)
                .hasMessageContaining("another table");
        assertThatThrownBy(() -> PagingCookie.of(schema("t", "99999999222233334444555555555555"), QUERY)
                        .read(cookie))
                .hasMessageContaining("another table");
        ReadQuery filtered = QUERY.where(RowFilter.ALL.and(Condition.of(SCHEMA, "v", Condition.Operator.EQUAL, 1)));
        assertThatThrownBy(() -> PagingCookie.of(SCHEMA, filtered).read(cookie)).hasMessageContaining("another query");
        byte[] newer = Base64.getUrlDecoder().decode(cookie);
        newer[0] = 9;
        assertThatThrownBy(() -> unsigned().read(Base64.getUrlEncoder().encodeToString(newer)))
                .hasMessageContaining("version=9")
                .hasMessageContaining("known=1");
        assertThatThrownBy(() -> unsigned().read("no base64!")).hasMessageContaining("base64");
        assertThatThrownBy(() -> unsigned().read("")).hasMessageContaining("too short");
    }

    @Test
    void shouldTakeSignedCookiesOnlyWhereThereIsAKey() {
        PagingCookie signed = unsigned().signedWith(SECRET);
        byte[] other = SECRET.clone();
        other[0]++;

        assertThat(signed.read(signed.write(STATE)).rowCount()).isEqualTo(12_345);
        assertThatThrownBy(() -> signed.read(unsigned().write(STATE))).hasMessageContaining("not signed");
        assertThatThrownBy(() -> unsigned().read(signed.write(STATE))).hasMessageContaining("give the key");
        assertThatThrownBy(() -> unsigned().signedWith(other).read(signed.write(STATE)))
                .hasMessageContaining("another key");
        assertThatThrownBy(() -> unsigned().signedWith(new byte[15])).hasMessageContaining("lengthBytes=15");
    }

    @Test
    void shouldReadAQueryAsItWasWrittenAndRefuseEveryCutOne() {
        ClusteringComparator comparator = ClusteringComparator.of(SCHEMA);
        ReadQuery query = ReadQuery.ofPartitions(
                        List.of(DecoratedKey.of(new byte[] {0, 0, 0, 2}), DecoratedKey.of(new byte[] {0, 0, 0, 1})),
                        Slices.of(
                                comparator,
                                List.of(
                                        Slice.to(Clustering.of(new byte[] {0, 0, 0, 1}), false),
                                        Slice.from(Clustering.of(new byte[] {0, 0, 0, 3}, new byte[] {'x'}), true))),
                        true)
                .where(RowFilter.ALL.and(Condition.of(SCHEMA, "v", Condition.Operator.LESS, 5)))
                .deletionsToo();
        byte[] bytes = encoded(query);

        ReadQuery decoded = ReadQuery.decode(new ByteReader(bytes), SCHEMA);

        assertThat(encoded(decoded)).isEqualTo(bytes);
        assertThat(decoded.keys()).isEqualTo(query.keys());
        assertThat(decoded.reversed()).isTrue();
        assertThat(decoded.withDeletions()).isTrue();
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> ReadQuery.decode(new ByteReader(cut), SCHEMA))
                    .isInstanceOfAny(
                            ByteUnderflowException.class, IllegalArgumentException.class, InvalidValueException.class);
        }
    }

    private static byte[] encoded(ReadQuery query) {
        ByteWriter out = new ByteWriter(64);
        query.encode(out);
        return Arrays.copyOf(out.array(), out.lengthBytes());
    }

    @Test
    void shouldRefuseAQueryWhoseRangesOverlapOrThatReadsNothing() {
        TokenRange.Linear left = new TokenRange.Linear(0, 10);
        TokenRange.Linear right = new TokenRange.Linear(10, 20);

        assertThatThrownBy(
                        () -> new ReadQuery(List.of(right, left), List.of(), Slices.ALL, false, RowFilter.ALL, false))
                .hasMessageContaining("overlap, left=(-1,10], right=(9,20]");
        assertThatThrownBy(() -> new ReadQuery(List.of(), List.of(), Slices.ALL, false, RowFilter.ALL, false))
                .hasMessageContaining("either");
        assertThatThrownBy(() -> new ReadQuery(List.of(left), List.of(), Slices.ALL, true, RowFilter.ALL, false))
                .hasMessageContaining("reverse");
    }
}
