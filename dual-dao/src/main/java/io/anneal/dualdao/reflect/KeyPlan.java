package io.anneal.dualdao.reflect;

import java.lang.reflect.Array;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Where the keys of a call are among its arguments.
 *
 * @param parameter from 0, -1 if they are made of all arguments, or if there are none
 * @param keyOf the key of one element
 * @param ofAll the keys made of all arguments, null if a parameter has them
 */
public record KeyPlan(
        String operation, int parameter, Shape shape, Function<Object, ?> keyOf, Function<Object[], ?> ofAll)
        implements Function<Object[], Collection<?>> {
    /** What a parameter is: one element, or many. */
    public enum Shape {
        NO_KEY,
        SINGLE,
        ITERABLE,
        ARRAY,
        MAP_KEYS,
        MAP_VALUES,
        ALL_ARGUMENTS
    }

    public static KeyPlan none(String operation) {
        return new KeyPlan(operation, -1, Shape.NO_KEY, null, null);
    }

    public static KeyPlan ofAll(String operation, Function<Object[], ?> keys) {
        return new KeyPlan(operation, -1, Shape.ALL_ARGUMENTS, Function.identity(), keys);
    }

    /** Whether one call is about several keys, each an element of a parameter. */
    public boolean many() {
        return shape == Shape.ITERABLE || shape == Shape.ARRAY;
    }

    /**
     * @throws IllegalArgumentException if a key is null
     */
    @Override
    public Collection<?> apply(Object[] arguments) {
        return switch (shape) {
            case NO_KEY -> List.of();
            case SINGLE -> List.of(key(arguments[parameter]));
            default -> keys(elements(arguments));
        };
    }

    /** What the keys are read off, in the order of the argument. */
    public Iterable<?> elements(Object[] arguments) {
        Object argument = shape == Shape.ALL_ARGUMENTS ? ofAll.apply(arguments) : arguments[parameter];
        if (argument == null) {
            throw new IllegalArgumentException("null instead of keys, operation=" + operation);
        }
        return switch (shape) {
            case ARRAY -> arrayElements(argument);
            case MAP_KEYS -> ((Map<?, ?>) argument).keySet();
            case MAP_VALUES -> ((Map<?, ?>) argument).values();
            default -> (Iterable<?>) argument;
        };
    }

    private List<Object> keys(Iterable<?> elements) {
        List<Object> keys = new ArrayList<>();
        for (Object element : elements) {
            keys.add(key(element));
        }
        return keys;
    }

    public Object key(Object element) {
        Object key = element == null ? null : keyOf.apply(element);
        if (key == null) {
            throw new IllegalArgumentException(
                    "null key, operation=" + operation + "; a key that a store makes must be made before the call");
        }
        return key;
    }

    /** A view: primitive elements are boxed one by one. */
    private static List<Object> arrayElements(Object array) {
        return new AbstractList<>() {
            @Override
            public Object get(int index) {
                return Array.get(array, index);
            }

            @Override
            public int size() {
                return Array.getLength(array);
            }
        };
    }
}
