package io.anneal.dualdao.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

final class KeyOrderTest {
    private static final int WAITING_MAX = 1_000_000;

    @Test
    void shouldGrantFirstComeFirstServed() {
        KeyOrder order = new KeyOrder(Runnable::run, WAITING_MAX);
        List<String> granted = new ArrayList<>();
        assertThat(order.lock(new int[] {1, 3}, "first")).isNull();
        order.lock(new int[] {3}, "a").granted().thenRun(() -> granted.add("a"));
        order.lock(new int[] {1, 2, 3}, "b").granted().thenRun(() -> granted.add("b"));
        assertThat(order.lock(new int[] {2}, "c")).isNull();

        order.unlock(new int[] {1, 3});
        assertThat(granted).containsExactly("a");
        order.unlock(new int[] {2});
        order.unlock(new int[] {3});
        assertThat(granted).containsExactly("a", "b");
        assertThat(order.tryLock(1, "d")).isFalse();
        order.unlock(new int[] {1, 2, 3});

        assertThat(order.tryLock(1, "d")).isTrue();
    }

    @Test
    void shouldNotNestWithoutEnd() {
        ArrayDeque<Runnable> overflow = new ArrayDeque<>();
        KeyOrder order = new KeyOrder(overflow::add, WAITING_MAX);
        int[] stripe = {7};
        assertThat(order.lock(stripe, "first")).isNull();
        int waiting = 100_000;
        int[] done = new int[1];
        for (int i = 0; i < waiting; i++) {
            order.lock(stripe, "next").granted().thenRun(() -> {
                done[0]++;
                order.unlock(stripe);
            });
        }

        order.unlock(stripe);
        while (!overflow.isEmpty()) {
            overflow.remove().run();
        }

        assertThat(done[0]).isEqualTo(waiting);
    }

    @Test
    void shouldExcludeAmongThreads() throws Exception {
        long seed = Long.getLong("anneal.seed", 20261121);
        KeyOrder order = new KeyOrder(Runnable::run, WAITING_MAX);
        int[] inside = new int[4];
        List<Thread> threads = new ArrayList<>();
        CompletableFuture<Void> failed = new CompletableFuture<>();
        for (int t = 0; t < 4; t++) {
            SplittableRandom random = new SplittableRandom(seed + t);
            threads.add(new Thread(() -> {
                for (int i = 0; i < 5000; i++) {
                    int first = random.nextInt(4);
                    int second = random.nextInt(4);
                    int[] stripes = first == second
                            ? new int[] {first}
                            : new int[] {Math.min(first, second), Math.max(first, second)};
                    KeyWait wait = order.lock(stripes, "a thread");
                    if (wait != null) {
                        wait.granted().join();
                    }
                    for (int stripe : stripes) {
                        if (inside[stripe]++ != 0) {
                            failed.completeExceptionally(new AssertionError("two at once, seed=" + seed));
                        }
                    }
                    for (int stripe : stripes) {
                        inside[stripe]--;
                    }
                    order.unlock(stripes);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(failed).isNotDone();
    }

    @Test
    void shouldNameEachStripeOnceAscending() {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            keys.add("key" + i);
        }

        assertThat(KeyOrder.stripes(keys)).isSorted().doesNotHaveDuplicates().hasSizeGreaterThan(900);
        assertThat(KeyOrder.stripes(List.of())).isEmpty();
    }

    @Test
    void shouldSayWhoWaitsForWhom() {
        KeyOrder order = new KeyOrder(Runnable::run, WAITING_MAX);
        order.lock(new int[] {1, 2}, "save of [a]");
        KeyWait wait = order.lock(new int[] {2}, "remove of [b]");

        assertThatThrownBy(() -> wait.await(1))
                .isInstanceOf(KeyWaitException.class)
                .hasMessage("a key is changed by others for too long, waiting=remove of [b], for=save of [a]");

        order.unlock(new int[] {1, 2});
        assertThat(order.tryLock(2, "next")).isTrue();
    }

    @Test
    void shouldStopWaitingWhenTheThreadIsInterrupted() {
        KeyOrder order = new KeyOrder(Runnable::run, WAITING_MAX);
        order.lock(new int[] {1}, "one");
        KeyWait wait = order.lock(new int[] {1}, "two");
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> wait.await(Long.MAX_VALUE))
                .isInstanceOf(KeyWaitException.class)
                .hasMessageStartingWith("interrupted");

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void shouldGiveBackWhatItHasWhenItGivesUp() {
        KeyOrder order = new KeyOrder(Runnable::run, WAITING_MAX);
        order.lock(new int[] {2}, "one");
        KeyWait wait = order.lock(new int[] {1, 2, 3}, "two");
        assertThat(order.tryLock(1, "three")).isFalse();

        assertThat(wait.giveUp("enough")).isTrue();

        assertThat(wait.granted()).isCompletedExceptionally();
        assertThat(wait.giveUp("again")).isFalse();
        assertThat(order.tryLock(1, "three")).isTrue();
        assertThat(order.tryLock(3, "three")).isTrue();
        order.unlock(new int[] {2});
        assertThat(order.tryLock(2, "three")).isTrue();
    }

    @Test
    void shouldNotGiveUpWhatIsGranted() {
        KeyOrder order = new KeyOrder(Runnable::run, WAITING_MAX);
        order.lock(new int[] {1}, "one");
        KeyWait wait = order.lock(new int[] {1}, "two");
        order.unlock(new int[] {1});

        assertThat(wait.giveUp("late")).isFalse();
        wait.await(1);

        assertThat(order.tryLock(1, "three")).isFalse();
    }

    @Test
    void shouldLetNoMoreWaitThanThereIsRoomFor() {
        KeyOrder order = new KeyOrder(Runnable::run, 2);
        order.lock(new int[] {1}, "one");
        KeyWait first = order.lock(new int[] {0, 1}, "two");
        KeyWait second = order.lock(new int[] {1}, "three");
        KeyWait third = order.lock(new int[] {1}, "four");

        assertThat(third.granted()).isCompletedExceptionally();
        assertThatThrownBy(() -> third.await(1)).hasMessage("too many wait for a key, waiting=four, for=one");
        first.giveUp("enough");
        assertThat(order.lock(new int[] {1}, "five").granted()).isNotDone();
        assertThat(second.granted()).isNotDone();
        assertThat(order.tryLock(0, "six")).isTrue();
    }

    @Test
    void shouldNeitherLoseNorDoubleStripesOfThoseWhoGiveUp() throws Exception {
        long seed = Long.getLong("anneal.seed", 20261128);
        KeyOrder order = new KeyOrder(Runnable::run, 3);
        AtomicIntegerArray inside = new AtomicIntegerArray(4);
        List<Thread> threads = new ArrayList<>();
        CompletableFuture<Void> failed = new CompletableFuture<>();
        for (int t = 0; t < 6; t++) {
            SplittableRandom random = new SplittableRandom(seed + t);
            threads.add(new Thread(() -> {
                for (int i = 0; i < 5000; i++) {
                    int[] stripes =
                            random.ints(0, 4).limit(3).sorted().distinct().toArray();
                    KeyWait wait = order.lock(stripes, "a thread");
                    try {
                        if (wait != null) {
                            wait.await(random.nextInt(20_000));
                        }
                    } catch (KeyWaitException gaveUp) {
                        continue;
                    }
                    for (int stripe : stripes) {
                        if (inside.getAndIncrement(stripe) != 0) {
                            failed.completeExceptionally(new AssertionError("two at once, seed=" + seed));
                        }
                    }
                    for (int stripe : stripes) {
                        inside.getAndDecrement(stripe);
                    }
                    order.unlock(stripes);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(failed).isNotDone();
        for (int stripe = 0; stripe < 4; stripe++) {
            assertThat(order.tryLock(stripe, "last"))
                    .as("stripe given back, seed=" + seed)
                    .isTrue();
        }
    }
}
