package io.anneal.repair.kept;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.ItemHash;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.StorageException;
import io.anneal.key.LinearRanges;
import io.anneal.key.TokenRange;
import io.anneal.node.KeptDirectory;
import io.anneal.node.KnownData;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.TokenSum;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a replica keeps of its sums, as one session sees it. A file a table:
 *
 * <pre>
 *   int     "AKS1"
 *   any number of sums, in the order of their tokens, apart from each other: {@link KeptSum}
 *   int     CRC32 of all before
 * </pre>
 *
 * A file that is not as it should be counts as none. The digit of the first four bytes goes up with any change of what is summed. One
 * thread; several sessions may have the same file.
 */
public final class KeptSums {
    private static final Logger LOG = LoggerFactory.getLogger(KeptSums.class);
    private static final int MAGIC = 0x414b_5331;
    private static final int FRAME_BYTES = 2 * Integer.BYTES;

    private final KnownData data;
    private final SSTablePresence presence;
    private final long terms;
    private final List<TokenSum> good;

    private KeptSums(KnownData data, SSTablePresence presence, long terms, List<TokenSum> good) {
        this.data = data;
        this.presence = presence;
        this.terms = terms;
        this.good = good;
    }

    /**
     * Reads what is kept of the session's ranges.
     *
     * @param stretches the ranges, ascending, each for itself: rows are counted by range
     * @return empty where nothing can be kept, since an SSTable has no checksum by which it would be known again
     */
    public static Optional<KeptSums> of(
            KnownData data, OpenSession session, SessionTerms agreed, List<TokenRange.Linear> stretches)
            throws IOException {
        LinearRanges ranges = new LinearRanges(stretches);
        Optional<SSTablePresence> presence = SSTablePresence.of(data.sstables(), ranges);
        if (presence.isEmpty()) {
            return Optional.empty();
        }
        long terms = terms(session, agreed);
        List<TokenSum> good = List.of();
        try {
            good = data.kept()
                    .read(
                            data.tableId(),
                            content -> good(
                                    read(data, content), terms, session.purgeTimeSeconds(), ranges, presence.get()));
        } catch (StorageException e) {
            LOG.warn("kept sums can't be read, so that all rows are, cause={}", e.toString());
        }
        return Optional.of(new KeptSums(data, presence.get(), terms, good));
    }

    private static List<TokenSum> good(
            ByteReader in, long terms, long purgeTimeSeconds, LinearRanges ranges, SSTablePresence presence) {
        List<TokenSum> good = new ArrayList<>();
        for (int at = in.offset(); in.hasRemaining(); in.seek(at)) {
            // Most are of other sessions: these are not looked at any further.
            if (ranges.covers(KeptSum.decodeTokens(in))) {
                in.seek(at);
                KeptSum kept = KeptSum.decode(in);
                if (kept.isGood(terms, purgeTimeSeconds) && presence.of(kept.tokens()) == kept.sstables()) {
                    good.add(kept.sum());
                }
            }
            at += KeptSum.BYTES;
        }
        return List.copyOf(good);
    }

    /** All but the rows that a hash depends on. */
    private static long terms(OpenSession session, SessionTerms agreed) {
        ByteWriter all = new ByteWriter(1024);
        all.writeLong(session.hashSeed());
        all.writeInt(CanonicalEncoder.LAYOUT_VERSION);
        all.writeLong(agreed.localDeletionTimeMaxSeconds());
        all.writeBytes(session.schemaText().getBytes(StandardCharsets.UTF_8));
        ItemHash hash = new ItemHash(0);
        hash.hash(all.array(), 0, all.lengthBytes());
        return hash.low();
    }

    /** Sums of what is there now, in the order of their tokens, apart from each other. */
    public List<TokenSum> good() {
        return good;
    }

    /** Keeps what was read in the place of what was kept of these tokens. A disk that is full costs the next repair time, and fails nothing. */
    public void keep(SumRecorder read) {
        List<KeptSum> sums = read.sums(presence, terms);
        if (sums.isEmpty()) {
            return;
        }
        LinearRanges tokens =
                LinearRanges.of(sums.stream().map(sum -> sum.tokens().asRange()).toList());
        try {
            data.kept().update(data.tableId(), before -> Optional.of(merge(read(data, before), sums, tokens)));
        } catch (StorageException e) {
            LOG.warn(
                    "sums of what was read are not kept, so that the next repair reads it again, cause={}",
                    e.toString());
        }
    }

    /** Both in their order, without those of before that have some of the tokens, or are of tokens that nobody reads any more. */
    private static byte[] merge(ByteReader before, List<KeptSum> sums, LinearRanges tokens) {
        ByteWriter out = new ByteWriter(FRAME_BYTES + before.remainingBytes() + sums.size() * KeptSum.BYTES);
        out.writeInt(MAGIC);
        long oldestSeconds = sums.get(0).takenAtSeconds() - KeptDirectory.KEPT.toSeconds();
        int next = 0;
        for (int at = before.offset(); before.hasRemaining(); before.seek(at)) {
            TokenRange.Linear kept = KeptSum.decodeTokens(before);
            if (!tokens.touches(kept) && KeptSum.decodeTakenAtSeconds(before) >= oldestSeconds) {
                while (next < sums.size() && sums.get(next).tokens().first() < kept.first()) {
                    sums.get(next++).encode(out);
                }
                out.writeBytes(before.array(), at, KeptSum.BYTES);
            }
            at += KeptSum.BYTES;
        }
        sums.subList(next, sums.size()).forEach(sum -> sum.encode(out));
        CRC32 crc = new CRC32();
        crc.update(out.array(), 0, out.lengthBytes());
        out.writeInt((int) crc.getValue());
        return out.toByteArray();
    }

    /** The sums, if the file is as it should be. */
    private static ByteReader read(KnownData data, Optional<byte[]> content) {
        ByteReader none = new ByteReader(new byte[0]);
        if (content.isEmpty()) {
            return none;
        }
        byte[] bytes = content.get();
        int end = bytes.length - Integer.BYTES;
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, Math.max(0, end));
        boolean isRight = bytes.length >= FRAME_BYTES
                && (bytes.length - FRAME_BYTES) % KeptSum.BYTES == 0
                && new ByteReader().wrap(bytes, end, Integer.BYTES).readInt() == (int) crc.getValue();
        ByteReader in = new ByteReader().wrap(bytes, 0, Math.max(0, end));
        if (!isRight || in.readInt() != MAGIC) {
            LOG.warn(
                    "kept sums are wrong or of another release, and count for nothing, tableId={}, lengthBytes={}",
                    data.tableId(),
                    bytes.length);
            return none;
        }
        return in;
    }
}
