package io.anneal.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import io.anneal.dualdao.DualDaoBuilder;
import io.anneal.dualdao.config.DualConfig;
import org.junit.jupiter.api.Test;

final class DualConfigTest {
    @Test
    void shouldBeFilledInByTheBuilderAlone() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(DualDaoBuilder.class, DualConfig.class)
                .should()
                .setFieldWhere(target(owner(JavaClass.Predicates.type(DualConfig.class))))
                .because("a dual DAO goes on as it was built, whatever is chosen for the next one")
                .check(MainClasses.ALL);
    }
}
