package io.anneal.dualdao.operation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/** What to write to the builder, as code that can be pasted. */
final class Hints {
    private Hints() {}

    /** A call of the builder that says something of one method, and of no other of its name. */
    static String method(Method method, String says) {
        Class<?> type = method.getDeclaringClass();
        boolean alone = Arrays.stream(type.getMethods())
                        .filter(other -> other.getName().equals(method.getName()))
                        .count()
                == 1;
        String which = "\"" + method.getName() + "\"";
        if (!alone) {
            which = type.getCanonicalName() + ".class.getMethod("
                    + Arrays.stream(method.getParameterTypes())
                            .map(parameter -> ", " + parameter.getCanonicalName() + ".class")
                            .collect(Collectors.joining("", which, ")"));
        }
        return ".method(" + which + ", m -> m." + says + ")";
    }
}
