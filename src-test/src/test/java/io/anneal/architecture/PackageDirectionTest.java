package io.anneal.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class PackageDirectionTest {
    private static final String NETTY = "io.netty..";

    private static Stream<String> packages() {
        return PackageTable.packages().stream();
    }

    @ParameterizedTest
    @MethodSource("packages")
    void shouldImportOnlyWhatThePackageTableAllows(String name) {
        String[] importable = PackageTable.importable(name).stream()
                .map(PackageDirectionTest::qualified)
                .toArray(String[]::new);

        classes()
                .that()
                .resideInAPackage(qualified(name))
                .should()
                .onlyDependOnClassesThat(
                        resideOutsideOfPackage(MainClasses.ROOT + "..").or(resideInAnyPackage(importable)))
                .because("docs/architecture.md gives the direction of packages")
                .allowEmptyShould(true)
                .check(MainClasses.ALL);
    }

    @Test
    void shouldFindEveryPackageInTheTable() {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : MainClasses.ALL) {
            found.add(type.getPackageName().substring(MainClasses.ROOT.length() + 1));
        }

        assertThat(found).isNotEmpty().isSubsetOf(PackageTable.packages());
        assertThat(found)
                .contains(
                        "io",
                        "schema",
                        "key",
                        "fragment",
                        "sstable",
                        "sstable.data",
                        "sstable.big",
                        "merge",
                        "store",
                        "store.directory",
                        "net",
                        "repair");
    }

    @Test
    void shouldHaveNoCycles() {
        slices().matching(MainClasses.ROOT + ".(**)").should().beFreeOfCycles().check(MainClasses.ALL);
    }

    @Test
    void shouldAllowNoCyclesInTheTable() {
        for (String name : PackageTable.packages()) {
            for (String imported : PackageTable.direct(name)) {
                assertThat(PackageTable.importable(imported)).as(imported).doesNotContain(name);
            }
        }
    }

    @Test
    void shouldNameFormatsInOnePlaceOnly() {
        for (String format : new String[] {"sstable.big", "sstable.bti"}) {
            noClasses()
                    .that()
                    .resideOutsideOfPackages(qualified(format), qualified("store.directory"))
                    .should()
                    .dependOnClassesThat(resideInAPackage(qualified(format)))
                    .because("all others hold an SSTableFormat, so that a format can be added in one place")
                    .check(MainClasses.ALL);
        }
    }

    @Test
    void shouldKeepNettyInNet() {
        noClasses()
                .that()
                .resideOutsideOfPackages(qualified("net"))
                .should()
                .dependOnClassesThat(resideInAPackage(NETTY))
                .because("the transport can change without anybody above noticing")
                .check(MainClasses.ALL);
    }

    private static String qualified(String name) {
        return MainClasses.ROOT + "." + name;
    }
}
