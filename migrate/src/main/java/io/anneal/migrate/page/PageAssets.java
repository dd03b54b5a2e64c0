package io.anneal.migrate.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The page's own files, out of the jar: a fixed list, so that no request names a path. Immutable. */
final class PageAssets {
    private static final Map<String, String> TYPES = Map.of(
            "index.html", "text/html; charset=utf-8",
            "page.css", "text/css; charset=utf-8",
            "page.js", "text/javascript; charset=utf-8",
            "uPlot.min.css", "text/css; charset=utf-8",
            "uPlot.iife.min.js", "text/javascript; charset=utf-8",
            "icon.svg", "image/svg+xml");

    /** A file as it is sent. */
    record Asset(String contentType, byte[] bytes) {}

    private final Map<String, Asset> assets = new LinkedHashMap<>();

    PageAssets() {
        TYPES.forEach((name, type) -> assets.put("/" + name, new Asset(type, load(name))));
        assets.put("/", assets.get("/index.html"));
    }

    /** By path, which begins with a slash. */
    Map<String, Asset> byPath() {
        return assets;
    }

    private static byte[] load(String name) {
        try (InputStream in = PageAssets.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the jar lacks a file of the page, file=" + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("could not read a file of the page, file=" + name, e);
        }
    }
}
