package io.anneal.dualdao;

import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.InstanceState;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.PhaseFollower;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.control.RollbackPlan;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A dual DAO in JMX, from {@link #register} to {@link #close}. Exceptions that leave it are of the platform's own types, since a
 * console lacks ours. Any thread may call.
 */
final class DualDaoJmx implements DualDaoMXBean, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DualDaoJmx.class);
    private static final String DOMAIN = "io.anneal.dualdao";

    private final MBeanServer server;
    private final String name;
    private final String instance;
    private final PhaseFollower follower;
    private final PhaseControl control;
    private final boolean switchAllowed;

    private DualDaoJmx(
            MBeanServer server,
            String name,
            String instance,
            PhaseFollower follower,
            PhaseControl control,
            boolean switchAllowed) {
        this.server = server;
        this.name = name;
        this.instance = instance;
        this.follower = follower;
        this.control = control;
        this.switchAllowed = switchAllowed;
    }

    /**
     * Shows a started instance.
     *
     * @throws IllegalStateException if one of that name and instance is shown already
     */
    static DualDaoJmx register(
            MBeanServer server, String instance, PhaseFollower follower, PhaseControl control, boolean switchAllowed) {
        DualDaoJmx shown = new DualDaoJmx(server, control.name(), instance, follower, control, switchAllowed);
        try {
            server.registerMBean(shown, objectName(control.name(), instance));
        } catch (JMException e) {
            throw new IllegalStateException(
                    "dual DAO can't be shown in JMX, name=" + control.name() + ", instance=" + instance, e);
        }
        return shown;
    }

    static ObjectName objectName(String name, String instance) throws MalformedObjectNameException {
        return new ObjectName(
                DOMAIN + ":type=DualDao,name=" + ObjectName.quote(name) + ",instance=" + ObjectName.quote(instance));
    }

    /** Takes it off; does not throw. */
    @Override
    public void close() {
        try {
            server.unregisterMBean(objectName(name, instance));
        } catch (JMException e) {
            LOG.warn("dual DAO can't be taken off JMX, name={}, instance={}", name, instance, e);
        }
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public String getInstance() {
        return instance;
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
    public String getHighestPhase() {
        return follower.current().highest().label();
    }

    @Override
    public String getChanged() {
        return text(follower.current());
    }

    @Override
    public String getLastContact() {
        return follower.lastContact().map(Object::toString).orElse("");
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
        return asked(() -> control.instances().stream().map(DualDaoJmx::text).toList());
    }

    private static String text(InstanceState state) {
        return state.name() + ": version " + state.heartbeat().version()
                + (state.acknowledged() ? "" : ", not acknowledged")
                + (state.silent() ? ", silent for " + state.silentFor().toSeconds() + " s" : "");
    }

    @Override
    public List<String> getReadiness() {
        return asked(() -> {
            Readiness readiness = control.readiness();
            List<String> lines = new ArrayList<>(List.of(readiness.step()));
            readiness.gates().forEach(gate -> lines.add(gate.toString()));
            return lines;
        });
    }

    @Override
    public List<String> getRollbackPlan() {
        return asked(() -> {
            RollbackPlan plan = control.rollbackPlan();
            return List.of(
                    plan.from().label()
                            + plan.to().map(to -> " to " + to.label()).orElse(", nowhere to go back to"),
                    "refused: " + plan.refusal().orElse("no"),
                    "keys to copy: " + plan.keysToCopy(),
                    "lost: " + plan.whatIsLost());
        });
    }

    @Override
    public List<String> getHistory() {
        return asked(() -> control.history().stream().map(DualDaoJmx::text).toList());
    }

    @Override
    public boolean isSwitchAllowed() {
        return switchAllowed;
    }

    @Override
    public String advance(String who, String why) {
        return changed(() -> control.advance(who, why));
    }

    @Override
    public String rollback(String who, String why) {
        return changed(() -> control.rollback(who, why));
    }

    @Override
    public String readShare(int percent, String who, String why) {
        return changed(() -> control.readShare(percent, who, why));
    }

    private String changed(Supplier<PhaseRecord> change) {
        if (!switchAllowed) {
            throw new IllegalStateException("changes by JMX are not allowed, name=" + name);
        }
        return asked(() -> text(change.get()));
    }

    private static <T> T asked(Supplier<T> question) {
        try {
            return question.get();
        } catch (GateException | PhaseChangedException | PhaseStoreException e) {
            // Without the cause, whose class a console lacks.
            throw new IllegalStateException(e.getMessage());
        }
    }

    private static String text(PhaseRecord phaseRecord) {
        return "version " + phaseRecord.version() + ": phase "
                + phaseRecord.phase().label() + ", " + phaseRecord.at() + ", " + phaseRecord.who() + ": "
                + phaseRecord.why();
    }
}
