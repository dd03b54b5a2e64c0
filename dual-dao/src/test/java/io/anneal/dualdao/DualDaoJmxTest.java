package io.anneal.dualdao;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.PhaseFollower;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class DualDaoJmxTest {
    private static final String NAME = "app.users,\"old\"";
    private static final String INSTANCE = "host:1";

    private final InstantSource clock = () -> Instant.parse("2026-01-01T00:00:00Z");
    private final MemoryPhaseStore store = new MemoryPhaseStore();
    private final PhaseControl control = PhaseControl.of(store, NAME, clock, ControlPolicy.DEFAULTS);
    private final PhaseFollower follower = new PhaseFollower(
            store,
            NAME,
            INSTANCE,
            List.of(),
            () -> Map.of(Facts.DIRTY_TARGET, "0", Facts.DIRTY_ORIGIN, "0", Facts.PARTITIONS, "whole"),
            clock,
            duration -> {});
    private final MBeanServer server = MBeanServerFactory.newMBeanServer();

    @BeforeEach
    void begin() {
        control.create("ann", "begin");
        follower.start();
    }

    private DualDaoMXBean shown(boolean switchAllowed) throws Exception {
        DualDaoJmx.register(server, INSTANCE, follower, control, switchAllowed);
        ObjectName name = DualDaoJmx.objectName(NAME, INSTANCE);
        return JMX.newMXBeanProxy(server, name, DualDaoMXBean.class);
    }

    @Test
    void shouldShowHowThingsStand() throws Exception {
        DualDaoMXBean bean = shown(false);

        assertThat(bean.getName()).isEqualTo(NAME);
        assertThat(bean.getInstance()).isEqualTo(INSTANCE);
        assertThat(bean.getPhase()).isEqualTo("1");
        assertThat(bean.getHighestPhase()).isEqualTo("1");
        assertThat(bean.getVersion()).isEqualTo(1);
        assertThat(bean.getReadSharePercent()).isEqualTo(100);
        assertThat(bean.getChanged()).isEqualTo("version 1: phase 1, 2026-01-01T00:00:00Z, ann: begin");
        assertThat(bean.getLastContact()).isEmpty();
        follower.poll();
        assertThat(bean.getLastContact()).isEqualTo("2026-01-01T00:00:00Z");
        assertThat(bean.getStoreFailures()).isZero();
        assertThat(bean.getHeldUp()).isEmpty();
        assertThat(bean.getInstances()).containsExactly("host:1: version 1");
        assertThat(bean.getReadiness())
                .containsExactly(
                        "1 to 2",
                        "met      instances: host:1 acknowledged version 1",
                        "met      mode: no instance says its mode",
                        "met      preflight: the keys of 0 calls could be told, written down and read back");
        assertThat(bean.getRollbackPlan()).contains("1, nowhere to go back to", "refused: first: phase 1 is the first");
        assertThat(bean.getHistory()).hasSize(1);
    }

    @Test
    void shouldSwitchNothingUnlessItMay() throws Exception {
        DualDaoMXBean bean = shown(false);

        assertThat(bean.isSwitchAllowed()).isFalse();
        assertThatThrownBy(() -> bean.advance("bob", "on"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not allowed");
        assertThatThrownBy(() -> bean.rollback("bob", "back")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> bean.readShare(5, "bob", "less")).isInstanceOf(IllegalStateException.class);
        assertThat(control.current().version()).isEqualTo(1);
    }

    @Test
    void shouldSwitchWhatItMayIfTheGatesAreMet() throws Exception {
        DualDaoMXBean bean = shown(true);

        assertThat(bean.advance("bob", "on")).startsWith("version 2: phase 2,").endsWith("bob: on");
        assertThatThrownBy(() -> bean.advance("bob", "on"))
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContaining("host:1 acts by version 1 of 2");
        assertThat(bean.getInstances()).containsExactly("host:1: version 1, not acknowledged");
        follower.poll();
        assertThat(bean.readShare(5, "bob", "little")).startsWith("version 3: phase 2");
        follower.poll();
        assertThat(bean.getReadSharePercent()).isEqualTo(5);
        assertThat(bean.rollback("bob", "back")).startsWith("version 4: phase 1");
    }

    @Test
    void shouldBeShownOnceAndUntilItEnds() throws Exception {
        DualDaoJmx shown = DualDaoJmx.register(server, INSTANCE, follower, control, false);
        assertThatThrownBy(() -> DualDaoJmx.register(server, INSTANCE, follower, control, false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("instance=host:1");

        shown.close();
        shown.close();
        assertThat(server.isRegistered(DualDaoJmx.objectName(NAME, INSTANCE))).isFalse();
    }
}
