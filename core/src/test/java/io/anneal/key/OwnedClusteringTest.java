package io.anneal.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class OwnedClusteringTest {
    private static byte[] component(Clustering clustering, int i) {
        int offset = clustering.offset(i);
        return Arrays.copyOfRange(clustering.buffer(), offset, offset + clustering.lengthBytes(i));
    }

    @Test
    void shouldKeepWhatTheSourceOverwrites() {
        byte[] buffer = {9, 1, 2, 3, 9};
        Clustering view = new Clustering().reset(buffer);
        view.add(1, 2);
        view.add(0, Clustering.ABSENT);
        view.add(3, 0);
        view.add(3, 1);
        OwnedClustering owned = new OwnedClustering();
        owned.set(view);
        Arrays.fill(buffer, (byte) 7);
        view.reset(buffer);
        assertThat(owned.clustering().size()).isEqualTo(4);
        assertThat(component(owned.clustering(), 0)).containsExactly(1, 2);
        assertThat(owned.clustering().isAbsent(1)).isTrue();
        assertThat(owned.clustering().lengthBytes(2)).isZero();
        assertThat(component(owned.clustering(), 3)).containsExactly(3);
    }

    @Test
    void shouldGrowOnceAndUseItsMemoryAgain() {
        OwnedClustering owned = new OwnedClustering();
        owned.set(Clustering.of(new byte[1000]));
        int capacityBytes = owned.capacityBytes();
        byte[] memory = owned.clustering().buffer();
        owned.set(Clustering.of(new byte[] {4}));
        assertThat(owned.capacityBytes()).isEqualTo(capacityBytes);
        assertThat(owned.clustering().buffer()).isSameAs(memory);
        assertThat(component(owned.clustering(), 0)).containsExactly(4);
    }

    @Test
    void shouldOrderByBytesWhereTheTypeSaysEqual() {
        Clustering absent = Clustering.of((byte[]) null);
        Clustering empty = Clustering.of(new byte[0]);
        Clustering shorter = Clustering.of(new byte[] {(byte) 0xFF});
        Clustering longer = Clustering.of(new byte[] {0, 1});
        assertThat(absent.compareBytes(empty)).isNegative();
        assertThat(empty.compareBytes(shorter)).isNegative();
        assertThat(shorter.compareBytes(longer)).isNegative();
        assertThat(longer.compareBytes(shorter)).isPositive();
        assertThat(longer.compareBytes(Clustering.of(new byte[] {0, 1}))).isZero();
        assertThat(Clustering.of().compareBytes(absent)).isNegative();
    }
}
