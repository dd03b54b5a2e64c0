package io.anneal.migrate.page;

import io.javalin.http.Context;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Stands before every request. Refuses what was asked for under a name that isn't this page's (a page elsewhere, whose name was made
 * to point at this machine, would read everything with its visitor's browser), and what changes anything without the token. Any
 * thread may call.
 */
final class PageGuard {
    private static final String BEARER = "Bearer ";
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;

    private final Set<String> hosts = new HashSet<>(Set.of("localhost", "127.0.0.1", "[::1]"));
    private final PageToken token;

    PageGuard(PageConfig config) {
        this.token = new PageToken(config.token());
        hosts.add(inAddress(lower(config.host())));
        config.hosts().forEach(name -> hosts.add(lower(name)));
    }

    /** Before all requests: whose name, and what a browser may do with the answer. */
    void check(Context context) {
        context.header(
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                        + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        context.header("X-Content-Type-Options", "nosniff");
        context.header("Referrer-Policy", "no-referrer");
        context.header("Cross-Origin-Resource-Policy", "same-origin");
        context.header("Cross-Origin-Opener-Policy", "same-origin");
        context.header("Cache-Control", "no-store");
        String host = context.header("Host");
        if (host == null || !hosts.contains(withoutPort(host))) {
            throw new PageRefusal(
                    FORBIDDEN, "this page is not served under that name, host=" + (host == null ? "(none)" : host));
        }
        String origin = context.header("Origin");
        if (origin != null && !originIsOurs(origin, host)) {
            throw new PageRefusal(FORBIDDEN, "a page elsewhere may not ask, origin=" + origin);
        }
    }

    /** Before requests that change something. */
    void checkToken(Context context) {
        String authorization = context.header("Authorization");
        if (authorization == null || !authorization.startsWith(BEARER)) {
            context.header("WWW-Authenticate", "Bearer");
            throw new PageRefusal(UNAUTHORIZED, "changes need the token that was printed when the page was started");
        }
        if (!token.matches(authorization.substring(BEARER.length()).strip())) {
            context.header("WWW-Authenticate", "Bearer error=\"invalid_token\"");
            throw new PageRefusal(UNAUTHORIZED, "that is not this page's token");
        }
    }

    /** As addresses and headers write it: those of version 6 in brackets. */
    static String inAddress(String host) {
        return host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    }

    private static boolean originIsOurs(String origin, String host) {
        try {
            String authority = new URI(origin).getAuthority();
            return authority != null && lower(authority).equals(lower(host));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static String withoutPort(String host) {
        String name = lower(host);
        int colon = name.lastIndexOf(':');
        return colon > name.lastIndexOf(']') ? name.substring(0, colon) : name;
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
