package io.anneal.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.InputStreamReader;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Scanner;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Calls, and references to methods, that main code must not make, each with its reason and what to use instead. */
final class BannedCallsTest {
    /** Where the world outside is handed in: the command's own classes; the real Cassandra has a world of its own. */
    private static final String[] WIRING = {"io.anneal.cli..", "io.anneal.bench.peer"};

    /** Where a library's user gets the machine's own time and threads by asking for nothing else. */
    private static final String SYSTEM =
            "io\\.anneal\\.(environment\\.HostEnvironment|dualdao\\.config\\.DualEnvironment)(\\$.*)?";

    /** Where a secret is made: one that a seed repeats is none. */
    private static final String SECRET = "io.anneal.migrate.page.PageToken";

    private static final Set<Class<?>> CHARSET_USERS = Set.of(
            String.class,
            InputStreamReader.class,
            OutputStreamWriter.class,
            FileReader.class,
            FileWriter.class,
            PrintStream.class,
            PrintWriter.class,
            Scanner.class,
            ByteArrayOutputStream.class);

    @Test
    void shouldTakeTheTimeFromOutside() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.anneal.bench.peer")
                .and()
                .doNotHaveFullyQualifiedName("io.anneal.cli.AnnealCommand")
                .and()
                .haveNameNotMatching(SYSTEM)
                .should(call("the clock", BannedCallsTest::readsClock))
                .because("a clock comes in through the constructor, so that tests and simulations own the time")
                .check(MainClasses.ALL);
    }

    private static boolean readsClock(CodeUnitAccessTarget target) {
        return is(target, System.class, "currentTimeMillis", "nanoTime")
                || is(target, Clock.class, "systemUTC", "systemDefaultZone", "system")
                || target.getOwner().getPackageName().equals(Instant.class.getPackageName())
                        && target.getName().equals("now")
                        && noneOf(target, Clock.class);
    }

    @Test
    void shouldTakeRandomnessFromOutside() {
        noClasses()
                .that()
                .resideOutsideOfPackages(WIRING)
                .and()
                .haveNameNotMatching(SYSTEM)
                .and()
                .doNotHaveFullyQualifiedName(SECRET)
                .should(call("randomness without a seed", BannedCallsTest::drawsUnseeded))
                .because("a source of randomness comes in through the constructor, so that one seed repeats a run")
                .check(MainClasses.ALL);
    }

    private static boolean drawsUnseeded(CodeUnitAccessTarget target) {
        boolean unseeded = target.getRawParameterTypes().isEmpty();
        return is(target, Math.class, "random")
                || is(target, UUID.class, "randomUUID")
                || is(target, ThreadLocalRandom.class, "current")
                || is(target, SecureRandom.class, "<init>", "getInstance", "getInstanceStrong")
                || unseeded && is(target, Random.class, "<init>")
                || unseeded && is(target, SplittableRandom.class, "<init>");
    }

    @Test
    void shouldTakeExecutorsFromOutside() {
        noClasses()
                .that()
                .resideOutsideOfPackages(WIRING)
                .and()
                .resideOutsideOfPackages("io.anneal.bench.scenario", "io.anneal.bench.repair")
                .and()
                .haveNameNotMatching(SYSTEM)
                .should(call("for a default executor", BannedCallsTest::takesDefaultExecutor))
                .because(
                        "whoever assembles the parts decides on which threads they run, and ends them; a scenario of the"
                                + " benchmarks, or one of them, is such an assembler")
                .check(MainClasses.ALL);
    }

    private static boolean takesDefaultExecutor(CodeUnitAccessTarget target) {
        return target.getOwner().isEquivalentTo(Executors.class)
                || is(target, ForkJoinPool.class, "<init>", "commonPool")
                || is(target, Collection.class, "parallelStream")
                || target.getOwner().isEquivalentTo(CompletableFuture.class)
                        && target.getName().endsWith("Async")
                        && noneOf(target, Executor.class);
    }

    @Test
    void shouldDeleteFilesWithAReason() {
        noClasses()
                .should(call("File.delete", target -> is(target, File.class, "delete", "deleteOnExit")))
                .because("it tells no reason when it fails; use Files.delete")
                .check(MainClasses.ALL);
    }

    @Test
    void shouldNotSerializeObjects() {
        noClasses()
                .should(call(
                        "Java serialization",
                        target -> is(target, ObjectInputStream.class, "<init>")
                                || is(target, ObjectOutputStream.class, "<init>")))
                .because("reading it runs code of the sender's choice; write the bytes, and a version before them")
                .check(MainClasses.ALL);
    }

    @Test
    void shouldNameTheCharset() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.anneal.schema.grammar")
                .should(call("for the default charset", BannedCallsTest::usesDefaultCharset))
                .because("bytes must not depend on the machine; pass StandardCharsets.UTF_8")
                .check(MainClasses.ALL);
    }

    private static boolean usesDefaultCharset(CodeUnitAccessTarget target) {
        if (is(target, Charset.class, "defaultCharset")) {
            return true;
        }
        boolean converts =
                CHARSET_USERS.stream().anyMatch(user -> target.getOwner().isEquivalentTo(user));
        if (!converts || !noneOf(target, Charset.class)) {
            return false;
        }
        return switch (target.getName()) {
            case "getBytes" -> target.getRawParameterTypes().isEmpty();
            case "toString" -> target.getOwner().isEquivalentTo(ByteArrayOutputStream.class);
            // Of characters or of another writer, nothing is converted.
            case "<init>" ->
                target.getRawParameterTypes().stream()
                        .anyMatch(type -> type.isEquivalentTo(byte[].class)
                                || type.isEquivalentTo(File.class)
                                || type.isAssignableTo(java.io.InputStream.class)
                                || type.isAssignableTo(java.io.OutputStream.class));
            default -> false;
        };
    }

    @Test
    void shouldNameTheLocale() {
        noClasses()
                .should(call(
                        "for the default locale",
                        target -> is(target, String.class, "format") && noneOf(target, java.util.Locale.class)
                                || is(target, String.class, "formatted")
                                || is(target, String.class, "toLowerCase", "toUpperCase")
                                        && target.getRawParameterTypes().isEmpty()))
                .because("a Turkish machine makes another lower case of I; pass Locale.ROOT")
                .check(MainClasses.ALL);
    }

    private static boolean is(CodeUnitAccessTarget target, Class<?> owner, String... names) {
        // The name first: what a class extends takes long to say.
        return List.of(names).contains(target.getName()) && target.getOwner().isAssignableTo(owner);
    }

    private static boolean noneOf(CodeUnitAccessTarget target, Class<?> parameter) {
        return target.getRawParameterTypes().stream().noneMatch(type -> type.isAssignableTo(parameter));
    }

    /** Calls as well as method references. */
    private static ArchCondition<JavaClass> call(String what, Predicate<CodeUnitAccessTarget> banned) {
        DescribedPredicate<CodeUnitAccessTarget> predicate = DescribedPredicate.describe(what, banned);
        return new ArchCondition<>("call " + what) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                for (JavaCodeUnitAccess<?> access : type.getCodeUnitAccessesFromSelf()) {
                    if (predicate.test(access.getTarget())) {
                        events.add(SimpleConditionEvent.satisfied(access, access.getDescription()));
                    }
                }
            }
        };
    }
}
