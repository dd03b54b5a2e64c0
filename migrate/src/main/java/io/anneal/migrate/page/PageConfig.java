package io.anneal.migrate.page;

import io.anneal.dualdao.config.DualEnvironment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * How a {@link MigrationPage} is served.
 *
 * @param host address to listen on; anything but a loopback address lets others read what the page shows. One that stands
 *     for all addresses, as {@code 0.0.0.0}, needs {@code hosts} too
 * @param port 0 for a free one
 * @param token what a request that changes anything must bring; at least {@value #TOKEN_LENGTH_MIN} characters
 * @param hosts names under which the page may be asked for, beside {@code host}, {@code localhost} and the loopback
 *     addresses: of a proxy in front of it. Requests for other names are refused, as they come from a page elsewhere whose
 *     name was made to point here
 * @param redactValues whether keys and values of mismatches are left out; their number and the fields' names stay
 * @param interval between two events of the stream
 * @param history directory in which charts and incidents of six weeks outlive the page's server; empty for none. One page a
 *     migration writes there at a time
 */
public record PageConfig(
        String host,
        int port,
        String token,
        Set<String> hosts,
        boolean redactValues,
        Duration interval,
        Optional<Path> history,
        DualEnvironment environment) {
    static final int TOKEN_LENGTH_MIN = 12;

    private static final Duration INTERVAL_DEFAULT = Duration.ofSeconds(1);

    public PageConfig {
        hosts = Set.copyOf(hosts);
        if (token.length() < TOKEN_LENGTH_MIN) {
            throw new IllegalArgumentException("the token is too short to keep anybody out, characters="
                    + token.length() + ", charactersMin=" + TOKEN_LENGTH_MIN);
        }
        if (port < 0 || port > 0xffff || interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("not a page's configuration, port=" + port + ", interval=" + interval);
        }
    }

    /** On 127.0.0.1 and a free port, with a random token and values shown. */
    public static PageConfig loopback() {
        return new PageConfig(
                "127.0.0.1",
                0,
                PageToken.random(),
                Set.of(),
                false,
                INTERVAL_DEFAULT,
                Optional.empty(),
                DualEnvironment.system());
    }

    /** The same on another address. */
    public PageConfig on(String newHost, int newPort) {
        return new PageConfig(newHost, newPort, token, hosts, redactValues, interval, history, environment);
    }

    public PageConfig withToken(String newToken) {
        return new PageConfig(host, port, newToken, hosts, redactValues, interval, history, environment);
    }

    public PageConfig withHosts(Set<String> newHosts) {
        return new PageConfig(host, port, token, newHosts, redactValues, interval, history, environment);
    }

    public PageConfig redacted() {
        return new PageConfig(host, port, token, hosts, true, interval, history, environment);
    }

    public PageConfig every(Duration newInterval) {
        return new PageConfig(host, port, token, hosts, redactValues, newInterval, history, environment);
    }

    public PageConfig withHistory(Path directory) {
        return new PageConfig(host, port, token, hosts, redactValues, interval, Optional.of(directory), environment);
    }

    public PageConfig withEnvironment(DualEnvironment newEnvironment) {
        return new PageConfig(host, port, token, hosts, redactValues, interval, history, newEnvironment);
    }

    /** Without the token, which must not get into logs. */
    @Override
    public String toString() {
        return "PageConfig[host=" + host + ", port=" + port + ", hosts=" + hosts + ", redactValues=" + redactValues
                + ", interval=" + interval + ", history=" + history + "]";
    }
}
