package io.anneal.dualdao.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

/** Knows how answers that come later are told, by the type that a method returns. */
public final class ReturnAdapters {
    /** Types of other libraries whose answers come later, and that this module must know without depending on them. */
    private static final Set<String> LATER = Set.of(
            "org.reactivestreams.Publisher",
            "io.smallrye.mutiny.Uni",
            "io.reactivex.rxjava3.core.Single",
            "io.reactivex.rxjava3.core.Maybe",
            "io.reactivex.rxjava3.core.Completable",
            "scala.concurrent.Future");

    private final List<ReturnAdapter<?>> adapters = new ArrayList<>();

    /**
     * @param given before all others
     * @param loader whose services are found
     * @throws ServiceConfigurationError if a service can't be loaded
     */
    public ReturnAdapters(List<ReturnAdapter<?>> given, ClassLoader loader) {
        adapters.addAll(given);
        adapters.add(ReturnAdapter.stage());
        adapters.add(ReturnAdapter.future());
        for (ReturnAdapter<?> found : ServiceLoader.load(ReturnAdapter.class, loader)) {
            adapters.add(found);
        }
    }

    /** The adapter for methods that return this type; empty if their answer is there when they return. */
    Optional<ReturnAdapter<?>> of(Class<?> returned) {
        for (ReturnAdapter<?> adapter : adapters) {
            if (adapter.type() == returned) {
                return Optional.of(adapter);
            }
        }
        return Optional.empty();
    }

    /** Whether answers of this type come later. */
    static boolean later(Class<?> returned) {
        if (CompletionStage.class.isAssignableFrom(returned)
                || Future.class.isAssignableFrom(returned)
                || Flow.Publisher.class.isAssignableFrom(returned)) {
            return true;
        }
        for (Class<?> type = returned; type != null; type = type.getSuperclass()) {
            if (LATER.contains(type.getName())) {
                return true;
            }
            for (Class<?> parent : type.getInterfaces()) {
                if (later(parent)) {
                    return true;
                }
            }
        }
        return false;
    }
}
