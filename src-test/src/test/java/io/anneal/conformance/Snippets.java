package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Stretches of a test between {@code // snippet: name} and {@code // end}, which a page of the documentation quotes. */
final class Snippets {
    private static final Path TESTS = Path.of("src/test/java/io/anneal/conformance");
    private static final Path PAGES = Path.of("../docs");
    private static final Pattern SNIPPET = Pattern.compile("(?s) +// snippet: (\\w+)\n(.*?)\n +// end\n");

    private Snippets() {}

    static void assertQuoted(Class<?> test, String page, int count) throws IOException {
        String text = Files.readString(PAGES.resolve(page));
        Matcher snippets = SNIPPET.matcher(Files.readString(TESTS.resolve(test.getSimpleName() + ".java")));
        int found = 0;
        while (snippets.find()) {
            found++;
            assertThat(text)
                    .as(snippets.group(1))
                    .contains("```java\n" + snippets.group(2).stripIndent() + "\n```");
        }
        assertThat(found).isEqualTo(count);
    }
}
