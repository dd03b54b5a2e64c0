package io.anneal.dualdao.operation;

import io.anneal.dualdao.reflect.GenericTypes;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Reads what annotations say of a method, its own or those of the methods it overrides. */
final class MethodAnnotations {
    private static final Map<Class<? extends Annotation>, OperationKind> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put(Read.class, OperationKind.READ);
        KINDS.put(Write.class, OperationKind.WRITE);
        KINDS.put(Delete.class, OperationKind.DELETE);
        KINDS.put(Conditional.class, OperationKind.CONDITIONAL);
        KINDS.put(Increment.class, OperationKind.INCREMENT);
        KINDS.put(Local.class, OperationKind.LOCAL);
    }

    private final Class<?> type;
    private final GenericTypes types;

    MethodAnnotations(Class<?> type, GenericTypes types) {
        this.type = type;
        this.types = types;
    }

    /** A specification with what the annotations say; without a kind if they say none. */
    MethodSpec read(Method method, Consumer<String> problem) {
        MethodSpec spec = new MethodSpec();
        List<Method> declarations = new ArrayList<>(List.of(method));
        overridden(type, method, declarations);
        for (Method declaration : declarations) {
            Set<OperationKind> kinds = kinds(declaration);
            if (kinds.size() > 1) {
                problem.accept("several kinds, kinds=" + kinds + "; leave one annotation");
            }
            if (!kinds.isEmpty()) {
                spec.kind(kinds.iterator().next());
                break;
            }
        }
        for (Method declaration : declarations) {
            boolean keys = addKeys(declaration, spec);
            if (declaration.isAnnotationPresent(NoKey.class)) {
                if (keys) {
                    problem.accept("@Key and @NoKey; leave one of them");
                }
                spec.noKey();
                break;
            }
            if (keys) {
                break;
            }
        }
        return spec;
    }

    private static Set<OperationKind> kinds(Method declaration) {
        Set<OperationKind> kinds = EnumSet.noneOf(OperationKind.class);
        KINDS.forEach((annotation, kind) -> {
            if (declaration.isAnnotationPresent(annotation)) {
                kinds.add(kind);
            }
        });
        return kinds;
    }

    private static boolean addKeys(Method declaration, MethodSpec spec) {
        boolean found = false;
        Parameter[] parameters = declaration.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            Key key = parameters[i].getAnnotation(Key.class);
            if (key != null) {
                spec.annotatedKey(MethodSpec.KeySource.parameter(i, key.value()));
                found = true;
            }
        }
        return found;
    }

    private void overridden(Class<?> declaring, Method method, List<Method> into) {
        for (Class<?> parent : declaring.getInterfaces()) {
            for (Method candidate : parent.getDeclaredMethods()) {
                if (!candidate.isBridge() && !candidate.equals(method) && sameSignature(candidate, method)) {
                    into.add(candidate);
                }
            }
            overridden(parent, method, into);
        }
    }

    private boolean sameSignature(Method one, Method other) {
        if (!one.getName().equals(other.getName()) || one.getParameterCount() != other.getParameterCount()) {
            return false;
        }
        Type[] ones = one.getGenericParameterTypes();
        Type[] others = other.getGenericParameterTypes();
        for (int i = 0; i < ones.length; i++) {
            if (types.raw(ones[i]) != types.raw(others[i])) {
                return false;
            }
        }
        return true;
    }
}
