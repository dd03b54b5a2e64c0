package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.Waiting;
import io.anneal.node.StagingArea;
import io.anneal.repair.row.RowBuffer;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What small rows take where they are received is what is counted for them, within a session's memory. */
class ReceivedMemoryTest {
    private static final int BUFFER_BYTES = 4 << 20;
    private static final int PARTITIONS = 500;
    private static final int ROWS_PER_PARTITION = 100;
    private static final int PARTITIONS_PER_MESSAGE = 50;
    private static final int SAME_BYTES = 64 << 10;

    @TempDir
    private Path directory;

    private static long usedBytes() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        long leastBytes = Long.MAX_VALUE;
        // Until nothing more is freed: what tests before this one left may go only after several collections.
        for (int i = 0, same = 0; i < 50 && same < 5; i++) {
            System.gc();
            long bytes = memory.getHeapMemoryUsage().getUsed();
            same = bytes < leastBytes - SAME_BYTES ? 0 : same + 1;
            leastBytes = Math.min(leastBytes, bytes);
        }
        return leastBytes;
    }

    private static byte[] message(List<DecoratedKey> keys) {
        ByteWriter items = new ByteWriter(1 << 20);
        for (DecoratedKey key : keys) {
            for (int i = 0; i < ROWS_PER_PARTITION; i++) {
                items.writeBytes(
                        Sessions.encoded(key, HandMadeTable.row(i, 0).live(95).build()));
            }
        }
        return items.toByteArray();
    }

    @Test
    void shouldCountWhatSmallRowsTakeThatWereReceived() throws IOException {
        List<DecoratedKey> keys = HandMadeTable.keys(PARTITIONS);
        try (StagingArea staging = Sessions.staging(directory);
                LocalParticipant replica = new LocalParticipant(
                        "one",
                        new TestTable(
                                        "one",
                                        FragmentList.builder(Sessions.SCHEMA).build(),
                                        Optional.of(staging))
                                .opener(),
                        Runnable::run)) {
            Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
            Waiting.result(replica.agree(Sessions.terms(BUFFER_BYTES)));
            Waiting.result(replica.start(List.of(TokenRange.FULL)));
            Waiting.result(replica.read());
            Waiting.result(replica.window(RingPosition.END, 0));

            long before = usedBytes();
            long messageBytes = 0;
            for (int from = 0; from < PARTITIONS; from += PARTITIONS_PER_MESSAGE) {
                byte[] message = message(keys.subList(from, from + PARTITIONS_PER_MESSAGE));
                messageBytes += message.length;
                Waiting.result(replica.push(message));
            }
            long rows = (long) PARTITIONS * ROWS_PER_PARTITION;
            long takenBytes = usedBytes() - before;
            long countedBytes = messageBytes + rows * ReceivedRoom.ITEM_BYTES;
            assertThat(takenBytes)
                    .as("taken=%d, counted=%d, each=%d", takenBytes, countedBytes, (takenBytes - messageBytes) / rows)
                    .isBetween(countedBytes / 2, countedBytes);

            // A replica of three that lacks all that the two others have, each something else: own windows beside it.
            long windowRows = BUFFER_BYTES / (messageBytes / rows + RowBuffer.ROW_OVERHEAD_BYTES);
            assertThat(2 * windowRows * takenBytes / rows
                            + 2 * windowRows * (messageBytes / rows + RowBuffer.ARRAYS_BYTES))
                    .isLessThan(RepairConfig.sessionBytes(BUFFER_BYTES, 3));
        }
    }
}
