package io.anneal.paging.querier;

import io.anneal.key.RingPosition;
import io.anneal.key.ShardRule;
import io.anneal.paging.query.PageRequest;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/**
 * Puts one page together from the readers of shards, in the order of tokens. The reader whose next token is the least gives all
 * that it has before the next reader's; it is opened when it is the least for the first time.
 *
 * <pre>
 *   shard 0  |--a--b--|        |--e--|                  a b | c d | e | f ...
 *   shard 1           |--c--d--|     |--f--g--|
 * </pre>
 *
 * <p>Nothing of it outlives a page but the shard readers, which are given away at its end. One thread.
 */
final class MultishardReader {
    private final Cursors cursors;
    private final PageRequest request;
    private final Stretch stretch;
    private final TableSchema schema;
    private final LongConsumer holds;
    private final ReadAhead beside;
    /** Of each shard; null before it is opened. */
    private final ShardReader[] readers;
    /** Below which none of a shard's partitions is left. */
    private final long[] tokens;
    /** Whether a shard has nothing more. */
    private final boolean[] isDone;

    private Optional<RingPosition> place = Optional.empty();

    /**
     * A reader that has opened nothing yet.
     *
     * @param holds is told what the page and its readers occupy when that has grown
     * @param beside where shards are read that are not wanted yet
     */
    MultishardReader(
            Cursors cursors,
            PageRequest request,
            Stretch stretch,
            TableSchema schema,
            LongConsumer holds,
            ReadAhead beside) {
        this.cursors = cursors;
        this.request = request;
        this.stretch = stretch;
        this.schema = schema;
        this.holds = holds;
        this.beside = beside;
        ShardRule shards = cursors.shards();
        int count = stretch.ranges().isEmpty() ? 1 : shards.shardCount();
        readers = new ShardReader[count];
        tokens = new long[count];
        isDone = new boolean[count];
        for (int shard = 0; shard < count; shard++) {
            OptionalLong first = stretch.firstToken(shards, shard);
            isDone[shard] = first.isEmpty();
            tokens[shard] = first.orElse(0);
        }
    }

    int shardCount() {
        return readers.length;
    }

    /** Goes on with a reader that was kept. */
    void resume(int shard, ShardReader kept) {
        kept.beginPage(request.nowSeconds());
        readers[shard] = kept;
        update(shard);
    }

    private void update(int shard) {
        tokens[shard] = readers[shard].token();
        isDone[shard] = readers[shard].isExhausted();
    }

    /** The shard with the least token but for one; -1 when no other has any. */
    private int least(int butFor) {
        int least = -1;
        for (int shard = 0; shard < tokens.length; shard++) {
            if (!isDone[shard] && shard != butFor && (least < 0 || tokens[shard] < tokens[least])) {
                least = shard;
            }
        }
        return least;
    }

    /** Has every shard read as much as the rest of the page takes, at the risk that it is for nothing: nothing is read yet. */
    void readAhead(PageItems page) throws IOException {
        for (int shard = 0; shard < readers.length; shard++) {
            if (!isDone[shard]) {
                readers[shard] = stretch.reader(cursors, request, schema, shard, tokens[shard]);
                fill(readers[shard], page, Long.MAX_VALUE);
                update(shard);
            }
        }
    }

    /** Has others read beside what this one is about to read, those first that are out of items first. */
    private void fillBeside(ShardReader reader, PageItems page) {
        ShardReader other;
        do {
            other = null;
            long rows = 0;
            long bytes = 0;
            for (ShardReader open : readers) {
                if (open != null) {
                    rows += open.rowsAhead();
                    bytes += open.bytesAhead();
                    boolean lacks = open != reader && open.lacksNext();
                    other = lacks && (other == null || open.endToken() < other.endToken()) ? open : other;
                }
            }
            if (rows >= page.rowsLeft() || bytes >= page.bytesLeft()) {
                return;
            }
        } while (other != null && other.fillBeside(beside, page));
    }

    /** Reads until the page is full, or nothing is left. */
    void read(PageItems page) throws IOException {
        while (place.isEmpty()) {
            int shard = least(-1);
            if (shard < 0) {
                return;
            }
            int second = least(shard);
            if (readers[shard] == null) {
                readers[shard] = stretch.reader(cursors, request, schema, shard, tokens[shard]);
            }
            readFrom(readers[shard], page, second >= 0, second < 0 ? 0 : tokens[second]);
            update(shard);
        }
    }

    /** One step: takes what there is, or reads the next block. */
    private void readFrom(ShardReader reader, PageItems page, boolean hasNext, long nextToken) throws IOException {
        if (!reader.isTaken()) {
            reader.take(page, hasNext, nextToken);
        } else if (reader.isCharged()) {
            fillBeside(reader, page);
            fill(reader, page, ShardReader.BLOCK_BYTES);
        }
        // What it passed without showing anything lies before all that the others have.
        boolean isLeast = reader.isTaken() && !(hasNext && reader.token() > nextToken);
        if (isLeast || reader.isExhausted()) {
            reader.charge(page);
        }
        if (page.full().isEmpty()) {
            return;
        }
        if (isLeast && reader.hasEndPlace()) {
            place = Optional.of(reader.endPlace());
        } else if (reader.hasTaken()) {
            place = Optional.of(reader.takenPlace());
        }
    }

    private void fill(ShardReader reader, PageItems page, long blockBytes) throws IOException {
        reader.fill(page, blockBytes);
        long bytes = page.lengthBytes();
        for (ShardReader open : readers) {
            bytes += open == null ? 0 : open.heldBytes();
        }
        holds.accept(bytes);
    }

    /** Where the page ended; empty when nothing was left. */
    Optional<RingPosition> place() {
        return place;
    }

    /** Whether nothing is left. */
    boolean isExhausted() {
        return least(-1) < 0;
    }

    /** Gives a shard's reader away, if there is one; what it reads beside is to be {@link ShardReader#finish() finished}. */
    Optional<ShardReader> release(int shard) {
        Optional<ShardReader> released = Optional.ofNullable(readers[shard]);
        readers[shard] = null;
        return released;
    }
}
