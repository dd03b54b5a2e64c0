package io.anneal.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PublicApiTest {
    /**
     * What is not for users of the library, or shows another library on purpose: a migration takes sessions of the driver and
     * registries of metrics that the caller has.
     */
    private static final String[] NOT_LIBRARY = {
        "io.anneal.schema.grammar",
        "io.anneal.testkit..",
        "io.anneal.bench..",
        "io.anneal.cli..",
        "io.anneal.migrate..",
        "io.anneal.harness..",
        "io.anneal.dualdao.cassandra"
    };

    @Test
    void shouldShowTypesOfTheJdkAndOurOwnOnly() {
        classes()
                .that()
                .resideOutsideOfPackages(NOT_LIBRARY)
                .should(new ShowOwnTypesOnly())
                .because("users must not meet Guava, Netty, Jackson or ANTLR behind our types, nor their versions")
                .check(MainClasses.ALL);
    }

    private static final class ShowOwnTypesOnly extends ArchCondition<JavaClass> {
        ShowOwnTypesOnly() {
            super("show only types of the JDK and our own");
        }

        @Override
        public void check(JavaClass type, ConditionEvents events) {
            if (!isVisible(type)) {
                return;
            }
            Set<JavaType> parents = new LinkedHashSet<>(type.getInterfaces());
            type.getSuperclass().ifPresent(parents::add);
            parents.forEach(parent -> check(type.getName(), parent, events));
            for (JavaMember member : type.getMembers()) {
                if (isVisible(member.getModifiers())) {
                    shownTypes(member).forEach(shown -> check(member.getFullName(), shown, events));
                }
            }
        }

        private static Set<JavaType> shownTypes(JavaMember member) {
            Set<JavaType> shown = new LinkedHashSet<>();
            if (member instanceof JavaField field) {
                shown.add(field.getType());
            } else if (member instanceof JavaCodeUnit unit) {
                shown.add(unit.getReturnType());
                shown.addAll(unit.getParameterTypes());
                shown.addAll(unit.getExceptionTypes());
            }
            return shown;
        }

        private static void check(String where, JavaType shown, ConditionEvents events) {
            for (JavaClass raw : shown.getAllInvolvedRawTypes()) {
                String name = raw.getBaseComponentType().getName();
                // Histograms are what instances add up, and their library is one of the two that a dual DAO depends on.
                boolean own = raw.getBaseComponentType().isPrimitive()
                        || name.startsWith("java.")
                        || name.startsWith("javax.sql.")
                        || name.startsWith("org.HdrHistogram.")
                        || name.startsWith(MainClasses.ROOT + ".") && !name.contains(".grammar.");
                if (!own) {
                    events.add(SimpleConditionEvent.violated(raw, where + " shows " + name));
                }
            }
        }

        private static boolean isVisible(JavaClass type) {
            return isVisible(type.getModifiers())
                    && type.getEnclosingClass().map(ShowOwnTypesOnly::isVisible).orElse(true);
        }

        private static boolean isVisible(Set<JavaModifier> modifiers) {
            return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
        }
    }
}
