package io.anneal.simulation;

import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.operation.Conditional;
import io.anneal.dualdao.operation.Delete;
import io.anneal.dualdao.operation.Increment;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** A DAO as small as one can be, and a store behind it that does as a test says. */
public interface Shelf {
    @Read
    String find(@Key String key);

    /** By no key, as by a secondary column. */
    @Read
    List<String> all();

    @Write
    void put(@Key String key, String value);

    @Delete
    void remove(@Key String key);

    @Conditional
    boolean putIfAbsent(@Key String key, String value);

    @Increment
    void append(@Key String key, String more);

    /** One in memory. */
    final class InMemory implements Shelf {
        final Map<String, String> rows = new ConcurrentHashMap<>();
        final List<String> calls = new ArrayList<>();

        /** Runs before every call, of which it gets the name. */
        Before before = call -> {};

        /** Something that may throw whatever it likes. */
        @FunctionalInterface
        interface Before {
            void call(String name) throws Throwable;
        }

        void failWith(Throwable thrown) {
            before = call -> {
                throw thrown;
            };
        }

        private void begin(String call) {
            synchronized (calls) {
                calls.add(call);
            }
            try {
                before.call(call);
            } catch (Throwable thrown) {
                throw InMemory.<RuntimeException>undeclared(thrown);
            }
        }

        @SuppressWarnings("unchecked")
        private static <T extends Throwable> T undeclared(Throwable thrown) throws T {
            throw (T) thrown;
        }

        @Override
        public String find(String key) {
            begin("find");
            return rows.get(key);
        }

        @Override
        public List<String> all() {
            begin("all");
            return List.copyOf(rows.values());
        }

        @Override
        public void put(String key, String value) {
            begin("put");
            rows.put(key, value);
        }

        @Override
        public void remove(String key) {
            begin("remove");
            rows.remove(key);
        }

        @Override
        public boolean putIfAbsent(String key, String value) {
            begin("putIfAbsent");
            return rows.putIfAbsent(key, value) == null;
        }

        @Override
        public void append(String key, String more) {
            begin("append");
            rows.merge(key, more, String::concat);
        }
    }

    /** Copies of keys. */
    record Copy(Guarantee guarantee) implements KeyCopy<Shelf, String> {
        @Override
        public CompletionStage<Void> copy(String key, Shelf from, Shelf to, long takenAwayBeforeMicros) {
            String value = from.find(key);
            if (value != null) {
                to.put(key, value);
            } else {
                to.remove(key);
            }
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<?> read(String key, Shelf dao) {
            return CompletableFuture.completedFuture(dao.find(key));
        }
    }
}
