package io.anneal.dualdao.route;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One side of the tests: a map, whose calls are done at once, or kept until the test does them, or fail. A call's effect happens when
 * it is answered.
 */
final class Shop {
    /** What calls come to when they are not done at once. */
    private enum Behaviour {
        AT_ONCE,
        BY_HAND,
        FAILING,
        DOING_AND_FAILING
    }

    /** A call that waits. */
    static final class Call {
        final String what;
        private Supplier<Object> effect;
        private boolean taken;
        private final CompletableFuture<Object> answer = new CompletableFuture<>();

        private Call(String what, Supplier<Object> effect) {
            this.what = what;
            this.effect = effect;
        }

        /** Does it now, to answer later. */
        void take() {
            Object done = effect.get();
            effect = () -> done;
            taken = true;
        }

        void answer() {
            answer.complete(effect.get());
        }

        void doAndFail(Throwable thrown) {
            effect.get();
            answer.completeExceptionally(thrown);
        }

        boolean taken() {
            return taken;
        }

        void fail(Throwable thrown) {
            answer.completeExceptionally(thrown);
        }
    }

    final String name;
    final Map<String, String> rows = new TreeMap<>();
    final List<String> calls = new ArrayList<>();
    final List<Long> writeTimes = new ArrayList<>();
    final ArrayDeque<Call> waiting = new ArrayDeque<>();
    private Behaviour behaviour = Behaviour.AT_ONCE;
    private Throwable failure;

    Shop(String name) {
        this.name = name;
    }

    void atOnce() {
        behaviour = Behaviour.AT_ONCE;
    }

    void byHand() {
        behaviour = Behaviour.BY_HAND;
    }

    void fails(Throwable thrown) {
        behaviour = Behaviour.FAILING;
        failure = thrown;
    }

    /** Does what it is told, and throws all the same. */
    void doesAndFails(Throwable thrown) {
        behaviour = Behaviour.DOING_AND_FAILING;
        failure = thrown;
    }

    CompletableFuture<Object> read(String key) {
        return call("read " + key, () -> rows.get(key));
    }

    CompletableFuture<Object> readAll(Collection<String> keys) {
        return call("read " + keys, () -> {
            Map<String, String> found = new TreeMap<>();
            keys.forEach(key -> {
                if (rows.containsKey(key)) {
                    found.put(key, rows.get(key));
                }
            });
            return found;
        });
    }

    CompletableFuture<Object> write(String key, String value) {
        writeTimes.add(WriteTime.currentMicros().orElse(0));
        return call("write " + key + "=" + value, () -> {
            rows.put(key, value);
            return name;
        });
    }

    CompletableFuture<Object> writeAll(Collection<String> keys, String value) {
        return call("write " + keys + "=" + value, () -> {
            keys.forEach(key -> rows.put(key, value));
            return name;
        });
    }

    CompletableFuture<Object> delete(String key) {
        return call("delete " + key, () -> {
            rows.remove(key);
            return name;
        });
    }

    /** A compare-and-set of nothing to a value. */
    CompletableFuture<Object> putIfAbsent(String key, String value) {
        return call("putIfAbsent " + key, () -> rows.putIfAbsent(key, value) == null);
    }

    CompletableFuture<Object> append(String key, String value) {
        return call("append " + key, () -> rows.merge(key, value, String::concat));
    }

    private CompletableFuture<Object> call(String what, Supplier<Object> effect) {
        calls.add(what);
        switch (behaviour) {
            case BY_HAND -> {
                Call call = new Call(what, effect);
                waiting.addLast(call);
                return call.answer;
            }
            case DOING_AND_FAILING -> {
                effect.get();
                return CompletableFuture.failedFuture(failure);
            }
            case FAILING -> {
                return CompletableFuture.failedFuture(failure);
            }
            default -> {
                return CompletableFuture.completedFuture(effect.get());
            }
        }
    }
}
