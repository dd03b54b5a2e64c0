package io.anneal.dualdao;

import io.anneal.dualdao.phase.Gate;
import io.anneal.dualdao.phase.GateException;
import io.anneal.dualdao.phase.InstanceState;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseControl;
import io.anneal.dualdao.phase.PhaseFollower;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanRegistrationException;
import javax.management.ObjectName;

/**
 * Shows one instance in JMX. What goes wrong reaches its users as {@link IllegalStateException}, since they need not have our
 * exceptions' classes.
 */
final class DualDaoBean implements DualDaoMXBean {
    private final DualConfig<?> config;
    private final PhaseFollower follower;
    private final PhaseControl control;
    private final boolean switchAllowed;

    private DualDaoBean(DualConfig<?> config, PhaseFollower follower, PhaseControl control, boolean switchAllowed) {
        this.config = config;
        this.follower = follower;
        this.control = control;
        this.switchAllowed = switchAllowed;
    }

    /**
     * @return the name to take it off by
     * @throws IllegalStateException if there is one of that name already
     */
    static ObjectName register(
            DualConfig<?> config, PhaseFollower follower, PhaseControl control, boolean switchAllowed) {
        DualDaoBean bean = new DualDaoBean(config, follower, control, switchAllowed);
        try {
            ObjectName name = new ObjectName("io.anneal.dualdao:type=DualDao,name=" + ObjectName.quote(config.name())
                    + ",instance=" + ObjectName.quote(config.instance()));
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name);
            return name;
        } catch (JMException e) {
            throw new IllegalStateException(
                    "can't be shown in JMX, name=" + config.name() + ", instance=" + config.instance(), e);
        }
    }

    /**
     * Does nothing if somebody else did it before.
     *
     * @param name null if it was never shown
     */
    static void unregister(ObjectName name) {
        if (name == null) {
            return;
        }
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (InstanceNotFoundException e) {
            // taken off through JMX itself
        } catch (MBeanRegistrationException e) {
            throw new AssertionError("it has nothing to say to that", e);
        }
    }

    @Override
    public String getName() {
        return config.name();
    }

    @Override
    public String getInstance() {
        return config.instance();
    }

    @Override
    public String getPhase() {
        return follower.current().phase().label();
    }

    @Override
    public long getVersion() {
        return follower.current().version();
    }

    @Override
    public int getReadSharePercent() {
        return follower.current().readSharePercent();
    }

    @Override
    public boolean isFallback() {
        return follower.current().fallback();
    }

    @Override
    public boolean isSwitchAllowed() {
        return switchAllowed;
    }

    @Override
    public String getLastContact() {
        return follower.lastContact().map(Instant::toString).orElse("");
    }

    @Override
    public long getStoreFailures() {
        return follower.failures();
    }

    @Override
    public String getHeldUp() {
        return follower.heldUp().orElse("");
    }

    @Override
    public List<String> getInstances() {
        return asked(() -> control.instances().stream().map(DualDaoBean::text).toList());
    }

    private static String text(InstanceState instance) {
        return instance.name() + ", version=" + instance.heartbeat().version() + ", acknowledged="
                + instance.acknowledged() + ", silent=" + instance.silent();
    }

    @Override
    public List<String> getReadiness() {
        return asked(
                () -> control.readiness().gates().stream().map(Gate::toString).toList());
    }

    @Override
    public List<String> getHistory() {
        return asked(() -> control.history().stream().map(DualDaoBean::text).toList());
    }

    private static String text(PhaseRecord entry) {
        return entry.at() + " phase=" + entry.phase().label() + ", version=" + entry.version() + ", readSharePercent="
                + entry.readSharePercent() + ", fallback=" + entry.fallback() + ", who=" + entry.who() + ", why="
                + entry.why();
    }

    @Override
    public String advance(String who, String why) {
        return switched(() -> control.advance(who, why));
    }

    @Override
    public String rollback(String who, String why) {
        return switched(() -> control.rollback(who, why));
    }

    @Override
    public String readShare(int percent, String who, String why) {
        return switched(() -> control.readShare(percent, who, why));
    }

    private String switched(Supplier<PhaseRecord> change) {
        if (!switchAllowed) {
            throw new IllegalStateException("phases are not switched here; build with .jmx(true) to allow it");
        }
        return text(asked(change));
    }

    private static <T> T asked(Supplier<T> question) {
        try {
            return question.get();
        } catch (PhaseStoreException | GateException | PhaseChangedException e) {
            throw new IllegalStateException(e.getMessage());
        }
    }
}
