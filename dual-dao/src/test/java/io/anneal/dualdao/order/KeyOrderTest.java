package io.anneal.dualdao.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class KeyOrderTest {
    @Test
    void shouldGrantFirstComeFirstServed() {
        KeyOrder order = new KeyOrder(Runnable::run);
        List<String> granted = new ArrayList<>();
        assertThat(order.lock(new int[] {1, 3})).isNull();
        order.lock(new int[] {3}).thenRun(() -> granted.add("a"));
        order.lock(new int[] {1, 2, 3}).thenRun(() -> granted.add("b"));
        assertThat(order.lock(new int[] {2})).isNull();

        order.unlock(new int[] {1, 3});
        assertThat(granted).containsExactly("a");
        order.unlock(new int[] {2});
        order.unlock(new int[] {3});
        assertThat(granted).containsExactly("a", "b");
        assertThat(order.tryLock(1)).isFalse();
        order.unlock(new int[] {1, 2, 3});

        assertThat(order.tryLock(1)).isTrue();
    }

    @Test
    void shouldNotNestWithoutEnd() {
        ArrayDeque<Runnable> overflow = new ArrayDeque<>();
        KeyOrder order = new KeyOrder(overflow::add);
        int[] stripe = {7};
        assertThat(order.lock(stripe)).isNull();
        int waiting = 100_000;
        int[] done = new int[1];
        for (int i = 0; i < waiting; i++) {
            order.lock(stripe).thenRun(() -> {
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
        long seed = 20261121;
        KeyOrder order = new KeyOrder(Runnable::run);
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
                    CompletableFuture<Object> granted = order.lock(stripes);
                    if (granted != null) {
                        granted.join();
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
}
