package io.anneal.dualdao.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.phase.Side;
import java.util.List;
import org.junit.jupiter.api.Test;

class DirtyKeysTest {
    private final DirtyKeys dirty = new DirtyKeys(new MemoryKeyJournal());

    @Test
    void shouldNotCountAKeyForTheWriteThatIsUnderWayAlone() {
        dirty.begin(Side.TARGET, List.of("written"));

        assertThat(dirty.lacks(Side.TARGET, "written")).isTrue();
        assertThat(dirty.lasting(Side.TARGET)).isZero();
    }

    @Test
    void shouldCountAKeyWhoseWriteFailedThoughTheNextIsUnderWay() {
        dirty.begin(Side.TARGET, List.of("failed"));
        dirty.add(Side.TARGET, List.of("failed"), "TARGET: failed");
        dirty.end(Side.TARGET, List.of("failed"));
        dirty.begin(Side.TARGET, List.of("failed", "other"));

        assertThat(dirty.lasting(Side.TARGET)).isOne();
    }

    @Test
    void shouldCountWhatLacksBeforeItsWriteEnds() {
        dirty.begin(Side.TARGET, List.of("key"));
        dirty.add(Side.TARGET, List.of("key"), "TARGET: failed");

        assertThat(dirty.lasting(Side.TARGET)).isOne();
    }

    @Test
    void shouldRememberAllForManyOnceMemoryHasNoRoomForMore() {
        for (int i = 0; i < 210_000; i++) {
            dirty.remember(List.of("k" + i), "written in phase 5");
        }

        assertThat(dirty.size(Side.ORIGIN)).isEqualTo(200_001);
        assertThat(dirty.lacks(Side.ORIGIN, DirtyKeys.EVERYTHING)).isTrue();
    }
}
