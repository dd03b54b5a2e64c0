package io.anneal.key;

/**
 * Memory for one clustering or prefix that must outlive the view it came from. Refilled in place, so that holding the
 * last place of a stream allocates nothing once the longest has been seen. Owned by one thread.
 */
public final class OwnedClustering {
    private final Clustering clustering = new Clustering();
    private byte[] bytes = new byte[32];

    /** Replaces what is held by a copy of {@code source}. */
    public void set(Clustering source) {
        int total = 0;
        for (int i = 0; i < source.size(); i++) {
            total += Math.max(0, source.lengthBytes(i));
        }
        if (total > bytes.length) {
            bytes = new byte[Math.max(total, bytes.length * 2)];
        }
        clustering.reset(bytes);
        int at = 0;
        for (int i = 0; i < source.size(); i++) {
            int length = source.lengthBytes(i);
            clustering.add(at, length);
            if (length > 0) {
                System.arraycopy(source.buffer(), source.offset(i), bytes, at, length);
                at += length;
            }
        }
    }

    /** What is held, until the next {@link #set}. */
    public Clustering clustering() {
        return clustering;
    }

    /** Bytes of memory that are kept for values. */
    public int capacityBytes() {
        return bytes.length;
    }
}
