package io.anneal.migrate.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** One tab of a {@link Chromium}, told what to do through the DevTools protocol. For one thread. */
final class BrowserTab implements AutoCloseable {
    private static final long ANSWER_SECONDS_MAX = 120;
    private static final int CONDITION_MILLIS_MAX = 30_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final AtomicInteger lastId = new AtomicInteger();
    private final StringBuilder incoming = new StringBuilder();

    private WebSocket socket;

    private BrowserTab() {}

    static BrowserTab connect(HttpClient http, URI address) throws IOException {
        BrowserTab tab = new BrowserTab();
        tab.socket = http.newWebSocketBuilder()
                .buildAsync(address, tab.new Listener())
                .join();
        tab.call("Page.enable", Map.of());
        tab.call("Runtime.enable", Map.of());
        tab.call("Log.enable", Map.of());
        return tab;
    }

    private final class Listener implements WebSocket.Listener {
        @Override
        public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            incoming.append(data);
            if (last) {
                String text = incoming.toString();
                incoming.setLength(0);
                take(text);
            }
            webSocket.request(1);
            return null;
        }
    }

    private void take(String text) {
        try {
            JsonNode message = JSON.readTree(text);
            if (message.has("id")) {
                CompletableFuture<JsonNode> future =
                        waiting.remove(message.get("id").asInt());
                if (message.has("error")) {
                    future.completeExceptionally(
                            new IOException(message.get("error").toString()));
                } else {
                    future.complete(message.get("result"));
                }
                return;
            }
            switch (message.path("method").asText()) {
                case "Runtime.exceptionThrown" ->
                    errors.add(message.at("/params/exceptionDetails").toString());
                case "Runtime.consoleAPICalled" -> {
                    if (message.at("/params/type").asText().equals("error")) {
                        errors.add(message.at("/params/args").toString());
                    }
                }
                case "Log.entryAdded" -> {
                    if (message.at("/params/entry/level").asText().equals("error")) {
                        errors.add(message.at("/params/entry").toString());
                    }
                }
                default -> {
                    // Of no interest here.
                }
            }
        } catch (IOException e) {
            errors.add(e.toString());
        }
    }

    JsonNode call(String method, Map<String, Object> parameters) throws IOException {
        int id = lastId.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        waiting.put(id, answer);
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", JSON.valueToTree(parameters));
        socket.sendText(message.toString(), true).join();
        try {
            return answer.get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the browser did not do it, method=" + method + ", parameters=" + parameters, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted, method=" + method, e);
        }
    }

    /** What went wrong in the page so far: uncaught errors, errors logged, requests refused. */
    List<String> errors() {
        return errors;
    }

    void go(URI address) throws IOException {
        call("Page.navigate", Map.of("url", address.toString()));
        waitFor("location.href.startsWith('" + address.resolve("/") + "') && document.readyState === 'complete'");
    }

    /** The value of an expression; of what a promise ends in. */
    JsonNode evaluate(String expression) throws IOException {
        JsonNode result = call(
                "Runtime.evaluate",
                Map.of("expression", expression, "returnByValue", true, "awaitPromise", true, "userGesture", true));
        if (result.has("exceptionDetails")) {
            throw new IOException(
                    "the page threw, expression=" + expression + ", exception=" + result.get("exceptionDetails"));
        }
        return result.at("/result/value");
    }

    String text(String selector) throws IOException {
        return evaluate("document.querySelector(" + quoted(selector) + ").innerText")
                .asText();
    }

    /** Waits until an expression is true; says what it saw if it does not become so in time. */
    void waitFor(String condition) throws IOException {
        for (int attempt = 0; ; attempt++) {
            try {
                JsonNode seen = evaluate("""
                        new Promise(resolve => {
                          const end = Date.now() + %d;
                          const look = () => {
                            const now = (() => { try { return Boolean(%s); } catch (e) { return false; } })();
                            if (now || Date.now() > end) resolve(now ? '' : document.body.innerText.slice(0, 3000));
                            else setTimeout(look, 20);
                          };
                          look();
                        })""".formatted(CONDITION_MILLIS_MAX, condition));
                if (!seen.asText().isEmpty()) {
                    throw new AssertionError("never became true: " + condition + "\nerrors: " + errors
                            + "\nthe page says:\n" + seen.asText());
                }
                return;
            } catch (IOException e) {
                // The page that was asked made way for the next one.
                if (attempt > 3 || !String.valueOf(e.getCause()).contains("context")) {
                    throw e;
                }
            }
        }
    }

    void click(String selector) throws IOException {
        evaluate("document.querySelector(" + quoted(selector) + ").click()");
    }

    /** Types into what has the focus. */
    void type(String text) throws IOException {
        call("Input.insertText", Map.of("text", text));
    }

    void key(String key, int code) throws IOException {
        key(key, code, 0);
    }

    /**
     * Presses and lets go of a key.
     *
     * @param modifiers 8 for shift
     */
    void key(String key, int code, int modifiers) throws IOException {
        String text = key.equals("Enter") ? "\r" : key.equals("Space") ? " " : "";
        String name = key.equals("Space") ? " " : key;
        call(
                "Input.dispatchKeyEvent",
                Map.of(
                        "type", text.isEmpty() ? "rawKeyDown" : "keyDown",
                        "key", name,
                        "code", key,
                        "windowsVirtualKeyCode", code,
                        "modifiers", modifiers,
                        "text", text));
        call(
                "Input.dispatchKeyEvent",
                Map.of(
                        "type", "keyUp",
                        "key", name,
                        "code", key,
                        "windowsVirtualKeyCode", code,
                        "modifiers", modifiers));
    }

    void tab() throws IOException {
        key("Tab", 9);
    }

    void enter() throws IOException {
        key("Enter", 13);
    }

    void size(int width, int height, double scale, boolean phone) throws IOException {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", scale, "mobile", phone));
    }

    void scheme(String scheme) throws IOException {
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Of the page from its top, as high as that. */
    byte[] screenshot(int width, int height) throws IOException {
        JsonNode picture = call(
                "Page.captureScreenshot",
                Map.of(
                        "format",
                        "png",
                        "captureBeyondViewport",
                        true,
                        "clip",
                        Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", 1)));
        return Base64.getDecoder().decode(picture.get("data").asText());
    }

    static String quoted(String text) throws IOException {
        return JSON.writeValueAsString(text);
    }

    @Override
    public void close() throws IOException {
        call("Page.close", Map.of());
        socket.abort();
    }
}
