package io.anneal.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** The compiled main classes of every module that src-test depends on. */
final class MainClasses {
    static final String ROOT = "io.anneal";

    static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            // What JMH makes of a benchmark is no code of ours.
            .withImportOption(location -> !location.contains("/jmh_generated/"))
            .importPackages(ROOT);

    private MainClasses() {}
}
