package io.anneal.dualdao.operation;

import io.anneal.dualdao.operation.MethodSpec.KeySource;
import io.anneal.dualdao.reflect.GenericTypes;
import io.anneal.dualdao.reflect.KeyAccess;
import io.anneal.dualdao.reflect.KeyPlan;
import io.anneal.dualdao.reflect.KeyPlan.Shape;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Finds the keys of a method's calls from what annotations and the builder say, and says what is lacking. */
final class KeyPlanner {
    private final GenericTypes types;
    private final KeyAccess access;
    private final boolean codecKnown;

    /**
     * @param codecKnown whether the caller said how keys are told as text
     */
    KeyPlanner(GenericTypes types, KeyAccess access, boolean codecKnown) {
        this.types = types;
        this.access = access;
        this.codecKnown = codecKnown;
    }

    /** The plan; {@link Shape#NO_KEY} also after a problem was told. */
    KeyPlan plan(Method method, MethodSpec spec, String operation, Consumer<String> problem) {
        KeyPlan none = KeyPlan.none(operation);
        if (spec.keyless()) {
            return none;
        }
        List<KeySource> sources = spec.keySources();
        if (sources.isEmpty()) {
            sources = knownEntities(method);
            if (sources.isEmpty()) {
                if (spec.kind() != OperationKind.READ || method.getParameterCount() > 0) {
                    problem.accept("no key; put @Key on the parameter that has it, or say .method(\"" + method.getName()
                            + "\", m -> m.key(0)); m.noKey() if it is about no key in particular");
                }
                return none;
            }
        }
        if (sources.size() > 1) {
            problem.accept("the key may be in several parameters; say .method(\"" + method.getName()
                    + "\", m -> m.keys(arguments -> ...)) whether they are keys of their own or one together");
            return none;
        }
        KeySource source = sources.get(0);
        if (source.ofAll() != null) {
            return KeyPlan.ofAll(operation, source.ofAll());
        }
        if (source.parameter() < 0 || source.parameter() >= method.getParameterCount()) {
            problem.accept("no such parameter, parameter=" + source.parameter() + ", parameters="
                    + method.getParameterCount());
            return none;
        }
        return ofParameter(method, source, operation, problem);
    }

    /** Without {@code @Key} it is the one parameter whose entity the builder was told of. */
    private List<KeySource> knownEntities(Method method) {
        List<KeySource> known = new ArrayList<>();
        Type[] parameters = method.getGenericParameterTypes();
        for (int i = 0; i < parameters.length; i++) {
            Type element = element(parameters[i], shape(parameters[i], true));
            if (access.told(types.raw(element)).isPresent()) {
                known.add(KeySource.parameter(i, ""));
            }
        }
        return known;
    }

    private KeyPlan ofParameter(Method method, KeySource source, String operation, Consumer<String> problem) {
        Type parameter = method.getGenericParameterTypes()[source.parameter()];
        boolean plain = source.property().isEmpty() && source.ofParameter() == null;
        Class<?> value = types.raw(element(parameter, Shape.MAP_VALUES));
        boolean entities = !plain || isMap(parameter) && access.told(value).isPresent();
        Shape shape = shape(parameter, entities);
        Class<?> element = types.raw(element(parameter, shape));
        Function<Object, ?> keyOf = plain ? access.told(element).orElse(null) : source.ofParameter();
        if (!source.property().isEmpty()) {
            keyOf = property(element, source.property(), problem);
        }
        if (keyOf == null && !codecKnown && !saysItself(element)) {
            problem.accept(
                    "keys of that type have no text of their own, type=" + element.getTypeName() + "; say .keyOf("
                            + element.getSimpleName() + ".class, ...) if it has the key, or give .copy(codec, ...)");
        }
        return new KeyPlan(operation, source.parameter(), shape, keyOf == null ? Function.identity() : keyOf, null);
    }

    private static Function<Object, ?> property(Class<?> element, String property, Consumer<String> problem) {
        if (element == Object.class) {
            problem.accept("what has the property is not known from the type, property=" + property
                    + "; say .keyOf(Entity.class, ...)");
            return Function.identity();
        }
        try {
            Optional<Function<Object, ?>> found = KeyAccess.property(element, property);
            if (found.isEmpty()) {
                problem.accept("no such accessor or field, property=" + property + ", type=" + element.getName());
            }
            return found.orElse(Function.identity());
        } catch (InaccessibleObjectException e) {
            problem.accept("the module keeps it to itself, property=" + property + ", type=" + element.getName()
                    + "; say .keyOf(" + element.getSimpleName() + ".class, ...)");
            return Function.identity();
        }
    }

    private boolean isMap(Type parameter) {
        return Map.class.isAssignableFrom(types.raw(parameter));
    }

    private Shape shape(Type parameter, boolean entities) {
        Class<?> raw = types.raw(parameter);
        if (Map.class.isAssignableFrom(raw)) {
            return entities ? Shape.MAP_VALUES : Shape.MAP_KEYS;
        }
        if (Collection.class.isAssignableFrom(raw) || raw == Iterable.class) {
            return Shape.ITERABLE;
        }
        // bytes and characters are one key rather than many
        boolean many = raw.isArray() && raw != byte[].class && raw != char[].class;
        return many ? Shape.ARRAY : Shape.SINGLE;
    }

    private Type element(Type parameter, Shape shape) {
        return switch (shape) {
            case ITERABLE, MAP_KEYS -> types.argument(parameter, 0);
            case MAP_VALUES -> types.argument(parameter, 1);
            case ARRAY -> types.raw(parameter).getComponentType();
            default -> parameter;
        };
    }

    /** Whether {@code String.valueOf} tells two values apart. */
    private static boolean saysItself(Class<?> key) {
        if (key.isInterface() || key.isPrimitive() || key == Object.class) {
            return true;
        }
        try {
            return !key.isArray() && key.getMethod("toString").getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            throw new AssertionError("every class has it", e);
        }
    }
}
