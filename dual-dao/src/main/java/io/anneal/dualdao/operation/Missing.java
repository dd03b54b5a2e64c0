package io.anneal.dualdao.operation;

import java.lang.reflect.Array;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;

/** What is nothing, if nobody said otherwise. */
public final class Missing {
    public static final Predicate<Object> DEFAULT = Missing::isNothing;

    private Missing() {}

    /** The predicate, asked only of answers that are not null. */
    public static Predicate<Object> orNull(Predicate<Object> missing) {
        return answer -> answer == null || missing.test(answer);
    }

    private static boolean isNothing(Object answer) {
        if (answer == null) {
            return true;
        }
        if (answer instanceof Optional<?> optional) {
            return optional.isEmpty();
        }
        if (answer instanceof Collection<?> collection) {
            return collection.isEmpty();
        }
        if (answer instanceof Map<?, ?> map) {
            return map.isEmpty();
        }
        return answer instanceof OptionalLong some && some.isEmpty()
                || answer instanceof OptionalInt whole && whole.isEmpty()
                || answer instanceof OptionalDouble broken && broken.isEmpty()
                || answer.getClass().isArray() && Array.getLength(answer) == 0;
    }
}
