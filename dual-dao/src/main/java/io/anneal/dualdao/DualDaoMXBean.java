package io.anneal.dualdao;

import java.util.List;

/**
 * What JMX shows of a dual DAO, under {@code io.anneal.dualdao:type=DualDao,name="NAME",instance="INSTANCE"}. What concerns this
 * instance is answered from memory, also when the phase store is out of reach; instances, readiness, history and notes ask the
 * store, and fail if it can't be asked. Changes are refused unless the dual DAO was built to allow them.
 */
public interface DualDaoMXBean {
    /** Of the migration, as in the phase store. */
    String getName();

    String getInstance();

    /** The phase that this instance acts by: {@code 1} to {@code 5}, or {@code 3b}. */
    String getPhase();

    long getVersion();

    int getReadSharePercent();

    String getHighestPhase();

    /** Who put the phase in force, when and why. */
    String getChanged();

    /** When the phase store was last asked with success, empty before the first time. */
    String getLastContact();

    /** How many attempts to ask the phase store failed. */
    long getStoreFailures();

    /** Why this instance does not acknowledge the phase, empty if nothing holds it up. */
    String getHeldUp();

    /** A line an instance: name, version, whether it acknowledged, since when it is silent. */
    List<String> getInstances();

    /** The next step, and a line a gate. */
    List<String> getReadiness();

    /** What a roll-back would do now. */
    List<String> getRollbackPlan();

    /** A line a change, oldest first. */
    List<String> getHistory();

    /** Whether the operations below do anything. */
    boolean isSwitchAllowed();

    /**
     * Makes the next step, if its gates are met.
     *
     * @return what is in force now
     * @throws IllegalStateException with the reason, if it is refused
     */
    String advance(String who, String why);

    /**
     * Makes a step back, if its gates are met.
     *
     * @return what is in force now
     * @throws IllegalStateException with the reason, if it is refused
     */
    String rollback(String who, String why);

    /**
     * Changes the share of keys whose reads begin at the target.
     *
     * @return what is in force now
     * @throws IllegalStateException with the reason, if it is refused
     */
    String readShare(int percent, String who, String why);
}
