package io.anneal.dualdao.config;

import java.time.Instant;
import java.util.Iterator;
import java.util.Optional;

/**
 * Lists the keys of a store, for a run that copies or compares all of them. What the lists throw ends the run; a list that is
 * {@link AutoCloseable} is closed. One thread asks at a time.
 *
 * @param <K> the keys, as the key copy takes them
 */
public interface KeySource<K> {
    /**
     * A key that is there, or was.
     *
     * @param writtenAt when what it names was last written, if the store says so
     */
    record Listed<K>(K key, Optional<Instant> writtenAt) {
        public Listed {
            if (key == null) {
                throw new IllegalArgumentException("a listed key is null");
            }
        }
    }

    /** Names the store and what is listed of it, in one line: a run goes on only where an earlier one of the same name stopped. */
    String identity();

    /**
     * Lists the keys after this one, in an order that stays the same; all keys if it is empty. A source without such an order
     * begins anew.
     */
    Iterator<Listed<K>> after(Optional<K> last);

    /** The keys of a collection, a query's result, or whatever can be gone through; from the first one each time. */
    static <K> KeySource<K> of(String identity, Iterable<? extends K> keys) {
        if (identity == null || keys == null) {
            throw new IllegalArgumentException("a key source needs a name and keys, identity=" + identity);
        }
        return new KeySource<>() {
            @Override
            public String identity() {
                return identity;
            }

            @Override
            public Iterator<Listed<K>> after(Optional<K> last) {
                Iterator<? extends K> each = keys.iterator();
                if (each == null) {
                    throw new IllegalStateException("keys have no iterator, identity=" + identity);
                }
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return each.hasNext();
                    }

                    @Override
                    public Listed<K> next() {
                        return new Listed<>(each.next(), Optional.empty());
                    }
                };
            }
        };
    }
}
