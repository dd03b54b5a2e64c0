package io.anneal.dualdao.operation;

import io.anneal.dualdao.operation.MethodSpec.KeySource;
import io.anneal.dualdao.reflect.GenericTypes;
import io.anneal.dualdao.reflect.KeyAccess;
import io.anneal.dualdao.reflect.KeyPlan;
import io.anneal.dualdao.reflect.KeyPlan.Shape;
import java.lang.invoke.MethodType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.Buffer;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Finds the keys of a method's calls from what annotations and the builder say, and says what is lacking. */
final class KeyPlanner {
    /** As {@code findByCity}, but not {@code findById}. */
    private static final Pattern LOOK_UP = Pattern.compile("By(?!Ids?$|Ids?[A-Z]|Keys?$|Keys?[A-Z])[A-Z]");

    private final GenericTypes types;
    private final KeyAccess access;
    private final Class<?> codecType;

    /**
     * @param codecType of the keys that the caller's codec is for, null if there is none
     */
    KeyPlanner(GenericTypes types, KeyAccess access, Class<?> codecType) {
        this.types = types;
        this.access = access;
        this.codecType = codecType;
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
                    String say = hint(method)
                            .map(key -> ", or say " + Hints.method(method, key))
                            .orElse(" or in it");
                    problem.accept("no key; put @Key on the parameter that has it" + say
                            + "; @NoKey or m.noKey() if it is about no key in particular");
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
        Class<?> key = keyOf == null ? element : Object.class;
        if (!source.property().isEmpty()) {
            Optional<KeyAccess.Property> read = property(element, source.property(), problem);
            keyOf = read.isPresent() ? read.get().read() : Function.identity();
            key = read.isPresent() ? read.get().type() : Object.class;
        }
        if (codecType != null && !fits(key)) {
            String say = hint(method)
                    .map(fitting -> "; say " + Hints.method(method, fitting))
                    .orElse("; give a codec for it");
            problem.accept("its key is a " + key.getTypeName() + ", the codec of .copy(...) is for "
                    + codecType.getTypeName() + say);
        }
        if (keyOf == null && codecType == null && !saysItself(element)) {
            problem.accept(
                    "keys of that type have no text of their own, type=" + element.getTypeName() + "; say .keyOf("
                            + element.getSimpleName() + ".class, ...) if it has the key, or give .copy(codec, ...)");
        }
        return new KeyPlan(operation, source.parameter(), shape, keyOf == null ? Function.identity() : keyOf, null);
    }

    private static Optional<KeyAccess.Property> property(Class<?> element, String property, Consumer<String> problem) {
        if (element == Object.class) {
            problem.accept("what has the property is not known from the type, property=" + property
                    + "; say .keyOf(Entity.class, ...)");
            return Optional.empty();
        }
        try {
            Optional<KeyAccess.Property> found = KeyAccess.property(element, property);
            if (found.isEmpty()) {
                problem.accept("no such accessor or field, property=" + property + ", type=" + element.getName());
            }
            return found;
        } catch (InaccessibleObjectException e) {
            problem.accept("the module keeps it to itself, property=" + property + ", type=" + element.getName()
                    + "; say .keyOf(" + element.getSimpleName() + ".class, ...)");
            return Optional.empty();
        }
    }

    /** Whether one parameter is of an entity that the builder was told of. */
    boolean tellsItself(Method method) {
        return knownEntities(method).size() == 1;
    }

    /**
     * How to say the key of a method, as far as names and types tell: {@code key(0)}, {@code key(0, "id")}, or {@code noKey()} for
     * a look-up by something else. Empty if nothing fits.
     */
    Optional<String> hint(Method method) {
        Type[] parameters = method.getGenericParameterTypes();
        if (parameters.length == 0 || LOOK_UP.matcher(method.getName()).find()) {
            return Optional.of("noKey()");
        }
        for (int i = 0; i < parameters.length; i++) {
            if (isLikeAKey(types.raw(element(parameters[i], shape(parameters[i], false))))) {
                return Optional.of("key(" + i + ")");
            }
        }
        for (int i = 0; i < parameters.length; i++) {
            Class<?> entity = types.raw(element(parameters[i], shape(parameters[i], true)));
            String own = entity.getSimpleName();
            for (String name :
                    new String[] {"id", "key", own.substring(0, 1).toLowerCase(Locale.ROOT) + own.substring(1) + "Id"
                    }) {
                Optional<KeyAccess.Property> property = property(entity, name, unheard -> {});
                if (property.isPresent() && isLikeAKey(property.get().type())) {
                    return Optional.of("key(" + i + ", \"" + name + "\")");
                }
            }
        }
        return Optional.empty();
    }

    private boolean isLikeAKey(Class<?> type) {
        Class<?> boxed = boxed(type);
        return codecType == null
                ? Number.class.isAssignableFrom(boxed) || boxed == String.class || boxed == UUID.class
                : codecType.isAssignableFrom(boxed);
    }

    /** Whether keys of that type may be those of the codec. */
    private boolean fits(Class<?> key) {
        Class<?> boxed = boxed(key);
        return codecType.isAssignableFrom(boxed) || boxed.isAssignableFrom(codecType);
    }

    private static Class<?> boxed(Class<?> type) {
        return MethodType.methodType(type).wrap().returnType();
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
        if (Buffer.class.isAssignableFrom(key) && key != CharBuffer.class) {
            return false;
        }
        try {
            return !key.isArray() && key.getMethod("toString").getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            throw new AssertionError("every class has it", e);
        }
    }
}
