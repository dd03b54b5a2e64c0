package io.anneal.dualdao;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code build()} says to write is compiled, run, and called. */
final class HintsTest {
    public record User(long id, String name) {}

    /** An interface that says nothing of itself, and one method that its name says nothing of. */
    public interface ShopDao {
        User findUser(long id);

        User findUser(User like);

        List<User> findByCity(String city);

        List<User> all();

        void saveUser(User user);

        void saveAll(Collection<User> users);

        void removeUser(long id);

        boolean putIfAbsent(User user);

        void rename(String from, long id);

        void incrementVisits(long id, int count);

        long countUsers();

        boolean isKnown(long id);

        void close();

        @Write
        void store(User user);

        @Read
        User load(@Key User user);

        @Read
        User cached(int slot);
    }

    @Test
    void shouldBeSatisfiedWithWhatItSaidToWrite(@TempDir Path directory) throws Exception {
        List<String> pasted = new ArrayList<>();
        List<String> problems = problems(pasted, directory);
        for (int round = 0; round < 4 && problems.stream().anyMatch(problem -> problem.contains(".method(")); round++) {
            problems.forEach(problem -> snippet(problem, pasted));
            problems = problems(pasted, directory);
        }

        assertThat(problems)
                .containsExactlyInAnyOrder(
                        "rename(String, long): nobody says what it does, nor does its name; annotate it, @Read, @Write,"
                                + " @Delete, @Conditional or @Increment",
                        "cached(int): no key; put @Key on the parameter that has it or in it; @NoKey or m.noKey() if it is about no"
                                + " key in particular");
        pasted.add(".method(\"rename\", m -> m.write().key(1))");
        pasted.add(".method(\"cached\", m -> m.noKey())");
        for (Phase phase : List.of(Phase.WRITE_BOTH, Phase.READ_TARGET, Phase.TARGET_ONLY)) {
            try (DualDao<ShopDao> dual = builder(pasted, directory, phase).build()) {
                for (Method method : ShopDao.class.getMethods()) {
                    method.invoke(dual.dao(), arguments(method));
                }
            }
        }
    }

    private static List<String> problems(List<String> pasted, Path directory) throws Exception {
        DualDaoBuilder<ShopDao> builder = builder(pasted, directory, Phase.WRITE_BOTH);
        return catchThrowableOfType(DualDaoConfigException.class, builder::build)
                .problems();
    }

    /** The code in a problem, to its last bracket. */
    private static void snippet(String problem, List<String> into) {
        int begin = problem.indexOf(".method(");
        if (begin < 0) {
            return;
        }
        int end = begin + ".method(".length();
        for (int open = 1; open > 0; end++) {
            char c = problem.charAt(end);
            open += c == '(' ? 1 : c == ')' ? -1 : 0;
        }
        into.add(problem.substring(begin, end));
    }

    private static DualDaoBuilder<ShopDao> builder(List<String> pasted, Path directory, Phase phase) throws Exception {
        MemoryPhaseStore phases = new MemoryPhaseStore();
        phases.create("shop", new PhaseRecord(1, phase, 100, phase, "test", Instant.EPOCH, "test"));
        DualDaoBuilder<ShopDao> builder = DualDao.builder(ShopDao.class)
                .name("shop")
                .mode(Mode.MIGRATION)
                .origin(side())
                .target(side())
                .phases(phases)
                .copy(KeyCodec.LONG, new NoCopy());
        say(builder, pasted, directory);
        return builder;
    }

    private static void say(DualDaoBuilder<ShopDao> builder, List<String> pasted, Path directory) throws Exception {
        String name = "Pasted" + pasted.size();
        Path source = directory.resolve("io/anneal/dualdao/" + name + ".java");
        Files.createDirectories(source.getParent());
        Files.writeString(
                source,
                "package io.anneal.dualdao;\npublic class " + name + " {\n"
                        + "  public static void say(DualDaoBuilder<HintsTest.ShopDao> builder) throws Exception {\n    builder"
                        + String.join("\n", pasted) + ".jmx(false);\n  }\n}\n");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int failed = compiler.run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                classes(HintsTest.class) + java.io.File.pathSeparator + classes(DualDao.class),
                "-d",
                directory.toString(),
                source.toString());
        assertThat(failed).as("compiled, snippets=" + pasted).isZero();
        URL[] compiled = {directory.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(compiled, HintsTest.class.getClassLoader())) {
            loader.loadClass("io.anneal.dualdao." + name)
                    .getMethod("say", DualDaoBuilder.class)
                    .invoke(null, builder);
        }
    }

    private static String classes(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    private static Object[] arguments(Method method) {
        User ann = new User(1, "Ann");
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            Class<?> type = method.getParameterTypes()[i];
            arguments[i] = type == long.class
                    ? (Object) 1L
                    : type == int.class
                            ? (Object) 1
                            : type == String.class ? "Rome" : type == User.class ? ann : List.of(ann);
        }
        return arguments;
    }

    private static ShopDao side() {
        Object unusable = new Object();
        return (ShopDao) Proxy.newProxyInstance(
                ShopDao.class.getClassLoader(),
                new Class<?>[] {ShopDao.class},
                (proxy, method, arguments) -> switch (method.getReturnType().getName()) {
                    case "long" -> 1L;
                    case "boolean" -> method.getName().equals("equals") ? proxy == arguments[0] : (Object) true;
                    case "int" -> unusable.hashCode();
                    default -> null;
                });
    }

    private static final class NoCopy implements KeyCopy<ShopDao, Long> {
        @Override
        public Guarantee guarantee() {
            return Guarantee.SOURCE_TIMESTAMPS;
        }

        @Override
        public CompletionStage<Void> copy(Long key, ShopDao from, ShopDao to, long takenAwayBeforeMicros) {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<?> read(Long key, ShopDao dao) {
            return CompletableFuture.completedStage(null);
        }
    }
}
