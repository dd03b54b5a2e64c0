package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CqlTypeTest {
    static Stream<CqlType> typesOnHotPaths() {
        return Stream.concat(
                CqlTypes.NATIVE.stream().filter(t -> !t.equals(CqlTypes.DECIMAL)),
                Stream.of(CqlTypes.reversed(CqlTypes.BIGINT), CqlTypes.vector(CqlTypes.FLOAT, 4)));
    }

    @ParameterizedTest
    @MethodSource("typesOnHotPaths")
    void shouldAllocateNothingWhenComparing(CqlType type) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] left = new byte[40];
        byte[] right = new byte[40];
        left[6] = right[9] = 0x10;
        right[10] = 1;
        int lengthBytes = type.fixedLengthBytes() > 0 ? type.fixedLengthBytes() : 16;
        int compareCount = 20_000;
        int sum = compareMany(type, left, right, lengthBytes, compareCount);

        long before = threads.getCurrentThreadAllocatedBytes();
        sum += compareMany(type, left, right, lengthBytes, compareCount);
        long allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;

        // Less than a byte for each leaves room for what the machine itself does, and for no object per compare.
        assertThat(allocatedBytes).as("sum=%d", sum).isLessThan(compareCount);
    }

    private static int compareMany(CqlType type, byte[] left, byte[] right, int lengthBytes, int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += type.compare(left, i & 3, lengthBytes, right, 3, lengthBytes);
        }
        return sum;
    }

    @Test
    void shouldTellWhatItIsMadeOf() {
        CqlType user = CqlTypes.userType("ks", "u", List.of("a"), List.of(CqlTypes.INT));

        assertThat(CqlTypes.INT.kind()).isEqualTo(CqlType.Kind.NATIVE);
        assertThat(CqlTypes.list(CqlTypes.INT).kind()).isEqualTo(CqlType.Kind.LIST);
        assertThat(CqlTypes.set(CqlTypes.INT).frozen().kind()).isEqualTo(CqlType.Kind.SET);
        assertThat(CqlTypes.map(CqlTypes.INT, CqlTypes.TEXT).kind()).isEqualTo(CqlType.Kind.MAP);
        assertThat(CqlTypes.map(CqlTypes.INT, CqlTypes.TEXT).components()).containsExactly(CqlTypes.INT, CqlTypes.TEXT);
        assertThat(CqlTypes.tuple(List.of(CqlTypes.INT)).kind()).isEqualTo(CqlType.Kind.TUPLE);
        assertThat(user.kind()).isEqualTo(CqlType.Kind.USER_TYPE);
        assertThat(user.fieldNames()).containsExactly("a");
        assertThat(CqlTypes.vector(CqlTypes.INT, 3).kind()).isEqualTo(CqlType.Kind.VECTOR);
        assertThat(CqlTypes.vector(CqlTypes.INT, 3).dimension()).isEqualTo(3);
        assertThat(CqlTypes.reversed(CqlTypes.INT).kind()).isEqualTo(CqlType.Kind.REVERSED);
        assertThat(CqlTypes.reversed(user.frozen()).components()).containsExactly(user.frozen());
        assertThat(CqlTypes.TEXT.fieldNames()).isEmpty();
        assertThatIllegalStateException().isThrownBy(CqlTypes.TEXT::dimension);
    }

    @Test
    void shouldOrderValuesOfWrongLengthSomewhereWhenBytesAreCorrupt() {
        byte[] bytes = {1, 2, 3};

        assertThat(CqlTypes.INT.compare(bytes, 0, 0, bytes, 0, 3)).isNegative();
        assertThat(CqlTypes.INT.compare(bytes, 0, 3, new byte[4], 0, 4)).isNegative();
        assertThat(CqlTypes.INT.compare(bytes, 0, 2, bytes, 0, 3)).isNegative();
        assertThat(CqlTypes.UUID.compare(new byte[16], 0, 16, bytes, 0, 3)).isPositive();
    }

    @Test
    void shouldShowOnlyTheBeginningWhenAnInvalidValueIsLarge() {
        byte[] large = new byte[1000];
        Arrays.fill(large, (byte) 0xFF);

        assertThatExceptionOfType(InvalidValueException.class)
                .isThrownBy(() -> CqlTypes.TEXT.validate(large, 0, large.length))
                .withMessage("bytes are no text, type=text, lengthBytes=1000, value=0x" + "ff".repeat(32) + "...");
    }
}
