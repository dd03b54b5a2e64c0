package io.anneal.migrate.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The page as somebody in front of it sees it. Needs a Chromium; without one the summary says so. With
 * {@code -Danneal.screenshots=DIR} it also leaves pictures there.
 */
final class PageInBrowserTest extends BrowserFixture {
    @Test
    void shouldLoadWithoutErrorsAndShowThePhase() throws IOException {
        serve(PretendRun.begun(2));
        seconds(5);
        show();

        assertThat(tab.text("h1")).isEqualTo(PretendRun.NAME);
        assertThat(tab.text("#now-title")).isEqualTo("Phase 1: origin only");
        assertThat(tab.text("#acks")).contains("2 of 2 instances");
        assertThat(tab.text("[aria-current=step]")).startsWith("1");
        assertThat(tab.text("#gates")).contains("Acknowledged by every instance");
        assertThat(count("#instances > tr")).isEqualTo(2);
        assertThat(count("canvas")).isEqualTo(7);
        noErrors();
    }

    @ParameterizedTest
    @CsvSource({
        "ORIGIN_ONLY, origin, origin",
        "WRITE_BOTH, origin target, origin",
        "READ_TARGET, origin target, target origin",
        "TARGET_FIRST, target origin, target",
        "WRITE_TARGET, target, target",
        "TARGET_ONLY, target, target"
    })
    void shouldSayWhereCallsGo(Phase phase, String writes, String reads) throws IOException {
        serve(PretendRun.begun(1));
        PhaseRecord first = run.store.read(PretendRun.NAME).orElseThrow();
        run.store.compareAndSet(PretendRun.NAME, 1, first.changed(phase, 100, "dana", PretendRun.START, "by hand"));
        seconds(2);
        show();

        assertThat(sides("#route-writes")).isEqualTo(writes);
        assertThat(sides("#route-deletes")).isEqualTo(writes);
        assertThat(sides("#route-reads")).isEqualTo(reads);
        noErrors();
    }

    private String sides(String selector) throws IOException {
        return tab.evaluate("[...document.querySelectorAll('" + selector
                        + " .side')].map(side => side.textContent).join(' ')")
                .asText();
    }

    @Test
    void shouldMoveTheChartsAsHeartbeatsCome() throws IOException {
        serve(PretendRun.begun(2));
        seconds(20);
        show();
        String before = picture("chart-origin");
        String legendBefore = tab.text("#chart-origin .legend");

        seconds(20);

        waitForOtherPicture("chart-origin", before);
        assertThat(tab.text("#chart-origin .legend")).isNotEqualTo(legendBefore).contains("ms");
        assertThat(tab.text("#chart-rate .legend")).containsPattern("reads/s\\s+2\\d\\d");
        assertThat(tab.text("#chart-target .plot-note")).contains("The target gets no reads in phase 1");
        noErrors();
    }

    @Test
    void shouldMakeOneChartOfTwoInstances() throws IOException {
        serve(PretendRun.begun(1));
        seconds(5);
        show();
        waitForReads("1[345]\\d");

        run.join("profiles-2");
        seconds(5);

        waitForReads("2[6789]\\d");
        assertThat(count("#chart-origin canvas")).isEqualTo(1);
        assertThat(tab.text("#instances-count")).isEqualTo("2 instances");
    }

    private void waitForReads(String rate) throws IOException {
        tab.waitFor("/reads\\/s\\s+" + rate + "\\b/.test(document.querySelector('#chart-rate .legend').innerText)");
    }

    @Test
    void shouldShowWithinThreeSecondsThatTheTargetFails() throws IOException {
        serve(PretendRun.begun(2));
        run.advance("write both");
        seconds(5);
        show();
        assertThat(tab.evaluate("document.title").asText()).isEqualTo("profiles · phase 2");
        assertThat(tab.text("#banners")).isEmpty();
        String calm = colour(".top", "backgroundColor");
        String flat = picture("chart-failures");

        run.instances.get(1).failing = 0.5;
        seconds(3);

        tab.waitFor("document.title.startsWith('⚠ target fails · profiles')");
        assertThat(tab.text("#banners"))
                .contains("The target fails since 09:30:")
                .containsPattern("\\d+ failures a second, seen by 1 of 2 instances")
                .contains("Last in write: java.lang.IllegalStateException: no replica answered");
        assertThat(colour(".top", "backgroundColor"))
                .isNotEqualTo(calm)
                .isEqualTo(colour("#failures .trouble-count", "color"));
        assertThat(tab.text("#chart-failures .legend")).containsPattern("of the target\\s+[1-9]");
        assertThat(tab.text("#instances > tr:first-child"))
                .contains("profiles-2")
                .contains("of the target");
        assertThat(tab.text("#instances-count")).isEqualTo("2 instances · 1 with failures");
        assertThat(tab.text("#failures")).containsPattern("IllegalStateException\\s*\\d+ times");
        waitForOtherPicture("chart-failures", flat);

        run.instances.get(1).failing = 0;
        seconds(62);

        tab.waitFor("document.title === 'profiles · phase 2'");
        assertThat(tab.text("#banners")).isEmpty();
        assertThat(tab.text("#events")).contains("The target began to fail").contains("The target works again");
        noErrors();
    }

    private String colour(String selector, String property) throws IOException {
        return tab.evaluate("getComputedStyle(document.querySelector(" + BrowserTab.quoted(selector) + "))." + property)
                .asText();
    }

    @Test
    void shouldShowARowForEachInstance() throws IOException {
        serve(PretendRun.begun(3));
        run.instances.get(2).more.put("dirty.target", "17");
        seconds(5);
        show();

        assertThat(tab.text("#instances > tr:nth-child(3)"))
                .containsPattern("profiles-3\\s.*pid \\d+")
                .contains("acknowledged")
                .containsPattern("1\\.\\d\\d ms / \\d\\.\\d\\d ms\\s+–\\s+17\\s+now");
        assertThat(colour("#instances > tr:nth-child(3) [data-part=dirty]", "color"))
                .isNotEqualTo(colour("#instances > tr:nth-child(2) [data-part=dirty]", "color"));

        run.instances.get(1).alive = false;
        seconds(7);

        tab.waitFor("document.querySelector('#instances > tr').innerText.includes('profiles-2')");
        assertThat(tab.text("#instances > tr:first-child [data-part=heard]")).isEqualTo("7 s ago");
        assertThat(colour("#instances > tr:first-child [data-part=heard]", "color"))
                .isEqualTo(colour("#instances-count", "color"));
        noErrors();
    }

    @Test
    void shouldTellThatAnInstanceWasKilled() throws IOException {
        serve(PretendRun.begun(2));
        seconds(5);
        show();

        run.instances.get(0).alive = false;
        seconds(15);

        tab.waitFor("document.title.startsWith('⚠ 1 instance silent')");
        assertThat(tab.text("#banners"))
                .contains("profiles-1 is not heard any more.")
                .contains("Last heard 09:30:06");
        assertThat(tab.text("#events"))
                .contains("Instance profiles-1 fell silent without goodbye")
                .contains("2 Mar, 09:30:06");

        run.instances.get(0).alive = true;
        run.instances.get(0).run = "2";
        seconds(1);

        tab.waitFor("document.querySelector('#banners').innerText === ''");
        assertThat(tab.text("#events"))
                .contains("Instance profiles-1 started again, its last run ended without goodbye");
        noErrors();
    }

    @Test
    void shouldSayHowOldTheVerificationIsAndWhatItCovered() throws IOException {
        serve(PretendRun.begun(1));
        seconds(2);
        show();
        assertThat(tab.text("#verified")).startsWith("Never verified");

        run.advance("write both");
        seconds(2);
        run.work(PhaseNote.Kind.VERIFICATION, "verify-1", 10, 4_813_377, scheduler::turn);
        seconds(300);

        tab.waitFor("document.querySelector('#verified').innerText.startsWith('Verified 5 min')");
        assertThat(tab.text("#verified")).contains("4,813,377 rows compared, 0 mismatches", "took 11 s, in phase 2");
        noErrors();
    }

    @Test
    void shouldReadTheChartsByKeyboard() throws IOException {
        serve(PretendRun.begun(1));
        seconds(10);
        show();

        tab.evaluate("document.querySelector('#chart-origin .plot').focus()");
        tab.key("ArrowLeft", 37);
        tab.key("ArrowLeft", 37);

        assertThat(tab.evaluate("document.activeElement.getAttribute('aria-label')")
                        .asText())
                .matches("Latency of the origin, at 09:30:\\d\\d: p50 .* ms, p99 .* ms, p999 .* ms");
        assertThat(tab.text("#chart-target .legend .at")).startsWith("09:30:");
    }

    @Test
    void shouldNameEverythingThatCanBeReached() throws IOException {
        serve(PretendRun.begun(2));
        seconds(15);
        run.instances.get(0).alive = false;
        seconds(15);
        show();

        assertThat(tab.evaluate("""
                                [...document.querySelectorAll('button, input, [tabindex="0"]')]
                                  .filter(element => element.getClientRects().length > 0)
                                  .filter(element => !(element.innerText || element.getAttribute('aria-label')
                                    || element.closest('label')?.innerText || element.getAttribute('aria-labelledby')))
                                  .map(element => element.outerHTML).join()""").asText()).isEmpty();
        assertThat(count("main, header, footer, h1")).isEqualTo(4);
        assertThat(tab.text("#instances")).contains("silent for").contains("Declare dead");
    }

    @Test
    void shouldFitAPhone() throws IOException {
        tab.size(360, 740, 2, true);
        serve(PretendRun.begun(2));
        walkForPictures();
        show();

        assertThat(tab.evaluate("document.documentElement.scrollWidth").asInt()).isEqualTo(360);
        assertThat(tab.evaluate("""
                                [...document.querySelectorAll('body *')]
                                  .filter(element => !element.closest('.hidden, .u-wrap, .skip'))
                                  .filter(element => element.getBoundingClientRect().right > 360.5)
                                  .map(element => element.tagName + '.' + element.className).join()""").asText()).isEmpty();
        assertThat(tab.evaluate("Math.min(...[...document.querySelectorAll('#buttons button')]"
                                + ".map(button => button.getBoundingClientRect().height))")
                        .asDouble())
                .isGreaterThanOrEqualTo(44);
        noErrors();
    }

    @Test
    void shouldFollowTheSchemeOfTheSystem() throws IOException {
        serve(PretendRun.begun(1));
        seconds(5);
        tab.scheme("light");
        show();
        String lightChart = picture("chart-origin");
        assertThat(brightness()).isGreaterThan(220);
        assertThat(contrast("#now-text")).isGreaterThan(4.5);

        tab.scheme("dark");

        waitForOtherPicture("chart-origin", lightChart);
        assertThat(brightness()).isLessThan(40);
        assertThat(contrast("#now-text")).isGreaterThan(4.5);
        noErrors();
    }

    private double brightness() throws IOException {
        return tab.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3)"
                        + ".reduce((sum, part) => sum + Number(part), 0) / 3")
                .asDouble();
    }

    /** Of the text against its card, as WCAG counts it. */
    private double contrast(String selector) throws IOException {
        return tab.evaluate("""
                        (() => {
                          const light = colour => {
                            const [r, g, b] = colour.match(/[0-9]+/g).map(part => {
                              const share = part / 255;
                              return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
                            });
                            return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
                          };
                          const element = document.querySelector(%s);
                          const both = [light(getComputedStyle(element).color),
                            light(getComputedStyle(element.closest('.card')).backgroundColor)];
                          return Math.max(...both) / Math.min(...both);
                        })()""".formatted(BrowserTab.quoted(selector))).asDouble();
    }

    @Test
    void shouldShowDifferencesAndRedactThem() throws IOException {
        serve(PretendRun.begun(1), PageConfig.loopback().redacted());
        run.mismatch(run.instances.get(0), "4711", new FieldDiff("items[0].d", "David", "Dawid"));
        seconds(2);
        show();

        assertThat(tab.text("#mismatches"))
                .contains("items[0].d")
                .contains(FieldDiff.REDACTED)
                .doesNotContain("David")
                .doesNotContain("4711");
        assertThat(tab.text("#mismatch-count")).isEqualTo("1 of 2,400 comparisons");
    }

    @Test
    void shouldGroupDifferencesOfAllInstancesByTheirCause() throws IOException {
        serve(PretendRun.begun(2));
        for (int i = 0; i < 5; i++) {
            run.mismatch(run.instances.get(i % 2), "k" + i, new FieldDiff("items[" + i + "].d", "David", "Dawid"));
            seconds(1);
        }
        run.mismatch(run.instances.get(0), "gone", new FieldDiff("items[7]", "Item", FieldDiff.ABSENT));
        seconds(1);
        show();

        assertThat(count("#mismatches > .trouble")).isEqualTo(2);
        assertThat(tab.text("#mismatches > .trouble:first-child"))
                .contains("read: items[] is missing in the target", "once", "Last: read of key gone");
        assertThat(tab.text("#mismatches > .trouble:nth-child(2)"))
                .contains("read: items[].d differs", "5 times", "first 09:30:01, last 09:30:05", "key k4")
                .doesNotContain("k3");
        noErrors();
    }

    @Test
    void shouldTakeTextsForTexts() throws IOException {
        serve(PretendRun.begun(1));
        run.control.note("<b>omar</b>", "<img src=x onerror=\"document.title='taken over'\">");
        run.mismatch(run.instances.get(0), "<script>", new FieldDiff("<i>", "<u>1</u>", "2"));
        seconds(2);
        show();

        assertThat(tab.text("#events")).contains("<img src=x").contains("<b>omar</b>");
        assertThat(tab.text("#mismatches")).contains("<u>1</u>");
        assertThat(tab.evaluate("document.title").asText()).doesNotContain("taken over");
        noErrors();
    }

    @Test
    void shouldSaySinceWhenTheStoreDoesNotAnswer() throws IOException {
        run = PretendRun.begun(2);
        FragileStore fragile = new FragileStore(run.store);
        page = MigrationPage.start(
                PageConfig.loopback().withToken(TOKEN).withEnvironment(scheduler.environment(run)),
                fragile.store(),
                PretendRun.NAME,
                run.control);
        seconds(3);
        show();
        fragile.lose();
        seconds(2);

        tab.waitFor("document.querySelector('#banners').innerText.includes('has not answered since 09:30:05')");
        assertThat(tab.text("#banners")).contains("no host was reachable");
        assertThat(tab.text("#now-title")).isEqualTo("Phase 1: origin only");
        assertThat(tab.evaluate("document.querySelector('#advance').disabled").asBoolean())
                .isTrue();

        fragile.find();
        seconds(1);
        tab.waitFor("document.querySelector('#banners').innerText === ''");
        tab.waitFor("document.querySelector('#announce').textContent === 'The phase store answers again.'");
        noErrors();
    }

    @Test
    void shouldShowAMigrationWithoutInstancesAndNoneAtAll() throws IOException {
        PretendRun nobody = new PretendRun(1);
        serve(nobody);
        show();
        tab.waitFor("document.querySelector('#banners').innerText.includes('anneal migrate init --name profiles')");
        assertThat(tab.text("#now-title")).isEqualTo("There is no such migration");

        nobody.control.create("dana", "begin");
        seconds(1);
        tab.waitFor("document.querySelector('#now-title').innerText.startsWith('Phase 1')");
        assertThat(tab.text("#instances-card")).contains("No instance is registered");
        assertThat(tab.text("#chart-origin .plot-note")).contains("No instance is heard");
        assertThat(tab.text("#mismatches")).contains("No answers have been compared yet");
        assertThat(tab.text("#banners")).isEmpty();
        noErrors();
    }

    @Test
    void shouldSaySinceWhenTheStreamIsGone() throws IOException {
        serve(PretendRun.begun(1));
        seconds(2);
        show();

        page.close();

        tab.waitFor("/No connection to this page.s server since \\d\\d:\\d\\d:\\d\\d/"
                + ".test(document.querySelector('#banners').innerText)");
        assertThat(tab.text("#live")).contains("Disconnected for");
        assertThat(tab.evaluate("document.querySelector('#note').disabled").asBoolean())
                .isTrue();
        assertThat(tab.text("#now-title")).isEqualTo("Phase 1: origin only");
    }

    @Test
    void shouldDrawTheWeeksBeforeItsServerBegan(@TempDir Path history) throws IOException {
        PageConfig config = PageConfig.loopback().withHistory(history);
        serve(PretendRun.begun(1), config);
        run.turns(600, Duration.ofHours(1), scheduler::turn);
        run.advance("write both");
        run.turns(1, Duration.ofSeconds(1), scheduler::turn);
        run.control.note("omar", "new disks");
        run.turns(100, Duration.ofHours(1), scheduler::turn);
        PhaseRecord second = run.store.read(PretendRun.NAME).orElseThrow();
        run.store.compareAndSet(
                PretendRun.NAME, second.version(), second.changed(Phase.READ_TARGET, 50, "dana", run.instant(), "on"));
        run.turns(200, Duration.ofHours(1), scheduler::turn);
        page.close();
        serve(run, config);
        show();

        assertThat(tab.text("#chart-weeks-read-words"))
                .matches(
                        "The target is \\d\\d % faster: p99 1\\.\\d\\d ms, the origin’s \\d\\.\\d\\d ms \\(medians\\)\\.");
        assertThat(tab.text("#chart-weeks-batch-words"))
                .startsWith("The target is ")
                .contains(" % faster");
        tab.evaluate("document.querySelector('#chart-weeks-read .plot').focus()");
        tab.key("Home", 36);
        assertThat(tab.text("#chart-weeks-read .legend"))
                .containsPattern("origin\\s+[23]\\.\\d+ ms\\s+target\\s+–\\s+2 Mar, 1");
        assertThat(tab.text("#chart-weeks-batch .legend")).contains("2 Mar, 1");
        assertThat(tab.text("#footer")).contains("Charts of six weeks outlive this page’s server");
        noErrors();
        picture("weeks-light.png", 1280);
        tab.scheme("dark");
        tab.size(360, 740, 2, true);
        picture("weeks-phone.png", 360);
    }

    @Test
    void shouldShowFiftyInstancesWithThoseInTroubleFirst() throws IOException {
        serve(PretendRun.begun(50));
        run.advance("write both");
        seconds(4);
        run.instances.get(36).failing = 0.9;
        run.instances.get(47).alive = false;
        seconds(12);
        show();

        assertThat(tab.evaluate("[...document.querySelectorAll('#instances .instance-name')].slice(0, 4).map(each =>"
                                + " each.innerText).join(' ')")
                        .asText())
                .isEqualTo("profiles-48 profiles-37 profiles-1 profiles-2");
        assertThat(tab.text("#instances-count")).isEqualTo("50 instances · 1 silent · 1 with failures");
        assertThat(tab.evaluate("document.title").asText()).startsWith("⚠ target fails, 1 instance silent · profiles");
        noErrors();
        picture("fifty-light.png", 1280);
        tab.size(360, 740, 2, true);
        picture("fifty-phone.png", 360);
    }

    @Test
    void shouldShowTwoPagesTheSameAndALostStoreOnBoth() throws IOException {
        run = PretendRun.begun(2);
        FragileStore fragile = new FragileStore(run.store);
        page = MigrationPage.start(
                PageConfig.loopback().withToken(TOKEN).withEnvironment(scheduler.environment(run)),
                fragile.store(),
                PretendRun.NAME,
                run.control);
        seconds(3);
        show();
        try (BrowserTab other = openAnother()) {
            other.go(page.url());
            fragile.lose();
            seconds(2);

            for (BrowserTab each : List.of(tab, other)) {
                each.waitFor("document.title.startsWith('⚠ phase store unreachable · profiles · phase 1')");
                assertThat(each.text("#instances > tr:first-child"))
                        .contains("profiles-1")
                        .endsWith("1 s ago");
            }
            picture("lost-light.png", 1280);

            fragile.find();
            seconds(1);
            for (BrowserTab each : List.of(tab, other)) {
                each.waitFor("document.title === 'profiles · phase 1'");
                assertThat(each.text("#events"))
                        .contains("The phase store did not answer", "The phase store answers again");
                assertThat(each.errors()).isEmpty();
            }
        }
    }

    /** For somebody who looks at them: with {@code -Danneal.screenshots=DIR}. */
    private void picture(String file, int width) throws IOException {
        String directory = System.getProperty("anneal.screenshots");
        if (directory != null) {
            tab.waitFor("document.fonts.status === 'loaded'");
            scheduler.turn();
            int height = tab.evaluate("document.documentElement.scrollHeight").asInt();
            Files.write(Path.of(directory, file), PalettePng.of(tab.screenshot(width, height)));
        }
    }
}
