package io.anneal.migrate.page;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Takes the pictures of the docs, of a page that somebody serves: {@code -Danneal.page=URL -Danneal.screenshots=DIR}. They are taken once
 * the migration is in phase 3 and has been read from both sides.
 */
final class PagePicturesTest extends BrowserFixture {
    @Test
    void shouldTakePicturesOfAPageThatIsServed() throws IOException {
        String address = System.getProperty("anneal.page");
        assumeTrue(address != null, "no pictures were asked for: -Danneal.page=URL -Danneal.screenshots=DIR");
        Path directory = Path.of(System.getProperty("anneal.screenshots"));
        tab.go(URI.create(address));
        tab.waitFor("document.querySelector('#now-title').innerText.startsWith('Phase 3:')"
                + " && /The target is/.test(document.querySelector('#chart-weeks-batch-words').innerText)");
        for (String scheme : new String[] {"light", "dark"}) {
            tab.scheme(scheme);
            tab.size(1280, 1000, 1, false);
            waitForNews();
            int height = tab.evaluate("document.documentElement.scrollHeight").asInt();
            write(directory.resolve("migrate-page-" + scheme + ".png"), tab.screenshot(1280, height));
        }
        tab.scheme("light");
        tab.size(360, 740, 2, true);
        waitForNews();
        write(directory.resolve("migrate-page-phone.png"), tab.screenshot(360, 1_560));
    }

    /** Until the page was drawn anew, at the size and in the colours that it has now. */
    private void waitForNews() throws IOException {
        for (int i = 0; i < 2; i++) {
            String since = tab.text("#since");
            tab.waitFor("document.querySelector('#since').innerText !== " + BrowserTab.quoted(since));
        }
    }

    private static void write(Path file, byte[] picture) throws IOException {
        Files.write(file, PalettePng.of(picture));
    }
}
