package io.anneal.dualdao.operation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A DAO's interface and what its user said of it beside its annotations.
 *
 * @param keyOf how entities of a class tell their key
 * @param methodSpecs what was said of methods by name
 * @param missing what an answer looks like that isn't there, null if nobody said it
 * @param codecType of the keys that the codec is for, null if nobody gave one
 * @param fallsBackOnMiss whether a read that finds nothing may go to the origin
 */
public record DeclaredDao<D>(
        Class<D> type,
        Map<Class<?>, Function<Object, ?>> keyOf,
        List<NamedSpec> methodSpecs,
        Predicate<Object> missing,
        Class<?> codecType,
        boolean fallsBackOnMiss) {
    /**
     * What was said of a method.
     *
     * @param method null for all of that name
     */
    public record NamedSpec(String name, Method method, Consumer<MethodSpec> spec) {
        boolean isOf(Method other) {
            return method == null ? name.equals(other.getName()) : method.equals(other);
        }
    }
}
