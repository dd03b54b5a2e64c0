package io.anneal.commitlog;

import io.anneal.fragment.Mutation;
import io.anneal.key.DecoratedKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Mutations for a log, whose items are bytes at random behind the head of an item, and what a replay gave. */
final class LogFixture {
    static final UUID TABLE = new UUID(1, 2);
    static final UUID OTHER_TABLE = new UUID(3, 4);
    static final CommitLogConfig SMALL = CommitLogConfig.defaults()
            .withSegmentSizeBytes(4096)
            .withSectionSizeBytes(1024)
            .withRecycledSegmentsMax(2);

    private static final int HEAD_BYTES = 7;
    private static final int ITEM_KIND = 3;

    private LogFixture() {}

    /** A record as it was appended, or as it came back. */
    record Entry(CommitLogPosition position, UUID table, DecoratedKey key, ByteBuffer items) {
        Entry(CommitLogPosition position, UUID table, Mutation mutation) {
            this(position, table, mutation.key(), ByteBuffer.wrap(mutation.bytes()));
        }
    }

    /** @param bodyBytes behind the head and a key of up to nine bytes */
    static Mutation mutation(Random random, int bodyBytes) {
        byte[] key = new byte[random.nextInt(10)];
        random.nextBytes(key);
        ByteBuffer items = ByteBuffer.allocate(HEAD_BYTES + key.length + bodyBytes);
        items.put((byte) ITEM_KIND).putInt(items.capacity()).putShort((short) key.length);
        items.put(key);
        byte[] body = new byte[bodyBytes];
        random.nextBytes(body);
        for (int i = 1; i < bodyBytes; i++) {
            // Something to compress.
            if (random.nextInt(3) > 0) {
                body[i] = body[i - 1];
            }
        }
        items.put(body);
        return new Mutation(DecoratedKey.of(key), items.array());
    }

    static Entry append(CommitLog log, UUID table, int shard, Mutation mutation) throws IOException {
        return new Entry(log.append(table, shard, mutation), table, mutation);
    }

    /** Replays and adds what comes to the list, whatever happens then. */
    static CommitLogReplay.Report replay(Path directory, boolean skipCorrupt, List<Entry> entries) throws IOException {
        return CommitLogReplay.replay(
                directory,
                (position, table, mutation) -> entries.add(new Entry(position, table, mutation)),
                skipCorrupt);
    }

    /** The timestamps that a replay hears of. */
    static List<Long> clocks(Path directory) throws IOException {
        List<Long> clocks = new ArrayList<>();
        CommitLogReplay.replay(
                directory,
                new CommitLogReplay.Handler() {
                    @Override
                    public void mutation(CommitLogPosition position, UUID table, Mutation mutation) {}

                    @Override
                    public void clock(long lastTimestampMicros) {
                        clocks.add(lastTimestampMicros);
                    }
                },
                false);
        return clocks;
    }

    static List<Entry> replay(Path directory) throws IOException {
        List<Entry> entries = new ArrayList<>();
        CommitLogReplay.Report report = replay(directory, false, entries);
        assert report.mutations() == entries.size();
        return entries;
    }
}
