package io.anneal.dualdao;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.operation.DaoMethods;
import io.anneal.dualdao.operation.Missing;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.operation.ReturnAdapter;
import io.anneal.dualdao.operation.ReturnAdapters;
import io.anneal.dualdao.transaction.TransactionHook;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Looks through all that was chosen, and collects what is wrong with it instead of stopping at the first. */
final class ConfigCheck<D> {
    /** What the type's methods do, once all is well. */
    Map<Method, OperationSpec<D, Object[], Object>> methods = Map.of();

    final List<OperationSpec<D, ?, ?>> operations = new ArrayList<>();

    private final DualConfig<D> config;
    private final List<String> problems = new ArrayList<>();

    private ConfigCheck(DualConfig<D> config) {
        this.config = config;
    }

    /**
     * @throws DualDaoConfigException naming every problem
     */
    static <D> ConfigCheck<D> check(DualConfig<D> config) {
        ConfigCheck<D> check = new ConfigCheck<>(config);
        check.requireParts();
        check.checkSides();
        check.checkMemory();
        check.checkDurability();
        check.checkNumbers();
        check.findOperations();
        check.checkPolicies();
        check.checkCopy();
        if (!check.problems.isEmpty()) {
            throw new DualDaoConfigException(config.name, check.problems);
        }
        return check;
    }

    private void requireParts() {
        require(config.origin != null, ".origin(...) is missing");
        require(config.target != null, ".target(...) is missing");
        require(config.mode != null, ".mode(...) is missing; MIGRATION to move, TEST to try the target out");
        require(
                config.phases != null,
                ".phases(...) is missing: where the phase lives, such as new FilePhaseStore(directory)");
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("missing", config.missing);
        options.put("writes", config.writePolicy);
        options.put("fallback", config.fallback);
        options.put("partitions", config.partitions);
        options.put("readRepair", config.readRepair);
        options.put("compare", config.comparison);
        options.put("mismatchReread", config.mismatchRereadDelay);
        options.put("shadow", config.shadow);
        options.put("metrics", config.metrics);
        options.put("environment", config.environment);
        options.put("keyWait", config.keyWait);
        options.put("transactions", config.transactions);
        options.put("poll", config.poll);
        options.put("quietWindow", config.quietWindow);
        options.put("verifiedWithin", config.verifiedWithin);
        options.put("closeTimeout", config.closeTimeout);
        options.forEach((option, value) -> require(value != null, "." + option + "(null)"));
        require(config.name != null && !config.name.isBlank(), ".name(...) is blank");
        require(config.instance == null || !config.instance.isBlank(), ".instance(...) is blank");
    }

    private void checkSides() {
        if (config.origin == null || config.target == null) {
            return;
        }
        if (config.sameStoreOnPurpose) {
            require(
                    config.mode != Mode.MIGRATION,
                    ".sameStoreOnPurpose() is for Mode.TEST, which then shows how much two equal sides differ");
            return;
        }
        String fix = "; give two stores, or say .sameStoreOnPurpose() in Mode.TEST";
        if (config.origin == config.target) {
            problems.add("origin and target are the same object" + fix);
        } else if (config.identity != null) {
            String origin = config.identity.apply(config.origin);
            String target = config.identity.apply(config.target);
            require(
                    origin == null || !origin.equals(target),
                    "origin and target are the same store, store=" + origin + fix);
        }
    }

    private void checkMemory() {
        if (config.phases != null && config.phases.persistent()) {
            require(
                    config.directory != null || config.withoutDirectory,
                    ".directory(...) is missing: without it this instance can't tell a lost phase store from a new one, and"
                            + " forgets which keys a side lacks; say .withoutDirectory() to go without");
        }
        require(
                config.directory == null || !config.withoutDirectory,
                ".directory(...) and .withoutDirectory() can't both be meant");
    }

    private void checkDurability() {
        require(
                config.durability == null
                        || config.directory != null && config.journal == null && config.mode != Mode.TEST,
                ".durability(...) is of the journal in .directory(...), and there is none");
    }

    private void checkNumbers() {
        percent("compareSample", config.compareSamplePercent);
        percent("shadowReads", config.shadowReadPercent);
        require(
                config.speculativePercentile >= 0 && config.speculativePercentile < 100,
                ".speculative(...) is no percentile, percentile=" + config.speculativePercentile);
        require(
                Integer.bitCount(config.timingSample) == 1 && config.timingSample > 0,
                ".timingSample(...) is no power of two, calls=" + config.timingSample);
        if (config.shadow != null) {
            require(
                    config.shadow.threads() > 0 && config.shadow.queueLength() > 0,
                    ".shadow(...) has no room, threads=" + config.shadow.threads() + ", queueLength="
                            + config.shadow.queueLength());
        }
        positive("poll", config.poll);
        positive("targetTimeout", config.targetTimeout);
        positive("verifiedWithin", config.verifiedWithin);
        positive("closeTimeout", config.closeTimeout);
        positive("keyWait", config.keyWait);
        require(
                config.quietWindow == null || !config.quietWindow.isNegative(),
                ".quietWindow(...) is negative, duration=" + config.quietWindow);
        require(
                config.mismatchRereadDelay == null || !config.mismatchRereadDelay.isNegative(),
                ".mismatchReread(...) is negative, delay=" + config.mismatchRereadDelay);
        require(config.readRepair == null || config.readRepair.copiesPerSecond() >= 0, ".readRepair(...) is negative");
    }

    private void findOperations() {
        if (!config.type.isInterface() && config.proxied) {
            problems.add("not an interface, type=" + config.type.getName()
                    + "; DualDao.functional(...) does without a proxy");
        } else if (config.type.isSealed()) {
            problems.add("a sealed interface can't be implemented, type=" + config.type.getName());
        } else if (config.proxied) {
            findMethods();
        }
        for (OperationSpec<D, ?, ?> operation : config.operations) {
            Predicate<Object> told = operation.missing() == null ? config.missing : operation.missing();
            operations.add(operation.withMissing(told == null ? Missing.DEFAULT : Missing.orNull(told)));
        }
        require(
                config.proxied || !operations.isEmpty(),
                "no operation; say .operation(OperationSpec.of(...)) for each");
        Set<String> names = new HashSet<>();
        methods.values().stream().distinct().forEach(operation -> checkName(names, operation));
        operations.forEach(operation -> checkName(names, operation));
    }

    private void findMethods() {
        require(!config.returns.contains(null), ".returns(null)");
        List<ReturnAdapter<?>> told =
                config.returns.stream().filter(Objects::nonNull).toList();
        try {
            ReturnAdapters returns = new ReturnAdapters(told, config.type.getClassLoader());
            methods = new DaoMethods<>(config.declared(), returns, problems::add).operations();
        } catch (ServiceConfigurationError e) {
            problems.add("a service can't be loaded, reason=" + e.getMessage());
        }
    }

    private void checkName(Set<String> names, OperationSpec<D, ?, ?> operation) {
        require(names.add(operation.name()), "two operations have the name " + operation.name());
    }

    private void checkPolicies() {
        boolean test = config.mode == Mode.TEST;
        if (config.fallback != null && config.fallback.onTimeout() && !test) {
            require(
                    config.targetTimeout != null,
                    ".fallback(...) on timeout needs .targetTimeout(...): else the target is never late");
        }
        if (config.partitions != null && config.partitions.kind() == Partitions.Kind.MERGED) {
            require(config.partitions.merge() != null, ".partitions(merged(null)): nothing to merge with");
        }
        boolean repairs = config.readRepair != null && config.readRepair.copiesPerSecond() > 0;
        require(!(repairs && test), ".readRepair(...) does nothing in Mode.TEST, where no read falls back");
        if (repairs && !test) {
            require(config.copy != null, ".readRepair(...) needs .copy(codec, copy)");
            require(
                    config.copy == null || config.copy.guarantee() != KeyCopy.Guarantee.NONE,
                    ".readRepair(...) with a copy of guarantee NONE would undo newer writes of other instances; the copy must"
                            + " keep SOURCE_TIMESTAMPS or write IF_ABSENT");
        }
    }

    private void checkCopy() {
        require(
                config.copy == null || config.keyCodec != null,
                ".copy(null, ...): without a codec no key can be read back from the journal");
        require(config.keys.isEmpty() || config.copy != null, ".keys(...) needs .copy(codec, copy)");
        require(!config.keys.contains(null), ".keys(null)");
        boolean overwrites = config.copy != null && config.copy.guarantee() != KeyCopy.Guarantee.IF_ABSENT;
        String lacking =
                config.copy == null ? "needs .copy(codec, copy)" : "needs a copy that overwrites, not IF_ABSENT";
        require(
                config.mode != Mode.MIGRATION || config.writePolicy != WritePolicy.ORIGIN_THEN_JOURNAL || overwrites,
                ".writes(ORIGIN_THEN_JOURNAL) " + lacking + ", which works the journal off");
        require(
                config.transactions == null || config.transactions == TransactionHook.NONE || overwrites,
                ".transactions(...) " + lacking
                        + ", since what one wrote is taken to the other side when it has ended");
        if (config.mode != Mode.MIGRATION) {
            return;
        }
        Stream.concat(methods.values().stream(), operations.stream())
                .forEach(operation -> require(
                        overwrites || !operation.kind().decides(),
                        operation.name() + ": " + operation.kind() + " " + lacking
                                + ", since it is done on one side and its result taken to the other"));
    }

    private void percent(String option, int percent) {
        require(percent >= 0 && percent <= 100, "." + option + "(...) is not 0 to 100, percent=" + percent);
    }

    private void positive(String option, Duration duration) {
        require(
                duration == null || !duration.isNegative() && !duration.isZero(),
                "." + option + "(...) must be positive, duration=" + duration);
    }

    private void require(boolean met, String problem) {
        if (!met) {
            problems.add(problem);
        }
    }
}
