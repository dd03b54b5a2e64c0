package io.anneal.bench.commitlog;

import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.commitlog.CommitLog;
import io.anneal.commitlog.CommitLogConfig;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.Mutation;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.UUID;

/** A log in a temporary directory, and mutations of 1 KiB to append to it, more of them than caches hold. */
final class LoggedWrites implements Closeable {
    private static final UUID TABLE = new UUID(1, 2);
    private static final int SHARDS = 2;
    private static final int MUTATIONS = 1 << 14;
    private static final int MUTATION_BYTES = 1 << 10;
    private static final int CLUSTERING_ROW = 3;
    private static final int KEY_LENGTH_BYTES = 16;
    /** Of each 64 bytes so many are text that repeats: half of a mutation goes away when it is compressed. */
    private static final int REPEATED_OF_64 = 36;

    private final TemporaryDirectory directory;
    private final CommitLog log;
    private final Mutation[] mutations = new Mutation[MUTATIONS];
    private int next;

    private LoggedWrites(TemporaryDirectory directory, CommitLog log) throws CorruptItemException {
        this.directory = directory;
        this.log = log;
        Random random = new Random(1);
        for (int i = 0; i < MUTATIONS; i++) {
            mutations[i] = mutation(random);
        }
    }

    static LoggedWrites open(boolean compression, LogTarget target) throws IOException {
        TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-log-");
        CommitLogConfig config = CommitLogConfig.defaults().withCompression(compression);
        return new LoggedWrites(directory, CommitLog.open(directory.path(), config, 0, target.opener()));
    }

    private static Mutation mutation(Random random) throws CorruptItemException {
        byte[] items = new byte[MUTATION_BYTES];
        random.nextBytes(items);
        for (int i = 0; i < MUTATION_BYTES; i++) {
            if (i % 64 < REPEATED_OF_64) {
                items[i] = (byte) ('a' + i % 64 % 26);
            }
        }
        ByteBuffer head = ByteBuffer.wrap(items);
        head.put((byte) CLUSTERING_ROW).putInt(MUTATION_BYTES).putShort((short) KEY_LENGTH_BYTES);
        head.putLong(random.nextLong());
        return Mutation.of(items);
    }

    void append() throws IOException {
        next = (next + 1) & MUTATIONS - 1;
        log.append(TABLE, next % SHARDS, mutations[next]);
    }

    CommitLog log() {
        return log;
    }

    /** As when everything was flushed: segments are given up and used again. */
    void release() throws IOException {
        for (int shard = 0; shard < SHARDS; shard++) {
            log.release(TABLE, shard, log.position());
        }
    }

    /** Removes what was written, so there is nothing to sync. */
    @Override
    public void close() throws IOException {
        directory.close();
    }
}
