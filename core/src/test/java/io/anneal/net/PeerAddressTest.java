package io.anneal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One form everywhere, which is the one that is typed. */
final class PeerAddressTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:7601", "[::1]:7601", "[2001:db8::7]:7601", "localhost:7601"})
    void shouldPrintAnAddressAsItIsTyped(String typed) {
        assertThat(PeerAddress.text(PeerAddress.parse(typed))).isEqualTo(typed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":1",
                "host",
                "::1",
                "::1:7601",
                "2001:db8::7",
                "[::1]",
                "[::1:7601",
                "[n1]:1",
                "[]:1",
                "::1]:1"
            })
    void shouldRefuseWhatIsNoHostAndPort(String typed) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PeerAddress.parse(typed))
                .withMessageContaining("address is not host:port")
                .withMessageEndingWith("address=" + typed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"n1:", "n1:-1", "n1:65536", "n1:x", "[::1]:"})
    void shouldRefuseWhatIsNoPort(String typed) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PeerAddress.parse(typed))
                .withMessage("port is not a number from 0 to 65535, address=" + typed);
    }

    @Test
    void shouldPrintANameThatNobodyKnows() {
        assertThat(PeerAddress.text(InetSocketAddress.createUnresolved("n1", 7601)))
                .isEqualTo("n1:7601");
    }

    @Test
    void shouldPrintNoNameThatNobodyGave() throws UnknownHostException {
        assertThat(PeerAddress.text(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 1)))
                .isEqualTo("127.0.0.1:1");
    }
}
