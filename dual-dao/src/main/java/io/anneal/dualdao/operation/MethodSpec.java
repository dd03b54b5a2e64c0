package io.anneal.dualdao.operation;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.compare.Comparison;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Says of a method what annotations would say, for interfaces that one can't edit, and what annotations can't. Begins with what
 * the method's annotations say; what is said here counts. Used within {@code DualDaoBuilder.method} alone.
 */
public final class MethodSpec {
    /** Where a call's keys come from: one parameter, seen as annotated, or all of the arguments. */
    record KeySource(int parameter, String property, Function<Object, ?> ofParameter, Function<Object[], ?> ofAll) {
        static KeySource parameter(int index, String property) {
            return new KeySource(index, property, null, null);
        }
    }

    private final List<KeySource> keySources = new ArrayList<>();
    private OperationKind kind;
    private boolean keyless;
    private String name;
    private Predicate<Object> missing;
    private Comparison comparison;
    private boolean fluentKeys;

    MethodSpec() {}

    /** As {@link Read}. */
    public MethodSpec read() {
        return kind(OperationKind.READ);
    }

    /** As {@link Write}. */
    public MethodSpec write() {
        return kind(OperationKind.WRITE);
    }

    /** As {@link Delete}. */
    public MethodSpec delete() {
        return kind(OperationKind.DELETE);
    }

    /** As {@link Conditional}. */
    public MethodSpec conditional() {
        return kind(OperationKind.CONDITIONAL);
    }

    /** As {@link Increment}. */
    public MethodSpec increment() {
        return kind(OperationKind.INCREMENT);
    }

    /** As {@link Local}. */
    public MethodSpec local() {
        return kind(OperationKind.LOCAL);
    }

    MethodSpec kind(OperationKind newKind) {
        kind = newKind;
        return this;
    }

    /**
     * As {@link Key} on this parameter: the key, a collection or an array of keys, a map by key, or entities of which
     * {@code DualDaoBuilder.keyOf} knows the key.
     *
     * @param parameter from 0
     */
    public MethodSpec key(int parameter) {
        return fluentKey(KeySource.parameter(parameter, ""));
    }

    /** As {@code @Key("property")} on this parameter, an entity or a collection or an array of entities. */
    public MethodSpec key(int parameter, String property) {
        return fluentKey(KeySource.parameter(parameter, property));
    }

    /**
     * The key is what the function makes of this parameter.
     *
     * @param <P> the parameter
     */
    @SuppressWarnings("unchecked")
    public <P> MethodSpec key(int parameter, Function<? super P, ?> key) {
        return fluentKey(new KeySource(parameter, "", (Function<Object, ?>) key, null));
    }

    /** The keys are what the function makes of all arguments: several, for a call about several; one that is put together. */
    public MethodSpec keys(Function<Object[], ? extends Collection<?>> keys) {
        return fluentKey(new KeySource(-1, "", null, keys));
    }

    private MethodSpec fluentKey(KeySource source) {
        if (!fluentKeys) {
            keySources.clear();
            fluentKeys = true;
        }
        keyless = false;
        keySources.add(source);
        return this;
    }

    void annotatedKey(KeySource source) {
        keySources.add(source);
    }

    /**
     * A call is about no key in particular: a read then has no share of its own in phase 3 and goes by the phase alone; a write is
     * neither put in order nor remembered in the journal, so that whoever sees it fail must repeat it, and it is lost to a
     * roll-back from phase 4.
     */
    public MethodSpec noKey() {
        keySources.clear();
        keyless = true;
        return this;
    }

    /** The operation's name in metrics and for {@link DualDao#operation}; the method's if nothing is said. */
    public MethodSpec name(String newName) {
        name = newName;
        return this;
    }

    /** Whether an answer means that there is nothing, instead of {@code DualDaoBuilder.missing}. Asked of the value of an answer that comes later; null is always nothing. */
    public MethodSpec missing(Predicate<Object> newMissing) {
        missing = newMissing;
        return this;
    }

    /** How answers are compared, instead of {@code DualDaoBuilder.compare}. */
    public MethodSpec compare(Comparison newComparison) {
        comparison = newComparison;
        return this;
    }

    OperationKind kind() {
        return kind;
    }

    List<KeySource> keySources() {
        return keySources;
    }

    boolean keyless() {
        return keyless;
    }

    String name() {
        return name;
    }

    Predicate<Object> missing() {
        return missing;
    }

    Comparison comparison() {
        return comparison;
    }
}
