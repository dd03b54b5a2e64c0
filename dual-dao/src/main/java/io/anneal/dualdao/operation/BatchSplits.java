package io.anneal.dualdao.operation;

import io.anneal.dualdao.operation.OperationSpec.BatchSplit;
import io.anneal.dualdao.reflect.GenericTypes;
import io.anneal.dualdao.reflect.KeyAccess;
import io.anneal.dualdao.reflect.KeyPlan;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Takes reads of many keys apart, where the types say how: an answer that is a map by key, or a list or set of entities of which the
 * builder knows the key. A list with nulls has a place for each key asked for; one without has what was found, in any
 * order, and what the origin adds comes last.
 */
final class BatchSplits {
    private final GenericTypes types;
    private final KeyAccess access;
    private final Predicate<Object> missing;

    /**
     * @param missing whether what an answer has for a key is nothing
     */
    BatchSplits(GenericTypes types, KeyAccess access, Predicate<Object> missing) {
        this.types = types;
        this.access = access;
        this.missing = missing;
    }

    /**
     * Null if a call of this method is all or nothing.
     *
     * @param later whether the method's answer comes later
     */
    BatchSplit<Object[]> of(Method method, KeyPlan keys, boolean later) {
        if (!keys.many() || !canBeRebuilt(method.getParameterTypes()[keys.parameter()])) {
            return null;
        }
        Type answer = method.getGenericReturnType();
        if (later) {
            answer = types.argument(answer, 0);
        }
        Class<?> raw = types.raw(answer);
        if (Map.class.isAssignableFrom(raw) && raw.isAssignableFrom(LinkedHashMap.class)) {
            return new BatchSplit<>(
                    (arguments, map) -> missingOf(keys.apply(arguments), (Map<?, ?>) map),
                    (arguments, some) -> forKeys(keys, arguments, some),
                    BatchSplits::unitedMaps);
        }
        boolean list = raw == List.class || raw == Collection.class || raw == Iterable.class;
        Function<Object, ?> keyOf =
                access.told(types.raw(types.argument(answer, 0))).orElse(null);
        if (keyOf == null || !list && raw != Set.class) {
            return null;
        }
        return new BatchSplit<>(
                (arguments, found) -> missingOf(keys.apply(arguments), (Iterable<?>) found, keyOf),
                (arguments, some) -> forKeys(keys, arguments, some),
                list ? BatchSplits::unitedLists : BatchSplits::unitedSets);
    }

    private static boolean canBeRebuilt(Class<?> asked) {
        return asked.isArray()
                || asked.isAssignableFrom(ArrayList.class)
                || asked.isAssignableFrom(LinkedHashSet.class);
    }

    private static Object[] forKeys(KeyPlan keys, Object[] arguments, Collection<?> some) {
        Set<Object> wanted = new HashSet<>(some);
        List<Object> kept = new ArrayList<>();
        for (Object element : keys.elements(arguments)) {
            if (wanted.contains(keys.key(element))) {
                kept.add(element);
            }
        }
        Object[] fewer = arguments.clone();
        Object asked = arguments[keys.parameter()];
        if (asked.getClass().isArray()) {
            Object array = Array.newInstance(asked.getClass().getComponentType(), kept.size());
            for (int i = 0; i < kept.size(); i++) {
                Array.set(array, i, kept.get(i));
            }
            fewer[keys.parameter()] = array;
        } else {
            fewer[keys.parameter()] = asked instanceof Set ? new LinkedHashSet<>(kept) : kept;
        }
        return fewer;
    }

    private Collection<?> missingOf(Collection<?> keys, Map<?, ?> found) {
        Set<Object> absent = new LinkedHashSet<>();
        for (Object key : keys) {
            Object value = found == null ? null : found.get(key);
            if (value == null || missing.test(value)) {
                absent.add(key);
            }
        }
        return absent;
    }

    private static Collection<?> missingOf(Collection<?> keys, Iterable<?> found, Function<Object, ?> keyOf) {
        Set<Object> absent = new LinkedHashSet<>(keys);
        if (found != null) {
            for (Object entity : found) {
                if (entity != null) {
                    absent.remove(keyOf.apply(entity));
                }
            }
        }
        return absent;
    }

    private static Object unitedMaps(Object target, Object origin) {
        Map<Object, Object> united = new LinkedHashMap<>();
        if (target != null) {
            united.putAll((Map<?, ?>) target);
        }
        if (origin != null) {
            united.putAll((Map<?, ?>) origin);
        }
        return united;
    }

    private static Object unitedLists(Object target, Object origin) {
        List<Object> first = listed(target);
        List<Object> second = listed(origin);
        int places = 0;
        for (Object entity : first) {
            places += entity == null ? 1 : 0;
        }
        if (places > 0 && places == second.size()) {
            int next = 0;
            for (int i = 0; i < first.size(); i++) {
                if (first.get(i) == null) {
                    first.set(i, second.get(next++));
                }
            }
        } else {
            first.addAll(second);
        }
        return first;
    }

    private static Object unitedSets(Object target, Object origin) {
        Set<Object> united = new LinkedHashSet<>(listed(target));
        united.addAll(listed(origin));
        return united;
    }

    private static List<Object> listed(Object answer) {
        List<Object> list = new ArrayList<>();
        if (answer != null) {
            ((Iterable<?>) answer).forEach(list::add);
        }
        return list;
    }
}
