package io.anneal.migrate.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.PhaseNote;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A browser for each class of tests, and for each test a tab and a page under the test's clock. */
abstract class BrowserFixture {
    static final String TOKEN = "correct-horse-battery";

    private static final String NOT_DRIVEN =
            "the page was not driven: this machine has no Chromium (apt-get install chromium)";

    private static Chromium chromium;

    final HandScheduler scheduler = new HandScheduler();

    PretendRun run;
    MigrationPage page;
    BrowserTab tab;

    @BeforeAll
    static void startBrowser() throws IOException {
        Optional<Path> program = Chromium.installed();
        assumeTrue(program.isPresent(), NOT_DRIVEN);
        chromium = Chromium.start(program.get());
    }

    @AfterAll
    static void stopBrowser() throws IOException {
        if (chromium != null) {
            chromium.close();
        }
    }

    @BeforeEach
    void openTab() throws IOException, InterruptedException {
        tab = chromium.open();
        tab.size(1280, 900, 1, false);
        tab.call("Emulation.setTimezoneOverride", Map.of("timezoneId", "UTC"));
    }

    @AfterEach
    void close() throws IOException {
        tab.close();
        if (page != null) {
            page.close();
        }
    }

    BrowserTab openAnother() throws IOException {
        try {
            return chromium.open();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    void serve(PretendRun served) throws IOException {
        serve(served, PageConfig.loopback());
    }

    void serve(PretendRun served, PageConfig config) throws IOException {
        run = served;
        page = MigrationPage.start(
                config.withToken(TOKEN).withEnvironment(scheduler.environment(run)),
                run.store,
                PretendRun.NAME,
                run.control);
    }

    void show() throws IOException {
        tab.go(page.url());
        scheduler.turn();
        tab.waitFor("document.querySelector('#live').dataset.state === 'live'");
    }

    void seconds(int count) {
        run.seconds(count, scheduler::turn);
    }

    void noErrors() {
        assertThat(tab.errors()).isEmpty();
    }

    String picture(String chart) throws IOException {
        return tab.evaluate("document.querySelector('#" + chart + " canvas').toDataURL()")
                .asText();
    }

    void waitForOtherPicture(String chart, String before) throws IOException {
        tab.waitFor("document.querySelector('#" + chart + " canvas').toDataURL() !== " + BrowserTab.quoted(before));
    }

    int count(String selector) throws IOException {
        return tab.evaluate("document.querySelectorAll(" + BrowserTab.quoted(selector) + ").length")
                .asInt();
    }

    /** Seven quarters of an hour in short: to phase 3 and a part of its reads, with what happens on the way. */
    void walkForPictures() {
        seconds(70);
        run.advance("both clusters are up, capacity checked");
        seconds(20);
        run.work(PhaseNote.Kind.BACKFILL, "backfill-1", 150, 4_812_906, scheduler::turn);
        seconds(5);
        run.work(PhaseNote.Kind.VERIFICATION, "verify-1", 60, 4_813_377, scheduler::turn);
        seconds(20);
        run.control.readShare(25, "dana", "begin with a quarter of the keys");
        seconds(5);
        run.advance("verified, no dirty keys");
        run.instances.forEach(instance -> instance.missing = 0.02);
        seconds(45);
        run.instances.get(0).targetSlowdown = 2.6;
        seconds(40);
        run.control.note("omar", "compaction throttled on the target");
        run.instances.get(0).targetSlowdown = 1;
        run.instances.forEach(instance -> instance.missing = 0.004);
        run.mismatch(
                run.instances.get(0),
                "48213907",
                new FieldDiff("items[3].d", "Rue de la Paix 12", "Rue de la Paix 14"),
                new FieldDiff("items[7]", "(absent)", "Item[b=phone, c=home, d=+33 1 40 20 50 50]"));
        run.mismatch(run.instances.get(1), "51120034", new FieldDiff("items[0].d", "David", "(absent)"));
        seconds(60);
        run.control.readShare(100, "dana", "p99 of the target is below the origin's");
        run.instances.forEach(instance -> instance.missing = 0.001);
        seconds(90);
        run.instances.forEach(instance -> instance.missing = 0);
        seconds(24);
        Heartbeat heartbeat = new Heartbeat(
                "verify-2",
                run.control.current().version(),
                true,
                run.instant(),
                PretendRun.workFacts(
                        PhaseNote.Kind.VERIFICATION, run.instant().minus(Duration.ofSeconds(83)), 62, 100, 4_816_020));
        run.store.heartbeat(PretendRun.NAME, heartbeat);
        seconds(1);
    }
}
