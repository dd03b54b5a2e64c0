package io.anneal.migrate.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What somebody in front of the page can change, and what they can't. Needs a Chromium; without one the summary says so. */
final class PageChangesInBrowserTest extends BrowserFixture {
    private static final int TAB_STOPS_MAX = 60;

    private void unlock(String token) throws IOException {
        tab.waitFor("document.querySelector('dialog').open && document.activeElement.name === 'token'");
        tab.type(token);
        tab.enter();
    }

    private void sign() throws IOException {
        tab.evaluate("document.querySelector('dialog [name=who]').focus()");
        tab.type("dana");
        tab.evaluate("document.querySelector('dialog [name=why]').focus()");
        tab.type("all is well");
    }

    @Test
    void shouldRefuseAWrongTokenAndChangeNothing() throws IOException {
        serve(PretendRun.begun(2));
        seconds(2);
        show();

        tab.click("#advance");
        unlock("a-wrong-token-of-somebody");
        tab.waitFor("document.querySelector('#dialog-error').innerText.includes('not this page')");

        assertThat(tab.text("#dialog-title")).isEqualTo("Unlock changes");
        int status = tab.evaluate(
                        "fetch('phase/advance', {method: 'POST', headers: {'Content-Type': 'application/json'},"
                                + " body: JSON.stringify({version: 1, who: 'x', why: 'y'})}).then(answer => answer.status)")
                .asInt();
        assertThat(status).isEqualTo(401);
        assertThat(run.control.current().phase()).isEqualTo(Phase.ORIGIN_ONLY);
    }

    @Test
    void shouldSwitchThePhaseWithTheToken() throws IOException {
        serve(PretendRun.begun(2));
        seconds(2);
        show();

        tab.click("#advance");
        unlock(TOKEN);
        tab.waitFor("document.querySelector('#dialog-title').innerText.includes('from 1 to 2')");
        assertThat(tab.text("dialog")).contains("Every write goes to both");
        sign();
        tab.click("#dialog-ok");
        tab.waitFor("document.querySelector('#now-title').innerText.startsWith('Phase 2')");
        seconds(2);

        assertThat(run.control.current().who()).isEqualTo("dana");
        assertThat(run.control.current().why()).isEqualTo("all is well");
        tab.waitFor("document.querySelector('#events').innerText.includes('Phase 1 to 2')");
        tab.waitFor("document.querySelector('#acks').innerText.includes('2 of 2')");
        assertThat(tab.text("#ready-title")).isEqualTo("Ready for phase 3");
        noErrors();
    }

    @Test
    void shouldTakeTheTokenOutOfTheAddress() throws IOException {
        serve(PretendRun.begun(1));
        tab.go(page.urlWithToken());
        scheduler.turn();
        tab.waitFor("document.querySelector('#unlock').innerText === 'Lock changes'");

        assertThat(tab.evaluate("location.href").asText()).doesNotContain(TOKEN);
        tab.click("#unlock");
        tab.waitFor("document.querySelector('#unlock').innerText === 'Unlock changes'");
    }

    @Test
    void shouldTakeTheTokenOfAnAddressOpenedWhereThePageIsAlready() throws IOException {
        serve(PretendRun.begun(1));
        show();
        tab.evaluate("location.hash = 'main'");
        assertThat(tab.text("#unlock")).isEqualTo("Unlock changes");

        tab.go(page.urlWithToken());
        tab.waitFor("document.querySelector('#unlock').innerText === 'Lock changes'");
        assertThat(tab.evaluate("location.href").asText()).doesNotContain(TOKEN);
    }

    @Test
    void shouldNotPromiseOfAStepInTestModeWhatItMeansInAMigration() throws IOException {
        PretendRun tested = PretendRun.begun(2);
        tested.instances.forEach(instance -> instance.more.put(Facts.MODE, "TEST"));
        serve(tested);
        seconds(2);
        run.advance("try it");
        seconds(2);
        run.advance("compare it");
        seconds(2);
        tab.go(page.urlWithToken());
        scheduler.turn();
        tab.waitFor("document.querySelector('#advance').innerText.startsWith('Advance to ')");

        tab.click("#advance");
        tab.waitFor("document.querySelector('dialog').open");
        assertThat(tab.text("#dialog-body"))
                .contains("the origin answers in every phase")
                .doesNotContain("it is right where", "target alone");
        noErrors();
    }

    @Test
    void shouldShowThePlanBeforeItRollsBack() throws IOException {
        serve(PretendRun.begun(2));
        run.advance("on");
        seconds(2);
        tab.go(page.urlWithToken());
        scheduler.turn();
        tab.waitFor("!document.querySelector('#rollback').disabled");

        tab.click("#rollback");
        tab.waitFor("document.querySelector('#dialog-title').innerText.includes('from 2 to 1')");
        assertThat(tab.text(".plan")).contains("the origin has every write");
        sign();
        tab.click("#dialog-ok");
        tab.waitFor("document.querySelector('#now-title').innerText.startsWith('Phase 1')");

        assertThat(run.control.current().phase()).isEqualTo(Phase.ORIGIN_ONLY);
        noErrors();
    }

    @Test
    void shouldSetTheShareOfReads() throws IOException {
        serve(PretendRun.begun(2));
        run.advance("on");
        seconds(2);
        tab.go(page.urlWithToken());
        scheduler.turn();
        tab.waitFor("!document.querySelector('#share').disabled");

        tab.click("#share");
        tab.waitFor("document.querySelector('dialog').open");
        tab.evaluate("document.querySelector('dialog [name=percent]').select()");
        tab.evaluate("document.querySelector('dialog [name=percent]').focus()");
        tab.type("15");
        sign();
        tab.click("#dialog-ok");
        tab.waitFor("document.querySelector('#events').innerText.includes('Read share 15 %')");

        assertThat(run.control.current().readSharePercent()).isEqualTo(15);
        noErrors();
    }

    @Test
    void shouldSayWhatIsMissingForAStep() throws IOException {
        serve(PretendRun.begun(2));
        run.advance("on");
        seconds(2);
        show();

        tab.click("#advance");
        tab.waitFor("document.querySelector('dialog').open");

        assertThat(tab.text("dialog")).contains("Not ready").contains("no back-fill");
        assertThat(tab.evaluate("document.querySelector('#dialog-ok').hidden").asBoolean())
                .isTrue();
    }

    @Test
    void shouldBeUsableByKeyboardAlone() throws IOException {
        serve(PretendRun.begun(2));
        seconds(2);
        tab.go(page.urlWithToken());
        scheduler.turn();
        tab.waitFor("!document.querySelector('#advance').disabled");

        tab.tab();
        assertThat(tab.evaluate("document.activeElement.className").asText()).isEqualTo("skip");
        tabTo("advance");
        assertThat(tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                        .asText())
                .isEqualTo("solid");
        tab.enter();
        tab.waitFor("document.querySelector('dialog').open && document.activeElement.name === 'who'");
        tab.type("dana");
        tab.tab();
        assertThat(tab.evaluate("document.activeElement.name").asText()).isEqualTo("why");
        tab.type("by keyboard");
        tabTo("dialog-ok");
        tab.enter();
        tab.waitFor("!document.querySelector('dialog').open");
        assertThat(run.control.current().phase()).isEqualTo(Phase.WRITE_BOTH);
        assertThat(tab.evaluate("document.activeElement.id").asText()).isEqualTo("advance");

        tabTo("note");
        tab.key("Space", 32);
        tab.waitFor("document.querySelector('dialog').open");
        tab.key("Escape", 27);
        tab.waitFor("!document.querySelector('dialog').open");
        noErrors();
    }

    private void tabTo(String id) throws IOException {
        for (int stop = 0; stop < TAB_STOPS_MAX; stop++) {
            tab.tab();
            if (tab.evaluate("document.activeElement.id").asText().equals(id)) {
                return;
            }
        }
        throw new AssertionError("Tab never came to it, id=" + id);
    }

    @Test
    void shouldDeclareASilentInstanceDead() throws IOException {
        serve(PretendRun.begun(2));
        run.instances.get(0).alive = false;
        seconds(15);
        tab.go(page.urlWithToken());
        scheduler.turn();
        tab.waitFor("document.querySelector('#instances button:not([hidden])')");
        assertThat(tab.text("#gates")).contains("profiles-1 is silent").doesNotContain("migrate dead");

        tab.click("#instances button:not([hidden])");
        tab.waitFor("document.querySelector('#dialog-title').innerText.includes('Declare profiles-1 dead')");
        sign();
        tab.click("#dialog-ok");
        tab.waitFor("document.querySelector('#instances-count').innerText === '1 instance'");

        assertThat(run.control.notes())
                .singleElement()
                .satisfies(note -> assertThat(note.kind()).isEqualTo(PhaseNote.Kind.INSTANCE_DEAD));
    }
}
