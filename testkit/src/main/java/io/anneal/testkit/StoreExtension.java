package io.anneal.testkit;

import io.anneal.store.Store;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Hands a {@link TemporaryStore} of its own to each test of JUnit Jupiter, and closes it behind the test. Methods of a test,
 * {@code @BeforeEach} too, may ask for any of these, which belong together: {@link Store}, {@link FaultyDirectory},
 * {@link ManualClock}, {@link TemporaryStore}. Safe for tests that run at the same time.
 *
 * <pre>{@code
 * @ExtendWith(StoreExtension.class)
 * class PeopleTest {
 *     @Test
 *     void shouldKeepPeople(Store store, ManualClock clock) throws IOException {
 *         store.createTable("CREATE TABLE app.people (id int PRIMARY KEY)");
 *     }
 * }
 * }</pre>
 *
 * With other settings: {@code @RegisterExtension static final StoreExtension STORES = StoreExtension.with(config)}.
 */
public final class StoreExtension implements ParameterResolver, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(StoreExtension.class);
    private static final Map<Class<?>, Function<TemporaryStore, Object>> RESOLVED = Map.of(
            Store.class, TemporaryStore::store,
            FaultyDirectory.class, TemporaryStore::directory,
            ManualClock.class, TemporaryStore::clock,
            TemporaryStore.class, temporary -> temporary);

    private final StoreConfig config;

    /** For {@code @ExtendWith}: stores with {@link TemporaryStore#defaults()}. */
    public StoreExtension() {
        this(TemporaryStore.defaults());
    }

    private StoreExtension(StoreConfig config) {
        this.config = config;
    }

    /** For {@code @RegisterExtension}. */
    public static StoreExtension with(StoreConfig config) {
        return new StoreExtension(config);
    }

    /** Not for constructors and {@code @BeforeAll}: a store lives as long as one test. */
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getTestMethod().isPresent()
                && RESOLVED.containsKey(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return RESOLVED.get(parameter.getParameter().getType()).apply(temporaryStore(context));
    }

    private TemporaryStore temporaryStore(ExtensionContext context) {
        ExtensionContext.Store kept = context.getStore(NAMESPACE);
        TemporaryStore temporary = kept.get(TemporaryStore.class, TemporaryStore.class);
        if (temporary == null) {
            try {
                temporary = TemporaryStore.open(config);
            } catch (IOException e) {
                throw new ParameterResolutionException("temporary store cannot be opened", e);
            }
            kept.put(TemporaryStore.class, temporary);
        }
        return temporary;
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        TemporaryStore temporary = context.getStore(NAMESPACE).remove(TemporaryStore.class, TemporaryStore.class);
        if (temporary != null) {
            temporary.close();
        }
    }
}
