package io.anneal.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TextFormatTest {
    private static final TextFormat FORMAT = new TextFormat("anneal-test", "3");

    private static String print(String facts) {
        return new String(FORMAT.print(facts), StandardCharsets.UTF_8);
    }

    @Test
    void shouldReadBackWhatWasPrinted() {
        String text = print("one\ntwo größer\n\n");

        assertThat(text).startsWith("anneal-test 3\none\n").matches("(?s).*\ncrc32 [0-9a-f]{8}\n");
        assertThat(FORMAT.versionOf(text)).contains("3");
        assertThat(FORMAT.facts(text))
                .hasValueSatisfying(facts -> assertThat(facts).containsExactly("one", "two größer", ""));
        assertThat(FORMAT.facts(print("")))
                .hasValueSatisfying(facts -> assertThat(facts).isEmpty());
    }

    @Test
    void shouldReadTheVersionOfALaterRelease() {
        assertThat(FORMAT.versionOf("anneal-test 4\nanything")).contains("4");
        for (String other : new String[] {
            "",
            "\n",
            "anneal-test",
            "anneal-test \n",
            "anneal-test 3",
            "anneal-test x\n",
            "anneal-tests 3\n",
            "anneal-te\n"
        }) {
            assertThat(FORMAT.versionOf(other)).as(other).isEmpty();
        }
    }

    @Test
    void shouldSayNothingWhenAnyByteIsWrongOrMissing() {
        byte[] whole = FORMAT.print("crc32 is a fact\nfact\n");
        for (int i = 0; i < whole.length; i++) {
            byte[] changed = whole.clone();
            changed[i] ^= 1;
            assertThat(FORMAT.facts(new String(changed, StandardCharsets.UTF_8)))
                    .as("changed at %d", i)
                    .isEmpty();
            assertThat(FORMAT.facts(new String(whole, 0, i, StandardCharsets.UTF_8)))
                    .as("cut at %d", i)
                    .isEmpty();
        }
        assertThat(FORMAT.facts(new String(whole, StandardCharsets.UTF_8) + "\n"))
                .isEmpty();
    }
}
