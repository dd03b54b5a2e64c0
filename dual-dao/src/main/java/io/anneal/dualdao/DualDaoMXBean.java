package io.anneal.dualdao;

import java.util.List;

/** What JMX shows of a dual DAO, under {@code io.anneal.dualdao:type=DualDao,name="...",instance="..."}. */
public interface DualDaoMXBean {
    String getName();

    String getInstance();

    String getPhase();

    long getVersion();

    int getReadSharePercent();

    boolean isFallback();

    /** Whether the operations below do anything. */
    boolean isSwitchAllowed();

    String getLastContact();

    long getStoreFailures();

    String getHeldUp();

    List<String> getInstances();

    List<String> getReadiness();

    List<String> getHistory();

    /** Throws IllegalStateException if switching is not allowed. */
    String advance(String who, String why);

    String rollback(String who, String why);

    String readShare(int percent, String who, String why);
}
