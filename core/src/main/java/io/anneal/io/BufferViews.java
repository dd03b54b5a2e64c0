package io.anneal.io;

import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Collections that are only read and give each reader byte buffers of its own: reading moves a buffer's position, which nobody else
 * must see. What is not a buffer comes as it is. The collections given must not change any more.
 */
public final class BufferViews {
    private BufferViews() {}

    /** The buffer, big-endian, with a position of its own; whatever else it is, the value itself. */
    public static <T> T own(T value) {
        if (value instanceof ByteBuffer buffer) {
            @SuppressWarnings("unchecked") // a buffer of the heap or not, as the one given
            T duplicate = (T) buffer.duplicate();
            return duplicate;
        }
        return value;
    }

    public static <E> List<E> list(List<E> elements) {
        return new ListView<>(elements);
    }

    public static <E> Set<E> set(Set<E> elements) {
        return new SetView<>(elements, BufferViews::own);
    }

    public static <K, V> Map<K, V> map(Map<K, V> entries) {
        return new MapView<>(entries);
    }

    private static final class ListView<E> extends AbstractList<E> implements RandomAccess {
        private final List<E> elements;

        ListView(List<E> elements) {
            this.elements = elements;
        }

        @Override
        public E get(int index) {
            return own(elements.get(index));
        }

        @Override
        public int size() {
            return elements.size();
        }
    }

    private static final class SetView<E> extends AbstractSet<E> {
        private final Set<E> elements;
        private final UnaryOperator<E> shown;

        SetView(Set<E> elements, UnaryOperator<E> shown) {
            this.elements = elements;
            this.shown = shown;
        }

        @Override
        public Iterator<E> iterator() {
            Iterator<E> each = elements.iterator();
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return each.hasNext();
                }

                @Override
                public E next() {
                    return shown.apply(each.next());
                }
            };
        }

        @Override
        public boolean contains(Object element) {
            return elements.contains(element);
        }

        @Override
        public int size() {
            return elements.size();
        }
    }

    private static final class MapView<K, V> extends AbstractMap<K, V> {
        private final Map<K, V> entries;

        MapView(Map<K, V> entries) {
            this.entries = entries;
        }

        @Override
        public V get(Object key) {
            return own(entries.get(key));
        }

        @Override
        public boolean containsKey(Object key) {
            return entries.containsKey(key);
        }

        @Override
        public Set<Entry<K, V>> entrySet() {
            return new SetView<>(
                    entries.entrySet(),
                    entry -> new SimpleImmutableEntry<>(own(entry.getKey()), own(entry.getValue())));
        }
    }
}
