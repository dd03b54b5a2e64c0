package io.anneal.bench.oldrepair;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteReader;
import io.anneal.key.TokenRange;
import io.anneal.node.Replica;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The leaves of a tree over a replica's ranges, each with the checksum of all that is in its range. What stands above the leaves
 * follows from them, and a comparison of all leaves finds what a descent would, so only they are made and sent.
 */
final class MerkleTree {
    /** 2^15, of all ranges together. */
    static final int LEAVES_MAX = 1 << 15;

    private static final int HASH_BYTES = 2 * Long.BYTES;

    private final byte[] leaves;

    private MerkleTree(byte[] leaves) {
        this.leaves = leaves;
    }

    /** Reads all of the replica's rows in the leaves' ranges. */
    static MerkleTree build(Replica replica, long localDeletionTimeMaxSeconds, List<TokenRange.Linear> leaves)
            throws IOException {
        ByteBuffer hashes = ByteBuffer.allocate(leaves.size() * HASH_BYTES);
        ChecksumKind.RangeChecksums checksums = new ChecksumKind.RangeChecksums(replica.schema(), ChecksumKind.XXH3);
        try (OrderedReads reads = new OrderedReads(replica, localDeletionTimeMaxSeconds)) {
            for (TokenRange.Linear leaf : leaves) {
                FragmentCursor cursor = reads.read(leaf);
                hashes.put(checksums.of(cursor));
            }
        }
        return new MerkleTree(hashes.array());
    }

    byte[] encode() {
        return leaves;
    }

    static MerkleTree decode(ByteBuffer in) {
        return new MerkleTree(new ByteReader().wrap(in).readBytes(in.remaining()));
    }

    /** Those of the leaves that are not the same in both; neighbours are one range. */
    List<TokenRange.Linear> differing(MerkleTree other, List<TokenRange.Linear> ranges) {
        List<TokenRange.Linear> differing = new ArrayList<>();
        for (int i = 0; i < ranges.size(); i++) {
            int start = i * HASH_BYTES;
            int end = start + HASH_BYTES;
            if (Arrays.equals(leaves, start, end, other.leaves, start, end)) {
                continue;
            }
            TokenRange.Linear range = ranges.get(i);
            int last = differing.size() - 1;
            if (last >= 0 && differing.get(last).last() + 1 == range.first()) {
                differing.set(last, new TokenRange.Linear(differing.get(last).first(), range.last()));
            } else {
                differing.add(range);
            }
        }
        return differing;
    }

    /** How many leaves are not the same in both. */
    long differingLeaves(MerkleTree other) {
        long count = 0;
        for (int start = 0; start < leaves.length; start += HASH_BYTES) {
            int end = start + HASH_BYTES;
            count += Arrays.equals(leaves, start, end, other.leaves, start, end) ? 0 : 1;
        }
        return count;
    }
}
