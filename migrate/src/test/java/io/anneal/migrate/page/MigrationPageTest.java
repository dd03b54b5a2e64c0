package io.anneal.migrate.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MigrationPageTest {
    private static final String TOKEN = "correct-horse-battery";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final HandScheduler scheduler = new HandScheduler();
    private final PretendRun run = PretendRun.begun(2);

    private MigrationPage page;

    @AfterEach
    void close() {
        if (page != null) {
            page.close();
        }
    }

    private void serve() throws IOException {
        serve(PageConfig.loopback(), run.store, run.control);
    }

    private void serve(PageConfig config, PhaseStore store, PhaseControl control) throws IOException {
        page = MigrationPage.start(
                config.withToken(TOKEN).withEnvironment(scheduler.environment(run)), store, PretendRun.NAME, control);
        scheduler.turn();
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(page.url().resolve(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(page.url().resolve(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> change(String path, String body) throws IOException, InterruptedException {
        return post(path, body, "Authorization", "Bearer " + TOKEN);
    }

    private static String asked(long version, String more) {
        return "{\"version\":" + version + ",\"who\":\"dana\",\"why\":\"because\"" + more + "}";
    }

    private Phase phase() {
        return run.control.current().phase();
    }

    /** A stream's events as they come. */
    private record Stream(InputStream in, BufferedReader lines) implements AutoCloseable {
        JsonNode next() throws IOException {
            return JSON.readTree(field("data"));
        }

        String field(String name) throws IOException {
            String line = lines.readLine();
            while (line != null && !line.startsWith(name + ": ")) {
                line = lines.readLine();
            }
            return line == null ? null : line.substring(name.length() + 2);
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    private Stream stream(String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(page.url().resolve("events")).header("Accept", "text/event-stream");
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        HttpResponse<InputStream> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        assertThat(answer.statusCode()).isEqualTo(200);
        return new Stream(
                answer.body(), new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8)));
    }

    @Test
    void shouldServeThePageWithoutAnythingFromElsewhere() throws Exception {
        serve();

        for (String file : List.of("", "page.css", "page.js", "uPlot.iife.min.js", "uPlot.min.css", "icon.svg")) {
            HttpResponse<String> answer = get(file);
            assertThat(answer.statusCode()).as(file).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Security-Policy"))
                    .hasValueSatisfying(policy ->
                            assertThat(policy).contains("default-src 'none'").doesNotContain("unsafe"));
        }
        assertThat(get("").body())
                .doesNotContain("http")
                .doesNotContain("style=")
                .doesNotContain("onclick");
        assertThat(get("nowhere").statusCode()).isEqualTo(404);
    }

    @Test
    void shouldStreamEveryLookWithThePointsThatTheReaderLacks() throws Exception {
        serve();
        run.seconds(10, scheduler::turn);

        try (Stream stream = stream()) {
            JsonNode first = stream.next();
            run.seconds(1, scheduler::turn);
            JsonNode second = stream.next();

            assertThat(first.at("/whole").asBoolean()).isTrue();
            assertThat(first.at("/now/record/phase").asText()).isEqualTo("1");
            assertThat(first.at("/now/instances")).hasSize(2);
            assertThat(first.at("/points/0")).hasSize(11);
            assertThat(second.at("/whole").asBoolean()).isFalse();
            assertThat(second.at("/points/0")).hasSize(1);
            assertThat(second.at("/points/0/0/latencies/read.origin/0").asDouble())
                    .isBetween(500.0, 5_000.0);
        }
    }

    @Test
    void shouldGoOnWhereAReaderLeftTheStream() throws Exception {
        serve();
        run.seconds(10, scheduler::turn);
        String id;
        try (Stream stream = stream()) {
            id = stream.field("id");
        }
        run.seconds(3, scheduler::turn);

        try (Stream again = stream("Last-Event-ID", id);
                Stream ofAnotherServer = stream("Last-Event-ID", "somebody-3-4-5")) {
            assertThat(again.next().at("/points/0")).hasSize(3);
            assertThat(ofAnotherServer.next().at("/whole").asBoolean()).isTrue();
        }
    }

    @Test
    void shouldEndStreamsWhenClosed() throws Exception {
        serve();

        try (Stream stream = stream()) {
            stream.next();
            page.close();

            try {
                assertThat(stream.field("data")).isNull();
            } catch (IOException e) {
                assertThat(e)
                        .as("the connection may end before the answer does")
                        .isNotNull();
            }
        }
    }

    @Test
    void shouldRefuseMoreStreamsThanItHasThreadsFor() throws Exception {
        serve();
        List<Stream> streams = new ArrayList<>();
        for (int i = 0; i < EventStream.STREAMS_MAX; i++) {
            streams.add(stream());
        }

        HttpResponse<String> refused = get("events");

        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("too many pages");
        assertThat(change("/phase/note", asked(1, "")).statusCode()).isEqualTo(200);
        for (Stream stream : streams) {
            stream.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"advance", "rollback", "share", "note", "dead", "unlock"})
    void shouldRefuseChangesWithoutTheToken(String action) throws Exception {
        serve();

        HttpResponse<String> without = post("phase/" + action, asked(1, ",\"percent\":10,\"instance\":\"profiles-1\""));
        HttpResponse<String> wrong = post("phase/" + action, asked(1, ""), "Authorization", "Bearer " + TOKEN + "x");
        HttpResponse<String> basic = post("phase/" + action, asked(1, ""), "Authorization", "Basic " + TOKEN);

        assertThat(List.of(without.statusCode(), wrong.statusCode(), basic.statusCode()))
                .containsOnly(401);
        assertThat(without.headers().firstValue("WWW-Authenticate")).contains("Bearer");
        assertThat(run.control.current().version()).isEqualTo(1);
        assertThat(run.control.notes()).isEmpty();
        assertThat(run.control.instances()).hasSize(2);
    }

    @Test
    void shouldChangeThePhaseWithTheToken() throws Exception {
        serve();

        HttpResponse<String> answer = change("phase/advance", asked(1, ""));

        assertThat(answer.statusCode()).isEqualTo(200);
        PhaseRecord inForce = run.control.current();
        assertThat(inForce.phase()).isEqualTo(Phase.WRITE_BOTH);
        assertThat(inForce.who()).isEqualTo("dana");
        assertThat(inForce.why()).isEqualTo("because");
        assertThat(JSON.readTree(get("snapshot").body()).at("/record/phase").asText())
                .isEqualTo("2");
    }

    @Test
    void shouldRollBackWhereThatLosesNothing() throws Exception {
        serve();
        run.advance("on");
        run.seconds(2, scheduler::turn);

        JsonNode plan = JSON.readTree(get("phase/rollback-plan").body());
        HttpResponse<String> answer = change("phase/rollback", asked(2, ""));

        assertThat(plan.at("/from").asText()).isEqualTo("2");
        assertThat(plan.at("/to").asText()).isEqualTo("1");
        assertThat(plan.has("refusal")).isFalse();
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(phase()).isEqualTo(Phase.ORIGIN_ONLY);
    }

    @Test
    void shouldSayWhyThereIsNoWayBackFromTheFourthPhase() throws Exception {
        serve();
        PhaseRecord first = run.control.current();
        run.store.compareAndSet(
                PretendRun.NAME,
                1,
                first.changed(Phase.WRITE_TARGET, 100, "dana", run.instant(), "jumped, for the test"));
        run.instances.forEach(instance -> instance.more.put("dirty.origin", "812"));
        run.seconds(2, scheduler::turn);

        JsonNode plan = JSON.readTree(get("phase/rollback-plan").body());
        HttpResponse<String> answer = change("phase/rollback", asked(2, ""));

        assertThat(plan.at("/refusal").asText()).contains("reverse back-fill");
        assertThat(plan.at("/keysToCopy").asLong()).isEqualTo(1_624);
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(phase()).isEqualTo(Phase.WRITE_TARGET);
    }

    @Test
    void shouldNameTheConditionsThatAStepLacks() throws Exception {
        serve();
        run.advance("on");
        run.seconds(2, scheduler::turn);

        HttpResponse<String> answer = change("phase/advance", asked(2, ""));

        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(JSON.readTree(answer.body()).findValuesAsText("name")).contains("backfill", "verification");
        assertThat(phase()).isEqualTo(Phase.WRITE_BOTH);
    }

    @Test
    void shouldNotChangeAnotherRecordThanTheOneLookedAt() throws Exception {
        serve();
        run.advance("on");
        run.seconds(2, scheduler::turn);

        HttpResponse<String> answer = change("phase/rollback", asked(1, ""));

        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).contains("meanwhile");
        assertThat(phase()).isEqualTo(Phase.WRITE_BOTH);
    }

    @Test
    void shouldSetTheShareAndAddNotes() throws Exception {
        serve();
        run.advance("on");
        run.seconds(2, scheduler::turn);

        assertThat(change("phase/share", asked(2, ",\"percent\":35")).statusCode())
                .isEqualTo(200);
        assertThat(change("phase/note", asked(2, "")).statusCode()).isEqualTo(200);

        assertThat(run.control.current().readSharePercent()).isEqualTo(35);
        assertThat(run.control.notes()).singleElement().satisfies(note -> {
            assertThat(note.kind()).isEqualTo(PhaseNote.Kind.TEXT);
            assertThat(note.facts()).containsEntry("text", "because");
        });
        JsonNode events = JSON.readTree(get("snapshot").body()).at("/events");
        assertThat(events.findValuesAsText("kind")).containsExactly("created", "phase", "share", "text");
    }

    @Test
    void shouldTakeOffASilentInstanceAndNoLivingOne() throws Exception {
        serve();
        run.instances.get(0).alive = false;
        run.seconds(15, scheduler::turn);

        assertThat(change("phase/dead", asked(1, ",\"instance\":\"profiles-2\""))
                        .statusCode())
                .isEqualTo(409);
        assertThat(change("phase/dead", asked(1, ",\"instance\":\"nobody\"")).statusCode())
                .isEqualTo(409);
        assertThat(change("phase/dead", asked(1, ",\"instance\":\"profiles-1\""))
                        .statusCode())
                .isEqualTo(200);

        assertThat(run.control.instances())
                .singleElement()
                .satisfies(left -> assertThat(left.name()).isEqualTo("profiles-2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "not json",
                "[]",
                "{}",
                "{\"version\":1,\"who\":\"dana\"}",
                "{\"version\":1,\"who\":\" \",\"why\":\"x\",\"percent\":5}",
                "{\"who\":\"dana\",\"why\":\"x\",\"percent\":5}",
                "{\"version\":\"one\",\"who\":\"dana\",\"why\":\"x\",\"percent\":5}",
                "{\"version\":1,\"who\":\"dana\",\"why\":\"x\",\"percent\":101}",
                "{\"version\":1,\"who\":\"dana\",\"why\":\"x\",\"percent\":-1}",
                "{\"version\":1,\"who\":\"dana\",\"why\":\"x\",\"percent\":5,\"force\":true}",
                "{\"version\":1,\"who\":\"dana\",\"why\":\"x\",\"percent\":5} more"
            })
    void shouldRefuseWhatItDoesNotUnderstand(String body) throws Exception {
        serve();

        HttpResponse<String> answer = change("phase/share", body);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(JSON.readTree(answer.body()).at("/error").asText()).isNotEmpty();
        assertThat(run.control.current().version()).isEqualTo(1);
    }

    @Test
    void shouldRefuseOtherTypesAndLongTexts() throws Exception {
        serve();

        HttpResponse<String> form = post(
                "phase/note",
                asked(1, ""),
                "Authorization",
                "Bearer " + TOKEN,
                "Content-Type",
                "application/x-www-form-urlencoded");
        HttpResponse<String> longText =
                change("phase/note", "{\"who\":\"dana\",\"why\":\"" + "x".repeat(1_001) + "\"}");
        HttpResponse<String> longBody = change("phase/note", asked(1, " ".repeat(20_000)));
        HttpResponse<String> lines = change("phase/note", "{\"who\":\"dana\",\"why\":\"a\\nb\"}");
        HttpResponse<String> linesBy =
                change("phase/advance", "{\"version\":1,\"who\":\"dana\\nb\",\"why\":\"because\"}");

        assertThat(lines.statusCode()).isEqualTo(400);
        assertThat(linesBy.statusCode()).isEqualTo(400);
        assertThat(form.statusCode()).isEqualTo(400);
        assertThat(longText.statusCode()).isEqualTo(400);
        assertThat(longBody.statusCode()).isEqualTo(413);
        assertThat(run.control.notes()).isEmpty();
    }

    private int statusFor(String host, String path) throws IOException {
        URI url = page.url();
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String status = new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
            return Integer.parseInt(status.split(" ")[1]);
        }
    }

    @Test
    void shouldAnswerUnderItsOwnNamesOnly() throws Exception {
        serve(PageConfig.loopback().withHosts(Set.of("Console.example.org")), run.store, run.control);

        assertThat(statusFor("127.0.0.1:1", "/snapshot")).isEqualTo(200);
        assertThat(statusFor("localhost", "/snapshot")).isEqualTo(200);
        assertThat(statusFor("[::1]:9000", "/snapshot")).isEqualTo(200);
        assertThat(statusFor("console.EXAMPLE.org:443", "/snapshot")).isEqualTo(200);
        assertThat(statusFor("rebound.example.net", "/snapshot")).isEqualTo(403);
        assertThat(statusFor("localhost.example.net", "/events")).isEqualTo(403);
        assertThat(statusFor("rebound.example.net", "/")).isEqualTo(403);
    }

    @Test
    void shouldRefuseWhatAPageElsewhereAsks() throws Exception {
        serve();

        HttpResponse<String> elsewhere = post(
                "phase/note", asked(1, ""), "Authorization", "Bearer " + TOKEN, "Origin", "https://elsewhere.example");
        HttpResponse<String> sandboxed =
                post("phase/note", asked(1, ""), "Authorization", "Bearer " + TOKEN, "Origin", "null");
        HttpResponse<String> own = post(
                "phase/note",
                asked(1, ""),
                "Authorization",
                "Bearer " + TOKEN,
                "Origin",
                "http://" + page.url().getAuthority());

        assertThat(elsewhere.statusCode()).isEqualTo(403);
        assertThat(sandboxed.statusCode()).isEqualTo(403);
        assertThat(own.statusCode()).isEqualTo(200);
    }

    @Test
    void shouldShowWhatWasKnownWhileTheStoreDoesNotAnswer() throws Exception {
        FragileStore fragile = new FragileStore(run.store);
        PhaseControl control = PhaseControl.of(fragile.store(), PretendRun.NAME, run, ControlPolicy.DEFAULTS);
        serve(PageConfig.loopback(), fragile.store(), control);
        run.seconds(2, scheduler::turn);
        fragile.lose();
        run.seconds(1, scheduler::turn);
        long lostMillis = run.millis();
        run.seconds(4, scheduler::turn);

        JsonNode lost = JSON.readTree(get("snapshot").body());
        HttpResponse<String> refused = change("phase/advance", asked(1, ""));
        fragile.fail(new IllegalStateException("a bug of the store"));
        run.seconds(1, scheduler::turn);
        JsonNode broken = JSON.readTree(get("snapshot").body());
        fragile.find();
        run.seconds(1, scheduler::turn);
        JsonNode found = JSON.readTree(get("snapshot").body());

        assertThat(lost.at("/store/state").asText()).isEqualTo("unreachable");
        assertThat(lost.at("/store/since").asLong()).isEqualTo(lostMillis);
        assertThat(lost.at("/store/message").asText()).contains("no host was reachable");
        assertThat(lost.at("/record/phase").asText()).isEqualTo("1");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(broken.at("/store/message").asText()).contains("a bug of the store");
        assertThat(found.at("/store/state").asText()).isEqualTo("ok");
        assertThat(run.control.current().version()).isEqualTo(1);
    }

    @Test
    void shouldSayThatThereIsNoSuchMigration() throws Exception {
        MemoryPhaseStore nothing = new MemoryPhaseStore();
        serve(PageConfig.loopback(), nothing, PhaseControl.of(nothing, PretendRun.NAME, run, ControlPolicy.DEFAULTS));

        JsonNode snapshot = JSON.readTree(get("snapshot").body());
        HttpResponse<String> refused = change("phase/advance", asked(1, ""));

        assertThat(snapshot.at("/store/state").asText()).isEqualTo("absent");
        assertThat(snapshot.has("record")).isFalse();
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(nothing.read(PretendRun.NAME)).isEmpty();
    }

    @Test
    void shouldNotAdviseToBeginAnewWhatTheStoreLost() throws Exception {
        PhaseStore lost = (PhaseStore) Proxy.newProxyInstance(
                PhaseStore.class.getClassLoader(),
                new Class<?>[] {PhaseStore.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "read" -> Optional.empty();
                    case "history" -> List.of();
                    default -> method.invoke(run.store, arguments);
                });
        serve(PageConfig.loopback(), lost, PhaseControl.of(lost, PretendRun.NAME, run, ControlPolicy.DEFAULTS));

        assertThat(JSON.readTree(get("snapshot").body()).at("/store/state").asText())
                .isEqualTo("lost");
    }

    @Test
    void shouldKeepKeysAndValuesToItselfWhenRedacted() throws Exception {
        run.mismatch(run.instances.get(0), "4711", new FieldDiff("items[0].d", "David", "Dawid"));
        run.mismatch(run.instances.get(0), "4712", new FieldDiff("items[1]", FieldDiff.ABSENT, "secret"));
        run.seconds(1, () -> {});
        serve(PageConfig.loopback().redacted(), run.store, run.control);

        String body = get("snapshot").body();
        JsonNode mismatches = JSON.readTree(body).at("/mismatches");

        assertThat(body).doesNotContain("David").doesNotContain("secret").doesNotContain("4711");
        assertThat(mismatches.findValuesAsText("path")).containsExactly("items[0].d", "items[1]");
        assertThat(mismatches.findValuesAsText("origin")).containsExactly(FieldDiff.REDACTED, FieldDiff.ABSENT);
    }

    @Test
    void shouldShowMismatchesAndJobsOfAllInstances() throws Exception {
        run.mismatch(run.instances.get(1), "4711", new FieldDiff("items[0].d", "David", "Dawid"));
        run.advance("on");
        run.seconds(2, () -> {});
        Map<String, String> facts = PretendRun.workFacts(PhaseNote.Kind.BACKFILL, run.instant(), 25, 100, 1_000);
        run.store.heartbeat(PretendRun.NAME, new Heartbeat("backfill-1", 2, true, run.instant(), facts));
        serve();

        JsonNode snapshot = JSON.readTree(get("snapshot").body());

        assertThat(snapshot.at("/mismatches/0/key").asText()).isEqualTo("4711");
        assertThat(snapshot.at("/mismatches/0/fields/0/target").asText()).isEqualTo("Dawid");
        assertThat(snapshot.at("/jobs/0/facts/secondsLeft").asLong()).isEqualTo(75);
        assertThat(snapshot.at("/jobs/0/facts/rangesDone").asLong()).isEqualTo(64);
        assertThat(snapshot.at("/record/acknowledged").asBoolean()).isTrue();
        assertThat(snapshot.at("/readiness/to").asText()).isEqualTo("3");
    }

    @Test
    void shouldSayThatItsAddressIsTaken() throws IOException {
        serve();
        PageConfig same = PageConfig.loopback().on("127.0.0.1", page.url().getPort());

        assertThatThrownBy(() -> MigrationPage.start(same, run.store, PretendRun.NAME, run.control))
                .isInstanceOf(PageAddressException.class)
                .hasMessageContaining("address=127.0.0.1:" + page.url().getPort());
    }

    @Test
    void shouldLetGoOfItsHistoryWhenItCanNotStart(@TempDir Path directory) {
        HandScheduler ended = new HandScheduler() {
            @Override
            public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initial, long delay, TimeUnit unit) {
                throw new RejectedExecutionException("ended");
            }
        };
        InstantSource noClock = () -> {
            throw new IllegalCallerException("no clock");
        };
        PageConfig config = PageConfig.loopback().withHistory(directory);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> start(config.withEnvironment(ended.environment(run))))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThatThrownBy(() -> start(config.withEnvironment(scheduler.environment(noClock))))
                    .isInstanceOf(IllegalCallerException.class);
        }
    }

    private MigrationPage start(PageConfig config) throws IOException {
        return MigrationPage.start(config, run.store, PretendRun.NAME, run.control);
    }

    @Test
    void shouldHandOutTheTokenInTheFragmentAlone() throws IOException {
        serve();

        assertThat(page.url().toString()).doesNotContain(TOKEN);
        assertThat(page.urlWithToken().getFragment()).isEqualTo("token=" + TOKEN);
        assertThat(PageConfig.loopback().withToken(TOKEN).toString()).doesNotContain(TOKEN);
        assertThat(PageConfig.loopback().token())
                .isNotEqualTo(PageConfig.loopback().token());
        assertThatThrownBy(() -> PageConfig.loopback().withToken("short"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("too short");
    }
}
