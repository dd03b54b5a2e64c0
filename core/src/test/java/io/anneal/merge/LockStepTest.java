package io.anneal.merge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LockStepTest {
    private static LockStep.Source<Integer> source(Integer... elements) {
        Iterator<Integer> remaining = List.of(elements).iterator();
        return () -> remaining.hasNext() ? remaining.next() : null;
    }

    private static List<String> walked(LockStep.Source<Integer> left, LockStep.Source<Integer> right)
            throws IOException {
        List<String> places = new ArrayList<>();
        LockStep<Integer> walk = new LockStep<>(left, right, Comparator.naturalOrder());
        while (walk.next()) {
            places.add(walk.either() + ":" + walk.left() + "/" + walk.right());
        }
        return places;
    }

    @Test
    void shouldStandAtEachPlaceOnceWhenEitherHasIt() throws IOException {
        assertThat(walked(source(1, 3, 4), source(2, 3, 5)))
                .containsExactly("1:1/null", "2:null/2", "3:3/3", "4:4/null", "5:null/5");
    }

    @Test
    void shouldGoOnAloneWhenTheOtherIsAtItsEnd() throws IOException {
        assertThat(walked(source(), source(1, 2))).containsExactly("1:null/1", "2:null/2");
        assertThat(walked(source(1, 2), source(1))).containsExactly("1:1/1", "2:2/null");
        assertThat(walked(source(), source())).isEmpty();
    }

    @Test
    void shouldReadNoFurtherThanItStandsWhenOneIsAhead() throws IOException {
        List<Integer> asked = new ArrayList<>();
        LockStep.Source<Integer> far = source(10, 20);
        LockStep<Integer> walk = new LockStep<>(
                source(1, 2, 3),
                () -> {
                    Integer next = far.next();
                    asked.add(next);
                    return next;
                },
                Comparator.naturalOrder());

        assertThat(walk.next() && walk.next() && walk.next()).isTrue();

        assertThat(walk.left()).isEqualTo(3);
        assertThat(walk.right()).isNull();
        assertThat(asked).containsExactly(10);
    }
}
