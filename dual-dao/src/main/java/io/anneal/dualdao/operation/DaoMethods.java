package io.anneal.dualdao.operation;

import io.anneal.dualdao.reflect.GenericTypes;
import io.anneal.dualdao.reflect.KeyAccess;
import io.anneal.dualdao.reflect.KeyPlan;
import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Spliterator;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;

/** Makes operations of a DAO interface's methods, and says of each method that can't be one why. */
public final class DaoMethods<D> {
    private static final List<Class<?>> ONCE = List.of(
            InputStream.class,
            Reader.class,
            Iterator.class,
            Enumeration.class,
            Spliterator.class,
            BaseStream.class,
            ReadableByteChannel.class);

    /** Verbs of methods whose answer is an id rather than a count. */
    private static final Pattern MAKES = Pattern.compile("^(insert|create|add|register|save|persist|new|make|store)");

    private final DeclaredDao<D> declared;
    private final Consumer<String> problems;
    private final ReturnAdapters returns;
    private final MethodAnnotations annotations;
    private final KeyPlanner planner;
    private final GenericTypes types;
    private final BatchSplits splits;

    /** @param problems told what prevents a method from being an operation */
    public DaoMethods(DeclaredDao<D> declared, ReturnAdapters returns, Consumer<String> problems) {
        this.declared = declared;
        this.problems = problems;
        this.returns = returns;
        types = new GenericTypes(declared.type());
        KeyAccess access = new KeyAccess(declared.keyOf());
        annotations = new MethodAnnotations(declared.type(), types);
        planner = new KeyPlanner(types, access, declared.codecType());
        splits = new BatchSplits(types, access, declared.missing() == null ? Missing.DEFAULT : declared.missing());
    }

    /**
     * An operation for each method that is routed, in a fixed order. Methods that aren't are those with a body and without a word
     * about what they do, which run on the proxy, so that what they call is routed.
     */
    public Map<Method, OperationSpec<D, Object[], Object>> operations() {
        Map<Method, MethodSpec> specs = specs();
        Map<String, Long> sameName =
                specs.keySet().stream().collect(Collectors.groupingBy(Method::getName, Collectors.counting()));
        Map<Method, OperationSpec<D, Object[], Object>> operations = new LinkedHashMap<>();
        specs.forEach((method, spec) -> {
            String given = sameName.get(method.getName()) == 1 ? method.getName() : signature(method);
            String name = spec.name() == null ? given : spec.name();
            operation(method, spec, name).ifPresent(operation -> operations.put(method, operation));
        });
        for (Method method : declared.type().getMethods()) {
            for (Method primary : specs.keySet()) {
                OperationSpec<D, Object[], Object> operation = operations.get(primary);
                if (operation != null && sameCall(method, primary)) {
                    operations.putIfAbsent(method, operation);
                }
            }
        }
        return operations;
    }

    /** Whether two interfaces above declare one method, maybe with answers of two types. */
    private static boolean sameCall(Method one, Method other) {
        return one.getName().equals(other.getName())
                && Arrays.equals(one.getParameterTypes(), other.getParameterTypes())
                && !one.isBridge();
    }

    /** Whether it is the first of its kind, or answers a narrower type than those before. */
    private static boolean narrows(Method method, Map<Method, MethodSpec> specs) {
        for (Method before : List.copyOf(specs.keySet())) {
            if (sameCall(method, before)) {
                boolean narrower = method.getReturnType() != before.getReturnType()
                        && before.getReturnType().isAssignableFrom(method.getReturnType());
                if (narrower) {
                    specs.remove(before);
                }
                return narrower;
            }
        }
        return true;
    }

    private Map<Method, MethodSpec> specs() {
        Method[] methods = declared.type().getMethods();
        Arrays.sort(methods, Comparator.comparing(Method::getName).thenComparing(Method::toString));
        List<DeclaredDao.NamedSpec> unused = new ArrayList<>(declared.methodSpecs());
        Map<Method, MethodSpec> specs = new LinkedHashMap<>();
        for (Method method : methods) {
            if (Modifier.isStatic(method.getModifiers()) || method.isBridge() || isOfObject(method)) {
                continue;
            }
            MethodSpec spec = annotations.read(method, problem -> problem(method, problem));
            boolean told = false;
            for (DeclaredDao.NamedSpec named : declared.methodSpecs()) {
                if (named.isOf(method)) {
                    named.spec().accept(spec);
                    unused.remove(named);
                    told = true;
                }
            }
            if (spec.kind() == null && (told || !method.isDefault())) {
                problem(method, unclassified(method));
            } else if (spec.kind() != null && narrows(method, specs)) {
                specs.put(method, spec);
            }
        }
        for (DeclaredDao.NamedSpec named : unused) {
            problems.accept(".method(\"" + named.name() + "\", ...): no such method in "
                    + declared.type().getName());
        }
        return specs;
    }

    private Optional<OperationSpec<D, Object[], Object>> operation(Method method, MethodSpec spec, String name) {
        OperationSpec.Invoker<D, Object[], Object> invoker;
        try {
            invoker = SideInvoker.of(method);
        } catch (InaccessibleObjectException e) {
            problem(method, "the interface's module keeps it to itself; open its package to io.anneal.dualdao");
            return Optional.empty();
        }
        Predicate<Object> told = spec.missing() == null ? declared.missing() : spec.missing();
        Predicate<Object> missing = told == null ? Missing.DEFAULT : Missing.orNull(told);
        if (spec.kind() == OperationKind.LOCAL) {
            return Optional.of(new OperationSpec<>(
                    name, spec.kind(), KeyPlan.none(name), invoker, null, missing, null, spec.comparison()));
        }
        KeyPlan keys = planner.plan(method, spec, name, problem -> problem(method, problem));
        if (spec.keyless() && spec.kind() != OperationKind.READ && spec.kind().decides()) {
            problem(method, "without a key its result can't be copied to the other side; say .key(...)");
        }
        if (!spec.kind().decides()) {
            checkArguments(method);
        }
        checkGeneratedIds(method, spec);
        ReturnAdapter<Object> adapter = adapter(method);
        if (spec.kind() == OperationKind.READ) {
            checkAnswer(method, spec);
        }
        OperationSpec.BatchSplit<Object[]> batch =
                spec.kind() == OperationKind.READ ? splits.of(method, keys, adapter != null) : null;
        return Optional.of(
                new OperationSpec<>(name, spec.kind(), keys, invoker, adapter, missing, batch, spec.comparison()));
    }

    @SuppressWarnings("unchecked")
    private ReturnAdapter<Object> adapter(Method method) {
        Class<?> returned = method.getReturnType();
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation")) {
            problem(method, "a suspending function, whose answer comes by another way than returning; wrap it");
        }
        Optional<ReturnAdapter<?>> adapter = returns.of(returned);
        if (adapter.isEmpty() && ReturnAdapters.later(returned)) {
            problem(
                    method,
                    "its answer comes later by a type that nobody knows, type=" + returned.getName()
                            + "; give .returns(adapter) for it");
        }
        return (ReturnAdapter<Object>) adapter.orElse(null);
    }

    /** What an answer that isn't there looks like must be known where a read may then go to the origin. */
    private void checkAnswer(Method method, MethodSpec spec) {
        Class<?> returned = method.getReturnType();
        boolean told = spec.missing() != null;
        if (returned == void.class) {
            problem(method, "a read that answers nothing; say what it does, " + Hints.method(method, "local()"));
        } else if (returned.isPrimitive() && !told && declared.fallsBackOnMiss()) {
            problem(
                    method,
                    "a " + returned + " doesn't say whether anything was found; say "
                            + Hints.method(
                                    method,
                                    returned == boolean.class
                                            ? "missing(answer -> !(Boolean) answer)"
                                            : "missing(answer -> false)")
                            + ", or which answers mean that nothing was");
        } else if (BaseStream.class.isAssignableFrom(returned) || Iterator.class.isAssignableFrom(returned)) {
            if (!told || spec.comparison() == null) {
                problem(
                        method,
                        "its answer can be looked at but once; return a collection, or say how with missing(...) and"
                                + " compare(...)");
            }
        }
    }

    private void problem(Method method, String what) {
        problems.accept(signature(method) + ": " + what);
    }

    private static String signature(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", method.getName() + "(", ")"));
    }

    static boolean isOfObject(Method method) {
        return switch (method.getName()) {
            case "toString", "hashCode" -> method.getParameterCount() == 0;
            case "equals" -> method.getParameterCount() == 1 && method.getParameterTypes()[0] == Object.class;
            default -> false;
        };
    }

    private String unclassified(Method method) {
        Optional<OperationKind> guess =
                KindGuess.of(method.getName()).filter(kind -> kind != OperationKind.READ || answers(method));
        if (guess.isEmpty()) {
            return "nobody says what it does, nor does its name; annotate it, @Read, @Write, @Delete, @Conditional or"
                    + " @Increment";
        }
        String name = guess.get().name();
        String annotation = "@" + name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
        String kind = name.toLowerCase(Locale.ROOT) + "()";
        Optional<String> says = switch (guess.get()) {
            case LOCAL -> Optional.of(kind);
            case READ -> Optional.of(kind + key(method).orElse(".noKey()"));
            // Without a key it had to be told more than a name can say.
            default -> key(method).filter(key -> !key.equals(".noKey()")).map(key -> kind + key);
        };
        return "nobody says what it does; annotate it, " + annotation + " by its name"
                + says.map(said -> ", or say " + Hints.method(method, said)).orElse(", and @Key on what has the key");
    }

    /** The key in a hint; nothing where the builder was told it of the entity. */
    private Optional<String> key(Method method) {
        return planner.tellsItself(method)
                ? Optional.of("")
                : planner.hint(method).map(key -> "." + key);
    }

    private static boolean answers(Method method) {
        return method.getReturnType() != void.class && method.getReturnType() != Void.class;
    }

    /** What is read but once can't be given to two sides. */
    private void checkArguments(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        for (int i = 0; i < parameters.length; i++) {
            for (Class<?> once : ONCE) {
                if (once.isAssignableFrom(parameters[i])) {
                    problem(
                            method,
                            "an argument that can be read but once, and two sides read it, parameter=" + i + ", type="
                                    + parameters[i].getName() + "; take what it holds, as byte[], String or List");
                }
            }
        }
    }

    /** A write about no key that answers more than a count may answer an id that its store made, and the other makes another. */
    private void checkGeneratedIds(Method method, MethodSpec spec) {
        if (spec.kind() != OperationKind.WRITE || !spec.keyless()) {
            return;
        }
        Type answered = method.getGenericReturnType();
        Class<?> answer =
                types.raw(returns.of(method.getReturnType()).isPresent() ? types.argument(answered, 0) : answered);
        boolean count = answer == int.class || answer == Integer.class || answer == int[].class;
        boolean nothing =
                answer == void.class || answer == Void.class || answer == boolean.class || answer == Boolean.class;
        if (!nothing && !(count && !MAKES.matcher(method.getName()).find())) {
            problem(
                    method,
                    "a write about no key answers what may be an id that the store made, type=" + answer.getTypeName()
                            + "; each side would make its own: make the id before, take it as an argument, and say .key(...)");
        }
    }
}
