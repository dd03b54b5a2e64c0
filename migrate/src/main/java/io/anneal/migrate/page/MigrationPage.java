package io.anneal.migrate.page;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.PhaseStore;
import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.json.JavalinJackson;
import io.javalin.util.JavalinException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A web page that shows one migration live and changes its phase for those who have the token. Everything on it comes out of the
 * phase store, so that it serves one instance, many, or none of its own; by itself, or inside the caller's service.
 *
 * <p>The store and the control stay the caller's. Any thread may call.
 */
public final class MigrationPage implements AutoCloseable {
    private static final int INTERNAL_ERROR = 500;
    private static final int NOT_FOUND = 404;
    private static final int THREADS_MIN = 4;
    /** Beside a thread for each open stream: acceptor, selectors, and some that answer requests. */
    private static final int THREADS_MORE = 12;

    private final Javalin server;
    private final Monitor monitor;
    private final EventStream events;
    private final ScheduledExecutorService scheduler;
    private final String token;
    private final URI url;

    private MigrationPage(
            Javalin server,
            Monitor monitor,
            EventStream events,
            ScheduledExecutorService scheduler,
            String token,
            URI url) {
        this.server = server;
        this.monitor = monitor;
        this.events = events;
        this.scheduler = scheduler;
        this.token = token;
        this.url = url;
    }

    /**
     * Serves the page from now on.
     *
     * @throws PageAddressException if nobody can listen on the address, as when it is taken
     * @throws IllegalStateException if another page keeps its history in the same place
     */
    public static MigrationPage start(PageConfig config, PhaseStore store, String name, PhaseControl control)
            throws PageAddressException {
        ObjectMapper json = mapper();
        History history = new History(config.history(), name, json);
        try {
            return start(config, store, name, control, json, history);
        } catch (PageAddressException | RuntimeException | Error e) {
            history.close();
            throw e;
        }
    }

    private static MigrationPage start(
            PageConfig config, PhaseStore store, String name, PhaseControl control, ObjectMapper json, History history)
            throws PageAddressException {
        Monitor monitor = new Monitor(
                store,
                name,
                control,
                config.redactValues(),
                history,
                config.environment().clock());
        PageGuard guard = new PageGuard(config);
        PageActions actions = new PageActions(
                control, json, monitor::look, config.environment().sleeper());
        EventStream events = new EventStream(monitor, json, PageToken.random().replace("-", "_"), config.interval());

        Javalin server = Javalin.create(javalin -> {
            configure(javalin, config, json);
            route(javalin.routes, guard, actions, events, monitor);
        });
        ScheduledExecutorService scheduler = config.environment().threads().scheduler();
        try {
            server.start();
            long halfNanos = Math.max(1, config.interval().toNanos() / 2);
            scheduler.scheduleWithFixedDelay(monitor::look, 0, 2 * halfNanos, TimeUnit.NANOSECONDS);
            scheduler.scheduleWithFixedDelay(monitor::observe, halfNanos, 2 * halfNanos, TimeUnit.NANOSECONDS);
            URI url = URI.create("http://" + PageGuard.inAddress(config.host()) + ":" + server.port() + "/");
            return new MigrationPage(server, monitor, events, scheduler, config.token(), url);
        } catch (RuntimeException | Error e) {
            scheduler.shutdownNow();
            server.stop();
            if (e instanceof JavalinException refused) {
                throw new PageAddressException(config, refused);
            }
            throw e;
        }
    }

    static ObjectMapper mapper() {
        return JsonMapper.builder()
                .defaultPropertyInclusion(
                        JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
                .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
    }

    private static void configure(JavalinConfig javalin, PageConfig config, ObjectMapper json) {
        QueuedThreadPool threads = new QueuedThreadPool(EventStream.STREAMS_MAX + THREADS_MORE, THREADS_MIN);
        threads.setName("anneal-page");
        threads.setDaemon(true);
        javalin.jetty.threadPool = threads;
        javalin.jetty.host = config.host();
        javalin.jetty.port = config.port();
        javalin.jetty.modifyHttpConfiguration(http -> http.setSendServerVersion(false));
        javalin.startup.showJavalinBanner = false;
        javalin.startup.showOldJavalinVersionWarning = false;
        javalin.startup.startupWatcherEnabled = false;
        javalin.jsonMapper(new JavalinJackson(json, false));
    }

    private static void route(
            RoutesConfig routes, PageGuard guard, PageActions actions, EventStream events, Monitor monitor) {
        routes.before(guard::check);
        routes.before("/phase/*", context -> {
            if (context.req().getMethod().equals("POST")) {
                guard.checkToken(context);
            }
        });
        new PageAssets()
                .byPath()
                .forEach((path, asset) -> routes.get(path, context -> {
                    context.contentType(asset.contentType());
                    context.result(asset.bytes());
                }));
        routes.get("/events", events::serve);
        routes.get("/snapshot", context -> context.json(monitor.last()));
        routes.get("/phase/rollback-plan", actions::rollbackPlan);
        routes.post("/phase/unlock", context -> context.json(Map.of()));
        routes.post("/phase/advance", actions::advance);
        routes.post("/phase/rollback", actions::rollback);
        routes.post("/phase/share", actions::share);
        routes.post("/phase/note", actions::note);
        routes.post("/phase/dead", actions::declareDead);
        routes.exception(PageRefusal.class, MigrationPage::refuse);
        routes.exception(
                InterruptedException.class,
                (e, context) -> Thread.currentThread().interrupt());
        routes.error(NOT_FOUND, context -> context.json(Map.of("error", "there is nothing at this address")));
        routes.error(INTERNAL_ERROR, context -> context.json(Map.of("error", "the page failed; see its log")));
    }

    private static void refuse(PageRefusal refusal, Context context) {
        Map<String, Object> answer = new LinkedHashMap<>(refusal.details());
        answer.put("error", refusal.getMessage());
        context.status(refusal.status());
        context.json(answer);
    }

    /** Where the page is. */
    public URI url() {
        return url;
    }

    /** The page with the token in its fragment, which browsers send nowhere: for the terminal of whoever started it. */
    public URI urlWithToken() {
        return url.resolve("#token=" + token);
    }

    /** Ends all streams and stops serving. */
    @Override
    public void close() {
        scheduler.shutdownNow();
        monitor.close();
        events.awaitEnd();
        server.stop();
    }
}
