package io.anneal.sstable.row;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;

/** A place in a partition that outlives its cursor's view, in a buffer that is used again. */
public final class ClusteringCopy {
    private final ByteWriter bytes = new ByteWriter(256);
    private final Clustering clustering = new Clustering();

    private int weight;

    public void set(Clustering source, int sourceWeight) {
        bytes.clear();
        for (int i = 0; i < source.size(); i++) {
            int length = source.lengthBytes(i);
            if (length > 0) {
                bytes.writeBytes(source.buffer(), source.offset(i), length);
            }
        }
        // The array is final only now that nothing is appended any more.
        clustering.reset(bytes.array());
        int at = 0;
        for (int i = 0; i < source.size(); i++) {
            int length = source.lengthBytes(i);
            clustering.add(at, length);
            at += Math.max(0, length);
        }
        weight = sourceWeight;
    }

    public void set(ClusteringCopy other) {
        set(other.clustering, other.weight);
    }

    public Clustering clustering() {
        return clustering;
    }

    public int weight() {
        return weight;
    }
}
