package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.data.TableShape;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RepairDataTest {
    private static final int ROWS = 1000;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "synced-0, 2000, 1000, 1000, 1050",
        "synced-50, 3000, 3000, 1000, 1050",
        "synced-99.9, 3003, 6, 1000, 1050",
        "synced-100, 3000, 0, 0, 0",
        "small-rows, 12000, 24, 110, 130",
        "wide, 29980, 20, 110, 130"
    })
    void shouldDrawWhatACaseSays(String caseName, long held, long lacking, int rowBytesLeast, int rowBytesMost)
            throws IOException {
        RepairData data = RepairData.draw(RepairDraw.of(caseName, ROWS), SSTableVersion.NB, directory);

        // Rows of the last partition that is not whole are not drawn.
        assertThat(data.rowCount()).isBetween(held - 30, held + 12);
        assertThat(data.rowsLacking()).isEqualTo(lacking);
        assertThat(data.bytesLacking()).isBetween(lacking * rowBytesLeast, lacking * rowBytesMost);
        assertThat(data.replicas()).hasSize(RepairDraw.REPLICAS);
        assertThat(RepairData.holdsSomething(data.replicas().get(0))).isEqualTo(!caseName.equals("synced-0"));
    }

    /** What nodes have alike and what each has alone can be drawn apart, and together they are what a replica has. */
    @Test
    void shouldTellWhatIsOnAllFromWhatIsOnOne() {
        RepairDraw draw = RepairDraw.own(TableShape.KILOBYTE_ROWS, ROWS, 2);

        assertThat(LongStream.range(0, draw.rowCount()).filter(draw::isOnAll)).hasSize(ROWS);
        for (int replica = 0; replica < RepairDraw.REPLICAS; replica++) {
            int each = replica;
            List<Long> alone = LongStream.range(0, draw.rowCount())
                    .filter(number -> draw.hasAlone(each, number))
                    .boxed()
                    .toList();
            assertThat(alone).hasSize(2).allMatch(number -> draw.has(each, number) && !draw.isOnAll(number));
            assertThat(LongStream.range(0, draw.rowCount()).filter(number -> draw.has(each, number)))
                    .hasSize(ROWS + 2);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 6", "2, 12", "4, 24"})
    void shouldDrawMoreDifferencesAmongAsManyRows(int perThousand, long lacking) throws IOException {
        RepairDraw draw = RepairDraw.own(TableShape.KILOBYTE_ROWS, ROWS, perThousand);

        assertThat(RepairData.draw(draw, SSTableVersion.NB, directory).rowsLacking())
                .isEqualTo(lacking);
    }
}
