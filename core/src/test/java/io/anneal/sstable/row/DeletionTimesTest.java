package io.anneal.sstable.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.sstable.SSTableVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DeletionTimesTest {
    private final ByteWriter out = new ByteWriter(64);

    private static DeletionTime read(SSTableVersion version, byte... bytes) {
        DeletionTimes times = DeletionTimes.of(version);
        ByteReader in = new ByteReader(bytes);
        times.read(in);
        assertThat(in.hasRemaining()).isFalse();
        return new DeletionTime(times.timestampMicros(), times.localDeletionTimeSeconds());
    }

    private byte[] written(SSTableVersion version, DeletionTime deletion) {
        out.clear();
        DeletionTimes.of(version).write(deletion.timestampMicros(), deletion.localDeletionTimeSeconds(), out);
        return out.toByteArray();
    }

    @ParameterizedTest
    @EnumSource(SSTableVersion.class)
    void shouldReadWhatIsWritten(SSTableVersion version) {
        for (DeletionTime deletion : new DeletionTime[] {
            DeletionTime.LIVE,
            new DeletionTime(1_700_000_000_000_000L, 1_700_000_000L),
            new DeletionTime(0, 0),
            new DeletionTime(Long.MAX_VALUE, Integer.MAX_VALUE - 1L)
        }) {
            assertThat(read(version, written(version, deletion))).isEqualTo(deletion);
        }
    }

    @Test
    void shouldTakeOneByteForNoDeletionSinceOa() {
        assertThat(written(SSTableVersion.OA, DeletionTime.LIVE)).containsExactly(0x80);
        assertThat(written(SSTableVersion.NB, DeletionTime.LIVE)).hasSize(12);
        assertThat(written(SSTableVersion.DA, new DeletionTime(1, 2))).hasSize(12);
    }

    @ParameterizedTest
    @CsvSource({
        "NB, 2147483646, true",
        "NB, 2147483647, false",
        "NB, -1, false",
        "OA, 4294967294, true",
        "DA, 4294967295, false",
        "OA, -1, false"
    })
    void shouldNameVersionWhenALocalDeletionTimeDoesNotFit(SSTableVersion version, long seconds, boolean fits) {
        DeletionTime deletion = new DeletionTime(5, seconds);
        if (fits) {
            assertThat(read(version, written(version, deletion))).isEqualTo(deletion);
        } else {
            assertThatThrownBy(() -> written(version, deletion))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(version.text())
                    .hasMessageContaining("localDeletionTimeSeconds=" + seconds);
        }
    }

    @Test
    void shouldRefuseNegativeTimestampsSinceOa() {
        assertThat(read(SSTableVersion.NB, written(SSTableVersion.NB, new DeletionTime(-5, 7))))
                .isEqualTo(new DeletionTime(-5, 7));
        assertThatThrownBy(() -> written(SSTableVersion.OA, new DeletionTime(-5, 7)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("oa")
                .hasMessageContaining("timestampMicros=-5");
    }

    @Test
    void shouldRefuseFlagsThatAreNeither() {
        assertThatThrownBy(() -> read(SSTableVersion.OA, (byte) 0x81)).isInstanceOf(MalformedRowException.class);
    }

    @Test
    void shouldTakeNegativeTimesOfOldVersionsForOverflows() {
        DeletionTime read = read(
                SSTableVersion.ME,
                (byte) 0xFF,
                (byte) 0xFF,
                (byte) 0xFF,
                (byte) 0xFE,
                (byte) 0,
                (byte) 0,
                (byte) 0,
                (byte) 0,
                (byte) 0,
                (byte) 0,
                (byte) 0,
                (byte) 9);
        assertThat(read).isEqualTo(new DeletionTime(9, DeletionTimes.INVALID_SECONDS));
    }
}
