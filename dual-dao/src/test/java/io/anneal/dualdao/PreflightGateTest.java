package io.anneal.dualdao;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.Gate;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What would fail in 2 is told in 1. */
final class PreflightGateTest {
    record Code(String text) {}

    interface Names {
        @Read
        String find(@Key Code code);

        @Write
        void save(@Key Code code, String name);
    }

    private record MapNames(Map<Code, String> names) implements Names {
        @Override
        public String find(Code code) {
            return names.getOrDefault(code == null ? new Code("") : code, "nobody");
        }

        @Override
        public void save(Code code, String name) {
            names.put(code, name);
        }
    }

    private static final class Copy implements KeyCopy<Names, Code> {
        @Override
        public Guarantee guarantee() {
            return Guarantee.NONE;
        }

        @Override
        public CompletionStage<Void> copy(Code code, Names from, Names to, long takenAwayBeforeMicros) {
            to.save(code, from.find(code));
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<String> read(Code code, Names dao) {
            return CompletableFuture.completedStage(dao.find(code));
        }
    }

    private final MemoryPhaseStore phases = new MemoryPhaseStore();
    private DualDao<Names> dual;

    private Names start(KeyCodec<Code> codec) {
        PhaseControl.of(phases, "names", Clock.systemUTC(), ControlPolicy.DEFAULTS)
                .create("test", "begin");
        dual = DualDao.builder(Names.class)
                .name("names")
                .mode(Mode.MIGRATION)
                .origin(new MapNames(new ConcurrentHashMap<>()))
                .target(new MapNames(new ConcurrentHashMap<>()))
                .phases(phases)
                .withoutDirectory()
                .copy(codec, new Copy())
                .timingSample(1)
                .poll(Duration.ofHours(1))
                .build();
        return dual.dao();
    }

    @AfterEach
    void close() {
        dual.close();
    }

    private Gate gate() {
        dual.poll();
        return dual.control().readiness().gates().stream()
                .filter(gate -> gate.name().equals("preflight"))
                .findAny()
                .orElseThrow();
    }

    @Test
    void shouldTellOfKeysThatCanNotBeReadBackAndNotGoOn() {
        Names names = start(new KeyCodec<>(Code.class, Code::text, text -> new Code(text.trim())));
        names.save(new Code("a"), "Ada");
        assertThat(gate().met()).isTrue();

        names.save(new Code("b "), "Ben");

        assertThat(names.find(new Code("b "))).isEqualTo("Ben");
        assertThat(gate().met()).isFalse();
        assertThat(gate().evidence()).contains("2 calls that would fail in phase 2", "save: ", "read back as another");
        assertThatThrownBy(() -> dual.control().advance("test", "on")).isInstanceOf(GateException.class);
        assertThat(dual.control().advance("test", "on", true).phase()).isEqualTo(Phase.WRITE_BOTH);
    }

    @Test
    void shouldTellOfKeysThatAreNullWithoutFailingTheCall() {
        Names names = start(new KeyCodec<>(Code.class, Code::text, Code::new));

        assertThat(names.find(null)).isEqualTo("nobody");

        assertThat(gate().met()).isFalse();
        assertThat(gate().evidence()).contains("find: ");
    }

    @Test
    void shouldSayHowManyCallsItLookedAt() {
        Names names = start(new KeyCodec<>(Code.class, Code::text, Code::new));
        names.save(new Code("a"), "Ada");
        names.find(new Code("a"));

        assertThat(gate().evidence()).isEqualTo("the keys of 2 calls could be told, written down and read back");
        assertThat(dual.control().advance("test", "on").phase()).isEqualTo(Phase.WRITE_BOTH);
    }
}
