package io.anneal.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.commitlog.CommitLog;
import io.anneal.commitlog.CommitLogConfig;
import io.anneal.commitlog.CommitLogPosition;
import io.anneal.commitlog.CommitLogReplay;
import io.anneal.fragment.Mutation;
import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A log that is written, synced, released, and stopped wherever it is, life after life: what was synced and not released comes
 * back, nothing that was not appended ever does, and no loss of what was not synced is taken for corruption.
 */
class CommitLogCrashTest {
    private static final UUID TABLE = new UUID(1, 2);
    private static final int SHARDS = 3;
    private static final int ROUNDS = 15;
    private static final int LIVES = 6;
    private static final int HEAD_BYTES = 7;

    @TempDir
    private Path temporary;

    private static final class Write {
        final CommitLogPosition position;
        final int shard;
        final ByteBuffer items;
        boolean synced;
        boolean released;

        Write(CommitLogPosition position, int shard, Mutation mutation) {
            this.position = position;
            this.shard = shard;
            items = ByteBuffer.wrap(mutation.bytes());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldLoseNothingSyncedWhereverItIsStopped(long seed) throws IOException {
        Random draws = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            try (FaultyDirectory directory = FaultyDirectory.create(temporary)) {
                List<Write> writes = new ArrayList<>();
                for (int life = 0; life < LIVES; life++) {
                    live(directory, writes, draws);
                    directory.heal();
                    check(directory, writes, "seed=" + seed + ", round=" + round + ", life=" + life);
                }
            }
        }
    }

    private static void live(FaultyDirectory directory, List<Write> writes, Random draws) throws IOException {
        CommitLogConfig config = CommitLogConfig.defaults()
                .withSegmentSizeBytes(4096)
                .withSectionSizeBytes(1024)
                .withRecycledSegmentsMax(draws.nextInt(3))
                .withCompression(draws.nextBoolean());
        Fault fault = Fault.on(Operation.CREATE, Operation.WRITE, Operation.FORCE, Operation.RENAME, Operation.DELETE)
                .after(draws.nextInt(120))
                .times(1);
        directory.inject(draws.nextInt(3) == 0 ? fault : fault.cuttingPower(draws.nextLong()));
        boolean failed = false;
        try {
            write(CommitLog.open(directory.path().resolve("log"), config, 0), writes, draws);
        } catch (IOException e) {
            // The fault, or the end of this life.
            assertThat(e).hasNoSuppressedExceptions();
            failed = true;
        }
        // Behind a failed force the machine promises nothing until it is started again.
        if (!failed && draws.nextBoolean()) {
            directory.kill();
        } else {
            directory.crash(draws.nextLong());
        }
    }

    private static void write(CommitLog log, List<Write> writes, Random draws) throws IOException {
        int inherited = writes.size();
        if (draws.nextBoolean()) {
            writes.forEach(write -> write.released = true);
            log.releaseReplayed();
        }
        for (int i = draws.nextInt(200); i > 0; i--) {
            int shard = draws.nextInt(SHARDS);
            Mutation mutation = mutation(draws);
            writes.add(new Write(log.append(TABLE, shard, mutation), shard, mutation));
            switch (draws.nextInt(12)) {
                case 0, 1 -> log.write();
                case 2 -> {
                    log.sync();
                    ours(writes, inherited).forEach(write -> write.synced = true);
                }
                case 3 -> {
                    List<Write> ours = ours(writes, inherited);
                    CommitLogPosition upTo = ours.get(draws.nextInt(ours.size())).position;
                    for (Write write : ours) {
                        write.released |= write.shard == shard && write.position.compareTo(upTo) <= 0;
                    }
                    log.release(TABLE, shard, upTo);
                }
                default -> {
                    // Goes on.
                }
            }
        }
        if (draws.nextBoolean()) {
            log.close();
            ours(writes, inherited).forEach(write -> write.synced = true);
        }
    }

    /** What this life wrote: its syncs say nothing of what earlier ones left. */
    private static List<Write> ours(List<Write> writes, int inherited) {
        return writes.subList(inherited, writes.size());
    }

    private static Mutation mutation(Random draws) throws IOException {
        byte[] items = new byte[HEAD_BYTES + draws.nextInt(draws.nextInt(30) == 0 ? 6000 : 300)];
        draws.nextBytes(items);
        // A key without bytes.
        ByteBuffer.wrap(items).putShort(HEAD_BYTES - Short.BYTES, (short) 0);
        return Mutation.of(items);
    }

    private static void check(FaultyDirectory directory, List<Write> writes, String when) throws IOException {
        Map<CommitLogPosition, ByteBuffer> replayed = new HashMap<>();
        CommitLogReplay.replay(
                directory.path().resolve("log"),
                (position, table, mutation) -> {
                    assertThat(table).isEqualTo(TABLE);
                    assertThat(replayed.put(position, ByteBuffer.wrap(mutation.bytes())))
                            .as(when)
                            .isNull();
                },
                false);
        Map<CommitLogPosition, ByteBuffer> known = new HashMap<>();
        for (Write write : writes) {
            known.put(write.position, write.items);
            if (write.synced && !write.released) {
                assertThat(replayed.get(write.position)).as(when).isEqualTo(write.items);
            }
        }
        for (Map.Entry<CommitLogPosition, ByteBuffer> found : replayed.entrySet()) {
            assertThat(known.get(found.getKey())).as(when).isEqualTo(found.getValue());
        }
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 8);
    }
}
