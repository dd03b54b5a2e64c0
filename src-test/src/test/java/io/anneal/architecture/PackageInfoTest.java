package io.anneal.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads the sources, since a package-info without annotations leaves no class behind. */
final class PackageInfoTest {
    private static final Path MODULE = Path.of(System.getProperty("basedir", ""));

    private static Set<Path> packages() throws IOException {
        Path root = MODULE.toAbsolutePath().normalize().getParent();
        Set<Path> packages = new TreeSet<>();
        try (Stream<Path> files = Files.find(
                root, 20, (file, attributes) -> attributes.isRegularFile() && isSource(root.relativize(file)))) {
            files.map(file -> root.relativize(file.getParent())).forEach(packages::add);
        }
        return packages;
    }

    private static boolean isSource(Path file) {
        String path = file.toString().replace('\\', '/');
        boolean own = path.contains("src/main/java/io/anneal/") || path.startsWith("src-test/src/test/java/");
        return own && path.endsWith(".java") && !path.contains("target/");
    }

    @Test
    void shouldFindThePackages() throws IOException {
        assertThat(packages())
                .contains(
                        Path.of("core/src/main/java/io/anneal/sstable/big"),
                        Path.of("bench/peer/src/main/java/io/anneal/peer/agent"),
                        Path.of("src-test/src/test/java/io/anneal/architecture"));
    }

    @ParameterizedTest
    @MethodSource("packages")
    void shouldSayWhatAPackageIsAndWhatItMayImport(Path directory) throws IOException {
        Path file = MODULE.toAbsolutePath()
                .normalize()
                .getParent()
                .resolve(directory)
                .resolve("package-info.java");

        assertThat(file).exists();
        String text = Files.readString(file, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
        assertThat(text.substring(0, text.indexOf("\npackage ")))
                .as("what lives here, what it may import, who may import it")
                .startsWith("/**")
                .contains("import")
                .hasSizeGreaterThan(100);
    }
}
