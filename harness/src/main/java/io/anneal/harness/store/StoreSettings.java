package io.anneal.harness.store;

import io.anneal.environment.HostEnvironment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a store is opened with beside its URL.
 *
 * @param role {@code origin} or {@code target}: the name of a memory store that has none of its own
 * @param driverConfiguration a file of the Java driver's settings, for Cassandra
 * @param classPath of a DAO of the caller's own: jars and directories of classes
 * @param makesTables whether a keyspace of Cassandra's gets the tables that it lacks, and a directory a store
 * @param environment time and threads
 * @param delayer runs what a memory store does later
 */
public record StoreSettings(
        String role,
        Optional<Path> driverConfiguration,
        List<Path> classPath,
        boolean makesTables,
        HostEnvironment environment,
        Delayer delayer) {
    public StoreSettings {
        classPath = List.copyOf(classPath);
    }

    /** The machine's time and threads, without a file of settings or a class path; tables are made. */
    public static StoreSettings of(String role, Delayer delayer) {
        return new StoreSettings(role, Optional.empty(), List.of(), true, HostEnvironment.system(), delayer);
    }

    public StoreSettings withDriverConfiguration(Optional<Path> file) {
        return new StoreSettings(role, file, classPath, makesTables, environment, delayer);
    }

    public StoreSettings withClassPath(List<Path> entries) {
        return new StoreSettings(role, driverConfiguration, entries, makesTables, environment, delayer);
    }

    public StoreSettings withMakesTables(boolean makes) {
        return new StoreSettings(role, driverConfiguration, classPath, makes, environment, delayer);
    }
}
