package io.anneal.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds random tests to {@code -Danneal.seed}: what failed once can be seen again. Reads the sources, as constants leave no call behind. */
final class RandomSeedsTest {
    private static final String PROPERTY = "\"anneal.seed\"";

    /** What draws without a seed. */
    private static final String UNSEEDED =
            "(new (Splittable)?Random\\(\\)|ThreadLocalRandom\\s*\\.current\\(\\)|Math\\.random\\(\\)"
                    + "|(?<=[sS]eed = )System\\.nanoTime\\(\\))";

    private static final Pattern DRAW = Pattern.compile(UNSEEDED);
    /** In the place of a seed that is not given it may. */
    private static final Pattern DRAW_OF_A_SEED =
            Pattern.compile("Long\\.getLong\\(\\s*" + PROPERTY + ",\\s*(" + UNSEEDED + "|System\\.nanoTime\\(\\))");

    private static final Pattern SEEDED =
            Pattern.compile("(Random|RandomFragments|withDistinctClusterings)\\(\\s*\\w*([sS]eed|SEED)\\w*\\b");

    private static List<Path> tests() throws IOException {
        Path root = Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .normalize()
                .getParent();
        try (Stream<Path> files = Files.find(root, 20, (file, attributes) -> attributes.isRegularFile())) {
            return files.filter(file -> {
                        String path = root.relativize(file).toString();
                        return path.contains("src/test/java/") && path.endsWith(".java") && !path.contains("target/");
                    })
                    .toList();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldFindTheTests() throws IOException {
        assertThat(tests())
                .anyMatch(file -> file.endsWith("RandomSeedsTest.java"))
                .anyMatch(file -> file.endsWith("MergeFuzzTest.java"));
    }

    @Test
    void shouldDrawNothingThatASeedCannotRepeat() throws IOException {
        assertThat(tests())
                .filteredOn(
                        file -> DRAW.matcher(DRAW_OF_A_SEED.matcher(text(file)).replaceAll(""))
                                .find())
                .as("draw the seed in the place of an anneal.seed that is not given")
                .isEmpty();
    }

    @Test
    void shouldTakeTheSeedThatIsGiven() throws IOException {
        assertThat(tests())
                .filteredOn(file -> file.toString().matches(".*(Test|Contract)\\.java"))
                .filteredOn(file -> SEEDED.matcher(text(file)).find())
                .filteredOn(file -> !text(file).contains(PROPERTY))
                .as("take the seed, or the first of them, from Long.getLong(\"anneal.seed\", ...)")
                .isEmpty();
    }
}
